/* cli/verbs/filter.c - credence filter: is this message spam? */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "filter/filter.h"
#include "out/json.h"
#include "out/text.h"
#include "session/session.h"
#include "verbs/verbs.h"

#define USUAL_LIMITS "0.1..0.99"

enum { NAME_SHOWN = 60 };

static const char *const status_name[] = {"spam", "ham", "unsure"};

/* --- what was asked for ------------------------------------------------------------------- */

/* LOW..HIGH, both probabilities. */
static int read_limits(const request *r, limits *l)
{
    const char *text = option_given(r, "unsure") ? option_text(r, "unsure") : USUAL_LIMITS;
    const char *dots = strstr(text, "..");
    char *end;

    l->low = strtod(text, &end);
    if (dots != NULL && end != text && (end == dots || end == dots + 1)) {
        l->high = strtod(dots + 2, &end);
        if (end != dots + 2 && *end == '\0' && l->low >= 0 && l->low <= l->high && l->high <= 1)
            return EXIT_DONE;
    }
    return misuse("credence filter --unsure " USUAL_LIMITS,
                  "--unsure takes two probabilities LOW..HIGH, not '%s'", text);
}

/* The class that was named, else the one called spam in any capitals. */
static int find_spam(const request *r, const cr_model *model, size_t *out)
{
    const char *name = option_text(r, "spam");
    cr_error err = {0};
    int32_t found = 0;
    int code;

    if (name != NULL) {
        code = find_class(model, name, &found);
        *out = (size_t)found;
        return code;
    }
    for (*out = 0; *out < cr_model_classes(model); ++*out)
        if (strcasecmp(cr_model_class(model, *out), "spam") == 0)
            return EXIT_DONE;
    snprintf(err.file, sizeof err.file, "%s", r->operands[0]);
    snprintf(err.message, sizeof err.message, "the model has no class 'spam'");
    snprintf(err.hint, sizeof err.hint, "--spam CLASS names the class that is meant");
    return complain(CR_ECONFLICT, &err);
}

static int check_request(const request *r)
{
    bool teach = option_given(r, "learn") || option_given(r, "unlearn");

    if (teach && (option_given(r, "passthrough") || option_given(r, "exit-zero")))
        return misuse(NULL, "--learn and --unlearn go without --passthrough and --exit-zero");
    if (teach && option_given(r, "trust"))
        return misuse(NULL, "--learn and --unlearn go without --trust, or damage would be kept");
    if (option_given(r, "passthrough") && (r->json || r->csv))
        return misuse(NULL,
                      "--passthrough copies the message, so it goes without --json and --csv");
    if (r->operand_count < 2 && isatty(STDIN_FILENO))
        return misuse("name a file, or pipe a message in", "filter has no message to read");
    return EXIT_DONE;
}

/* --- answers ------------------------------------------------------------------------------ */

/* "X-Credence: spam, probability=0.9987, model=mail.model". The name of the file may hold anything;
 * the head of a message may not. */
static void write_line(char *line, size_t size, const verdict *v, const char *path)
{
    const char *slash = strrchr(path, '/');
    int used = snprintf(line, size, FILTER_FIELD ": %s", status_name[v->status]);

    if (!isnan(v->spam))
        used += snprintf(line + used, size - (size_t)used, ", probability=%.4f", v->spam);
    snprintf(line + used, size - (size_t)used, ", model=%.*s", NAME_SHOWN,
             slash != NULL ? slash + 1 : path);
    for (char *c = line; *c != '\0'; c++)
        if (*c < ' ' || *c >= 0x7F)
            *c = '?';
}

static void write_json(const request *r, const cr_model *model, const verdict *v, const limits *l)
{
    json j;

    json_start(&j, stdout);
    json_object(&j, NULL, JSON_BLOCK);
    json_text(&j, "model", r->operands[0]);
    json_text(&j, "verdict", status_name[v->status]);
    json_number(&j, "probability", v->spam);
    json_number(&j, "low", l->low);
    json_number(&j, "high", l->high);
    json_text(&j, "prediction",
              v->decision != CR_UNDECIDED ? cr_model_class(model, (size_t)v->decision) : NULL);
    json_object(&j, "posterior", JSON_LINE);
    for (size_t c = 0; c < cr_model_classes(model); c++)
        json_number(&j, cr_model_class(model, c), v->posterior[c]);
    json_end(&j);
    json_end(&j);
}

static void answer(const request *r, const cr_model *model, const verdict *v, const limits *l,
                   const message *m)
{
    char line[200], number[NUMBER_ROOM];

    write_line(line, sizeof line, v, r->operands[0]);
    if (option_given(r, "passthrough"))
        message_write(m, line, stdout);
    else if (r->json)
        write_json(r, model, v, l);
    else if (r->csv)
        printf("verdict,probability\n%s,%s\n", status_name[v->status],
               isnan(v->spam) ? "" : number_exact(number, v->spam));
    else if (!out_is_quiet())
        puts(line);
}

/* --- the verb ----------------------------------------------------------------------------- */

static int judge(const request *r, const message *m, const char *text)
{
    cr_model *model = NULL;
    verdict v = {.posterior = NULL};
    size_t column, spam;
    limits l;
    int code;

    if ((code = read_limits(r, &l)) != EXIT_DONE || (code = open_model(&model, r, 0)) != EXIT_DONE)
        return code;
    if ((code = filter_column(model, r->operands[0], &column)) == EXIT_DONE &&
        (code = find_spam(r, model, &spam)) == EXIT_DONE &&
        (code = filter_judge(&v, model, text, spam, &l, &r->run)) == EXIT_DONE) {
        answer(r, model, &v, &l, m);
        code = option_given(r, "exit-zero") ? EXIT_DONE : v.status;
    }
    free(v.posterior);
    cr_model_free(model);
    return code;
}

/* A message is never lost: what cannot be judged is passed on as it came. */
static int run(request *r)
{
    message m = {.bytes = NULL};
    char *text = NULL;
    int code;

    if ((code = check_request(r)) != EXIT_DONE)
        return code;
    if ((code = message_read(&m, r->operand_count > 1 ? r->operands[1] : "-")) == EXIT_DONE) {
        text = message_text(&m);
        code = option_given(r, "learn") || option_given(r, "unlearn")
                   ? filter_teach(r, r->operands[0], text, option_text(r, "unlearn"),
                                  option_text(r, "learn"))
                   : judge(r, &m, text);
    }
    if (code == FILTER_ERROR && option_given(r, "passthrough"))
        message_write(&m, NULL, stdout);
    free(text);
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
    "move it from one class to another. The file is replaced all or nothing, and commands that "
    "teach the same model at the same time wait for each other.",
    "--json gives model, verdict, probability (of spam; null when no class can explain the "
    "message), low, high, prediction, posterior{}; with --learn or --unlearn the report of "
    "credence learn.",
    NULL,
};

static const option own[] = {
    {"passthrough", 'p', OPTION_FLAG, NULL, "Copy the message with an " FILTER_FIELD " field."},
    {"exit-zero", 'e', OPTION_FLAG, NULL,
     "Exit status 0 for spam, ham and unsure, for callers that take any other for a failure."},
    {"spam", 0, OPTION_TEXT, "CLASS", "The class that is spam. Default: spam, in any capitals."},
    {"unsure", 0, OPTION_TEXT, "LOW..HIGH",
     "Ham up to LOW, spam from HIGH on, unsure between. Default: " USUAL_LIMITS "."},
    {"trust", 0, OPTION_FLAG, NULL,
     "Do not look through the whole model for damage first, which takes longer than the message."},
    {"learn", 0, OPTION_TEXT, "CLASS", "Learn the message as one of CLASS; the model changes."},
    {"unlearn", 0, OPTION_TEXT, "CLASS", "Take back that it was learned as one of CLASS."},
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
