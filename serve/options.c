/* serve/options.c - the command line of credence-serve. */
#include "options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "credence/spec.h"
#include "request.h"

typedef enum kind { FLAG, TEXT, COUNT, SIZE, SECONDS } kind;

typedef struct option {
    const char *name, *value, *help;
    kind kind;
    size_t at; /* in options */
} option;

static const option table[] = {
    {"listen", "ADDRESS", "Where to listen: HOST:PORT, or unix:PATH. Default: " DEFAULT_LISTEN ".",
     TEXT, offsetof(options, listen)},
    {"token-file", "FILE",
     "Requests need one of these tokens (Authorization: Bearer TOKEN): a line for each, TOKEN or "
     "NAME TOKEN.",
     TEXT, offsetof(options, token_file)},
    {"open", NULL, "Listen beyond this machine without a token.", FLAG, offsetof(options, open)},
    {"tls-cert", "FILE", "Certificate chain (PEM), for HTTPS.", TEXT, offsetof(options, tls_cert)},
    {"tls-key", "FILE", "Its private key (PEM).", TEXT, offsetof(options, tls_key)},
    {"learn", NULL, "Take lessons: learn, unlearn, undo, train. Default: models are only read.",
     FLAG, offsetof(options, learn)},
    {"drift", NULL, "Compare the rows that are asked about with the training data.", FLAG,
     offsetof(options, drift)},
    {"threads", "N", "Threads that answer. Default: one for each core.", COUNT,
     offsetof(options, threads)},
    {"max-body", "SIZE", "Largest body of a request, such as 64M. Default: 256M.", SIZE,
     offsetof(options, max_body)},
    {"max-rows", "N", "Most rows of a request. Default: 10000000.", COUNT,
     offsetof(options, max_rows)},
    {"max-connections", "N", "Most connections at a time. Default: 16384.", COUNT,
     offsetof(options, max_connections)},
    {"max-journal", "SIZE",
     "Largest journal of lessons; beyond it the oldest go, which the model file has. Default: 64M.",
     SIZE, offsetof(options, max_journal)},
    {"timeout", "SECONDS", "How long a request may take to arrive. Default: 30.", SECONDS,
     offsetof(options, timeout)},
    {"log", "FILE", "Write a line of JSON for each request; - is standard error.", TEXT,
     offsetof(options, log)},
    {"help", NULL, "Show this.", FLAG, offsetof(options, help)},
    {"version", NULL, "Show the version.", FLAG, offsetof(options, version)},
};

enum { COUNT_OF_OPTIONS = sizeof table / sizeof *table };

void options_help(void)
{
    puts("Usage: credence serve [FOLDER|MODEL...] [OPTION...]\n\n"
         "Answers over HTTP for every model and store of a folder (the current one), and shows a\n"
         "workbench in the browser. Speaks JSON, JSON Lines, CSV and the Open Inference Protocol;\n"
         "GET /openapi.json describes all of it, docs/serve.md explains it.\n\nOptions");
    for (size_t i = 0; i < COUNT_OF_OPTIONS; i++) {
        char left[40];

        snprintf(left, sizeof left, "--%s%s%s", table[i].name, table[i].value != NULL ? " " : "",
                 table[i].value != NULL ? table[i].value : "");
        printf("  %-22s %s\n", left, table[i].help);
    }
    puts("\nSIGHUP reads changed files at once (they are looked at every second anyway); SIGTERM\n"
         "answers what has been asked and ends.");
}

static const option *find(const char *name, size_t size, const char **near)
{
    char wanted[64];
    cr_nearest n = {.wanted = wanted};

    snprintf(wanted, sizeof wanted, "%.*s", (int)size, name);
    for (size_t i = 0; i < COUNT_OF_OPTIONS; i++) {
        if (strcmp(table[i].name, wanted) == 0)
            return &table[i];
        cr_nearest_offer(&n, table[i].name);
    }
    *near = n.best;
    return NULL;
}

/* 64M, 1G, 4096. */
static bool read_size(const char *text, bool units, size_t *out)
{
    static const char letters[] = "KMGT";
    char *end;
    const double x = strtod(text, &end);
    const char *unit = *end != '\0' && units ? strchr(letters, *end & ~32) : NULL;
    const double scale = unit == NULL ? 1 : ldexp(1, 10 * (int)(unit - letters + 1));

    if (end == text || (unit != NULL ? end[1] : *end) != '\0' || !(x >= 1) || x * scale > 1e15 ||
        floor(x * scale) != x * scale)
        return false;
    *out = (size_t)(x * scale);
    return true;
}

static cr_status set(options *o, const option *a, const char *value, cr_error *err)
{
    char *at = (char *)o + a->at, *end;
    double x;

    switch (a->kind) {
    case FLAG: *(bool *)(void *)at = true; return CR_OK;
    case TEXT: *(const char **)(void *)at = value; return CR_OK;
    case COUNT:
    case SIZE:
        if (read_size(value, a->kind == SIZE, (size_t *)(void *)at))
            return CR_OK;
        break;
    case SECONDS:
        x = strtod(value, &end);
        *(double *)(void *)at = x;
        if (*value != '\0' && *end == '\0' && x > 0 && x < 1e6)
            return CR_OK;
        break;
    }
    return fail(err, CR_EARG, NULL, "--%s takes %s, not '%s'", a->name,
                a->kind == SIZE ? "a size such as 64M" : "a number above 0", value);
}

static cr_status read_one(options *o, int argc, char **argv, int *i, cr_error *err)
{
    const char *word = argv[*i] + 2, *near = NULL;
    const size_t size = strcspn(word, "=");
    const option *a = find(word, size, &near);
    const char *value = word[size] == '=' ? word + size + 1 : NULL;

    if (a == NULL) {
        fail(err, CR_EARG, "credence serve --help lists the options", "there is no option --%.*s",
             (int)size, word);
        if (near != NULL)
            snprintf(err->hint, sizeof err->hint, "did you mean --%s?", near);
        return CR_EARG;
    }
    if (a->kind == FLAG && value != NULL)
        return fail(err, CR_EARG, NULL, "--%s takes no value", a->name);
    if (a->kind != FLAG && value == NULL) {
        if (*i + 1 == argc)
            return fail(err, CR_EARG, NULL, "--%s needs a value: %s", a->name, a->value);
        value = argv[++*i];
        if (strncmp(value, "--", 2) == 0 && find(value + 2, strcspn(value + 2, "="), &near) != NULL)
            return fail(err, CR_EARG, a->value, "--%s needs a value, and %s is an option", a->name,
                        value);
    }
    return set(o, a, value, err);
}

cr_status options_read(options *o, int argc, char **argv, cr_error *err)
{
    cr_status status = CR_OK;

    *o = (options){.listen = DEFAULT_LISTEN,
                   .max_body = (size_t)256 << 20,
                   .max_rows = 10000000,
                   .max_journal = (size_t)64 << 20,
                   .max_connections = 16384,
                   .timeout = 30,
                   .models = argv + 1};
    for (int i = 1; i < argc && status == CR_OK; i++) {
        if (strcmp(argv[i], "-h") == 0)
            o->help = true;
        else if (strncmp(argv[i], "--", 2) == 0 && argv[i][2] != '\0')
            status = read_one(o, argc, argv, &i, err);
        else
            o->models[o->model_count++] = argv[i];
    }
    if (status == CR_OK && (o->tls_cert == NULL) != (o->tls_key == NULL))
        status = fail(err, CR_EARG, NULL, "--tls-cert and --tls-key belong together");
    return status;
}
