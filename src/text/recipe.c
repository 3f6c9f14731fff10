/* text/recipe.c - how text becomes tokens, as the knobs say it. recipe_line.c has the text form. */
#include "text/recipe.h"

#include "base/fail.h"
#include "base/memory.h"
#include "credence/spec.h"
#include "base/number.h"
#include "text/recipe_impl.h"
#include "text/stem.h"
#include "text/stop.h"

#include <string.h>

const cr__recipe_knob cr__recipe_knobs[] = {
    {"tokens", "words|words2|rich|chars", "words", "what a token of text is"},
    {"ngrams", "N|MIN..MAX", "1..1, chars 3..5", "runs of that many tokens"},
    {"skip-bigrams", "no|yes|WINDOW", "no", "pairs of words with others between them"},
    {"stop", "none|LANG|common:N|FILE", "none", "words to leave out"},
    {"min-count", "N", "1", "leave out words seen less often"},
    {"stem", "none|LANG", "none", "cut words back to their stems"},
    {"strip", "none|headers,footers,quotes", "none", "parts of a post to leave out"},
    {"lower-case", "yes|no", "yes", "treat capitals as small letters"},
    {"punctuation", "no|yes", "no", "marks are tokens too"},
    {"html", "auto|yes|no", "auto", "web pages are read as displayed"},
    {"mail", "no|yes", "no", "every text is a mail message"},
};
const size_t cr__recipe_knob_count = sizeof cr__recipe_knobs / sizeof *cr__recipe_knobs;

cr__recipe cr__recipe_usual(void)
{
    return (cr__recipe){.tokens = CR__TOKENS_WORDS,
                        .lower_case = 1,
                        .html = CR__HTML_AUTO,
                        .min_count = 1,
                        .stop = "none",
                        .stem = "none"};
}

void cr__recipe_free(cr__recipe *recipe)
{
    cr__free(recipe->stop_words);
    *recipe = cr__recipe_usual();
}

/* --- one setter per knob --------------------------------------------------------------------- */

static cr_status bad_value(const char *name, const char *value, cr_error *err)
{
    char shown[64];
    cr_status status = cr__fail(err, CR_EARG, "%s is \"%s\"", name,
                                cr__printable(shown, sizeof shown, value, strlen(value)));

    for (size_t i = 0; i < cr__recipe_knob_count; i++)
        if (strcmp(cr__recipe_knobs[i].name, name) == 0)
            status = cr__fail_hint(err, status, "it may be %s", cr__recipe_knobs[i].values);
    return status;
}

const char *const cr__token_kind_names[] = {"words", "words2", "rich", "chars", NULL};

static cr_status set_tokens(cr__recipe *recipe, const char *value, cr_error *err)
{
    for (int i = 0; cr__token_kind_names[i] != NULL; i++) {
        if (strcmp(value, cr__token_kind_names[i]) == 0) {
            recipe->tokens = (cr__token_kind)i;
            return CR_OK;
        }
    }
    return bad_value("tokens", value, err);
}

static int parse_count(const char *text, size_t length, uint64_t *count)
{
    return length > 0 && text[0] != '+' && cr__parse_uint64(text, length, count) == CR__NUMBER_OK;
}

static cr_status set_ngrams(cr__recipe *recipe, const char *value, cr_error *err)
{
    const char *dots = strstr(value, "..");
    const size_t length = dots != NULL ? (size_t)(dots - value) : strlen(value);
    uint64_t least, most;

    if (!parse_count(value, length, &least))
        return bad_value("ngrams", value, err);
    most = least;
    if (dots != NULL && !parse_count(dots + 2, strlen(dots + 2), &most))
        return bad_value("ngrams", value, err);
    if (least < 1 || least > most || most > CR__GRAM_CHARS)
        return cr__fail_hint(err, bad_value("ngrams", value, err),
                             "such as 2 or 1..2, at most 5 words or %d characters", CR__GRAM_CHARS);
    recipe->gram_min = (uint32_t)least;
    recipe->gram_max = (uint32_t)most;
    return CR_OK;
}

static cr_status set_skip_bigrams(cr__recipe *recipe, const char *value, cr_error *err)
{
    uint64_t window;

    if (strcmp(value, "no") == 0)
        window = 0;
    else if (strcmp(value, "yes") == 0)
        window = 5;
    else if (!parse_count(value, strlen(value), &window) || window < 3 || window > CR__SKIP_WINDOW)
        return cr__fail_hint(err, bad_value("skip-bigrams", value, err),
                             "it may be no, yes or a window of 3 to %d words", CR__SKIP_WINDOW);
    recipe->skip_window = (uint32_t)window;
    return CR_OK;
}

/* Store words (may be NULL) under the given name. */
static cr_status keep_stop(cr__recipe *recipe, const char *name, const char *words, uint64_t common,
                           cr_error *err)
{
    char *copy = NULL;

    if (words != NULL && (copy = cr__strndup(words, strlen(words))) == NULL)
        return cr__fail_memory(err);
    cr__free(recipe->stop_words);
    recipe->stop_words = copy;
    recipe->stop_common = common;
    memset(recipe->stop, 0, sizeof recipe->stop);
    memcpy(recipe->stop, name, strlen(name));
    return CR_OK;
}

static cr_status set_stop_file(cr__recipe *recipe, const char *path, cr_error *err)
{
    cr__buffer words = {0};
    cr_status status = cr__stop_file(path, &words, err);

    cr__buffer_addc(&words, '\0');
    if (status == CR_OK)
        status =
            words.failed ? cr__fail_memory(err) : keep_stop(recipe, "words", words.data, 0, err);
    else if (strchr(path, '/') == NULL && strchr(path, '.') == NULL)
        cr__fail_hint(err, status, "a file, common:N, none, or one of the languages %s",
                      cr__stop_languages());
    cr__buffer_free(&words);
    return status;
}

static cr_status set_stop(cr__recipe *recipe, const char *value, cr_error *err)
{
    const char *code, *words;
    uint64_t count;

    if (strcmp(value, "none") == 0)
        return keep_stop(recipe, "none", NULL, 0, err);
    if (strncmp(value, "common:", 7) == 0) {
        if (!parse_count(value + 7, strlen(value + 7), &count) || count == 0)
            return bad_value("stop", value, err);
        return keep_stop(recipe, "common", NULL, count, err);
    }
    if ((words = cr__stop_list(value, &code)) != NULL)
        return keep_stop(recipe, code, words, 0, err);
    return set_stop_file(recipe, value, err);
}

static cr_status set_min_count(cr__recipe *recipe, const char *value, cr_error *err)
{
    uint64_t count;

    if (!parse_count(value, strlen(value), &count) || count == 0)
        return cr__fail_hint(err, bad_value("min-count", value, err), "a whole number from 1 on");
    recipe->min_count = count;
    return CR_OK;
}

static cr_status set_stem(cr__recipe *recipe, const char *value, cr_error *err)
{
    const char *name = value;
    cr_status st;

    if (strcmp(value, "none") != 0 && (st = cr__stem_language(&name, value, err)) != CR_OK)
        return st;
    if (name == NULL || strlen(name) >= sizeof recipe->stem)
        return cr__fail_hint(err, bad_value("stem", value, err),
                             "none, or a language such as en, de, fr, es, it, pt, nl, sv, ru");
    memset(recipe->stem, 0, sizeof recipe->stem);
    memcpy(recipe->stem, name, strlen(name));
    return CR_OK;
}

const char *const cr__strip_names[] = {"headers", "footers", "quotes", NULL};

static cr_status set_strip(cr__recipe *recipe, const char *value, cr_error *err)
{
    const char *part = value;
    unsigned strip = 0;

    while (strcmp(value, "none") != 0) {
        const size_t length = strcspn(part, ",");
        int i = 0;

        while (cr__strip_names[i] != NULL && (strlen(cr__strip_names[i]) != length ||
                                              memcmp(cr__strip_names[i], part, length) != 0))
            i++;
        if (cr__strip_names[i] == NULL)
            return bad_value("strip", value, err);
        strip |= 1u << i;
        if (part[length] == '\0')
            break;
        part += length + 1;
    }
    recipe->strip = strip;
    return CR_OK;
}

static cr_status set_yes(int *out, const char *name, const char *value, cr_error *err)
{
    if (strcmp(value, "yes") != 0 && strcmp(value, "no") != 0)
        return bad_value(name, value, err);
    *out = value[0] == 'y';
    return CR_OK;
}

static cr_status set_lower_case(cr__recipe *recipe, const char *value, cr_error *err)
{
    return set_yes(&recipe->lower_case, "lower-case", value, err);
}

static cr_status set_punctuation(cr__recipe *recipe, const char *value, cr_error *err)
{
    return set_yes(&recipe->punctuation, "punctuation", value, err);
}

static cr_status set_html(cr__recipe *recipe, const char *value, cr_error *err)
{
    if (strcmp(value, "auto") != 0)
        return set_yes(&recipe->html, "html", value, err);
    recipe->html = CR__HTML_AUTO;
    return CR_OK;
}

static cr_status set_mail(cr__recipe *recipe, const char *value, cr_error *err)
{
    return set_yes(&recipe->mail, "mail", value, err);
}

/* In the order of cr__recipe_knobs. */
static cr_status (*const setters[])(cr__recipe *, const char *, cr_error *) = {
    set_tokens, set_ngrams,     set_skip_bigrams, set_stop, set_min_count, set_stem,
    set_strip,  set_lower_case, set_punctuation,  set_html, set_mail,
};

_Static_assert(sizeof setters / sizeof *setters ==
                   sizeof cr__recipe_knobs / sizeof *cr__recipe_knobs,
               "every knob has a setter");

cr_status cr__recipe_set(cr__recipe *recipe, const char *name, const char *value, cr_error *err)
{
    cr_nearest near = (cr_nearest){.wanted = name};
    char shown[64];
    cr_status status;

    for (size_t i = 0; i < cr__recipe_knob_count; i++)
        if (strcmp(cr__recipe_knobs[i].name, name) == 0)
            return setters[i](recipe, value, err);
    for (size_t i = 0; i < cr__recipe_knob_count; i++)
        cr_nearest_offer(&near, cr__recipe_knobs[i].name);
    status = cr__fail(err, CR_EARG, "text has no knob \"%s\"",
                      cr__printable(shown, sizeof shown, name, strlen(name)));
    if (near.best != NULL)
        cr__fail_hint(err, status, "did you mean %s?", near.best);
    return status;
}

/* --- all together ---------------------------------------------------------------------------- */

cr_status cr__recipe_check(cr__recipe *recipe, cr_error *err)
{
    const int chars = recipe->tokens == CR__TOKENS_CHARS;

    if (recipe->gram_max == 0) {
        recipe->gram_min = chars ? 3 : 1;
        recipe->gram_max = chars ? 5 : 1;
    }
    if (!chars && recipe->gram_max > CR__GRAM_WORDS)
        return cr__fail_hint(err,
                             cr__fail(err, CR_EARG, "ngrams is %u..%u", (unsigned)recipe->gram_min,
                                      (unsigned)recipe->gram_max),
                             "runs of words have at most %d words", CR__GRAM_WORDS);
    if (chars && recipe->skip_window > 0)
        return cr__fail(err, CR_EARG, "tokens=chars has no words to make skip-bigrams of");
    if (chars && strcmp(recipe->stem, "none") != 0)
        return cr__fail(err, CR_EARG, "tokens=chars has no words to stem");
    if (chars && recipe->punctuation)
        return cr__fail(err, CR_EARG, "tokens=chars has marks among its characters anyway");
    if (chars && recipe->stop_words != NULL)
        return cr__fail_hint(err, cr__fail(err, CR_EARG, "tokens=chars has no words to stop"),
                             "stop=common:N leaves out the commonest n-grams");
    if (!recipe->lower_case && strcmp(recipe->stem, "none") != 0)
        return cr__fail_hint(err,
                             cr__fail(err, CR_EARG, "stem=%s with lower-case=no", recipe->stem),
                             "stemmers know small letters only");
    return CR_OK;
}
