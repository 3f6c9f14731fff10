/* milter/main.c - credence-milter: judge mail as it arrives.
 *
 * The mail server connects over a socket and passes on each message before it accepts it. The
 * milter adds a field with the verdict, or refuses the message when it is spam beyond a limit. When
 * anything goes wrong the message passes as it came: mail is never held up by its filter. The store
 * is read anew for each message, so that lessons count at once.
 */
#include <errno.h>
#include <getopt.h>
#include <libmilter/mfapi.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "credence/credence.h"
#include "message.h"

enum { MISUSE = 2 };

/* Shared by all connections. They use the store one at a time, for well below a millisecond. */
static struct {
    const char *path, *spam;
    cr_filter_limits limits;
    double reject; /* messages at or above this probability are refused; above 1: none */
    size_t most;
    bool verbose;
    pthread_mutex_t lock;
    cr_store *store; /* NULL: not opened yet, or it does not exist yet */
} shared = {.reject = 2, .most = 1 << 20, .lock = PTHREAD_MUTEX_INITIALIZER};

static void complain(const char *doing, const cr_error *err)
{
    fprintf(stderr, "credence-milter: %s: %s%s%s\n", doing, err->message,
            err->hint[0] != '\0' ? "; " : "", err->hint);
}

/* --- judging ------------------------------------------------------------------------------- */

/* A model for one message, which is its row, or NULL: then the message passes. */
static cr_model *view(const message *m, cr_row **row)
{
    cr_model *model = NULL;
    cr_error err = {0};
    cr_status status = CR_OK;

    pthread_mutex_lock(&shared.lock);
    if (shared.store == NULL && cr_store_is(shared.path))
        status =
            cr_store_open(&shared.store, shared.path, &(cr_store_options){.read_only = 1}, &err);
    if (status == CR_OK && shared.store != NULL)
        status = cr_store_view_message(shared.store, m->bytes, m->size, &model, row, &err);
    pthread_mutex_unlock(&shared.lock);
    if (status != CR_OK)
        complain("a message passes unjudged", &err);
    return model;
}

/* Whether there is a verdict. */
static bool judge(const message *m, cr_filter_judgement *v)
{
    cr_row *row = NULL;
    cr_model *model = m->failed ? NULL : view(m, &row);
    cr_error err = {0};
    cr_status status = CR_EARG;
    size_t spam;

    if (model != NULL && cr_model_classes(model) > 1 &&
        (status = cr_filter_spam_class(model, shared.spam, &spam, &err)) == CR_OK)
        status = cr_filter_judge_row(model, row, spam, &shared.limits, v, NULL, &err);
    cr_row_free(row);
    cr_model_free(model);
    if (status != CR_OK && err.message[0] != '\0')
        complain("a message passes unjudged", &err);
    return status == CR_OK;
}

/* --- what the mail server calls ------------------------------------------------------------ */

static message *message_of(SMFICTX *context)
{
    message *m = smfi_getpriv(context);

    if (m == NULL && (m = calloc(1, sizeof *m)) != NULL) {
        m->most = shared.most;
        smfi_setpriv(context, m);
    }
    return m;
}

static sfsistat on_sender(SMFICTX *context, char **arguments)
{
    message *m = message_of(context);

    (void)arguments;
    if (m == NULL)
        return SMFIS_ACCEPT;
    message_clear(m);
    return SMFIS_CONTINUE;
}

static sfsistat on_field(SMFICTX *context, char *name, char *value)
{
    message_field(message_of(context), name, value);
    return SMFIS_CONTINUE;
}

static sfsistat on_body(SMFICTX *context, unsigned char *bytes, size_t size)
{
    message_body(message_of(context), bytes, size);
    return SMFIS_CONTINUE;
}

static void mark(SMFICTX *context, const message *m, const cr_filter_judgement *v)
{
    char line[CR_FILTER_LINE];

    for (size_t i = m->marks; i > 0; i--) /* remove forged fields */
        smfi_chgheader(context, (char *)CR_FILTER_FIELD, (int)i, NULL);
    if (v == NULL)
        return;
    cr_filter_line(line, v, shared.path);
    smfi_addheader(context, (char *)CR_FILTER_FIELD, line + sizeof CR_FILTER_FIELD ": " - 1);
}

static sfsistat on_end(SMFICTX *context)
{
    message *m = message_of(context);
    cr_filter_judgement v;
    bool judged = judge(m, &v);

    if (shared.verbose)
        fprintf(stderr, "credence-milter: %zu bytes, %s\n", m->size,
                judged ? cr_filter_verdict_name(v.verdict) : "not judged");
    if (judged && v.spam >= shared.reject) {
        smfi_setreply(context, (char *)"550", (char *)"5.7.1", (char *)"Message refused as spam");
        return SMFIS_REJECT;
    }
    mark(context, m, judged ? &v : NULL);
    return SMFIS_ACCEPT;
}

static sfsistat on_close(SMFICTX *context)
{
    message *m = smfi_getpriv(context);

    if (m != NULL)
        message_free(m);
    free(m);
    smfi_setpriv(context, NULL);
    return SMFIS_CONTINUE;
}

/* --- the command line ---------------------------------------------------------------------- */

static const char help[] =
    "Usage: credence milter --listen SOCKET [STORE]\n"
    "\n"
    "Judges mail while it comes in, by a store (default: ~/.credence/mail), for Postfix and "
    "Sendmail. A field\n"
    "X-Credence with the verdict is added; such fields that came with a message are taken out. "
    "What cannot be\n"
    "judged passes as it came.\n"
    "\n"
    "  --listen SOCKET     unix:PATH, or inet:PORT@HOST\n"
    "  --reject P          refuse messages with a probability of spam of at least P; default: "
    "none\n"
    "  --unsure LOW..HIGH  ham up to LOW, spam from HIGH on; default: " CR_FILTER_USUAL_LIMITS "\n"
    "  --spam CLASS        the class that is spam; default: spam, in any capitals\n"
    "  --most BYTES        look at so much of a message; default: 1048576\n"
    "  --verbose           a line for each message on standard error\n"
    "  --help, --version\n";

static int misuse(const char *what, const char *value)
{
    fprintf(stderr, "credence-milter: %s '%s'; credence milter --help tells what there is\n", what,
            value);
    return MISUSE;
}

/* The store that was named, or that of the user's mail. */
static const char *store_path(const char *named)
{
    static char path[4096];
    const char *own = getenv("CREDENCE_MAIL"), *home = getenv("HOME");

    if (named != NULL)
        return named;
    if (own != NULL && *own != '\0')
        return own;
    snprintf(path, sizeof path, "%s/.credence/mail", home == NULL ? "." : home);
    return path;
}

static int read_number(const char *text, double most, double *out)
{
    char *end;

    *out = strtod(text, &end);
    return end != text && *end == '\0' && *out >= 0 && *out <= most;
}

/* libmilter takes any word for the path of a socket. */
static bool is_socket(const char *listen)
{
    return strncmp(listen, "unix:", 5) == 0 || strncmp(listen, "local:", 6) == 0 ||
           strncmp(listen, "inet:", 5) == 0 || strncmp(listen, "inet6:", 6) == 0;
}

/* 0, or an exit status + 1. */
static int read_options(int argc, char **argv, const char **listen)
{
    static const struct option options[] = {
        {"listen", 1, NULL, 'l'}, {"reject", 1, NULL, 'r'},  {"unsure", 1, NULL, 'u'},
        {"spam", 1, NULL, 's'},   {"most", 1, NULL, 'm'},    {"verbose", 0, NULL, 'v'},
        {"help", 0, NULL, 'h'},   {"version", 0, NULL, 'V'}, {0}};
    const char *limits = NULL;
    double number;
    int option;

    while ((option = getopt_long(argc, argv, "vhV", options, NULL)) != -1)
        switch (option) {
        case 'l': *listen = optarg; break;
        case 's': shared.spam = optarg; break;
        case 'u': limits = optarg; break;
        case 'v': shared.verbose = true; break;
        case 'r':
            if (!read_number(optarg, 1, &shared.reject))
                return 1 + misuse("--reject takes a probability, not", optarg);
            break;
        case 'm':
            if (!read_number(optarg, 1e12, &number))
                return 1 + misuse("--most takes a number of bytes, not", optarg);
            shared.most = (size_t)number;
            break;
        case 'h': fputs(help, stdout); return 1;
        case 'V': printf("credence-milter %s\n", cr_version()); return 1;
        default: return 1 + MISUSE;
        }
    if (cr_filter_limits_read(&shared.limits, limits, NULL) != CR_OK)
        return 1 + misuse("--unsure takes two probabilities LOW..HIGH, not", limits);
    if (*listen == NULL || !is_socket(*listen))
        return 1 + misuse("--listen takes unix:PATH or inet:PORT@HOST, not",
                          *listen == NULL ? "" : *listen);
    if (argc - optind > 1)
        return 1 + misuse("one STORE is enough, not", argv[optind + 1]);
    shared.path = store_path(optind < argc ? argv[optind] : NULL);
    return 0;
}

int main(int argc, char **argv)
{
    struct smfiDesc filter = {.xxfi_name = (char *)"credence",
                              .xxfi_version = SMFI_VERSION,
                              .xxfi_flags = SMFIF_ADDHDRS | SMFIF_CHGHDRS,
                              .xxfi_envfrom = on_sender,
                              .xxfi_header = on_field,
                              .xxfi_body = on_body,
                              .xxfi_eom = on_end,
                              .xxfi_close = on_close};
    struct stat left;
    const char *listen = NULL;
    const int code = read_options(argc, argv, &listen);

    if (code != 0)
        return code - 1;
    if (!cr_store_is(shared.path))
        fprintf(stderr, "credence-milter: there is no store '%s' yet; mail passes until there is\n",
                shared.path);
    if (strncmp(listen, "unix:", 5) == 0 && lstat(listen + 5, &left) == 0 && S_ISSOCK(left.st_mode))
        unlink(listen + 5); /* by an earlier milter */
    if (smfi_setconn((char *)listen) != MI_SUCCESS || smfi_register(filter) != MI_SUCCESS ||
        smfi_opensocket(0) != MI_SUCCESS)
        return misuse("cannot listen at", listen);
    if (smfi_main() != MI_SUCCESS)
        return misuse("cannot serve at", listen);
    cr_store_close(shared.store);
    return 0;
}
