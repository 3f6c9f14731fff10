#!/usr/bin/env bash
# packages.sh - what the packages of the front ends hold, installed into a folder, works there.
. "$CREDENCE_SOURCE/tests/cli/lib.bash"
install_component() { DESTDIR=$folder/root cmake --install "$CREDENCE_BUILD" --prefix /usr --component "$1" >log 2>&1; }
if [ -f "$CREDENCE_BUILD/sql/postgresql/credence.so" ]; then
    install_component postgresql
    same "the extension of PostgreSQL" "$(cd root && find . -type f | sed 's|.*/||' | sort | tr '\n' ' ')" \
        "credence--0.1.sql credence.control credence.so "
    same "where its server looks" "$(ls "root$(pg_config --sharedir)/extension/credence.control" | wc -l)" 1
    same "its version" "$(sed -n "s/^default_version = '\(.*\)'/\1/p" "root$(pg_config --sharedir)/extension/credence.control")" 0.1
fi
if [ -f "$CREDENCE_BUILD/sql/sqlite/credence.so" ] && type -P sqlite3 >/dev/null; then
    install_component sqlite
    extension=$(find root -path '*sqlite3/credence.so')
    same "the extension of SQLite" "$(sqlite3 -cmd ".load $PWD/${extension%.so}" :memory: \
        "SELECT credence_predict(credence_train('y', 'x', 1, 'y', 'a'), 'x', 1)")" a
fi
if [ -d "$CREDENCE_BUILD/python/credence" ] && /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
    install_component python
    same "the package of Python" "$(PYTHONPATH=root/usr/lib/python3/dist-packages /usr/bin/python3 -c '
import credence; print(credence.NaiveBayes().fit([[1.0], [2.0]], ["a", "b"]).predict([[1.1]])[0])')" a
    same "no bytecode in it" "$(find root -name '*.pyc')" ""
fi
finish
