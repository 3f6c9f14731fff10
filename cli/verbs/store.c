/* cli/verbs/store.c - credence store: create, inspect, check and copy stores. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "out/json.h"
#include "out/out.h"
#include "out/text.h"
#include "session/live.h"
#include "session/session.h"
#include "session/user_mail.h"
#include "store/exchange.h"
#include "store/store.h"
#include "verbs/verbs.h"

typedef struct action {
    const char *name, *operands;
    size_t least, most; /* operands after the action */
    int (*run)(request *r);
} action;

/* --- settings of a new store --------------------------------------------------------------- */

/* "90d", "12w" or "90": days. */
static int read_days(const char *name, const char *text, uint32_t *days)
{
    char *end;
    unsigned long n = strtoul(text, &end, 10);

    if (end == text || n > 100000 ||
        (*end != '\0' && strcmp(end, "d") != 0 && strcmp(end, "w") != 0))
        return misuse("credence store create --period day --keep 90d STORE MODEL",
                      "--%s takes days or weeks, such as 90d or 12w, not '%s'", name, text);
    *days = (uint32_t)(*end == 'w' ? 7 * n : n);
    return EXIT_DONE;
}

int store_settings(const request *r, cr_store_options *out)
{
    const char *period = option_text(r, "period"), *keep = option_text(r, "keep");
    int code = EXIT_DONE;

    *out = (cr_store_options){0};
    if (option_find(r->verb, "live-calibration") != NULL)
        out->calibrate = option_text(r, "live-calibration");
    if (period != NULL)
        out->period = strcmp(period, "day") == 0    ? CR_STORE_PERIOD_DAY
                      : strcmp(period, "week") == 0 ? CR_STORE_PERIOD_WEEK
                                                    : CR_STORE_PERIOD_NONE;
    if (keep != NULL)
        code = read_days("keep", keep, &out->keep);
    if (code == EXIT_DONE && out->keep > 0 && out->period == CR_STORE_PERIOD_NONE)
        return misuse("--period day", "--keep forgets lessons by periods: it needs --period");
    return code;
}

/* A model of which only the words matter: those of mail, the operands from first on. */
static int open_words(cr_model **out, const request *r, size_t first)
{
    static const char *const params[] = {"preset=mail", "ngrams=1..1", "mail=yes"};
    cr_source_options options;
    cr_source *source;
    cr_error err = {0};
    cr_status status;

    cr_source_options_default(&options);
    options.format = "mail";
    options.classes = "*=mail";
    *out = NULL;
    if ((status = cr_source_open(&source, r->operands + first, r->operand_count - first, &options,
                                 &err)) != CR_OK)
        return complain(status, &err);
    status = cr_model_train(out, source, "nb", params, sizeof params / sizeof *params, &r->run,
                            NULL, &err);
    close_data(&source);
    return status == CR_OK ? EXIT_DONE : complain(status, &err);
}

static void tell_clipped(uint64_t counts)
{
    if (counts > 0)
        note("%llu count%s larger than the number of messages, and reduced to it",
             (unsigned long long)counts, counts == 1 ? " was" : "s were");
}

/* A backup of SpamAssassin; mail, the operands after it, has the words that its hashes lack. */
static int open_backup(cr_model **out, const request *r, size_t operand)
{
    cr_wordlist_found found;
    cr_model *words;
    cr_error err = {0};
    cr_status status;
    int code;

    if (operand + 1 >= r->operand_count)
        return misuse("credence store create --from sa-learn STORE BACKUP MAIL...",
                      "a backup of sa-learn has hashes instead of words, which have to be found in "
                      "mail: name mailboxes or folders");
    if ((code = open_words(&words, r, operand + 1)) != EXIT_DONE)
        return code;
    status = cr_wordlist_match(out, r->operands[operand], words, &found, &err);
    cr_model_free(words);
    if (status != CR_OK)
        return complain(status, &err);
    tell_clipped(found.clipped);
    if (!out_is_quiet())
        printf("%s: %llu of %llu tokens recognised, with %.0f%% of the counts, as %llu word%s\n",
               r->operands[operand], (unsigned long long)found.found,
               (unsigned long long)found.tokens,
               100 * (double)found.counts_found / (double)(found.counts > 0 ? found.counts : 1),
               (unsigned long long)found.words, plural(found.words));
    return EXIT_DONE;
}

static int open_wordlist(cr_model **out, const request *r, size_t operand)
{
    cr_error err = {0};
    uint64_t clipped;
    cr_status status = cr_wordlist_read(out, r->operands[operand], &clipped, &err);

    if (status != CR_OK)
        return complain(status, &err);
    tell_clipped(clipped);
    return EXIT_DONE;
}

static bool is_backup(const request *r)
{
    const char *from = option_text(r, "from");

    return from != NULL && strcmp(from, "sa-learn") == 0;
}

/* A model file, or the word counts of another filter. */
static int open_counts(cr_model **out, const request *r, size_t operand)
{
    return is_backup(r)              ? open_backup(out, r, operand)
           : option_given(r, "from") ? open_wordlist(out, r, operand)
                                     : open_model(out, r, operand);
}

typedef cr_status store_work(cr_store *store, void *context, cr_error *err);

/* Open the store that the request names, run the action and close it. */
static int with_store(request *r, bool changes, store_work *work, void *context)
{
    cr_store *store;
    cr_error err = {0};
    cr_status status;
    int code = open_store(&store, r, r->operands[1], changes);

    if (code != EXIT_DONE)
        return code;
    status = work(store, context, &err);
    cr_store_close(store);
    return status == CR_OK ? EXIT_DONE : complain(status, &err);
}

/* --- actions ------------------------------------------------------------------------------- */

static int create(request *r)
{
    cr_store_options options;
    cr_model *model = NULL;
    cr_error err = {0};
    cr_status status;
    int code = store_settings(r, &options);

    if (code == EXIT_DONE && r->operand_count > 3 && !is_backup(r))
        code = misuse("credence store create STORE MODEL", "store create takes one MODEL");
    if (option_given(r, "from") && options.calibrate == NULL)
        options.calibrate = user_mail_calibration;
    if (code != EXIT_DONE || (code = open_counts(&model, r, 2)) != EXIT_DONE)
        return code;
    if (user_mail_is_new(r->operands[1]) &&
        (code = user_mail_folders(r->operands[1])) != EXIT_DONE) {
        cr_model_free(model);
        return code;
    }
    status = cr_store_create(r->operands[1], model, &options, &err);
    cr_model_free(model);
    if (status != CR_OK)
        return complain(status, &err);
    if (!out_is_quiet())
        printf("%s: a store of what %s has learned\n", r->operands[1], r->operands[2]);
    return EXIT_DONE;
}

static void stat_words(const request *r, const cr_store_facts *f)
{
    static const char *const periods[] = {[0] = "none", [1] = "day", [7] = "week"};
    char bytes[NUMBER_ROOM], share[NUMBER_ROOM], loss[NUMBER_ROOM];

    printf("%s\n", r->operands[1]);
    printf("  rows      %llu; %llu lesson%s since it was made\n", (unsigned long long)f->rows,
           (unsigned long long)f->lessons, plural(f->lessons));
    if (f->words > 0)
        printf("  words     %llu%s\n", (unsigned long long)f->words,
               f->whole ? ", kept together: a lesson reads and writes all of them" : "");
    printf("  on disk   %s\n", number_bytes(bytes, f->bytes));
    printf("  periods   %s", periods[f->period]);
    if (f->keep > 0)
        printf(", kept for %u days", f->keep);
    puts("");
    if (f->origins > 1)
        printf("  origins   %zu stores\n", f->origins);
    if (f->judged == 0)
        return;
    printf("  last week, each row judged before it was learned:\n");
    printf("    right        %llu of %llu, %s; log loss %s\n", (unsigned long long)f->right,
           (unsigned long long)f->judged,
           number_percent(share, (double)f->right / (double)f->judged),
           number_plain(loss, f->log_loss));
    if (f->good + f->spam > 0)
        printf("    good lost    %llu of %llu\n    spam passed  %llu of %llu\n",
               (unsigned long long)f->good_lost, (unsigned long long)f->good,
               (unsigned long long)f->spam_passed, (unsigned long long)f->spam);
}

static cr_status get_facts(cr_store *store, void *facts, cr_error *err)
{
    return cr_store_get_facts(store, facts, err);
}

static int stat_store(request *r)
{
    cr_store_facts facts;
    cr_output *out;
    int code = with_store(r, false, get_facts, &facts);

    if (code != EXIT_DONE)
        return code;
    if (r->json) {
        out = output_kept();
        return output_print(out, cr_store_json(&facts, r->operands[1], out), NULL);
    }
    stat_words(r, &facts);
    return EXIT_DONE;
}

static cr_status check_all(cr_store *store, void *unused, cr_error *err)
{
    (void)unused;
    return cr_store_check(store, err);
}

static int check_inside(request *r)
{
    const int code = with_store(r, false, check_all, NULL);

    if (code == EXIT_DONE && !out_is_quiet())
        printf("%s: sound\n", r->operands[1]);
    return code;
}

/* LMDB trusts its pages: damaged ones may crash the process that reads them, so a child process
 * does. */
static int check(request *r)
{
    cr_error err = {0};
    int status;
    pid_t child;

    fflush(stdout);
    if ((child = fork()) < 0)
        return check_inside(r);
    if (child == 0) {
        const int code = check_inside(r);

        fflush(stdout);
        _exit(code);
    }
    while (waitpid(child, &status, 0) < 0)
        ;
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    snprintf(err.file, sizeof err.file, "%s", r->operands[1]);
    snprintf(err.message, sizeof err.message, "the database is damaged: reading it ended in '%s'",
             strsignal(WTERMSIG(status)));
    return complain(CR_EFORMAT, &err);
}

static cr_status compact_to(cr_store *store, void *path, cr_error *err)
{
    return cr_store_compact(store, path, err);
}

static int compact(request *r)
{
    return with_store(r, false, compact_to, (void *)r->operands[2]);
}

static int export(request *r)
{
    const char *path = option_text(r, "output");
    cr_model *model;
    int code;

    if (path == NULL)
        return misuse("credence store export -o MODEL STORE", "export needs -o, a file to write");
    if ((code = check_output(path, r, r->operand_count)) != EXIT_DONE ||
        (code = open_store_model(&model, r, r->operands[1])) != EXIT_DONE)
        return code;
    code = save_model(model, path);
    cr_model_free(model);
    return code;
}

/* Into an existing store, or a new one. */
static int import(request *r)
{
    cr_store *store;
    cr_error err = {0};
    int code = EXIT_DONE;

    if (!cr_store_is(r->operands[1]))
        return create(r);
    if ((code = open_store(&store, r, r->operands[1], true)) != EXIT_DONE)
        return code;
    for (size_t i = 2; code == EXIT_DONE && i < (is_backup(r) ? 3 : r->operand_count); i++) {
        cr_model *model = NULL;
        cr_status status;

        if ((code = open_counts(&model, r, i)) != EXIT_DONE)
            break;
        if ((status = cr_store_merge(store, model, &err)) != CR_OK)
            code = complain(status, &err);
        cr_model_free(model);
    }
    cr_store_close(store);
    return code;
}

typedef struct forgotten {
    cr_store_facts before, after;
} forgotten;

static cr_status forget_old(cr_store *store, void *out, cr_error *err)
{
    forgotten *f = out;
    cr_status status = cr_store_get_facts(store, &f->before, err);

    if (status == CR_OK && f->before.keep > 0)
        status = cr_store_forget(store, err);
    return status == CR_OK ? cr_store_get_facts(store, &f->after, err) : status;
}

static int forget(request *r)
{
    forgotten f;
    const int code = with_store(r, true, forget_old, &f);

    if (code != EXIT_DONE || out_is_quiet())
        return code;
    if (f.before.keep == 0)
        note("this store keeps all lessons: --period and --keep are given when it is made");
    printf("%s: forgot %llu row%s; %llu are left\n", r->operands[1],
           (unsigned long long)(f.before.rows - f.after.rows), plural(f.before.rows - f.after.rows),
           (unsigned long long)f.after.rows);
    return code;
}

/* Dropped words are reported: a model that forgets silently is not to be trusted. */
static int prune(request *r)
{
    const char *unseen = option_text(r, "unseen");
    cr_store_prune_options options = {.below = option_count(r, "below", 0)};
    cr_store_pruned dropped;
    cr_store_facts facts;
    cr_store *store;
    cr_error err = {0};
    cr_status status;
    int code = EXIT_DONE;

    if (!option_given(r, "below") && unseen == NULL)
        return misuse("credence store prune --below 2 --unseen 90d STORE",
                      "prune needs --below, --unseen or both");
    if (unseen != NULL)
        code = read_days("unseen", unseen, &options.unseen);
    if (code != EXIT_DONE || (code = open_store(&store, r, r->operands[1], true)) != EXIT_DONE)
        return code;
    if ((status = cr_store_prune(store, &options, &dropped, &err)) == CR_OK)
        status = cr_store_get_facts(store, &facts, &err);
    cr_store_close(store);
    if (status != CR_OK)
        return complain(status, &err);
    if (!out_is_quiet())
        printf("%s: dropped %llu word%s that occurred %llu time%s; %llu are left\n", r->operands[1],
               (unsigned long long)dropped.words, plural(dropped.words),
               (unsigned long long)dropped.occurrences, plural(dropped.occurrences),
               (unsigned long long)facts.words);
    return EXIT_DONE;
}

static const action actions[] = {
    {"create", "STORE MODEL", 2, SIZE_MAX, create},
    {"stat", "STORE", 1, 1, stat_store},
    {"check", "STORE", 1, 1, check},
    {"compact", "STORE NEW", 2, 2, compact},
    {"export", "STORE", 1, 1, export},
    {"import", "STORE MODEL...", 2, SIZE_MAX, import},
    {"forget", "STORE", 1, 1, forget},
    {"prune", "STORE", 1, 1, prune},
    {"sync", "STORE STORE", 2, 2, store_sync},
    {"send", "STORE [STATE]", 1, 2, store_send},
    {"receive", "STORE [STREAM]", 1, 2, store_receive},
    {"state", "STORE", 1, 1, store_state},
    {"answer", "STORE", 1, 1, store_answer},
};

static int run(request *r)
{
    cr_nearest near = {.wanted = r->operands[0]};
    char hint[160] = "there are";
    size_t used = strlen(hint);

    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        const action *a = &actions[i];

        cr_nearest_offer(&near, a->name);
        if (strcmp(a->name, r->operands[0]) != 0)
            continue;
        snprintf(hint, sizeof hint, "credence store %s %s", a->name, a->operands);
        if (r->operand_count - 1 < a->least || r->operand_count - 1 > a->most)
            return misuse(hint, "store %s takes %s", a->name, a->operands);
        return a->run(r);
    }
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        used += (size_t)snprintf(hint + used, sizeof hint - used, "%s %s", i > 0 ? "," : "",
                                 actions[i].name);
    if (near.best != NULL)
        snprintf(hint, sizeof hint, "did you mean %s?", near.best);
    return misuse(hint, "store has no action '%s'", r->operands[0]);
}

static const char *const about[] = {
    "A store is a live model: it learns row by row, from many processes at once, and the cost of a "
    "lesson depends only on its own words, however much has been learned. It is kept in a database "
    "(LMDB), in a folder. Wherever a verb takes MODEL it takes a store, and credence train --store "
    "makes one.",
    "create makes a store of a model; import adds models to one. export writes the model file that "
    "training on the same rows would have given, byte for byte. stat shows what is in it, and how "
    "well the rows of the last week were judged before they were learned. check reads everything "
    "and compares it with its sums. compact copies a store without its unused space; forget drops "
    "what is older than --keep said, as the first lesson of a period does by itself.",
    "prune drops words for good that are rare (--below) and old (--unseen), and tells how many.",
    "sync exchanges the lessons of two stores that learned separately: afterwards both export the "
    "same bytes. Nothing counts twice, in whatever order stores meet. A store that does not exist "
    "yet is created, and one may be on another machine, as HOST:PATH over ssh. state, send and "
    "receive are the same by hand: send writes what a store with a given state lacks (everything "
    "without one), receive takes it in. answer is what sync starts on the other machine.",
    "--json of stat gives store, rows, words, lessons, bytes, whole, period, keep, origins, and of "
    "the last week judged, right, accuracy, log_loss, good, good_lost, spam, spam_passed.",
    NULL,
};

static const option own[] = {
    {"output", 'o', OPTION_TEXT, "FILE", "File that export, state or send writes."},
    {"ssh", 0, OPTION_TEXT, "COMMAND",
     "What sync calls with HOST and a command to reach a store that is elsewhere. Default: ssh."},
    {"from", 0, OPTION_CHOICE, "bogofilter|sa-learn",
     "What create and import read is not a model but the word counts of another filter, as "
     "`bogoutil -d wordlist.db` or `sa-learn --backup` writes them. The latter have hashes instead "
     "of words: mail, mailboxes and folders named after the file, tells the words."},
    {"below", 0, OPTION_COUNT, "N", "prune: words that occurred less than N times."},
    {"unseen", 0, OPTION_TEXT, "DAYS",
     "prune: words that were not learned for so long, such as 90d or 12w; of a store with "
     "--period."},
    STORE_OPTIONS,
    SYNC_OPTION,
    {0},
};
static const option_group own_group = {"Options", own};
static const option_group *const groups[] = {&own_group, NULL};

static const example examples[] = {
    {"credence train -m nb tax.csv -o tax.model && credence store create tax.store tax.model",
     "A store of a model."},
    {"head -4 tax.csv | credence learn tax.store", "Teach it."},
    {"credence store stat tax.store", "What is in it."},
    {"credence store export tax.store -o now.model", "As a model file."},
    {"credence store sync tax.store laptop.store", "A second store, or both brought together."},
    {0},
};

const verb verb_store = {
    .name = "store",
    .operands = "ACTION STORE [FILE...]",
    .least = 2,
    .most = SIZE_MAX,
    .summary = "live models: make, look at, check, copy, export, sync",
    .about = about,
    .options = groups,
    .examples = examples,
    .see_also = "train learn filter",
    .run = run,
};
