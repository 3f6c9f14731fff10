/* cli/verbs/filter.c - credence filter: is this message spam? */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "explain/explain.h"
#include "filter/filter.h"
#include "out/json.h"
#include "out/out.h"
#include "out/text.h"
#include "session/change.h"
#include "session/reserve.h"
#include "session/session.h"
#include "verbs/verbs.h"

#include "filter/filter.h"
#include "out/json.h"
#include "out/text.h"
#include "session/session.h"
#include "verbs/verbs.h"

/* What the filter answers to the shell, as bogofilter does; verdicts are their own. */
enum { FILTER_ERROR = 3 };

/* --- what was asked for ------------------------------------------------------------------- */

static int read_limits(const request *r, cr_filter_limits *l)
{
    const char *text = option_text(r, "unsure");

    return cr_filter_limits_read(l, text, NULL) == CR_OK
               ? EXIT_DONE
               : misuse("credence filter --unsure " CR_FILTER_USUAL_LIMITS,
                        "--unsure takes two probabilities LOW..HIGH, not '%s'", text);
}

/* Complain about the model. */
static int fail_model(const request *r, cr_status status, cr_error *err, const char *hint)
{
    snprintf(err->file, sizeof err->file, "%s", r->operands[0]);
    if (hint != NULL)
        snprintf(err->hint, sizeof err->hint, "%s", hint);
    return complain(status, err);
}

/* The class that is spam, in a model with one text. */
static int find_spam(const request *r, const cr_model *model, size_t *out)
{
    const char *name = option_text(r, "spam");
    cr_error err = {0};
    cr_status status;
    size_t column;

    if ((status = cr_filter_column(model, &column, &err)) != CR_OK)
        return fail_model(r, status, &err, "credence train --type COLUMN=text makes one");
    if ((status = cr_filter_spam_class(model, name, out, &err)) == CR_OK)
        return EXIT_DONE;
    return fail_model(r, status, &err,
                      name == NULL ? "--spam CLASS names the class that is meant" : NULL);
}

static int check_request(const request *r)
{
    bool teach_it = option_given(r, "learn") || option_given(r, "unlearn");

    if (teach_it && (option_given(r, "passthrough") || option_given(r, "exit-zero")))
        return misuse(NULL, "--learn and --unlearn go without --passthrough and --exit-zero");
    if (teach_it && option_given(r, "trust"))
        return misuse(NULL, "--learn and --unlearn go without --trust, or damage would be kept");
    if (option_given(r, "explain") &&
        (teach_it || option_given(r, "passthrough") || r->json || r->csv))
        return misuse(NULL, "--explain shows a table, so it goes without --passthrough, --json, "
                            "--csv, --learn and --unlearn");
    if (option_given(r, "passthrough") && (r->json || r->csv))
        return misuse(NULL,
                      "--passthrough copies the message, so it goes without --json and --csv");
    if (r->operand_count < 2 && isatty(STDIN_FILENO))
        return misuse("name a file, or pipe a message in", "filter has no message to read");
    return EXIT_DONE;
}

/* --- answers ------------------------------------------------------------------------------ */

static cr_status show_why(void *context, const cr_explanation *e)
{
    explain_shares(context, e);
    return CR_OK;
}

/* Which words decided, weighed against the other side: spam against the likeliest other class. */
static int explain_message(const request *r, const cr_model *model, const message *m)
{
    inquiry q = {.model = model, .path = r->operands[0], .against = CR_UNDECIDED, .top = 20};
    cr_row *row = NULL;
    cr_error err = {0};
    cr_status status = cr_row_new(&row, model, &err);

    if (status == CR_OK)
        status = cr_filter_row(row, m->bytes, m->size, &err);
    if (status == CR_OK)
        status = cr_row_explain(row, NULL, show_why, &q, &err);
    cr_row_free(row);
    return status == CR_OK ? EXIT_DONE : complain(status, &err);
}

static void pass_on(const message *m, const char *line)
{
    cr_output *out = output_to(stdout);

    cr_filter_mark(m->bytes, m->size, line, out);
    output_end(out);
}

static void answer(const request *r, const cr_model *model, const cr_filter_judgement *v,
                   const cr_filter_limits *l, const double *posterior, const message *m)
{
    char line[CR_FILTER_LINE], number[NUMBER_ROOM];
    cr_output *out;

    cr_filter_line(line, v, r->operands[0]);
    if (option_given(r, "passthrough")) {
        pass_on(m, line);
    } else if (r->json) {
        out = output_to(stdout);
        cr_filter_json(model, r->operands[0], v, l, posterior, out);
        output_end(out);
    } else if (r->csv) {
        printf("verdict,probability\n%s,%s\n", cr_filter_verdict_name(v->verdict),
               isnan(v->spam) ? "" : number_exact(number, v->spam));
    } else if (!out_is_quiet()) {
        puts(line);
    }
}

/* --- the verb ----------------------------------------------------------------------------- */

static int judge(const request *r, const message *m)
{
    cr_model *model = NULL;
    double *posterior = NULL;
    cr_filter_limits l;
    cr_filter_judgement v;
    cr_error err = {0};
    cr_status status;
    size_t spam;
    int code;

    if ((code = read_limits(r, &l)) != EXIT_DONE || (code = open_model(&model, r, 0)) != EXIT_DONE)
        return code;
    if ((code = find_spam(r, model, &spam)) == EXIT_DONE) {
        posterior = reserve(cr_model_classes(model), sizeof *posterior);
        status = cr_filter_judge(model, m->bytes, m->size, spam, &l, &v, posterior, &err);
        if (status != CR_OK) {
            code = complain(status, &err);
        } else {
            answer(r, model, &v, &l, posterior, m);
            code = option_given(r, "explain") ? explain_message(r, model, m) : EXIT_DONE;
            if (code == EXIT_DONE && !option_given(r, "exit-zero"))
                code = (int)v.verdict;
        }
    }
    free(posterior);
    cr_model_free(model);
    return code;
}

/* Take the messages back from one class, learn them as another, and replace the model file. Others
 * that change the file in the same way wait. */
static int teach(const request *r, const message *m)
{
    const char *path = r->operands[0], *learn = option_text(r, "learn");
    cr_model *model = NULL;
    cr_error err = {0};
    cr_status status;
    change c;
    cr_lock *held;
    int code;

    if ((code = check_output(path, r, r->operand_count)) != EXIT_DONE)
        return code;
    held = hold_model(path);
    if ((code = open_model(&model, r, 0)) == EXIT_DONE) {
        change_begin(&c, model, learn == NULL ? "unlearned" : "learned");
        c.path = path;
        status = cr_filter_teach(model, m->bytes, m->size, option_text(r, "unlearn"), learn,
                                 option_given(r, "new-class"), &r->run, NULL, &err);
        if (status != CR_OK)
            code = complain(status, &err);
        else if ((code = save_model(model, path)) == EXIT_DONE)
            change_report(&c, r, model);
    }
    cr_model_free(model);
    cr_model_unlock(held);
    return code;
}

/* A message is never lost: what cannot be judged is passed on as it came. */
static int run(request *r)
{
    message m = {.bytes = NULL};
    int code;

    if ((code = check_request(r)) != EXIT_DONE)
        return code;
    if ((code = message_read(&m, r->operand_count > 1 ? r->operands[1] : "-")) == EXIT_DONE)
        code = option_given(r, "learn") || option_given(r, "unlearn") ? teach(r, &m) : judge(r, &m);
    if (code == FILTER_ERROR && option_given(r, "passthrough"))
        pass_on(&m, NULL);
    message_free(&m);
    return code;
}

static const char *const about[] = {
    "Judges one message, from a file or from standard input, by a model with one text column. It "
    "is read as mail: headers decoded and marked, MIME parts, character sets and HTML as text. The "
    "exit status tells: 0 spam, 1 ham, 2 unsure, 3 error, as bogofilter has it. A line with the "
    "probability of spam goes to standard output.",
    "A message is spam from the upper limit of --unsure on, ham up to the lower one. The limits "
    "lie far apart on the side that does the more harm: a good message taken for spam is lost.",
    "--passthrough copies the message instead and adds the line as a field to the end of its "
    "head, in place of such fields that came with it; not another byte is changed. When anything "
    "fails the message is copied as it came, with exit status 3.",
    "--learn CLASS adds the message to the model, --unlearn CLASS takes it back; both together "
    "move it from one class to another. A mailbox file is learned message by message. The file is "
    "replaced all or nothing, and commands that "
    "teach the same model at the same time wait for each other.",
    "--json gives model, verdict, probability (of spam; null when no class can explain the "
    "message), low, high, prediction, posterior{}; with --learn or --unlearn the report of "
    "credence learn.",
    NULL,
};

static const option own[] = {
    {"passthrough", 'p', OPTION_FLAG, NULL, "Copy the message with an " CR_FILTER_FIELD " field."},
    {"exit-zero", 'e', OPTION_FLAG, NULL,
     "Exit status 0 for spam, ham and unsure, for callers that take any other for a failure."},
    {"spam", 0, OPTION_TEXT, "CLASS", "The class that is spam. Default: spam, in any capitals."},
    {"unsure", 0, OPTION_TEXT, "LOW..HIGH",
     "Ham up to LOW, spam from HIGH on, unsure between. Default: " CR_FILTER_USUAL_LIMITS "."},
    {"trust", 0, OPTION_FLAG, NULL,
     "Do not look through the whole model for damage first, which takes longer than the message."},
    {"explain", 0, OPTION_FLAG, NULL, "Show which words decided."},
    {"learn", 0, OPTION_TEXT, "CLASS",
     "Learn the message, or all messages of a mailbox, as of CLASS; the model changes."},
    {"unlearn", 0, OPTION_TEXT, "CLASS", "Take back that it was learned as one of CLASS."},
    {"new-class", 0, OPTION_FLAG, NULL, "CLASS may be one that the model does not have yet."},
    {0},
};
static const option_group own_group = {"Options", own};
static const option_group *const groups[] = {&own_group, NULL};

static const example examples[] = {
    {"credence train -m nb messages.csv --type text=text -o mail.model", "A model to filter with."},
    {"echo 'Win a free prize now' | credence filter mail.model", "Is this spam?"},
    {"echo 'See you at lunch' | credence filter -p -e mail.model", "Mark it and pass it on."},
    {"echo 'See you at lunch' | credence filter mail.model --learn ham", "It was a good one."},
    {"echo 'Free lunch' | credence filter mail.model --learn ham && echo 'Free lunch' | credence "
     "filter mail.model --unlearn ham --learn spam",
     "It was learned as ham, but it is spam."},
    {0},
};

static const char *const exits[] = {"Spam; or the model has learned.", "Ham.", "Unsure.",
                                    "Something failed.", NULL};

const verb verb_filter = {
    .name = "filter",
    .operands = "MODEL [MESSAGE]",
    .least = 1,
    .most = 2,
    .summary = "judge, mark or learn one mail message",
    .about = about,
    .options = groups,
    .examples = examples,
    .see_also = "train learn explain",
    .exits = exits,
    .failure = FILTER_ERROR,
    .run = run,
};
