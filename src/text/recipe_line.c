/* text/recipe_line.c - the recipe as one line of text, for the model file.
 *
 *     recipe=1 tokens=words ngrams=1..2 skip-bigrams=no stop=en min-count=1 stem=none strip=none
 *     lower-case=yes stop-words=a,about,above
 *
 * (one line); punctuation=yes, html=auto and mail=yes come before stop-words when they are set.
 * recipe=1 is the version of everything that turns text into tokens: it changes when the same line
 * would give different tokens. In stop-words, bytes up to the space, commas and percent signs are
 * written as %XX.
 */
#include "text/recipe.h"

#include "base/fail.h"
#include "base/memory.h"
#include "text/recipe_impl.h"

#include <string.h>

#define VERSION "1"

/* --- writing --------------------------------------------------------------------------------- */

static void write_words(const char *words, cr__buffer *out)
{
    for (; *words != '\0'; words++) {
        const unsigned char c = (unsigned char)*words;

        if (c == ' ')
            cr__buffer_addc(out, ',');
        else if (c < ' ' || c == ',' || c == '%')
            cr__buffer_printf(out, "%%%02x", c);
        else
            cr__buffer_addc(out, (char)c);
    }
}

static void write_strip(unsigned strip, cr__buffer *out)
{
    const char *comma = "";

    cr__buffer_adds(out, strip == 0 ? " strip=none" : " strip=");
    for (int i = 0; cr__strip_names[i] != NULL; i++) {
        if ((strip & 1u << i) != 0) {
            cr__buffer_printf(out, "%s%s", comma, cr__strip_names[i]);
            comma = ",";
        }
    }
}

void cr__recipe_write(const cr__recipe *recipe, cr__buffer *out)
{
    cr__buffer_printf(out, "recipe=" VERSION " tokens=%s ngrams=%u..%u",
                      cr__token_kind_names[recipe->tokens], (unsigned)recipe->gram_min,
                      (unsigned)recipe->gram_max);
    if (recipe->skip_window > 0)
        cr__buffer_printf(out, " skip-bigrams=%u", (unsigned)recipe->skip_window);
    else
        cr__buffer_adds(out, " skip-bigrams=no");
    cr__buffer_printf(out, " stop=%s", recipe->stop);
    if (recipe->stop_common > 0)
        cr__buffer_printf(out, ":%llu", (unsigned long long)recipe->stop_common);
    cr__buffer_printf(out, " min-count=%llu stem=%s", (unsigned long long)recipe->min_count,
                      recipe->stem);
    write_strip(recipe->strip, out);
    cr__buffer_printf(out, " lower-case=%s", recipe->lower_case ? "yes" : "no");
    if (recipe->punctuation)
        cr__buffer_adds(out, " punctuation=yes");
    if (recipe->html != CR__HTML_NO)
        cr__buffer_printf(out, " html=%s", recipe->html == CR__HTML_AUTO ? "auto" : "yes");
    if (recipe->mail)
        cr__buffer_adds(out, " mail=yes");
    if (recipe->stop_words != NULL) {
        cr__buffer_adds(out, " stop-words=");
        write_words(recipe->stop_words, out);
    }
}

/* --- reading --------------------------------------------------------------------------------- */

static int hex(char c)
{
    const char *digits = "0123456789abcdef", *at = c != '\0' ? strchr(digits, c) : NULL;

    return at != NULL ? (int)(at - digits) : -1;
}

/* The words back from value, in place of it; 0 when an escape is wrong. */
static int read_words(char *value)
{
    char *to = value;

    for (const char *from = value; *from != '\0'; from++) {
        if (*from == ',') {
            *to++ = ' ';
        } else if (*from == '%') {
            const int high = hex(from[1]), low = high < 0 ? -1 : hex(from[2]);

            if (low < 0 || high + low == 0)
                return 0;
            *to++ = (char)(high * 16 + low);
            from += 2;
        } else {
            *to++ = *from;
        }
    }
    *to = '\0';
    return 1;
}

/* The stop knob as written in the line: a language or a file is only a name here. */
static cr_status read_stop(cr__recipe *recipe, const char *value, cr_error *err)
{
    if (strcmp(value, "none") == 0 || strncmp(value, "common:", 7) == 0)
        return cr__recipe_set(recipe, "stop", value, err);
    if (strlen(value) == 0 || strlen(value) >= sizeof recipe->stop)
        return cr__fail(err, CR_EFORMAT, "the stop list has a name of %zu bytes", strlen(value));
    memcpy(recipe->stop, value, strlen(value) + 1);
    return CR_OK;
}

static cr_status read_setting(cr__recipe *recipe, const char *name, char *value, cr_error *err)
{
    char shown[32];

    if (strcmp(name, "recipe") == 0) {
        if (strcmp(value, VERSION) == 0)
            return CR_OK;
        cr__printable(shown, sizeof shown, value, strlen(value));
        return cr__fail_hint(err,
                             cr__fail(err, CR_EVERSION, "the text recipe is of version %s", shown),
                             "this program knows version " VERSION);
    }
    if (strcmp(name, "stop") == 0)
        return read_stop(recipe, value, err);
    if (strcmp(name, "stop-words") == 0) {
        if (!read_words(value))
            return cr__fail(err, CR_EFORMAT, "the stop words have a wrong %% escape");
        cr__free(recipe->stop_words);
        recipe->stop_words = cr__strndup(value, strlen(value));
        return recipe->stop_words != NULL ? CR_OK : cr__fail_memory(err);
    }
    return cr__recipe_set(recipe, name, value, err);
}

/* A list must have its words, and words must belong to a list. */
static cr_status check_stop(const cr__recipe *recipe, cr_error *err)
{
    const int list = strcmp(recipe->stop, "none") != 0 && strcmp(recipe->stop, "common") != 0;

    if (list != (recipe->stop_words != NULL))
        return cr__fail(err, CR_EFORMAT, "the recipe says stop=%s %s stop words", recipe->stop,
                        list ? "without" : "with");
    return CR_OK;
}

cr_status cr__recipe_read(cr__recipe *out, const char *text, size_t length, cr_error *err)
{
    char *line = cr__strndup(text, length), *rest = line, *setting;
    cr_status status = CR_OK;

    *out = cr__recipe_usual();
    out->html = CR__HTML_NO; /* as long as there was no such knob */
    if (line == NULL)
        return cr__fail_memory(err);
    if (strlen(line) != length || strncmp(line, "recipe=", 7) != 0)
        status = cr__fail(err, CR_EFORMAT, "this is not a text recipe");
    while (status == CR_OK && (setting = strsep(&rest, " ")) != NULL) {
        char *equals = strchr(setting, '=');

        if (equals == NULL) {
            status = cr__fail(err, CR_EFORMAT, "the text recipe has a setting without a value");
        } else {
            *equals = '\0';
            status = read_setting(out, setting, equals + 1, err);
        }
    }
    if (status == CR_OK)
        status = check_stop(out, err);
    if (status == CR_OK)
        status = cr__recipe_check(out, err);
    cr__free(line);
    if (status == CR_EARG) { /* the knobs report bad arguments; here the file is at fault */
        status = CR_EFORMAT;
        if (err != NULL)
            err->code = status;
    }
    return status;
}
