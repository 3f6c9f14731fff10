/* stats/cross_gather.c - collect rows into blocks, multiply blocks, add the products in order. */
#include "stats/cross_gather_impl.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "base/pool.h"
#include "stats/stats.h"

/* --- life ----------------------------------------------------------------------------------- */

static void free_sum(cr__cross_sum *sum)
{
    cr__free(sum->sum);
    cr__free(sum->product);
    cr__free(sum->pair_count);
    cr__free(sum->pair_sum);
    cr__free(sum->pair_product);
    *sum = (cr__cross_sum){0};
}

static void free_job(cr__cross_job *j)
{
    cr__free(j->rows.x);
    cr__free(j->rows.weight);
    cr__free(j->shift);
    cr__free(j->term);
    free_sum(&j->sum);
    cr__free(j);
}

static void free_jobs(cr__cross_job *list)
{
    while (list != NULL) {
        cr__cross_job *next = list->next;

        free_job(list);
        list = next;
    }
}

static void free_recorded(cr__cross_gather *g)
{
    while (g->recorded != NULL) {
        cr__cross_rows *next = g->recorded->next;

        cr__free(g->recorded->x);
        cr__free(g->recorded->class_code);
        cr__free(g->recorded->weight);
        cr__free(g->recorded);
        g->recorded = next;
    }
}

void cr__cross_gather_free(cr__cross_gather *g)
{
    if (g == NULL)
        return;
    for (size_t f = 0; f < g->fields; f++) {
        cr__dict_free(g->dict == NULL ? NULL : g->dict[f]);
        cr__free(g->term_of == NULL ? NULL : g->term_of[f]);
    }
    for (size_t h = 0; h < g->heaps; h++) {
        cr__free(g->heap[h].open.x);
        cr__free(g->heap[h].open.weight);
        free_jobs(g->heap[h].waiting);
        free_sum(&g->heap[h].sum);
    }
    free_jobs(g->first);
    free_recorded(g);
    cr__dict_free(g->class_dict);
    cr__free(g->mean);
    cr__free(g->seen);
    cr__free(g->heap);
    cr__free(g->column);
    cr__free(g->dict);
    cr__free(g->term_of);
    cr__free(g->term_capacity);
    cr__free(g->term);
    cr__free(g->shift);
    pthread_mutex_destroy(&g->lock);
    cr__free(g);
}

/* A new term of a field; code 0 for a real one. */
static cr_status add_term(cr__cross_gather *g, size_t field, uint32_t code)
{
    const int real = code == 0;

    if (!cr__grow(&g->term, &g->terms_capacity, g->terms + 1, sizeof *g->term) ||
        !cr__grow(&g->shift, &g->shift_capacity, g->terms + 1, sizeof *g->shift) ||
        !cr__grow(&g->term_of[field], &g->term_capacity[field], (size_t)code + 1,
                  sizeof *g->term_of[field]))
        return CR_ENOMEM;
    g->term[g->terms] = (cr__cross_term){(uint32_t)g->column[field], real ? CR__TERM_REAL : code};
    g->shift[g->terms] = real ? NAN : 0;
    g->term_of[field][code] = (uint32_t)g->terms++;
    return CR_OK;
}

static cr_status begin_fields(cr__cross_gather *g)
{
    cr_status st = CR_OK;

    for (size_t i = 0; st == CR_OK && i < g->schema->columns; i++) {
        const size_t f = g->fields;

        if (!cr__cross_takes(g->schema, g->use, i))
            continue;
        g->column[f] = i;
        g->fields++;
        if (i == g->schema->target)
            g->target = f;
        if (g->schema->column[i].kind == CR_SYMBOL)
            st = cr__dict_new(&g->dict[f], CR__CANONICAL_SEED, NULL);
        else
            st = add_term(g, f, 0);
    }
    return st;
}

cr_status cr__cross_gather_new(cr__cross_gather **out, const cr_schema *schema, cr__cross_use use,
                               uint64_t limit, cr_error *err)
{
    cr__cross_gather *g;
    const size_t n = schema->columns;
    cr_status st = cr__matrix_open(err);

    *out = NULL;
    if (st != CR_OK)
        return st;
    if ((g = cr__alloc_zero(1, sizeof *g)) == NULL)
        return cr__fail_memory(err);
    *g = (cr__cross_gather){.schema = schema, .use = use, .limit = limit, .target = SIZE_MAX};
    pthread_mutex_init(&g->lock, NULL);
    g->column = cr__alloc_zero(n, sizeof *g->column);
    g->dict = cr__alloc_zero(n, sizeof *g->dict);
    g->term_of = cr__alloc_zero(n, sizeof *g->term_of);
    g->term_capacity = cr__alloc_zero(n, sizeof *g->term_capacity);
    g->mean = cr__alloc_zero(n, sizeof *g->mean);
    g->seen = cr__alloc_zero(n, sizeof *g->seen);
    st = g->column != NULL && g->dict != NULL && g->term_of != NULL && g->term_capacity != NULL &&
                 g->mean != NULL && g->seen != NULL
             ? begin_fields(g)
             : CR_ENOMEM;
    if (st == CR_OK && cr__cross_by_class(schema, use))
        st = cr__dict_new(&g->class_dict, CR__CANONICAL_SEED, NULL);
    if (st != CR_OK) {
        cr__cross_gather_free(g);
        return cr__fail_memory(err);
    }
    *out = g;
    return CR_OK;
}

cr_status cr__cross_part_new(cr__cross_part **out, cr__cross_gather *gather, cr_error *err)
{
    cr__cross_part *part = cr__alloc_zero(1, sizeof *part);

    *out = part;
    if (part == NULL)
        return cr__fail_memory(err);
    part->gather = gather;
    part->map = cr__alloc_zero(gather->fields, sizeof *part->map);
    part->map_capacity = cr__alloc_zero(gather->fields, sizeof *part->map_capacity);
    if (part->map != NULL && part->map_capacity != NULL)
        return CR_OK;
    cr__cross_part_free(part);
    *out = NULL;
    return cr__fail_memory(err);
}

void cr__cross_part_free(cr__cross_part *part)
{
    if (part == NULL)
        return;
    for (size_t f = 0; part->map != NULL && f < part->gather->fields; f++)
        cr__free(part->map[f]);
    cr__free(part->map);
    cr__free(part->map_capacity);
    cr__free(part->class_map);
    cr__free(part->x);
    cr__free(part->class_code);
    cr__free(part->weight);
    cr__free(part);
}

/* --- a worker's chunk ------------------------------------------------------------------------- */

static void copy_field(const cr__batch_column *from, size_t rows, size_t fields, double *x)
{
    for (size_t r = 0; r < rows; r++)
        x[r * fields] = from->kind == CR_REAL          ? from->real[r]
                        : from->code[r] == CR__MISSING ? NAN
                                                       : (double)from->code[r];
}

cr_status cr__cross_part_absorb(cr__cross_part *part, const cr__batch *batch, cr_error *err)
{
    const cr__cross_gather *g = part->gather;
    const size_t first = part->rows, rows = batch->rows;

    if (!cr__grow(&part->x, &part->x_capacity, (first + rows) * g->fields, sizeof *part->x) ||
        !cr__grow(&part->class_code, &part->class_capacity, first + rows,
                  sizeof *part->class_code) ||
        !cr__grow(&part->weight, &part->weight_capacity, first + rows, sizeof *part->weight))
        return cr__fail_memory(err);
    for (size_t f = 0; f < g->fields; f++)
        copy_field(&batch->column[g->column[f]], rows, g->fields, part->x + first * g->fields + f);
    for (size_t r = 0; r < rows; r++) {
        part->class_code[first + r] =
            g->class_dict == NULL ? 1 : batch->column[g->schema->target].code[r];
        part->weight[first + r] = batch->weight == NULL ? 1 : batch->weight[r];
    }
    part->rows += rows;
    return CR_OK;
}

/* --- blocks ----------------------------------------------------------------------------------- */

/* The shift of a real field is the mean of its numbers before the first block is full; if there is
 * none by then, the first number. So it depends on the rows and their order alone. */
static void note_numbers(cr__cross_gather *g, const double *x)
{
    for (size_t f = 0; f < g->fields; f++) {
        if (g->dict[f] != NULL || isnan(x[f]))
            continue;
        if (!g->settled)
            g->mean[f] += (x[f] - g->mean[f]) / ++g->seen[f];
        else if (isnan(g->shift[g->term_of[f][0]]))
            g->shift[g->term_of[f][0]] = x[f];
    }
}

static void settle_shifts(cr__cross_gather *g)
{
    for (size_t f = 0; !g->settled && f < g->fields; f++)
        if (g->seen[f] > 0)
            g->shift[g->term_of[f][0]] = g->mean[f];
    g->settled = 1;
}

/* A block of the heap is full, or the last: queue it as a job. */
static cr_status make_job(cr__cross_gather *g, size_t owner)
{
    cr__cross_heap *h = &g->heap[owner];
    cr__cross_job *j = cr__alloc_zero(1, sizeof *j);

    settle_shifts(g);
    if (j == NULL || (j->shift = cr__alloc(g->terms, sizeof *j->shift)) == NULL ||
        (j->term = cr__alloc(g->terms, sizeof *j->term)) == NULL) {
        if (j != NULL)
            free_job(j);
        return CR_ENOMEM;
    }
    memcpy(j->shift, g->shift, g->terms * sizeof *j->shift);
    memcpy(j->term, g->term, g->terms * sizeof *j->term);
    j->owner = owner;
    j->terms = g->terms;
    j->sequence = h->sequence++;
    j->rows = h->open;
    h->open = (cr__cross_block){0};
    pthread_mutex_lock(&g->lock);
    if (g->last == NULL)
        g->first = j;
    else
        g->last->next = j;
    g->last = j;
    pthread_mutex_unlock(&g->lock);
    return CR_OK;
}

static int fit_block(cr__cross_block *b, size_t fields)
{
    size_t capacity = b->capacity == 0 ? CR__CROSS_FIRST_ROWS : b->capacity * 2;
    double *x, *weight;

    if (b->rows < b->capacity)
        return 1;
    if (fields > SIZE_MAX / sizeof(double) / CR__CROSS_BLOCK_ROWS ||
        (x = cr__realloc(b->x, capacity * fields, sizeof *x)) == NULL)
        return 0;
    b->x = x;
    if ((weight = cr__realloc(b->weight, capacity, sizeof *weight)) == NULL)
        return 0;
    b->weight = weight;
    b->capacity = capacity;
    return 1;
}

cr_status cr__cross_put_row(cr__cross_gather *g, uint32_t class_code, const double *x,
                            double weight, cr_error *err)
{
    int lacks = 0;
    cr__cross_heap *h;
    cr_status st;

    if (class_code == CR__MISSING || !(weight > 0) ||
        (g->target != SIZE_MAX && isnan(x[g->target])))
        return CR_OK;
    if ((st = cr__cross_fit_heaps(g, err)) != CR_OK || g->fields == 0)
        return st;
    note_numbers(g, x);
    for (size_t f = 0; f < g->fields; f++)
        lacks |= isnan(x[f]);
    h = &g->heap[2 * ((size_t)class_code - 1) + (size_t)lacks];
    if (!fit_block(&h->open, g->fields))
        return cr__fail_memory(err);
    memcpy(h->open.x + h->open.rows * g->fields, x, g->fields * sizeof *x);
    h->open.weight[h->open.rows++] = weight;
    if (h->open.rows == CR__CROSS_BLOCK_ROWS && make_job(g, (size_t)(h - g->heap)) != CR_OK)
        return cr__fail_memory(err);
    return CR_OK;
}

/* --- delivery --------------------------------------------------------------------------------- */

cr_status cr__cross_fit_heaps(cr__cross_gather *g, cr_error *err)
{
    const size_t classes = g->class_dict == NULL ? 1 : g->class_dict->words, heaps = 2 * classes;
    const double bytes = (double)classes * (double)g->terms * (double)g->terms * 2 * sizeof(double);

    if (heaps <= g->heaps && g->heap_terms == g->terms)
        return CR_OK;
    if (heaps > g->heaps) {
        int grown;

        pthread_mutex_lock(&g->lock); /* they may move while other threads add to them */
        if ((grown = cr__grow(&g->heap, &g->heap_capacity, heaps, sizeof *g->heap))) {
            memset(g->heap + g->heaps, 0, (heaps - g->heaps) * sizeof *g->heap);
            g->heaps = heaps;
        }
        pthread_mutex_unlock(&g->lock);
        if (!grown)
            return cr__fail_memory(err);
    }
    g->heap_terms = g->terms;
    if (g->limit == 0 || bytes <= (double)g->limit)
        return CR_OK;
    cr__fail(
        err, CR_ELIMIT,
        "products of %zu by %zu columns and values in %zu classes need %s of memory; the limit "
        "is %s",
        g->terms, g->terms, classes, cr__size_of(bytes).text, cr__size_of((double)g->limit).text);
    return cr__fail_hint(
        err, CR_ELIMIT,
        CR__SET("type COL=ignore") " leaves a column out, " CR__SET("memory") " raises the limit");
}

/* The code that a word has in the gather's dictionary. */
static cr_status translate(cr__dict *into, const cr__dict *from, uint32_t code, uint32_t *out)
{
    size_t length;
    const char *word = cr__dict_word(from, code, &length);

    return cr__dict_intern(into, word, length, out);
}

static cr_status fit_map(uint32_t **map, size_t *capacity, uint32_t code)
{
    const size_t have = *capacity;

    if (code < have)
        return CR_OK;
    if (!cr__grow(map, capacity, (size_t)code + 1, sizeof **map))
        return CR_ENOMEM;
    memset(*map + have, 0, (*capacity - have) * sizeof **map);
    return CR_OK;
}

cr_status cr__cross_term_of(cr__cross_gather *g, size_t field, const char *word, size_t length,
                            uint32_t *term)
{
    const uint32_t known = g->dict[field]->words;
    uint32_t code;
    cr_status st = cr__dict_intern(g->dict[field], word, length, &code);

    if (st == CR_OK && code > known)
        st = add_term(g, field, code);
    if (st == CR_OK)
        *term = g->term_of[field][code];
    return st;
}

/* The term of a symbol's code. */
static cr_status find_term(cr__cross_part *part, size_t f, const cr__dict *dict, double *x)
{
    const uint32_t code = (uint32_t)*x;
    cr_status st = fit_map(&part->map[f], &part->map_capacity[f], code);

    if (st == CR_OK && part->map[f][code] == 0) {
        size_t length;
        const char *word = cr__dict_word(dict, code, &length);
        uint32_t term = 0;

        if ((st = cr__cross_term_of(part->gather, f, word, length, &term)) == CR_OK)
            part->map[f][code] = term + 1;
    }
    if (st == CR_OK)
        *x = part->map[f][code] - 1;
    return st;
}

static cr_status find_class(cr__cross_part *part, const cr__dict *dict, uint32_t *code)
{
    cr__cross_gather *g = part->gather;
    uint32_t own;
    cr_status st;

    if (g->class_dict == NULL || *code == CR__MISSING)
        return CR_OK;
    st = fit_map(&part->class_map, &part->class_map_capacity, *code);
    if (st == CR_OK && part->class_map[*code] == 0 &&
        (st = translate(g->class_dict, dict, *code, &own)) == CR_OK)
        part->class_map[*code] = own;
    if (st == CR_OK)
        *code = part->class_map[*code];
    return st;
}

/* Keep the chunk's rows as they are: a member of a team does not yet know what comes before
 * them. */
static cr_status record(cr__cross_part *part, cr_error *err)
{
    cr__cross_gather *g = part->gather;
    cr__cross_rows *rows = cr__alloc_zero(1, sizeof *rows);

    if (rows == NULL)
        return cr__fail_memory(err);
    *rows = (cr__cross_rows){NULL, part->rows, part->x, part->class_code, part->weight};
    part->x = part->weight = NULL;
    part->class_code = NULL;
    part->x_capacity = part->class_capacity = part->weight_capacity = 0;
    if (g->recorded == NULL)
        g->recorded = rows;
    else
        g->last_recorded->next = rows;
    g->last_recorded = rows;
    g->recorded_bytes += (double)rows->rows * (double)(8 * g->fields + 12);
    if (g->limit == 0 || g->recorded_bytes <= (double)g->limit)
        return CR_OK;
    cr__fail(err, CR_ELIMIT, "the rows of one process take more than the %s of memory it may have",
             cr__size_of((double)g->limit).text);
    return cr__fail_hint(err, CR_ELIMIT,
                         "more processes have fewer rows each; " CR__SET("memory") " raises the "
                                                                                   "limit");
}

cr_status cr__cross_part_deliver(cr__cross_part *part, cr__dict *const *dict, cr_error *err)
{
    cr__cross_gather *g = part->gather;
    cr_status st = CR_OK;

    for (size_t r = 0; st == CR_OK && r < part->rows; r++) {
        double *x = g->fields == 0 ? part->x : part->x + r * g->fields;

        st = find_class(part, g->class_dict == NULL ? NULL : dict[g->schema->target],
                        &part->class_code[r]);
        for (size_t f = 0; st == CR_OK && f < g->fields; f++)
            if (g->dict[f] != NULL && !isnan(x[f]))
                st = find_term(part, f, dict[g->column[f]], &x[f]);
        if (st != CR_OK)
            return cr__fail_memory(err);
        if (!g->records)
            st = cr__cross_put_row(g, part->class_code[r], x, part->weight[r], err);
    }
    if (st == CR_OK && g->records && part->rows > 0)
        st = record(part, err);
    part->rows = 0;
    return st;
}

/* --- products --------------------------------------------------------------------------------- */

static double root_weight(const cr__cross_job *j, size_t row)
{
    return j->rows.weight[row] == 1 ? 1 : sqrt(j->rows.weight[row]);
}

/* A block's rows as a matrix, each times the root of its weight: around the shift, missing as 0.
 * The values of symbols, which other threads may change meanwhile, are not read. */
static void expand(const cr__cross_gather *g, const cr__cross_job *j, double *x)
{
    const size_t D = j->terms;

    memset(x, 0, j->rows.rows * D * sizeof *x);
    for (size_t r = 0; r < j->rows.rows; r++) {
        const double root = root_weight(j, r);

        for (size_t f = 0; f < g->fields; f++) {
            const double v = j->rows.x[r * g->fields + f];

            if (isnan(v))
                continue;
            if (g->dict[f] != NULL)
                x[r * D + (size_t)v] = root;
            else
                x[r * D + g->term_of[f][0]] = root * (v - j->shift[g->term_of[f][0]]);
        }
    }
}

/* Which terms the rows have, likewise; a row that has a symbol has all its terms. */
static void expand_mask(const cr__cross_gather *g, const cr__cross_job *j, double *mask)
{
    const size_t D = j->terms;

    for (size_t t = 0; t < D; t++) {
        size_t f = 0;

        while (g->column[f] != j->term[t].column)
            f++;
        for (size_t r = 0; r < j->rows.rows; r++)
            mask[r * D + t] = isnan(j->rows.x[r * g->fields + f]) ? 0 : root_weight(j, r);
    }
}

static void multiply(const double *x, size_t rows, size_t D, double *out)
{
    if (D > 0) /* BLAS takes no matrix without columns */
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, (int)D, (int)rows, 1, x, (int)D, 0, out,
                    (int)D);
}

/* Sums and products of complete rows. */
static cr_status sum_complete(const cr__cross_gather *g, cr__cross_job *j)
{
    const size_t D = j->terms, rows = j->rows.rows;
    double *x = cr__alloc(rows * D, sizeof *x);

    j->sum.sum = cr__alloc_zero(D, sizeof(double));
    j->sum.product = cr__alloc(D * D, sizeof(double));
    if (x == NULL || j->sum.sum == NULL || j->sum.product == NULL) {
        cr__free(x);
        return CR_ENOMEM;
    }
    expand(g, j, x);
    for (size_t r = 0; r < rows; r++) {
        const double root = root_weight(j, r);

        j->sum.count += j->rows.weight[r];
        for (size_t t = 0; t < D; t++)
            j->sum.sum[t] += root * x[r * D + t];
    }
    multiply(x, rows, D, j->sum.product);
    cr__free(x);
    return CR_OK;
}

/* Of rows that lack something, with X the numbers and M the indicators of present values: M'M, X'M
 * and X'X. */
static cr_status sum_pairs(const cr__cross_gather *g, cr__cross_job *j)
{
    const size_t D = j->terms, rows = j->rows.rows;
    double *x = cr__alloc(rows * D, sizeof *x), *mask = cr__alloc(rows * D, sizeof *mask);
    cr_status st = CR_ENOMEM;

    if (x != NULL && mask != NULL && cr__cross_sum_pairs(&j->sum, D)) {
        expand(g, j, x);
        expand_mask(g, j, mask);
        multiply(x, rows, D, j->sum.pair_product);
        multiply(mask, rows, D, j->sum.pair_count);
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)D, (int)D, (int)rows, 1, x,
                    (int)D, mask, (int)D, 0, j->sum.pair_sum, (int)D);
        st = CR_OK;
    }
    cr__free(x);
    cr__free(mask);
    return st;
}

/* --- adding up -------------------------------------------------------------------------------- */

/* A matrix with more rows and columns. */
static int widen(double **matrix, size_t from, size_t to)
{
    double *wide;

    if (*matrix == NULL)
        return 1;
    if ((wide = cr__alloc_zero(to * to, sizeof *wide)) == NULL)
        return 0;
    for (size_t i = 0; i < from; i++)
        memcpy(wide + i * to, *matrix + i * from, from * sizeof *wide);
    cr__free(*matrix);
    *matrix = wide;
    return 1;
}

static int fit_terms(cr__cross_heap *h, size_t terms, int pairs)
{
    double *sum;

    if (h->sum.sum == NULL && !pairs) {
        h->sum.sum = cr__alloc_zero(terms, sizeof(double));
        h->sum.product = cr__alloc_zero(terms * terms, sizeof(double));
        h->terms = terms;
        return h->sum.sum != NULL && h->sum.product != NULL;
    }
    if (pairs && h->sum.pair_count == NULL) {
        h->terms = terms;
        return cr__cross_sum_pairs(&h->sum, terms);
    }
    if (terms <= h->terms)
        return 1;
    if (!pairs) {
        if ((sum = cr__realloc(h->sum.sum, terms, sizeof *sum)) == NULL)
            return 0;
        memset(sum + h->terms, 0, (terms - h->terms) * sizeof *sum);
        h->sum.sum = sum;
    }
    if (!widen(&h->sum.product, h->terms, terms) || !widen(&h->sum.pair_count, h->terms, terms) ||
        !widen(&h->sum.pair_sum, h->terms, terms) || !widen(&h->sum.pair_product, h->terms, terms))
        return 0;
    h->terms = terms;
    return 1;
}

static void add_matrix(double *into, size_t to, const double *from, size_t n, int whole)
{
    for (size_t i = 0; from != NULL && i < n; i++)
        for (size_t k = 0; k < (whole ? n : i + 1); k++)
            into[i * to + k] += from[i * n + k];
}

static int add_job(cr__cross_heap *h, const cr__cross_job *j)
{
    const int pairs = j->sum.pair_count != NULL;

    if (!fit_terms(h, j->terms, pairs))
        return 0;
    h->sum.count += j->sum.count;
    for (size_t t = 0; !pairs && t < j->terms; t++)
        h->sum.sum[t] += j->sum.sum[t];
    add_matrix(h->sum.product, h->terms, j->sum.product, j->terms, 0);
    add_matrix(h->sum.pair_count, h->terms, j->sum.pair_count, j->terms, 0);
    add_matrix(h->sum.pair_sum, h->terms, j->sum.pair_sum, j->terms, 1);
    add_matrix(h->sum.pair_product, h->terms, j->sum.pair_product, j->terms, 0);
    return 1;
}

void cr__cross_add_waiting(cr__cross_gather *g, cr__cross_heap *h)
{
    while (h->waiting != NULL && h->waiting->sequence == h->added) {
        cr__cross_job *j = h->waiting;

        h->waiting = j->next;
        h->added++;
        g->failed |= !add_job(h, j);
        free_job(j);
    }
}

/* Add the next results, as far as they are available. The caller holds the lock. */
static void add_in_order(cr__cross_gather *g, cr__cross_job *done)
{
    cr__cross_heap *h = &g->heap[done->owner];
    cr__cross_job **at = &h->waiting;

    if (h->waiting != NULL && h->latest->sequence < done->sequence)
        at = &h->latest->next;
    while (*at != NULL && (*at)->sequence < done->sequence)
        at = &(*at)->next;
    done->next = *at;
    *at = done;
    if (done->next == NULL)
        h->latest = done;
    if (!g->holds)
        cr__cross_add_waiting(g, h);
}

static cr__cross_job *take_job(cr__cross_gather *g)
{
    cr__cross_job *j;

    pthread_mutex_lock(&g->lock);
    if ((j = g->first) != NULL && (g->first = j->next) == NULL)
        g->last = NULL;
    pthread_mutex_unlock(&g->lock);
    return j;
}

static void work(void *context, int worker)
{
    cr__cross_gather *g = context;
    cr__cross_job *j;

    (void)worker;
    while ((j = take_job(g)) != NULL) {
        const cr_status st = j->owner % 2 == 0 ? sum_complete(g, j) : sum_pairs(g, j);

        cr__free(j->rows.x);
        cr__free(j->rows.weight);
        j->rows = (cr__cross_block){0};
        pthread_mutex_lock(&g->lock);
        g->failed |= st != CR_OK;
        if (st == CR_OK)
            add_in_order(g, j);
        pthread_mutex_unlock(&g->lock);
        if (st != CR_OK)
            free_job(j);
    }
}

cr_status cr__cross_part_work(cr__cross_part *part, cr_error *err)
{
    cr__cross_gather *gather = part->gather;
    int failed;

    work(gather, 0);
    pthread_mutex_lock(&gather->lock);
    failed = gather->failed;
    pthread_mutex_unlock(&gather->lock);
    return failed ? cr__fail_memory(err) : CR_OK;
}

/* --- the end ---------------------------------------------------------------------------------- */

cr_status cr__cross_work_all(cr__cross_gather *g, int threads, cr_error *err)
{
    cr_pool *pool;
    cr_status st = cr_pool_new(&pool, threads, err);

    if (st != CR_OK)
        return st;
    cr__pool_run(pool, work, g);
    cr_pool_free(pool);
    return g->failed ? cr__fail_memory(err) : CR_OK;
}

static cr_status work_off(cr__cross_gather *g, int threads, cr_error *err)
{
    cr_status st = CR_OK;

    settle_shifts(g);
    for (size_t h = 0; st == CR_OK && h < g->heaps; h++)
        if (g->heap[h].open.rows > 0)
            st = make_job(g, h);
    return st == CR_OK ? cr__cross_work_all(g, threads, err) : cr__fail_memory(err);
}

/* place[t] is where term t of the gather is in cross, UINT32_MAX for a value that no longer
 * occurs. */
static void find_places(const cr__cross_gather *g, cr__dict *const *dict, cr__cross *cross,
                        uint32_t *place)
{
    for (size_t t = 0; t < g->terms; t++)
        place[t] = UINT32_MAX;
    for (size_t t = 0, f = 0; t < cross->terms; t++) {
        const cr__cross_term term = cross->term[t];
        uint32_t code = 0;

        while (g->column[f] != term.column)
            f++;
        if (term.value == CR__TERM_REAL) {
            cross->shift[t] = g->shift[g->term_of[f][0]];
        } else {
            size_t length;
            const char *word = cr__dict_word(dict[term.column], term.value + 1, &length);

            if ((code = cr__dict_find(g->dict[f], word, length)) == CR__MISSING)
                continue;
        }
        place[g->term_of[f][code]] = (uint32_t)t;
    }
}

static void put_matrix(double *into, size_t n, const double *from, size_t m, const uint32_t *place,
                       int whole)
{
    for (size_t i = 0; i < m; i++)
        for (size_t k = 0; k < (whole ? m : i + 1); k++) {
            const size_t a = place[i], b = place[k];

            if (a == UINT32_MAX || b == UINT32_MAX)
                continue;
            into[whole || a >= b ? a * n + b : b * n + a] += from[i * m + k];
        }
}

/* Copy the sums of both heaps of a class to their places. */
static cr_status put_class(const cr__cross_gather *g, size_t code, const uint32_t *place,
                           cr__cross_sum *out, size_t n)
{
    const cr__cross_heap *whole = &g->heap[2 * code], *rest = &g->heap[2 * code + 1];

    out->count = whole->sum.count;
    for (size_t t = 0; whole->sum.sum != NULL && t < whole->terms; t++)
        if (place[t] != UINT32_MAX)
            out->sum[place[t]] = whole->sum.sum[t];
    if (whole->sum.product != NULL)
        put_matrix(out->product, n, whole->sum.product, whole->terms, place, 0);
    if (rest->sum.pair_count == NULL)
        return CR_OK;
    if (!cr__cross_sum_pairs(out, n))
        return CR_ENOMEM;
    put_matrix(out->pair_count, n, rest->sum.pair_count, rest->terms, place, 0);
    put_matrix(out->pair_sum, n, rest->sum.pair_sum, rest->terms, place, 1);
    put_matrix(out->pair_product, n, rest->sum.pair_product, rest->terms, place, 0);
    return CR_OK;
}

cr_status cr__cross_gather_finish(cr__cross_gather *g, int threads, cr__dict *const *dict,
                                  size_t classes, cr__cross **out, cr_error *err)
{
    uint32_t *place = cr__alloc(g->terms, sizeof *place);
    cr_status st = place == NULL ? cr__fail_memory(err) : work_off(g, threads, err);

    *out = NULL;
    if (st == CR_OK && (*out = cr__cross_lay_out(g->schema, g->use, dict, classes)) == NULL)
        st = cr__fail_memory(err);
    if (st == CR_OK)
        find_places(g, dict, *out, place);
    for (size_t h = 0; st == CR_OK && h < g->heaps / 2; h++) {
        uint32_t c = 1;

        if (g->class_dict != NULL) {
            size_t length;
            const char *word = cr__dict_word(g->class_dict, (uint32_t)h + 1, &length);

            c = cr__dict_find(dict[g->schema->target], word, length);
        }
        if (c == CR__MISSING || c > classes) /* no row counted: there may be no class at all */
            continue;
        if (put_class(g, h, place, &(*out)->of[c - 1], (*out)->terms) != CR_OK)
            st = cr__fail_memory(err);
    }
    if (st != CR_OK) {
        cr__cross_free(*out);
        *out = NULL;
    }
    cr__free(place);
    return st;
}
