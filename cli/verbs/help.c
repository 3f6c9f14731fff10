/* cli/verbs/help.c - credence help: pages about verbs, knobs and formats. */
#include <stdio.h>
#include <string.h>

#include "credence/credence.h"
#include "help/help.h"
#include "out/out.h"
#include "out/json.h"
#include "out/table.h"
#include "out/text.h"
#include "verbs/verbs.h"

/* --- knobs and formats -------------------------------------------------------------------- */

/* The next word of "one|two|three", and advance past it; false if there is none. */
static bool next_choice(const char **choices, char *word, size_t size)
{
    size_t length = *choices != NULL ? strcspn(*choices, "|") : 0;

    if (length == 0)
        return false;
    snprintf(word, size, "%.*s", (int)length, *choices);
    *choices += length;
    *choices += **choices == '|';
    return true;
}

static void knob_json(cr_json *j, const cr_knob *knob)
{
    const char *choices = knob->choices;
    char word[64];

    cr_json_object(j, NULL, CR_JSON_LINE);
    cr_json_text(j, "name", knob->name);
    cr_json_text(j, "default", knob->fallback);
    cr_json_text(j, "help", knob->help);
    if (choices != NULL) {
        cr_json_array(j, "choices", CR_JSON_LINE);
        while (next_choice(&choices, word, sizeof word))
            cr_json_text(j, NULL, word);
        json_end(j);
    }
    json_end(j);
}

static void knobs_json(cr_json *j, const char *learner)
{
    cr_knob knob;

    cr_json_array(j, learner, CR_JSON_BLOCK);
    for (size_t i = 0; cr_learner_knob(learner, i, &knob) == CR_OK; i++)
        knob_json(j, &knob);
    json_end(j);
}

/* "what it does [one, two, three]" */
static void knob_entry(const cr_knob *knob)
{
    const char *choices = knob->choices;
    char term[160], meaning[600], word[64];
    const char *before = " [";
    size_t used;

    snprintf(term, sizeof term, "%s=%s", knob->name, knob->fallback);
    snprintf(meaning, sizeof meaning, "%s", knob->help);
    while ((used = strlen(meaning)) + sizeof word + 4 < sizeof meaning &&
           next_choice(&choices, word, sizeof word)) {
        snprintf(meaning + used, sizeof meaning - used, "%s%s", before, word);
        before = ", ";
    }
    if (knob->choices != NULL)
        strcat(meaning, "]");
    help_entry(stdout, term, meaning);
}

static void knobs_page(const char *learner, const char *summary)
{
    cr_knob knob;

    printf("%s%s%s: ", out_style(STYLE_BOLD), learner, out_style(STYLE_NONE));
    text_wrap(stdout, summary, strlen(learner) + 2, 2, help_width());
    putchar('\n');
    for (size_t i = 0; cr_learner_knob(learner, i, &knob) == CR_OK; i++)
        knob_entry(&knob);
}

static bool is_learner(const char *name)
{
    for (size_t i = 0; cr_learner_name(i) != NULL; i++)
        if (strcmp(cr_learner_name(i), name) == 0)
            return true;
    return false;
}

/* The value shown beside each knob is its default. */
static int help_knobs(const request *r)
{
    const char *wanted = r->operand_count > 1 ? r->operands[1] : NULL, *learner;
    cr_json j;

    if (wanted != NULL && strcmp(wanted, "auto") == 0)
        return misuse("-p among=LEARNERS, -p blend=no, -p budget=SECONDS: see credence help train",
                      "auto is a choice of learners, which have their own knobs");
    if (wanted != NULL && !is_learner(wanted))
        return misuse("credence help knobs lists them all", "there is no learner '%s'", wanted);
    if (r->json) {
        json_start(&j, stdout);
        cr_json_object(&j, NULL, CR_JSON_BLOCK);
    }
    for (size_t i = 0; (learner = cr_learner_name(i)) != NULL; i++) {
        if (wanted != NULL && strcmp(wanted, learner) != 0)
            continue;
        if (r->json)
            knobs_json(&j, learner);
        else
            knobs_page(learner, cr_learner_summary(i));
    }
    if (r->json)
        json_end(&j);
    else
        help_paragraph(
            "Each is shown with its default. Set it with -p KEY=VALUE when you train, "
            "or later with credence refit, which does not need the data. preset=mail "
            "sets several at once, for nb and logistic: the values that recognise spam best; "
            "preset=tfidf-pairs, and preset=tfidf of logistic, those that tell subjects apart.");
    return EXIT_DONE;
}

static int help_formats(const request *r)
{
    const char *name;
    cr_json j;

    if (r->json) {
        json_start(&j, stdout);
        cr_json_object(&j, NULL, CR_JSON_BLOCK);
    }
    for (size_t i = 0; (name = cr_source_format_name(i)) != NULL; i++)
        if (r->json)
            cr_json_text(&j, name, cr_source_format_summary(i));
        else
            help_entry(stdout, name, cr_source_format_summary(i));
    if (r->json)
        json_end(&j);
    else
        help_paragraph(
            "Any of them plain, compressed (.gz .bz2 .xz .zst) or inside an archive (.tar.* .zip). "
            "The format is recognised by name and content, or given with --format.");
    return EXIT_DONE;
}

/* --- the verb ----------------------------------------------------------------------------- */

/* --- metrics ------------------------------------------------------------------------------ */

static void metrics_json(cr_json *j, const char *key, int numbers)
{
    const cr_metric *m;

    cr_json_array(j, key, CR_JSON_BLOCK);
    for (size_t i = 0; (m = cr_metric_get(numbers, i)) != NULL; i++) {
        cr_json_object(j, NULL, CR_JSON_LINE);
        cr_json_text(j, "key", m->key);
        cr_json_text(j, "title", m->title);
        cr_json_text(j, "meaning", m->meaning);
        cr_json_number(j, "direction", m->direction);
        json_end(j);
    }
    json_end(j);
}

static void metrics_table(int numbers)
{
    const char *const better[] = {"smaller is better", "", "larger is better"};
    const cr_metric *m;
    table *t = table_new();

    table_column(t, "key", TABLE_WHOLE);
    table_column(t, "meaning", TABLE_WHOLE);
    table_column(t, "", TABLE_LEFT);
    for (size_t i = 0; (m = cr_metric_get(numbers, i)) != NULL; i++) {
        table_text(t, m->key);
        table_text(t, m->meaning);
        table_text(t, better[m->direction + 1]);
    }
    table_print(t, 2, false);
    table_free(t);
}

static int help_metrics(const request *r)
{
    cr_json j;

    if (r->json) {
        json_start(&j, stdout);
        cr_json_object(&j, NULL, CR_JSON_BLOCK);
        metrics_json(&j, "classes", 0);
        metrics_json(&j, "numbers", 1);
        json_end(&j);
        return EXIT_DONE;
    }
    puts("Metrics of answers that are classes\n");
    metrics_table(0);
    puts("\nMetrics of answers that are numbers\n");
    metrics_table(1);
    return EXIT_DONE;
}

static void list_verbs(const request *r)
{
    const verb *v;
    cr_json j;

    if (r->json) {
        json_start(&j, stdout);
        cr_json_object(&j, NULL, CR_JSON_BLOCK);
    }
    for (size_t i = 0; (v = verb_at(i)) != NULL; i++)
        if (r->json)
            cr_json_text(&j, v->name, v->summary);
        else
            puts(v->name);
    if (r->json)
        json_end(&j);
}

static int unknown_page(const char *name)
{
    const char *near = verb_nearest(name);
    char hint[80] = "credence help lists the verbs";

    if (is_learner(name) || strcmp(name, "auto") == 0)
        snprintf(hint, sizeof hint, "it is a learner: credence help knobs %s", name);
    else if (near != NULL)
        snprintf(hint, sizeof hint, "did you mean credence help %s?", near);
    return misuse(hint, "there is no help on '%s'", name);
}

static int run(request *r)
{
    const char *page = r->operand_count > 0 ? r->operands[0] : NULL;
    const char *shell = option_text(r, "completion");
    const verb *v = page != NULL ? verb_find(page) : NULL;

    if (shell != NULL) {
        help_completion(shell);
        return EXIT_DONE;
    }
    if (page != NULL && strcmp(page, "knobs") == 0)
        return help_knobs(r);
    if (page != NULL && strcmp(page, "formats") == 0)
        return help_formats(r);
    if (page != NULL && strcmp(page, "metrics") == 0)
        return help_metrics(r);
    if (page != NULL && v == NULL)
        return unknown_page(page);
    if (option_given(r, "man"))
        help_man(v);
    else if (option_given(r, "list") || (r->json && v == NULL))
        list_verbs(r);
    else if (v != NULL && r->json)
        help_json(v);
    else if (v != NULL)
        help_verb(v);
    else
        help_overview(stdout);
    return EXIT_DONE;
}

static const char *const about[] = {
    "Without a word it lists the verbs. With a verb it shows all about it, as credence VERB "
    "--help does. credence help knobs [LEARNER] lists what -p can turn, credence help formats "
    "what DATA can be, and credence help metrics what answers are judged by.",
    "--json gives the verbs with what they do, or of a verb name, summary, operands, about[], "
    "options[] (name, letter, value, help, group) and examples[] (command, comment).",
    NULL,
};

static const option own[] = {
    {"list", 0, OPTION_FLAG, NULL, "Only the names of the verbs, one a line."},
    {"man", 0, OPTION_FLAG, NULL, "The man page of a verb, or of the command, in roff."},
    {"completion", 0, OPTION_CHOICE, "bash|zsh|fish", "Completions for a shell."},
    {0},
};
static const option_group own_group = {"Options", own};
static const option_group *const groups[] = {&own_group, NULL};

static const example examples[] = {
    {"credence help train", "All about a verb."},
    {"credence help knobs nb", "What can be turned in naive Bayes, and the defaults."},
    {"credence help --man predict | man -l -", "A man page without installing it."},
    {"source <(credence help --completion bash)", "Completions for this shell."},
    {0},
};

const verb verb_help = {
    .name = "help",
    .operands = "[VERB | knobs [LEARNER] | formats]",
    .most = 2,
    .summary = "show help on a verb, on knobs or on formats",
    .about = about,
    .options = groups,
    .examples = examples,
    .see_also = "train predict",
    .run = run,
};
