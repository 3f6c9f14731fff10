/* store/lesson_bytes.c - rows of a lesson as bytes, for another process that stores them.
 *
 *     format, known_only, limits of certainty: 0, or 1, both (8 bytes each), and the class of spam:
 *     0, or 1 and its name; then twice (learn, unlearn): 0, or 1 and
 *     rows, texts that mean missing: 0, or 1 and the text; weights: 0, or 1 and each (8 bytes);
 *     the line of each row; for each column its kind and, of numbers, each (8 bytes), of symbols
 * and texts the words of the dictionary in the order of their codes and the code of each row, and
 * of texts the number of words of each row and the codes of all
 *
 * Numbers are varints, unless their bytes are given; both processes are on the same machine. The
 * bytes are read as if anybody had written them.
 */
#include <string.h>

#include "base/memory.h"
#include "data/table.h"
#include "store/teach.h"
#include "store/varint.h"

#define SEED UINT64_C(0x6c6573736f6e)

enum { FORMAT = 2 };

/* --- writing ---------------------------------------------------------------------------------- */

static int has_words(cr_kind kind)
{
    return kind == CR_SYMBOL || kind == CR_BAG;
}

static void put_dict(cr__buffer *out, const cr__dict *dict)
{
    cr__put_number(out, dict->words);
    for (uint32_t code = 1; code <= dict->words; code++) {
        size_t length;
        const char *word = cr__dict_word(dict, code, &length);

        cr__put_bytes(out, word, length);
    }
}

static void put_column(cr__buffer *out, const cr__table_column *c, size_t rows)
{
    cr__put_number(out, (uint64_t)c->kind);
    if (c->kind == CR_REAL)
        cr__buffer_add(out, c->real, rows * sizeof *c->real);
    if (!has_words(c->kind))
        return;
    put_dict(out, c->dict);
    for (size_t i = 0; i < rows; i++)
        cr__put_number(out, c->code[i]);
    if (c->kind == CR_SYMBOL)
        return;
    for (size_t i = 0; i < rows; i++)
        cr__put_number(out, c->start[i + 1] - c->start[i]);
    for (uint64_t i = c->start[0]; i < c->start[rows]; i++)
        cr__put_number(out, c->word[i]);
}

/* Whether a table has at most some bytes, roughly, and its own words. */
static int is_small(const cr__table *table, size_t most)
{
    size_t words = 0;

    if (table->rows > most)
        return 0;
    for (size_t i = 0; i < table->schema->columns; i++) {
        const cr__table_column *c = &table->column[i];

        if (c->kind == CR_REAL && c->real == NULL)
            return 0;
        if (!has_words(c->kind))
            continue;
        if (c->dict == NULL || c->dict->bytes_size > most)
            return 0;
        words += c->kind == CR_BAG ? c->start[table->rows] - c->start[0] : 0;
    }
    return words <= most;
}

static int put_table(cr__buffer *out, const cr__table *table, size_t most)
{
    if (table != NULL && table->rows > 0 && !is_small(table, most))
        return 0;
    cr__put_number(out, table != NULL && table->rows > 0);
    if (table == NULL || table->rows == 0)
        return 1;
    cr__put_number(out, table->rows);
    cr__put_number(out, table->missing != NULL);
    if (table->missing != NULL)
        cr__put_bytes(out, table->missing, strlen(table->missing));
    cr__put_number(out, table->weight != NULL);
    if (table->weight != NULL)
        cr__buffer_add(out, table->weight, table->rows * sizeof *table->weight);
    for (size_t i = 0; i < table->rows; i++)
        cr__put_number(out, table->line[i]);
    for (size_t i = 0; i < table->schema->columns; i++)
        put_column(out, &table->column[i], table->rows);
    return out->size <= most;
}

static void put_limits(cr__buffer *out, const cr_filter_limits *limits, const char *spam)
{
    cr__put_number(out, limits != NULL);
    if (limits == NULL)
        return;
    cr__buffer_add(out, limits, sizeof *limits);
    cr__put_number(out, spam != NULL);
    if (spam != NULL)
        cr__put_bytes(out, spam, strlen(spam));
}

int cr__lesson_write(const cr__taught *rows, size_t most, cr__buffer *out)
{
    cr__put_number(out, FORMAT);
    cr__put_number(out, (uint64_t)rows->known_only);
    put_limits(out, rows->limits, rows->spam);
    return put_table(out, rows->learn, most) && put_table(out, rows->unlearn, most) &&
           out->size <= most && !out->failed;
}

/* --- reading ---------------------------------------------------------------------------------- */

static cr_status read_dict(cr__reader *in, cr__dict **out)
{
    cr_status st = cr__dict_new(out, SEED, NULL);

    for (uint64_t n = cr__read_number(in); st == CR_OK && n > 0 && !in->failed; n--) {
        size_t length;
        const char *word = cr__read_bytes(in, &length);
        const uint32_t before = (*out)->words;
        uint32_t code;

        st = cr__dict_intern(*out, word, length, &code);
        if (st == CR_OK && (*out)->words == before)
            st = CR_EFORMAT; /* a word twice */
    }
    return st == CR_ELIMIT || (st == CR_OK && in->failed) ? CR_EFORMAT : st;
}

/* n codes of a dictionary, some of which may be missing. */
static cr_status read_codes(cr__reader *in, const cr__dict *dict, uint32_t *code, size_t n,
                            uint32_t least)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t x = cr__read_number(in);

        if (in->failed || x < least || x > dict->words)
            return CR_EFORMAT;
        code[i] = (uint32_t)x;
    }
    return CR_OK;
}

static cr_status read_doubles(cr__reader *in, double **out, size_t n)
{
    if ((size_t)(in->end - in->at) / sizeof **out < n)
        return CR_EFORMAT;
    if ((*out = cr__alloc(n, sizeof **out)) == NULL)
        return CR_ENOMEM;
    memcpy(*out, in->at, n * sizeof **out);
    in->at += n * sizeof **out;
    return CR_OK;
}

/* Weights as sources give them. */
static cr_status read_weights(cr__reader *in, cr__table *table)
{
    cr_status st = read_doubles(in, &table->weight, table->rows);

    for (size_t i = 0; st == CR_OK && i < table->rows; i++)
        if (!(table->weight[i] >= 0 && table->weight[i] < 0x1p62))
            st = CR_EFORMAT;
    return st;
}

/* The words of each text. */
static cr_status read_texts(cr__reader *in, cr__table_column *c, size_t rows)
{
    const size_t most = (size_t)(in->end - in->at); /* a word has at least a byte */

    if ((c->start = cr__alloc(rows + 1, sizeof *c->start)) == NULL)
        return CR_ENOMEM;
    c->start[0] = 0;
    for (size_t i = 0; i < rows; i++) {
        const uint64_t n = cr__read_number(in);

        if (in->failed || n > most - c->start[i])
            return CR_EFORMAT;
        c->start[i + 1] = c->start[i] + n;
    }
    c->word_capacity = (size_t)c->start[rows];
    if ((c->word = cr__alloc(c->word_capacity, sizeof *c->word)) == NULL)
        return CR_ENOMEM;
    return read_codes(in, c->dict, c->word, c->word_capacity, 1);
}

static cr_status read_column(cr__reader *in, cr__table_column *c, size_t rows)
{
    cr_status st;

    if (cr__read_number(in) != (uint64_t)c->kind || in->failed)
        return CR_EFORMAT;
    if (c->kind == CR_REAL)
        return read_doubles(in, &c->real, rows);
    if (!has_words(c->kind))
        return CR_OK;
    if ((st = read_dict(in, &c->dict)) != CR_OK)
        return st;
    if ((c->code = cr__alloc(rows, sizeof *c->code)) == NULL)
        return CR_ENOMEM;
    if (c->kind == CR_SYMBOL)
        return read_codes(in, c->dict, c->code, rows, CR__MISSING);
    for (size_t i = 0; i < rows; i++)
        c->code[i] = (uint32_t)(cr__read_number(in) != 0);
    return read_texts(in, c, rows);
}

static cr_status read_rows(cr__reader *in, cr__table *table)
{
    const uint64_t rows = cr__read_number(in);
    cr_status st = CR_OK;

    if (in->failed || rows == 0 || rows > (size_t)(in->end - in->at)) /* a line has a byte */
        return CR_EFORMAT;
    table->rows = table->capacity = (size_t)rows;
    if (cr__read_number(in) != 0) {
        size_t length;
        const char *missing = cr__read_bytes(in, &length);

        if ((table->missing = cr__strndup(missing, length)) == NULL)
            return CR_ENOMEM;
    }
    if (cr__read_number(in) != 0)
        st = read_weights(in, table);
    if (st == CR_OK && (table->line = cr__alloc(table->rows, sizeof *table->line)) == NULL)
        st = CR_ENOMEM;
    for (size_t i = 0; st == CR_OK && i < table->rows; i++)
        table->line[i] = cr__read_number(in);
    for (size_t i = 0; st == CR_OK && i < table->schema->columns; i++)
        st = read_column(in, &table->column[i], table->rows);
    return st == CR_OK && in->failed ? CR_EFORMAT : st;
}

static cr_status read_table(cr__reader *in, const cr_schema *schema, cr__table **out)
{
    cr_status st;

    if (cr__read_number(in) == 0)
        return in->failed ? CR_EFORMAT : CR_OK;
    if ((st = cr__table_new(out, schema, NULL)) == CR_OK)
        st = read_rows(in, *out);
    return st;
}

static cr_status read_limits(cr__reader *in, cr__lesson *out)
{
    size_t length;
    const char *spam;

    if ((out->on_error = cr__read_number(in) != 0) == 0)
        return CR_OK;
    if ((size_t)(in->end - in->at) < sizeof out->limits)
        return CR_EFORMAT;
    memcpy(&out->limits, in->at, sizeof out->limits);
    in->at += sizeof out->limits;
    if (!(out->limits.low >= 0 && out->limits.low <= out->limits.high && out->limits.high <= 1))
        return CR_EFORMAT;
    if (cr__read_number(in) == 0)
        return CR_OK;
    spam = cr__read_bytes(in, &length);
    out->spam = cr__strndup(spam, length);
    return out->spam == NULL ? CR_ENOMEM : CR_OK;
}

void cr__lesson_free(cr__lesson *lesson)
{
    cr__table_free(lesson->learn);
    cr__table_free(lesson->unlearn);
    cr__free(lesson->spam);
    *lesson = (cr__lesson){0};
}

cr_status cr__lesson_read(cr__lesson *out, const void *bytes, size_t size, const cr_schema *schema)
{
    cr__reader in = cr__reader_of(bytes, size);
    cr_status st = cr__read_number(&in) == FORMAT ? CR_OK : CR_EFORMAT;

    *out = (cr__lesson){.known_only = cr__read_number(&in) != 0};
    if (st == CR_OK)
        st = read_limits(&in, out);
    if (st == CR_OK)
        st = read_table(&in, schema, &out->learn);
    if (st == CR_OK)
        st = read_table(&in, schema, &out->unlearn);
    if (st == CR_OK && (in.failed || in.at != in.end))
        st = CR_EFORMAT;
    if (st != CR_OK)
        cr__lesson_free(out);
    return st;
}
