/* serve/options.h - the command line of credence-serve. */
#ifndef SERVE_OPTIONS_H
#define SERVE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "credence/status.h"

typedef struct options {
    char **models; /* folders and files */
    size_t model_count;
    const char *listen; /* ADDRESS:PORT or unix:PATH */
    const char *token_file, *tls_cert, *tls_key, *log;
    bool open, learn, drift, help, version;
    size_t threads; /* 0: one for each core */
    size_t max_body, max_connections, max_rows, max_journal;
    double timeout; /* seconds for a request to arrive */
} options;

#define DEFAULT_LISTEN "127.0.0.1:8750"

/* Read the command line. CR_EARG: it is wrong, and err says how. */
cr_status options_read(options *o, int argc, char **argv, cr_error *err);
void options_help(void);

#endif
