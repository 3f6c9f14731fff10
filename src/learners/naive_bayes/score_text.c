/* learners/naive_bayes/score_text.c - find a text's words and add up their contributions. */
#include <math.h>
#include <string.h>

#include "learners/naive_bayes/text.h"
#include "text/mail.h"

/* How often word[i] occurs: the words are sorted. */
static size_t run_length(const uint32_t *word, size_t n, size_t i)
{
    size_t run = 1;

    while (i + run < n && word[i + run] == word[i])
        run++;
    return run;
}

static inline double weight_of(const cr__nb_text *text, uint32_t word, size_t count)
{
    if (text->weight == CR__WEIGHT_COUNTS) /* nearly always */
        return (double)count;
    return cr__text_weight_of((cr__text_weight)text->weight, (double)count,
                              text->idf == NULL ? 1 : text->idf[word]);
}

cr__nb_length cr__nb_length_of(const cr__knobs *knobs)
{
    const uint32_t most = cr__knobs_is(knobs, "text-length", "none")
                              ? 0
                              : (uint32_t)fmin(cr__knobs_number(knobs, "text-length"), UINT32_MAX);

    return (cr__nb_length){.most = most,
                           .apart = most > 0 && cr__knobs_is(knobs, "mail", "yes"),
                           .alike = cr__knobs_number(knobs, "text-alike")};
}

int cr__nb_is_head(cr__nb_length length, const char *word, size_t size)
{
    return length.apart && cr__mail_is_head(word, size);
}

static int is_head(const cr__nb_text *text, uint32_t word)
{
    const uint32_t start = word == 0 ? 0 : text->words.end[word - 1];

    return cr__nb_is_head(text->length, text->words.bytes + start, text->words.end[word] - start);
}

/* What weights that sum up to sum are multiplied with to count like most at most. */
static double within(double most, double sum, double norm)
{
    return most > 0 && sum * norm > most ? most / sum : norm;
}

void cr__nb_norm_within(cr__nb_norm *out, cr__nb_length length, double head, double body,
                        double norm)
{
    const double most = length.apart ? length.most / 2. : length.most;

    out->head = within(most, head, norm);
    out->body = within(most, body, norm);
}

/* The group of a word by its best class and the distance to its worst. */
static double *group_of(const cr__nb_text *text, cr__nb_norm *norm, uint32_t word)
{
    const int smoothed = !isinf(text->word[word]);
    const uint64_t last = text->row[word + 1] < text->cells ? text->row[word + 1] : text->cells;
    double most = -INFINITY, least = INFINITY;
    size_t best = 0;

    for (uint64_t c = 0, k = text->row[word]; c < text->classes; c++) {
        const int met = k < last && text->cell[k].class_index == c;
        double share = smoothed ? text->word[word] + text->each[c]
                       : met    ? text->each[c]
                                : -INFINITY;

        share = (share + (met ? text->cell[k++].delta : 0)) * text->scale[c];
        best = share > most ? c : best;
        most = fmax(most, share);
        least = fmin(least, share);
    }
    return cr__nb_group(&norm->groups, is_head(text, word), best, most - least);
}

/* Words that are left out are part of a text's length in the first sense, as its length was before
 * they were chosen, and not in the second, which is about the evidence. */
void cr__nb_text_norm(cr__nb_norm *norm, const cr__nb_text *text, const uint32_t *word, size_t n)
{
    const int grouped = text->length.alike != 1;
    double squares = 0, sum[2] = {0};

    norm->head = norm->body = 1;
    if (!text->unit_length && text->length.most == 0 && !grouped)
        return;
    if (grouped) {
        memset(&norm->groups, 0, sizeof norm->groups);
        for (size_t i = 0; i < n; i += run_length(word, n, i))
            if (!isnan(text->word[word[i]]))
                *group_of(text, norm, word[i]) += 1;
        cr__nb_groups_weigh(&norm->groups, text->length.alike);
    }
    for (size_t i = 0, run; i < n; i += run) {
        const double f = weight_of(text, word[i], run = run_length(word, n, i));
        squares += f * f;
        if (!isnan(text->word[word[i]]))
            sum[is_head(text, word[i])] += grouped ? f * *group_of(text, norm, word[i]) : f;
    }
    cr__nb_norm_within(norm, text->length, sum[1], sum[0],
                       text->unit_length && squares > 0 ? 1 / sqrt(squares) : 1);
}

double cr__nb_norm_of(const cr__nb_text *text, cr__nb_norm *norm, uint32_t word)
{
    const double all = is_head(text, word) ? norm->head : norm->body;

    return text->length.alike == 1 ? all : all * *group_of(text, norm, word);
}

/* Prefetch the memory of the next words: where their cells are, and then the cells. */
static inline void fetch_ahead(const cr__nb_text *text, const uint32_t *word, size_t n, size_t i)
{
    enum { ROW_AHEAD = 16, CELL_AHEAD = 8, LINE_CELLS = 64 / sizeof(cr__nb_delta) };

    if (i + ROW_AHEAD < n) {
        __builtin_prefetch(&text->row[word[i + ROW_AHEAD]]);
        __builtin_prefetch(&text->word[word[i + ROW_AHEAD]]);
    }
    if (i + CELL_AHEAD < n) {
        const uint64_t *row = &text->row[word[i + CELL_AHEAD]];

        for (uint64_t k = row[0]; k < row[1] && k < text->cells; k += LINE_CELLS)
            __builtin_prefetch(&text->cell[k]);
    }
}

/* Without smoothing: a class without a cell for the word is impossible. Cells are in the order of
 * the classes. */
static void add_plain(const cr__nb_text *text, uint32_t w, double f, size_t first, size_t count,
                      double *sum)
{
    uint64_t k = text->row[w];
    const uint64_t last = text->row[w + 1] < text->cells ? text->row[w + 1] : text->cells;

    while (k < last && text->cell[k].class_index < first)
        k++;
    for (size_t c = 0; c < count; c++)
        if (k < last && text->cell[k].class_index == first + c)
            sum[c] += f * text->cell[k++].delta;
        else
            sum[c] = -INFINITY;
}

/* Σ f · delta of the classes first … first + count - 1, and what all classes share. */
static void add_deltas(const cr__nb_text *text, const uint32_t *word, size_t n, cr__nb_norm *norm,
                       size_t first, size_t count, double *sum, double *shared, double *total)
{
    *shared = *total = 0;
    memset(sum, 0, count * sizeof *sum);
    for (size_t i = 0, run; i < n; i += run) {
        const uint32_t w = word[i];
        double f;

        fetch_ahead(text, word, n, i);
        run = run_length(word, n, i);
        if (isnan(text->word[w]))
            continue;
        f = weight_of(text, w, run) * cr__nb_norm_of(text, norm, w);
        *total += f;
        if (isinf(text->word[w])) {
            add_plain(text, w, f, first, count, sum);
            continue;
        }
        *shared += f * text->word[w];
        for (uint64_t k = text->row[w]; k < text->row[w + 1] && k < text->cells; k++) {
            const size_t c = text->cell[k].class_index - first;
            if (c < count)
                sum[c] += f * text->cell[k].delta;
        }
    }
}

void cr__nb_log_text(const cr__nb_text *text, const uint32_t *word, size_t n, size_t first,
                     size_t count, double *log_p)
{
    cr__nb_norm norm;
    double shared, total;

    cr__nb_text_norm(&norm, text, word, n);
    add_deltas(text, word, n, &norm, first, count, log_p, &shared, &total);
    for (size_t c = 0; c < count; c++)
        log_p[c] = text->once[first + c] +
                   (log_p[c] + shared + total * text->each[first + c]) * text->scale[first + c];
}

void cr__nb_score_text(const cr__nb_text *text, const uint32_t *word, size_t n, double *score)
{
    enum { BLOCK = 256 }; /* classes at a time, so that the sums fit the stack */
    double log_p[BLOCK];

    for (size_t first = 0; first < text->classes; first += BLOCK) {
        const size_t count = text->classes - first < BLOCK ? text->classes - first : BLOCK;

        cr__nb_log_text(text, word, n, first, count, log_p);
        for (size_t c = 0; c < count; c++)
            score[first + c] += log_p[c];
    }
}

double cr__nb_word_share(const cr__nb_text *text, size_t word, size_t c)
{
    const double shared = text->word[word];

    for (uint64_t k = text->row[word]; k < text->row[word + 1] && k < text->cells; k++)
        if (text->cell[k].class_index == c)
            return ((isinf(shared) ? text->each[c] : shared + text->each[c]) +
                    text->cell[k].delta) *
                   text->scale[c];
    return (shared + text->each[c]) * text->scale[c];
}

/* The contribution of a word of weight f to every class. */
static void add_word(const cr__nb_text *text, uint32_t w, double f, double *log_p)
{
    if (isinf(text->word[w])) {
        for (size_t c = 0; c < text->classes; c++)
            log_p[c] = f * text->each[c];
        add_plain(text, w, f, 0, text->classes, log_p);
        return;
    }
    for (size_t c = 0; c < text->classes; c++)
        log_p[c] = f * (text->word[w] + text->each[c]) * text->scale[c];
    for (uint64_t k = text->row[w]; k < text->row[w + 1] && k < text->cells; k++)
        if (text->cell[k].class_index < text->classes)
            log_p[text->cell[k].class_index] +=
                f * text->cell[k].delta * text->scale[text->cell[k].class_index];
}

size_t cr__nb_word_shares(const cr__nb_text *text, const uint32_t *word, size_t n,
                          cr_word_share *share, double *work)
{
    cr__nb_norm norm;
    size_t count = 0;

    cr__nb_text_norm(&norm, text, word, n);
    for (size_t i = 0, run; i < n; i += run) {
        const uint32_t w = word[i], start = w == 0 ? 0 : text->words.end[w - 1];
        double *log_p = work + count * text->classes;

        run = run_length(word, n, i);
        if (isnan(text->word[w]))
            continue;
        share[count] =
            (cr_word_share){.bytes = text->words.bytes + start,
                            .length = text->words.end[w] - start,
                            .word = w,
                            .count = run,
                            .weight = weight_of(text, w, run) * cr__nb_norm_of(text, &norm, w),
                            .log_p = log_p};
        add_word(text, w, share[count].weight, log_p);
        count++;
    }
    return count;
}
