/* JSON Lines and ARFF in hostile spellings: what is read many records at a time must be what comes
 * out when each is read by itself, or the same error at the same place. Nothing is expected by
 * number here: the reader of single records, which test_jsonl.c and test_arff.c check by rules, is
 * the reference. CREDENCE_ROUNDS makes it try more, CREDENCE_SEED others. */
#include "source/reading.h"
#include "source/training.h"

#include "source/json_strip.h"
#include "source/scan.h"

enum { KEYS = 6, ROUNDS = 400 };

static uint64_t random_state;

static size_t pick(size_t n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)((random_state >> 33) % n);
}

#define PICK_OF(list) ((list)[pick(sizeof(list) / sizeof *(list))])

static size_t setting(const char *name, size_t fallback)
{
    const char *value = getenv(name);

    return value == NULL ? fallback : (size_t)strtoull(value, NULL, 10);
}

/* --- JSON Lines ------------------------------------------------------------------------------ */

/* Spellings of the same six keys; the second is ignored, and the fourth may be. */
static const char *const key_spellings[KEYS][3] = {
    {"\"x\"", "\"\\u0078\"", "\"x\""},
    {"\"meta\"", "\"m\\u0065ta\"", "\"meta\""},
    {"\"w\"", "\"w\"", "\"\\u0077\""},
    {"\"a key of many letters\"", "\"a key of m\\u0061ny letters\"", "\"a key of many letters\""},
    {"\"a,b\\\"c:d\"", "\"a\\u002cb\\\"c:d\"", "\"a,b\\\"c\\u003ad\""},
    {"\"y\"", "\"y\"", "\"\\u0079\""}};

static const char *const numbers[] = {"1.5",
                                      "-2",
                                      "0",
                                      "1",
                                      "-0",
                                      "-0.0",
                                      "0.000123",
                                      "1e5",
                                      "1E+5",
                                      "1e-5",
                                      "12345678901234567",
                                      "12345678901234567890",
                                      "0.12345678901234567890",
                                      "1e308",
                                      "1e309",
                                      "-1e400",
                                      "1e-400",
                                      "4e-324",
                                      "123456789012345678901234567890.5",
                                      "00012",
                                      "1.",
                                      ".5",
                                      "+7",
                                      "1e",
                                      "0x10",
                                      "NaN",
                                      "Infinity",
                                      "--1",
                                      "1-2",
                                      "1 2",
                                      "null",
                                      "null",
                                      "2.25",
                                      "3.75",
                                      "17"};

static const char *const words[] = {"\"red\"",
                                    "\"green\"",
                                    "\"a b\"",
                                    "\"\"",
                                    "\" \"",
                                    "\"?\"",
                                    "\"NA\"",
                                    "\"17\"",
                                    "\"1.5\"",
                                    "true",
                                    "false",
                                    "null",
                                    "\"a, b\"",
                                    "\"{x}\"",
                                    "\"[\"",
                                    "\"q\\\", b\"",
                                    "\"\\u00e9, \\n\"",
                                    "\"longer, than, most\"",
                                    "\"sixteen letters!\"",
                                    "\"seventeen letters\"",
                                    "\"\\ud83d\\ude00\"",
                                    "\"\\ud83d\"",
                                    "\"\\ude00\\ud83d\"",
                                    "\"\\u0000\"",
                                    "\"a\\u0000b\"",
                                    "\"\\\\\"",
                                    "\"\\\\\\\"\"",
                                    "\"\\x\"",
                                    "\"\\u12\"",
                                    "\"\\/\\b\\f\\r\\t\"",
                                    "\"tab\tin\"",
                                    "\"\xc3\xa9\"",
                                    "\"\xff\xfe\"",
                                    "\", \\\"w\\\": \\\"v\\\"\"",
                                    "\"}, {\"",
                                    "\"\\\"\"",
                                    "truex",
                                    "nul",
                                    "\"",
                                    "\"open",
                                    "'a'",
                                    "\"a\"b\"",
                                    "\"a\" \"b\""};

static const char *const nested[] = {
    "{}",
    "[]",
    "[[], {}]",
    "{\"x\": 2}",
    "{\"w\": \"v\"}",
    "{\"id\": 1, \"w\": \"v\"}",
    "{\"id\": 1, \"x\": 2, \"w\": \"v\", \"y\": \"p\"}",
    "[1, \"]\", 2]",
    "[1, \"w\", 3]",
    "{\"a\": {\"b\": {\"x\": 1}}}",
    "{\"s\": \"} ] , \\\" \\\\\"}",
    "[",
    "{",
    "{\"a\"}",
    "[}",
    "{\"deep\": [[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]}",
    "{\"x\": 1, \"x\": 2}",
    "{\"long\": \"0123456789 0123456789 0123456789 0123456789 } 0123456789 ] \\\" 0123456789\"}"};

/* How many of the first in each list are never a fault. */
enum { GOOD_NUMBERS = 11, GOOD_WORDS = 22, GOOD_NESTED = 11 };

/* A value that is valid, but of many spellings. */
static const char *good_value(size_t key)
{
    if (key == 1)
        return pick(3) ? nested[pick(GOOD_NESTED)] : words[pick(GOOD_WORDS)];
    if (key == 0 || key == 3)
        return numbers[pick(GOOD_NUMBERS)];
    if (key == 5)
        return pick(2) ? "\"p\"" : "\"q\"";
    return words[pick(GOOD_WORDS)];
}

static const char *value_of(size_t key, int wild)
{
    const size_t kind = wild ? pick(12) : 9;

    if (kind == 0 || (key == 1 && kind < 6))
        return PICK_OF(nested);
    if (kind == 1 || key == 0 || key == 3)
        return wild ? PICK_OF(numbers) : numbers[pick(4)];
    if (key == 5)
        return pick(2) ? "\"p\"" : "\"q\"";
    return wild ? PICK_OF(words) : words[pick(6)];
}

static void shuffle(size_t *order, size_t n)
{
    for (size_t i = n - 1; i > 0; i--) {
        const size_t other = pick(i + 1), kept = order[i];

        order[i] = order[other];
        order[other] = kept;
    }
}

/* A record: how much of it is unusual is chosen for a whole run of records. */
typedef struct manner {
    int good; /* none of them is a fault */
    int shuffled, spelled, wild, sparse, twice, inside;
    size_t deep; /* levels of objects inside */
    const char *comma, *colon, *end;
} manner;

static manner pick_manner(int good)
{
    static const char *const commas[] = {", ", ", ", ",", " , ", ",\t", ",  "};
    static const char *const colons[] = {": ", ": ", ":", " : ", ":  "};
    static const char *const ends[] = {"}\n",   "}\n",  "}\n",   " }\n",
                                       "}\r\n", "} \n", "}\n\n", "}\n \n"};

    return (manner){.good = good,
                    .shuffled = pick(3) == 0,
                    .spelled = pick(4) == 0,
                    .wild = (int)pick(40),
                    .sparse = pick(3) == 0,
                    .twice = !good && pick(60) == 0,
                    .inside = pick(4) == 0,
                    .deep = 1 + pick(4),
                    .comma = PICK_OF(commas),
                    .colon = PICK_OF(colons),
                    .end = PICK_OF(ends)};
}

static const char *any_value(const manner *m, size_t key, size_t rare)
{
    return m->good ? good_value(key) : value_of(key, pick(rare) < (size_t)m->wild / 8);
}

static void add_pair(cr__buffer *text, const manner *m, size_t key, int *pairs)
{
    cr__buffer_printf(text, "%s%s%s%s", (*pairs)++ == 0 ? "" : m->comma,
                      key_spellings[key][m->spelled ? pick(3) : 0], m->colon,
                      any_value(m, key, 40));
}

/* An object with columns of its own: some of its keys, in some order, once or twice, plain or with
 * an escape, in objects of up to three more levels. */
static void add_object(cr__buffer *text, const manner *m, size_t level)
{
    static const char *const keys[][2] = {
        {"\"a\"", "\"\\u0061\""}, {"\"w\"", "\"w\""}, {"\"b\"", "\"\\u0062\""}};
    const size_t first = m->deep > 1 && m->shuffled ? pick(3) : 0;
    int pairs = 0;

    cr__buffer_adds(text, m->deep > 1 && pick(20) == 0 ? "{ " : "{");
    for (size_t i = 0; i < 3; i++) {
        const size_t key = (first + i) % 3;
        size_t times = (key == 2 && level >= m->deep) || (m->sparse && pick(4) == 0) ? 0 : 1;

        for (times += m->twice && pick(20) == 0; times > 0; times--) {
            cr__buffer_printf(text, "%s%s%s", pairs++ == 0 ? "" : m->comma,
                              keys[key][m->spelled ? pick(2) : 0], m->colon);
            if (key == 2 && (m->good || pick(40) > 0))
                add_object(text, m, level + 1);
            else
                cr__buffer_adds(text, any_value(m, key == 1 ? 2 : 0, 80));
        }
    }
    cr__buffer_adds(text, m->deep > 1 && pick(20) == 0 ? " }" : "}");
}

static void add_inside(cr__buffer *text, const manner *m, int *pairs)
{
    if (!m->inside)
        return;
    cr__buffer_printf(text, "%s\"in\"%s", (*pairs)++ == 0 ? "" : m->comma, m->colon);
    add_object(text, m, 1);
}

static void add_json_record(cr__buffer *text, const manner *m)
{
    const size_t middle = pick(2) ? KEYS : pick(KEYS);
    size_t order[KEYS] = {0, 1, 2, 3, 4, 5};
    int pairs = 0;

    if (m->shuffled)
        shuffle(order, KEYS);
    cr__buffer_adds(text, pick(30) ? "{" : " {");
    for (size_t i = 0; i < KEYS; i++) {
        if (i == middle)
            add_inside(text, m, &pairs);
        if (!m->sparse || pick(3) > 0)
            add_pair(text, m, order[i], &pairs);
    }
    if (m->twice)
        add_pair(text, m, pick(KEYS), &pairs);
    if (middle == KEYS || m->twice)
        add_inside(text, m, &pairs);
    cr__buffer_adds(text, m->end);
}

/* Some bytes changed, left out, put in, doubled or cut off. */
static void damage(cr__buffer *text, size_t from)
{
    static const char signs[] = "{}[]\",:\\ \n\r1a\t\0-e.un";
    const size_t at = from + pick(text->size - from), left = text->size - at;
    const size_t n = 1 + pick(left < 40 ? left : 40);

    switch (pick(6)) {
    case 0:
    case 1: text->data[at] = signs[pick(sizeof signs - 1)]; break;
    case 2:
        memmove(text->data + at, text->data + at + 1, left - 1);
        text->size--;
        break;
    case 3:
        cr__buffer_addc(text, 0);
        memmove(text->data + at + 1, text->data + at, left);
        text->data[at] = signs[pick(sizeof signs - 1)];
        break;
    case 4:
        cr__buffer_reserve(text, n);
        memmove(text->data + at + n, text->data + at, left);
        text->size += n;
        break;
    default: text->size = pick(4) == 0 ? at : text->size; break;
    }
}

static void make_json(cr__buffer *text)
{
    const size_t runs = 1 + pick(5);
    const int good = pick(2) == 0;
    size_t begin;

    cr__buffer_clear(text);
    cr__buffer_adds(text, pick(20) == 0 ? "\xef\xbb\xbf" : "");
    cr__buffer_adds(text, pick(2) ? "{\"x\": 1.5, \"w\": \"red\", \"a key of many letters\": 2, "
                                    "\"a,b\\\"c:d\": \"k\", \"meta\": null, \"y\": \"p\"}\n"
                                  : "{\"meta\": 0, \"x\": 1.5, \"w\": \"red\", \"a key of many "
                                    "letters\": 2, \"a,b\\\"c:d\": \"k\", \"y\": \"q\"}\n");
    begin = text->size;
    for (size_t run = 0; run < runs; run++) {
        const manner m = pick_manner(good);

        for (size_t i = 0, n = 1 + pick(60); i < n; i++)
            add_json_record(text, &m);
    }
    for (size_t n = !good && pick(3) == 0 ? 1 + pick(3) : 0; n > 0 && text->size > begin; n--)
        damage(text, begin);
    if (pick(5) == 0 && text->data[text->size - 1] == '\n')
        text->size--;
}

/* --- the comparison -------------------------------------------------------------------------- */

static void complain(const cr__buffer *text, const reading *a, const reading *b, size_t round,
                     const char *what)
{
    write_file("differs", text->data, text->size);
    fail_msg("round %zu, %s: status %d %zu:%zu %s\n%s\nbut by itself %d %zu:%zu %s\n%s", round,
             what, (int)a->status, a->err.line, a->err.column, a->err.message,
             a->status == CR_OK ? a->text.data : "", (int)b->status, b->err.line, b->err.column,
             b->err.message, b->status == CR_OK ? b->text.data : "");
}

/* How much of an error must be the same. A chunk with a NUL byte is refused as a whole, so which of
 * two faults is told depends on where chunks end; which of two in a record, on the way it is read.
 */
typedef enum strictness { ANY_FAULT, SAME_LINE, SAME_WORDS } strictness;

static void expect_same(const cr__buffer *text, const reading *a, const reading *b, size_t round,
                        strictness how, const char *what)
{
    int same = (a->status == CR_OK) == (b->status == CR_OK);

    if (a->status == CR_OK && b->status == CR_OK)
        same = strcmp(a->text.data, b->text.data) == 0;
    else if (how >= SAME_LINE)
        same = a->status == b->status && a->err.line == b->err.line;
    if (how == SAME_WORDS)
        same =
            same && a->err.column == b->err.column && strcmp(a->err.message, b->err.message) == 0;
    if (!same)
        complain(text, a, b, round, what);
}

/* A weight of 1 is written only where the batch has another. */
static void leave_out_ones(cr__buffer *text)
{
    static const char one[] = " *1\n";

    for (char *at = text->data; (at = strstr(at, one)) != NULL; at++)
        memmove(at, at + strlen(one) - 1, strlen(at + strlen(one) - 1) + 1);
}

static reading read_so(const cr__buffer *text, const cr_source_options *options, size_t places,
                       int level, size_t chunk)
{
    const size_t usual_places = cr__json_places_limit, usual_chunk = cr__source_chunk_size;
    /* A copy without room behind it, so that reading too far is seen. */
    char *bytes = malloc(text->size + 1);
    reading r;

    assert_non_null(bytes);
    memcpy(bytes, text->data, text->size);
    cr__json_places_limit = places < usual_places ? places : usual_places;
    cr__scan_level_limit = level;
    cr__source_chunk_size = chunk > 0 ? chunk : usual_chunk;
    r = read_memory_n(bytes, text->size, options);
    if (r.status == CR_OK)
        leave_out_ones(&r.text);
    cr__json_places_limit = usual_places;
    cr__scan_level_limit = CR__SCAN_AVX2;
    cr__source_chunk_size = usual_chunk;
    free(bytes);
    return r;
}

static void json_by_columns_is_json_by_records(void **state)
{
    static const char *const types[] = {"meta=ignore", "a key of many letters=ignore",
                                        "in.w=ignore", "in.b.b.a=ignore", "in.b=ignore"};
    const size_t sample = cr__source_sample_size, rounds = setting("CREDENCE_ROUNDS", ROUNDS);
    const size_t first = setting("CREDENCE_SEED", 0);
    cr_source_options options;
    cr__buffer text = {0};

    (void)state;
    cr_source_options_default(&options);
    options.format = "jsonl";
    options.types = types;
    for (size_t round = first; round < first + rounds; round++) {
        reading one, other;

        random_state = round;
        options.type_count = pick(6);
        cr__source_sample_size = 1 + pick(300);
        make_json(&text);
        one = read_so(&text, &options, 0, CR__SCAN_PLAIN, 0);
        for (int level = CR__SCAN_PLAIN; level <= CR__SCAN_AVX2; level++) {
            other = read_so(&text, &options, SIZE_MAX, level, 0);
            expect_same(&text, &other, &one, round, SAME_WORDS, "by columns");
            cr__buffer_free(&other.text);
        }
        other = read_so(&text, &options, SIZE_MAX, CR__SCAN_AVX2, 1 + pick(600));
        expect_same(&text, &other, &one, round, ANY_FAULT, "in small chunks");
        cr__buffer_free(&other.text);
        other = read_so(&text, &options, 7 + pick(50), CR__SCAN_AVX2, 1 + pick(6000));
        expect_same(&text, &other, &one, round, ANY_FAULT, "in short strips");
        cr__buffer_free(&other.text);
        cr__buffer_free(&one.text);
    }
    cr__source_sample_size = sample;
    cr__buffer_free(&text);
}

/* Chunks end behind records, wherever their size would have them end. */
static void json_may_be_cut_at_every_offset(void **state)
{
    const size_t sample = cr__source_sample_size, rounds = setting("CREDENCE_ROUNDS", ROUNDS) / 100;
    const size_t first = setting("CREDENCE_SEED", 0);
    cr_source_options options;
    cr__buffer text = {0};

    (void)state;
    cr_source_options_default(&options);
    options.format = "jsonl";
    cr__source_sample_size = 60;
    for (size_t round = first; round < first + rounds; round++) {
        reading one;

        random_state = round + 1000003;
        make_json(&text);
        text.size = text.size < 900 ? text.size : 900;
        one = read_so(&text, &options, 0, CR__SCAN_PLAIN, 0);
        for (size_t chunk = 1; chunk <= text.size; chunk++) {
            reading other = read_so(&text, &options, SIZE_MAX, CR__SCAN_AVX2, chunk);

            expect_same(&text, &other, &one, round, ANY_FAULT, "in chunks of every size");
            cr__buffer_free(&other.text);
        }
        cr__buffer_free(&one.text);
    }
    cr__source_sample_size = sample;
    cr__buffer_free(&text);
}

/* --- ARFF ------------------------------------------------------------------------------------- */

static const char *const arff_numbers[] = {
    "1.5", "-2", "0",   "?",   "1e309", "12345678901234567890", ".5", "'1.5'", "\"2\"",
    "1e",  "",   " 3 ", "\t4", "'?'"};
static const char *const arff_words[] = {"a",
                                         "b",
                                         "a",
                                         "b",
                                         "'a'",
                                         "\"b\"",
                                         "?",
                                         "'it\\'s'",
                                         "\"say \\\"a\\\"\"",
                                         "'a, b'",
                                         "'a\\nb'",
                                         "' a '",
                                         "''",
                                         "'longer than most words'",
                                         "seventeen letters",
                                         "'\\\\'",
                                         "'open",
                                         "a'b",
                                         "c%d",
                                         "{",
                                         "}",
                                         "'%'",
                                         "'\\",
                                         "\"mixed'\"",
                                         "'a' b",
                                         "'\xc3\xa9'"};

static void add_arff_row(cr__buffer *text, int wild, int quoted)
{
    static const char *const ends[] = {"\n",      "\n",       "\n",    "\r\n",     " \n",
                                       ", {2}\n", ",{0.5}\n", "\n%\n", "\n% 'x\n", "\n\n"};
    const size_t plain = quoted ? 6 : 4;

    if (pick(15) == 0)
        cr__buffer_printf(text, "{%s1 %s}\n", pick(2) ? "0 1, " : "", arff_words[pick(plain)]);
    else
        cr__buffer_printf(text, "%s,%s, %s,%s%s",
                          pick(20) < (size_t)wild ? PICK_OF(arff_numbers) : arff_numbers[pick(4)],
                          pick(20) < (size_t)wild ? PICK_OF(arff_words) : arff_words[pick(plain)],
                          pick(20) < (size_t)wild ? PICK_OF(arff_words) : arff_words[pick(plain)],
                          pick(2)  ? "p"
                          : quoted ? "'q'"
                                   : "q",
                          pick(20) < (size_t)wild ? PICK_OF(ends) : "\n");
}

/* A plain chunk is read like CSV, and any other row by row. A comment with a quote at the end makes
 * the last chunk one of those: all of the text, if chunks are large. */
static void plain_arff_is_arff_by_records(void **state)
{
    const size_t rounds = setting("CREDENCE_ROUNDS", ROUNDS), first = setting("CREDENCE_SEED", 0);
    cr_source_options options;
    cr__buffer text = {0};

    (void)state;
    cr_source_options_default(&options);
    options.format = "arff";
    for (size_t round = first; round < first + rounds; round++) {
        const int wild = pick(2) ? 0 : (int)pick(4), quoted = pick(2) == 0;
        reading one, other;
        size_t begin;

        random_state = round + 2000003;
        cr__buffer_clear(&text);
        cr__buffer_adds(&text, "@relation r\n@attribute x numeric\n@attribute w {a, b}\n"
                               "@attribute v string\n@attribute y {p,'q'}\n@data\n");
        begin = text.size;
        for (size_t i = 0, n = 1 + pick(80); i < n; i++)
            add_arff_row(&text, wild, quoted);
        if (pick(4) == 0)
            damage(&text, begin);
        if (text.size == 0 || text.data[text.size - 1] != '\n')
            cr__buffer_addc(&text, '\n');
        other = read_so(&text, &options, SIZE_MAX, CR__SCAN_AVX2, 1 + pick(400));
        cr__buffer_adds(&text, "% 'single\n");
        one = read_so(&text, &options, SIZE_MAX, CR__SCAN_AVX2, 0);
        expect_same(&text, &other, &one, round, ANY_FAULT, "in small chunks");
        text.size -= strlen("% 'single\n");
        cr__buffer_free(&other.text);
        for (int level = CR__SCAN_PLAIN; level <= CR__SCAN_AVX2; level++) {
            other = read_so(&text, &options, SIZE_MAX, level, 0);
            expect_same(&text, &other, &one, round, SAME_LINE, "like CSV");
            cr__buffer_free(&other.text);
        }
        cr__buffer_free(&one.text);
    }
    cr__buffer_free(&text);
}

/* --- threads ---------------------------------------------------------------------------------- */

/* The outcome of training: the model's bytes, none when it failed. */
static cr__buffer train_text(const cr__buffer *text, const cr_source_options *options, int threads,
                             size_t chunk)
{
    const size_t usual = cr__source_chunk_size;
    const cr_run run = {.threads = threads};
    cr__buffer out = {0};
    cr_source *source = NULL;
    cr_model *model = NULL;
    void *bytes = NULL;
    size_t size = 0;
    cr_error err = {0};

    cr__source_chunk_size = chunk;
    if (cr_source_open_memory(&source, text->data, text->size, NULL, options, &err) == CR_OK &&
        cr_model_train(&model, source, NULL, NULL, 0, &run, NULL, &err) == CR_OK &&
        cr_model_save_bytes(model, &bytes, &size, &err) == CR_OK)
        cr__buffer_add(&out, bytes, size);
    cr__source_chunk_size = usual;
    cr_bytes_free(bytes);
    cr_model_free(model);
    cr_source_close(source);
    return out;
}

static void any_number_of_threads_learns_the_same(void **state)
{
    static const char *const types[] = {"meta=ignore"};
    const size_t sample = cr__source_sample_size, places = cr__json_places_limit;
    const size_t rounds = setting("CREDENCE_ROUNDS", ROUNDS) / 10;
    const size_t first = setting("CREDENCE_SEED", 0);
    cr_source_options options;
    cr__buffer text = {0};

    (void)state;
    cr_source_options_default(&options);
    options.format = "jsonl";
    options.types = types;
    options.type_count = 1;
    for (size_t round = first; round < first + rounds; round++) {
        cr__buffer one, other;

        random_state = round + 3000003;
        cr__source_sample_size = 1 + pick(300);
        make_json(&text);
        cr__json_places_limit = 0;
        one = train_text(&text, &options, 1, 1 << 16);
        cr__json_places_limit = places;
        for (size_t i = 0; i < 4; i++) {
            other = train_text(&text, &options, ((const int[]){1, 2, 3, 8})[i], 64 + pick(2000));
            if (one.size != other.size ||
                (one.size > 0 && memcmp(one.data, other.data, one.size) != 0)) {
                write_file("differs", text.data, text.size);
                fail_msg("round %zu: a model of %zu bytes, by itself one of %zu", round, other.size,
                         one.size);
            }
            cr__buffer_free(&other);
        }
        cr__buffer_free(&one);
    }
    cr__source_sample_size = sample;
    cr__buffer_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_by_columns_is_json_by_records),
        cmocka_unit_test(json_may_be_cut_at_every_offset),
        cmocka_unit_test(plain_arff_is_arff_by_records),
        cmocka_unit_test(any_number_of_threads_learns_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
