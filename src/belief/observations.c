/* belief/observations.c - observations as people write them: heads=51, 51/100, HHTHT, 12/24. */
#include "credence/observations.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"

enum { SHOWN = 64 }; /* bytes of a word in a message */

typedef struct sample {
    char *name;       /* "A"; "" for the only one */
    double *value;    /* counts by outcome, numbers, or counts of events */
    double *exposure; /* of each count of events; NaN: not known yet */
    size_t count, value_room, exposure_room;
    cr_sample sum; /* of numbers that are not kept */
} sample;

struct cr_observations {
    cr_prior_of of;
    char **outcome; /* names; those from `named` on stand for outcomes not seen yet */
    size_t outcomes, named, outcome_room;
    size_t *slot; /* [slots] open addressing: index of a named outcome plus one, or 0 */
    size_t slots; /* a power of two, or 0 */
    sample sample[2];
    size_t samples;
    sample *current;
    char *first;     /* the first item, for a message */
    double exposure; /* of counts without their own */
    int following;
};

cr_status cr_observations_new(cr_observations **out, cr_prior_of of, cr_error *err)
{
    cr_observations *o = cr__alloc_zero(1, sizeof *o);

    *out = o;
    if (o == NULL)
        return cr__fail_memory(err);
    o->of = of;
    o->exposure = 1;
    return CR_OK;
}

void cr_observations_free(cr_observations *o)
{
    if (o == NULL)
        return;
    for (size_t i = 0; i < o->outcomes; i++)
        cr__free(o->outcome[i]);
    for (size_t i = 0; i < o->samples; i++) {
        cr__free(o->sample[i].name);
        cr__free(o->sample[i].value);
        cr__free(o->sample[i].exposure);
    }
    cr__free(o->outcome);
    cr__free(o->slot);
    cr__free(o->first);
    cr__free(o);
}

size_t cr_observations_count(const cr_observations *o)
{
    size_t count = 0;

    for (size_t i = 0; i < o->samples; i++)
        count += o->sample[i].count + (o->sample[i].sum.n > 0);
    return count;
}

size_t cr_observations_samples(const cr_observations *o)
{
    return o->samples;
}

size_t cr_observations_outcomes(const cr_observations *o)
{
    return o->outcomes;
}

/* --- names of outcomes ------------------------------------------------------------------------ */

/* FNV-1a, by G. Fowler, L. Noll and K.-P. Vo. */
static size_t hash_of(const char *name, size_t length)
{
    uint64_t hash = 14695981039346656037u;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)name[i]) * 1099511628211u;
    return (size_t)hash;
}

/* The slot that has the name, or the free one where it belongs. */
static size_t *find_slot(const cr_observations *o, const char *name, size_t length)
{
    for (size_t i = hash_of(name, length);; i++) {
        size_t *slot = &o->slot[i & (o->slots - 1)];
        const char *known = *slot != 0 ? o->outcome[*slot - 1] : NULL;

        if (known == NULL || (strncmp(known, name, length) == 0 && known[length] == '\0'))
            return slot;
    }
}

/* Room for one name more, half of the slots being free. */
static cr_status make_slots(cr_observations *o, cr_error *err)
{
    size_t *old = o->slot;

    if (2 * (o->named + 1) <= o->slots)
        return CR_OK;
    if ((o->slot = cr__alloc_zero(o->slots == 0 ? 16 : 2 * o->slots, sizeof *o->slot)) == NULL) {
        o->slot = old;
        return cr__fail_memory(err);
    }
    o->slots = o->slots == 0 ? 16 : 2 * o->slots;
    for (size_t i = 0; i < o->named; i++)
        *find_slot(o, o->outcome[i], strlen(o->outcome[i])) = i + 1;
    cr__free(old);
    return CR_OK;
}

/* A new name, at the end. */
static cr_status append_outcome(cr_observations *o, const char *name, size_t length, cr_error *err)
{
    if (!cr__grow(&o->outcome, &o->outcome_room, o->outcomes + 1, sizeof *o->outcome) ||
        (o->outcome[o->outcomes] = cr__strndup(name, length)) == NULL)
        return cr__fail_memory(err);
    o->outcomes++;
    return CR_OK;
}

/* The index of an outcome. A new one takes the place of one that was not seen yet. */
static cr_status index_of(cr_observations *o, const char *name, size_t length, size_t *index,
                          cr_error *err)
{
    cr_status st = make_slots(o, err);
    size_t *slot = st == CR_OK ? find_slot(o, name, length) : NULL;

    if (st == CR_OK && *slot == 0) {
        if (o->named == o->outcomes) {
            st = append_outcome(o, name, length, err);
        } else {
            char *copy = cr__strndup(name, length);

            if (copy == NULL)
                return cr__fail_memory(err);
            cr__free(o->outcome[o->named]);
            o->outcome[o->named] = copy;
        }
        if (st == CR_OK)
            *slot = ++o->named;
    }
    if (st == CR_OK)
        *index = *slot - 1;
    return st;
}

/* At least this many outcomes. */
static cr_status name_the_rest(cr_observations *o, size_t need, cr_error *err)
{
    char name[32];
    cr_status st = CR_OK;

    while (st == CR_OK && o->outcomes < need) {
        const size_t number = o->outcomes - o->named + 1;
        const int length =
            snprintf(name, sizeof name, number == 1 ? "(other)" : "(other %zu)", number);

        st = append_outcome(o, name, (size_t)length, err);
    }
    return st;
}

/* --- samples ---------------------------------------------------------------------------------- */

/* B. P. Welford, "Note on a method for calculating corrected sums of squares and products",
 * Technometrics 4, 1962: m += (x - m) / n, S += (x - old m)(x - new m). */
static void add_to_sum(cr_sample *s, double x)
{
    const double step = x - s->mean;

    s->n++;
    s->mean += step / s->n;
    s->squares += step * (x - s->mean);
}

static void settle_exposures(const cr_observations *o, sample *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (isnan(s->exposure[i]))
            s->exposure[i] = o->exposure;
}

/* Sums in place of what they are the sums of. Counts of outcomes are sums already. */
static void sum_up(const cr_observations *o, sample *s)
{
    if (o->of == CR_PRIOR_NORMAL) {
        for (size_t i = 0; i < s->count; i++)
            add_to_sum(&s->sum, s->value[i]);
        s->count = 0;
    } else if (o->of == CR_PRIOR_RATE) {
        settle_exposures(o, s);
        for (size_t i = 1; i < s->count; i++) {
            s->value[0] += s->value[i];
            s->exposure[0] += s->exposure[i];
        }
        s->count = s->count > 0;
    }
}

void cr_observations_follow(cr_observations *o)
{
    o->following = 1;
    for (size_t i = 0; i < o->samples; i++)
        sum_up(o, &o->sample[i]);
}

static cr_status add_value(cr_observations *o, sample *s, double value, double exposure,
                           cr_error *err)
{
    if (!cr__grow(&s->value, &s->value_room, s->count + 1, sizeof *s->value) ||
        !cr__grow(&s->exposure, &s->exposure_room, s->count + 1, sizeof *s->exposure))
        return cr__fail_memory(err);
    s->value[s->count] = value;
    s->exposure[s->count++] = exposure;
    if (o->following)
        sum_up(o, s);
    return CR_OK;
}

static cr_status count_outcome(cr_observations *o, const char *name, size_t length, double count,
                               cr_error *err)
{
    sample *s = o->current;
    size_t i = 0;
    cr_status st = index_of(o, name, length, &i, err);

    while (st == CR_OK && s->count <= i)
        st = add_value(o, s, 0, 1, err);
    if (st == CR_OK)
        s->value[i] += count;
    return st;
}

/* The sample of this name, which is made if need be, is the one that is added to. */
static cr_status choose_sample(cr_observations *o, const char *name, size_t length, cr_error *err)
{
    for (size_t i = 0; i < o->samples; i++)
        if (strlen(o->sample[i].name) == length && memcmp(o->sample[i].name, name, length) == 0) {
            o->current = &o->sample[i];
            return CR_OK;
        }
    if (o->samples == 2)
        return cr__fail(err, CR_EARG, "'%.*s' is a third sample; estimate compares two",
                        (int)length, name);
    if ((o->sample[o->samples].name = cr__strndup(name, length)) == NULL)
        return cr__fail_memory(err);
    o->current = &o->sample[o->samples++];
    return CR_OK;
}

/* --- words ------------------------------------------------------------------------------------ */

static int read_number(const char *text, size_t length, double *out)
{
    return cr__parse_double(text, length, out) == CR__NUMBER_OK;
}

static int read_fraction(const char *text, size_t length, double *top, double *bottom)
{
    const char *slash = memchr(text, '/', length);

    return slash != NULL && read_number(text, (size_t)(slash - text), top) &&
           read_number(slash + 1, length - (size_t)(slash + 1 - text), bottom);
}

static cr_status not_that(const cr_observations *o, const char *word, size_t length, cr_error *err)
{
    char shown[SHOWN];

    return cr__fail(
        err, CR_EFORMAT, "'%s' is not %s", cr__printable(shown, sizeof shown, word, length),
        o->of == CR_PRIOR_RATE ? "a count such as 12, or 12/100 for 12 in an exposure of 100"
                               : "a number");
}

/* A number, or K or K/T. */
static cr_status add_number(cr_observations *o, const char *word, size_t length, cr_error *err)
{
    const int rate = o->of == CR_PRIOR_RATE;
    double value = NAN, exposure = NAN;

    if (rate && memchr(word, '/', length) != NULL) {
        if (!read_fraction(word, length, &value, &exposure) || !(exposure > 0))
            return not_that(o, word, length, err);
    } else if (!read_number(word, length, &value)) {
        return not_that(o, word, length, err);
    }
    if (rate && (!(value >= 0) || value != floor(value)))
        return not_that(o, word, length, err);
    return add_value(o, o->current, value, exposure, err);
}

static cr_status add_word(cr_observations *o, const char *word, size_t length, cr_error *err)
{
    cr_status st = o->current == NULL ? choose_sample(o, "", 0, err) : CR_OK;

    if (st != CR_OK)
        return st;
    return o->of == CR_PRIOR_SHARES ? count_outcome(o, word, length, 1, err)
                                    : add_number(o, word, length, err);
}

cr_status cr_observations_add(cr_observations *o, const char *word, cr_error *err)
{
    return add_word(o, word, strlen(word), err);
}

cr_status cr_observations_line(cr_observations *o, const char *line, cr_error *err)
{
    static const char blank[] = " \t\r\n";
    const char *between = o->of == CR_PRIOR_SHARES ? "" : " \t\r\n,;";
    size_t length;
    cr_status st = CR_OK;

    line += strspn(line, blank);
    length = strlen(line);
    while (length > 0 && strchr(blank, line[length - 1]) != NULL)
        length--;
    for (const char *end = line + length; st == CR_OK && line < end;) {
        const size_t skipped = strspn(line, between), left = (size_t)(end - line);
        size_t size = strcspn(line += skipped < left ? skipped : left, between);

        if (size > (size_t)(end - line))
            size = (size_t)(end - line);
        if (size > 0)
            st = add_word(o, line, size, err);
        line += size;
    }
    return st;
}

/* --- items ------------------------------------------------------------------------------------ */

/* A sequence such as HHTHT: two or more capital letters. CR_END: it is not one. */
static cr_status add_sequence(cr_observations *o, const char *text, cr_error *err)
{
    const size_t length = strlen(text);
    cr_status st = CR_OK;

    if (length < 2 || strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != length)
        return CR_END;
    if (strspn(text, "HT") == length && ((st = count_outcome(o, "H", 1, 0, err)) != CR_OK ||
                                         (st = count_outcome(o, "T", 1, 0, err)) != CR_OK))
        return st;
    for (; st == CR_OK && *text != '\0'; text++)
        st = count_outcome(o, text, 1, 1, err);
    return st;
}

/* NAME=COUNT. */
static cr_status add_counted(cr_observations *o, const char *text, cr_error *err)
{
    const char *equals = strrchr(text, '=');
    const int name = equals != NULL ? (int)(equals - text) : 0;
    char shown[SHOWN];
    double count;

    if (name == 0) {
        cr__fail(err, CR_EFORMAT, "'%s' is not NAME=COUNT",
                 cr__printable(shown, sizeof shown, text, strlen(text)));
        return cr__fail_hint(err, CR_EFORMAT, "such as heads=51, 51/100 for 51 of 100, or HHTHT");
    }
    if (!read_number(equals + 1, strlen(equals + 1), &count) || !(count >= 0))
        return cr__fail(err, CR_EARG, "the count of '%.*s' is '%s'; it must be a number, 0 or more",
                        name, text, equals + 1);
    if (!(count < 0x1p53))
        return cr__fail(err, CR_EARG, "the count of '%.*s' is %s; counts must stay below 2^53",
                        name, text, equals + 1);
    return count_outcome(o, text, (size_t)name, count, err);
}

static cr_status add_share(cr_observations *o, const char *text, cr_error *err)
{
    double count, of;
    cr_status st;

    if (read_fraction(text, strlen(text), &count, &of)) {
        if (!(count >= 0 && count <= of))
            return cr__fail(err, CR_EARG, "'%s' should be successes out of trials, such as 51/100",
                            text);
        st = count_outcome(o, "yes", 3, count, err);
        return st == CR_OK ? count_outcome(o, "no", 2, of - count, err) : st;
    }
    st = add_sequence(o, text, err);
    return st == CR_END ? add_counted(o, text, err) : st;
}

/* The item after "A:", and the length of that name; an item without it has length 0. */
static const char *after_sample(const char *text, size_t *length)
{
    const char *colon = strchr(text, ':'), *equals = strchr(text, '=');

    *length = 0;
    if (colon == NULL || colon == text || (equals != NULL && equals < colon))
        return text;
    *length = (size_t)(colon - text);
    return colon + 1;
}

cr_status cr_observations_item(cr_observations *o, const char *item, cr_error *err)
{
    size_t length;
    const char *rest = after_sample(item, &length);
    cr_status st = CR_OK;

    if (o->first == NULL && (o->first = cr__strndup(item, strlen(item))) == NULL)
        return cr__fail_memory(err);
    if (rest != item && o->current != NULL && o->current->name[0] == '\0') {
        cr__fail(err, CR_EARG, "'%s' belongs to no sample", o->first);
        return cr__fail_hint(err, CR_EARG, "begin with A: for the first sample");
    }
    if (rest != item || o->current == NULL)
        st = choose_sample(o, item, length, err);
    if (st != CR_OK || *rest == '\0')
        return st;
    return o->of == CR_PRIOR_SHARES ? add_share(o, rest, err)
                                    : add_number(o, rest, strlen(rest), err);
}

/* --- exposures -------------------------------------------------------------------------------- */

/* The next number of a list between commas. */
static int read_exposure(const char **list, double *out)
{
    const size_t size = strcspn(*list, ",");
    const int sound = read_number(*list, size, out) && *out > 0;

    *list += size + ((*list)[size] == ',');
    return sound;
}

cr_status cr_observations_expose(cr_observations *o, const char *list, cr_error *err)
{
    const char *rest = list != NULL ? list : "1";
    size_t total = 0, given = 1;
    double exposure;

    for (size_t i = 0; i < o->samples; i++)
        total += o->sample[i].count;
    for (const char *c = rest; *c != '\0'; c++)
        given += *c == ',';
    if (given != 1 && given != total) {
        cr__fail(err, CR_EARG, "%zu exposures for %zu counts", given, total);
        return cr__fail_hint(err, CR_EARG, "give one for all, or one for each");
    }
    if (given == 1) {
        if (!read_exposure(&rest, &exposure))
            return cr__fail(err, CR_EARG, "the exposure '%s' is not a number above 0", list);
        o->exposure = exposure;
        return CR_OK;
    }
    for (size_t i = 0; i < o->samples; i++)
        for (size_t k = 0; k < o->sample[i].count; k++) {
            if (!read_exposure(&rest, &exposure))
                return cr__fail(err, CR_EARG, "one of the exposures '%s' is not a number above 0",
                                list);
            if (isnan(o->sample[i].exposure[k]))
                o->sample[i].exposure[k] = exposure;
        }
    return CR_OK;
}

/* --- the estimate ----------------------------------------------------------------------------- */

static cr_status check_outcomes(cr_observations *o, const cr_prior *prior, cr_error *err)
{
    if (o->of != CR_PRIOR_SHARES)
        return CR_OK;
    if (o->following)
        return name_the_rest(o, prior->count > 2 ? prior->count : 2, err);
    if (o->outcomes >= 2)
        return CR_OK;
    cr__fail(err, CR_EARG, "there is only the outcome '%s'", o->outcomes == 1 ? o->outcome[0] : "");
    return cr__fail_hint(err, CR_EARG, "such as heads=51 tails=49");
}

cr_status cr_observations_estimate(cr_estimate *out, cr_observations *o, const cr_prior *prior,
                                   double level, cr_error *err)
{
    cr_measured measured[2] = {0};
    const cr_status st = check_outcomes(o, prior, err);
    const cr_estimate_of question = {.of = o->of,
                                     .prior = prior,
                                     .outcome = (const char *const *)o->outcome,
                                     .outcomes = o->outcomes,
                                     .level = level};

    for (size_t i = 0; i < o->samples; i++) {
        sample *s = &o->sample[i];

        if (o->of == CR_PRIOR_RATE)
            settle_exposures(o, s);
        measured[i] =
            (cr_measured){.name = s->name,
                          .value = s->value,
                          .exposure = s->exposure,
                          .count = s->count,
                          .sum = o->following && o->of == CR_PRIOR_NORMAL ? &s->sum : NULL};
    }
    return st == CR_OK ? cr_estimate_make(out, &question, measured, o->samples, err) : st;
}
