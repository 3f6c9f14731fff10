#!/usr/bin/env bash
# docs.sh - what the documentation shows is what the command does.
exec "${CREDENCE_SOURCE:?the source tree}/scripts/docs.sh"
