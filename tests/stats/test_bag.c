/* tests/stats/test_bag.c - counting words, and bags that merge and subtract exactly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "stats/bag_join.h"
#include "text/token.h"

enum { CLASSES = 30, DOCUMENTS = 400, WORDS = 600, LENGTH = 25 };

static const uint32_t same[CLASSES] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14,
                                       15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29};

/* Random documents: word w is written as a number with a tail, so that some are longer than
 * eight bytes; low numbers are common and get wide rows. */
static void count_documents(cr__vocabulary *v, uint64_t *documents, int first, int last)
{
    char text[LENGTH * 32];
    cr__token term[LENGTH];
    uint32_t row[LENGTH];

    for (int d = first; d < last; d++) {
        cr__random rng;
        size_t at = 0;
        uint32_t c;

        cr__random_seed(&rng, (uint64_t)d);
        c = (uint32_t)cr__random_below(&rng, CLASSES);
        for (int i = 0; i < LENGTH; i++) {
            double u = cr__random_uniform(&rng);
            int n =
                sprintf(text + at, "%d%s", (int)(u * u * u * WORDS), d % 2 ? "" : "-and-a-tail");
            term[i] = (cr__token){.start = (uint32_t)at,
                                  .length = (uint32_t)n,
                                  .hash = cr__token_hash(text + at, (size_t)n)};
            at += (size_t)n;
        }
        documents[c]++;
        assert_int_equal(cr__vocabulary_find(v, text, term, LENGTH, row), CR_OK);
        assert_int_equal(cr__vocabulary_count(v, row, LENGTH, c), CR_OK);
    }
}

static void bag_of(cr__bag *bag, int first, int last)
{
    cr__vocabulary v = {0};
    uint64_t documents[CLASSES] = {0};

    count_documents(&v, documents, first, last);
    assert_int_equal(cr__bag_of_vocabularies(bag, &(cr__bag_source){&v, same, documents, CLASSES},
                                             1, CLASSES, 1),
                     CR_OK);
    cr__vocabulary_free(&v);
}

static void assert_same_bag(const cr__bag *a, const cr__bag *b)
{
    assert_int_equal(a->words, b->words);
    assert_int_equal(a->cells, b->cells);
    assert_memory_equal(a->hash, b->hash, a->words * sizeof *a->hash);
    assert_memory_equal(a->end, b->end, a->words * sizeof *a->end);
    assert_memory_equal(a->bytes, b->bytes, a->words == 0 ? 0 : a->end[a->words - 1]);
    assert_memory_equal(a->row, b->row, (a->words + 1) * sizeof *a->row);
    assert_memory_equal(a->cell, b->cell, a->cells * sizeof *a->cell);
    assert_memory_equal(a->documents, b->documents, a->classes * sizeof *a->documents);
}

/* a + sign * b. */
static cr_status combine(cr__bag *out, const cr__bag *a, const cr__bag *b, int sign)
{
    const cr__bag_part part[2] = {{a, same, 1}, {b, same, sign}};

    return cr__bag_sum(out, part, 2, CLASSES);
}

static void merging_parts_equals_one_pass(void **state)
{
    cr__bag whole, left, right, sum;

    (void)state;
    bag_of(&whole, 0, DOCUMENTS);
    for (int cut = 0; cut <= DOCUMENTS; cut += 100) {
        bag_of(&left, 0, cut);
        bag_of(&right, cut, DOCUMENTS);
        assert_int_equal(combine(&sum, &right, &left, 1), CR_OK);
        assert_same_bag(&sum, &whole);
        cr__bag_free(&left);
        cr__bag_free(&right);
        cr__bag_free(&sum);
    }
    cr__bag_free(&whole);
}

/* The vocabularies of several workers, whose codes of classes differ, joined by several: the same
 * bag as that of one. There are enough words that the work is shared. */
static void vocabularies_join_to_the_bag_of_one(void **state)
{
    enum { PARTS = 3, MANY = 30000 };
    cr__vocabulary v[PARTS] = {{0}}, one = {0};
    uint64_t documents[PARTS][CLASSES] = {{0}}, all[CLASSES] = {0};
    uint32_t map[PARTS][CLASSES];
    cr__bag_source source[PARTS];
    cr__bag whole, joined;

    (void)state;
    for (uint32_t p = 0; p < PARTS; p++) {
        for (uint32_t c = 0; c < CLASSES; c++)
            map[p][(c + 7 * p) % CLASSES] = c;
        source[p] = (cr__bag_source){&v[p], map[p], documents[p], CLASSES};
    }
    for (int d = 0; d < MANY; d++) {
        const uint32_t c = (uint32_t)(d * 7 % 30), p = (uint32_t)(d % PARTS);
        const uint32_t code = (c + 7 * p) % CLASSES;
        char text[64] = "common ";
        uint32_t row[3];
        const int n = sprintf(text + 7, "word%d", d / 2), m = sprintf(text + 7 + n, "c%u", c);
        const cr__token term[3] = {
            {cr__token_hash(text, 6), 0, 6},
            {cr__token_hash(text + 7, (size_t)n), 7, (uint32_t)n},
            {cr__token_hash(text + 7 + n, (size_t)m), (uint32_t)(7 + n), (uint32_t)m}};

        documents[p][code]++;
        all[c]++;
        assert_int_equal(cr__vocabulary_find(&v[p], text, term, 3, row), CR_OK);
        assert_int_equal(cr__vocabulary_count(&v[p], row, 3, code), CR_OK);
        assert_int_equal(cr__vocabulary_find(&one, text, term, 3, row), CR_OK);
        assert_int_equal(cr__vocabulary_count(&one, row, 3, c), CR_OK);
    }
    assert_int_equal(
        cr__bag_of_vocabularies(&whole, &(cr__bag_source){&one, same, all, CLASSES}, 1, CLASSES, 1),
        CR_OK);
    for (int workers = 1; workers <= 4; workers++) {
        assert_int_equal(cr__bag_of_vocabularies(&joined, source, PARTS, CLASSES, workers), CR_OK);
        assert_same_bag(&joined, &whole);
        cr__bag_free(&joined);
    }
    cr__bag_free(&whole);
    cr__vocabulary_free(&one);
    for (int p = 0; p < PARTS; p++)
        cr__vocabulary_free(&v[p]);
}

/* The number at the end of a word, which no zero follows. */
static uint32_t number_of(const cr__vocabulary *v, uint32_t word)
{
    const char *text = v->text + v->key[word].start;
    uint32_t number = 0;

    for (uint32_t i = 0; i < v->key[word].length; i++)
        if (text[i] >= '0' && text[i] <= '9')
            number = 10 * number + (uint32_t)(text[i] - '0');
    return number;
}

/* Classes that become more and more, so that rows change their shape from a few codes to lines and
 * to sparse ones; each count is compared with one in a plain table. Every third document counts
 * twice; dropping the words that occurred least leaves the others as they are. */
static void rows_of_any_shape_count_the_same(void **state)
{
    enum { MOST = 60, KINDS = 40, LAST = 2400 };
    static uint32_t terms[KINDS][MOST], documents[KINDS][MOST];
    const uint32_t stops[] = {2, 3, 6, 14, 15, 29, 44, 45, MOST};
    cr__vocabulary v = {0};
    uint32_t row[6], c, kept = 0;

    (void)state;
    for (uint32_t d = 0; d < LAST; d++) {
        const uint32_t code = d * 7 % stops[d * 9 / LAST], times = 1 + (d % 3 == 0);
        const uint32_t kind[6] = {d % KINDS,         d * d % KINDS,        d * d % KINDS,
                                  d / 5 % KINDS % 7, 20 + d % 3 * (d % 5), d % KINDS};
        char text[6 * 16];
        cr__token term[6];

        for (int i = 0; i < 6; i++) {
            const int n = sprintf(text + 16 * i, kind[i] % 2 ? "w%u" : "a-long-one%u", kind[i]);
            term[i] = (cr__token){cr__token_hash(text + 16 * i, (size_t)n), (uint32_t)(16 * i),
                                  (uint32_t)n};
            terms[kind[i]][code] += times;
            for (int k = 0, first = 1; k <= i; k++) {
                first &= k == i || kind[k] != kind[i];
                documents[kind[i]][code] += k == i && first ? times : 0;
            }
        }
        assert_int_equal(cr__vocabulary_find(&v, text, term, 6, row), CR_OK);
        assert_int_equal(times == 1 ? cr__vocabulary_count(&v, row, 6, code)
                                    : cr__vocabulary_count_times(&v, row, 6, code, times),
                         CR_OK);
        if (d % 400 != 399)
            continue;
        if (d == 799) /* nobody is rare enough */
            assert_int_equal(cr__vocabulary_prune(&v, SIZE_MAX), CR_OK);
        for (uint32_t w = 0; w < v.words; w++) {
            const uint32_t k = number_of(&v, w);
            uint32_t found = 0, there = 0;

            for (size_t place = 0; place < cr__vocabulary_places(&v, w); place++) {
                const cr__word_count n = cr__vocabulary_count_at(&v, w, place, &c);

                if (n.terms == 0)
                    continue;
                assert_int_equal(n.terms, terms[k][c]);
                assert_int_equal(n.documents, documents[k][c]);
                found++;
            }
            for (c = 0; c < MOST; c++)
                there += terms[k][c] > 0;
            assert_int_equal(found, there);
        }
    }
    assert_true(v.sparse);
    assert_int_equal(cr__vocabulary_prune(&v, cr__vocabulary_bytes(&v) / 2), CR_OK);
    for (uint32_t w = 0; w < v.words; w++, kept++) {
        const uint32_t k = number_of(&v, w);

        for (size_t place = 0; place < cr__vocabulary_places(&v, w); place++) {
            const cr__word_count n = cr__vocabulary_count_at(&v, w, place, &c);
            assert_true(n.terms == 0 || n.terms == terms[k][c]);
        }
    }
    assert_true(kept > 0 && kept < KINDS && v.pruned == KINDS - kept);
    cr__vocabulary_free(&v);
}

static void subtracting_leaves_the_rest(void **state)
{
    cr__bag whole, left, right, rest;

    (void)state;
    bag_of(&whole, 0, DOCUMENTS);
    bag_of(&left, 0, 150);
    bag_of(&right, 150, DOCUMENTS);
    assert_int_equal(combine(&rest, &whole, &right, -1), CR_OK);
    assert_same_bag(&rest, &left);
    cr__bag_free(&rest);
    assert_int_equal(combine(&rest, &left, &right, -1), CR_ECONFLICT);
    cr__bag_free(&whole);
    cr__bag_free(&left);
    cr__bag_free(&right);
}

/* The codes of each part's classes differ, so that cells come in another order; parts are added and
 * taken away again; the first has no words. */
static void parts_of_other_class_codes_sum_to_one_pass(void **state)
{
    enum { PARTS = 6 };
    static const int from[PARTS] = {0, 0, 150, 90, 250, 90};
    static const int to[PARTS] = {0, 150, 250, 300, 400, 300};
    static const int sign[PARTS] = {1, 1, 1, 1, 1, -1};
    uint32_t code[PARTS][CLASSES], back[PARTS][CLASSES];
    cr__bag_part part[PARTS], one;
    cr__bag plain, coded[PARTS], whole, sum;

    (void)state;
    bag_of(&whole, 0, DOCUMENTS);
    for (uint32_t p = 0; p < PARTS; p++) {
        for (uint32_t c = 0; c < CLASSES; c++) {
            code[p][c] = (c * 7 + p) % CLASSES;
            back[p][code[p][c]] = c;
        }
        bag_of(&plain, from[p], to[p]);
        one = (cr__bag_part){&plain, p == 2 ? same : code[p], 1};
        assert_int_equal(cr__bag_sum(&coded[p], &one, 1, CLASSES), CR_OK);
        part[p] = (cr__bag_part){&coded[p], p == 2 ? same : back[p], sign[p]};
        cr__bag_free(&plain);
    }
    assert_int_equal(cr__bag_sum(&sum, part, PARTS, CLASSES), CR_OK);
    assert_same_bag(&sum, &whole);
    cr__bag_free(&sum);
    part[3].sign = -1;
    assert_int_equal(cr__bag_sum(&sum, part, PARTS, CLASSES), CR_ECONFLICT);
    for (int p = 0; p < PARTS; p++)
        cr__bag_free(&coded[p]);
    cr__bag_free(&whole);
}

/* Give a bag frozen frequencies, and weights that are its terms. */
static void weigh(cr__bag *bag, uint64_t documents)
{
    bag->frozen = calloc(bag->words + 1, sizeof *bag->frozen);
    bag->weight = calloc(bag->cells + 1, sizeof *bag->weight);
    assert_true(bag->frozen != NULL && bag->weight != NULL);
    bag->frozen_documents = documents;
    for (size_t w = 0; w < bag->words; w++)
        bag->frozen[w] = 1 + (uint32_t)(bag->hash[w] % 100);
    for (size_t i = 0; i < bag->cells; i++)
        bag->weight[i] = (int64_t)bag->cell[i].terms;
}

/* A later part has words that did not occur in training: their frequency is 0. */
static void weights_add_where_the_frozen_frequencies_agree(void **state)
{
    cr__bag first, later, sum, rest;
    size_t f = 0, l = 0;

    (void)state;
    bag_of(&first, 0, 60);
    bag_of(&later, 60, 100);
    weigh(&first, 60);
    weigh(&later, 60);
    for (; l < later.words; l++) {
        while (f < first.words && first.hash[f] < later.hash[l])
            f++;
        if (f == first.words || first.hash[f] != later.hash[l])
            later.frozen[l] = 0;
    }
    assert_int_equal(combine(&sum, &first, &later, 1), CR_OK);
    for (size_t i = 0; i < sum.cells; i++)
        assert_int_equal(sum.weight[i], sum.cell[i].terms);
    assert_int_equal(combine(&rest, &sum, &later, -1), CR_OK);
    for (size_t w = 0; w < rest.words; w++)
        assert_int_equal(rest.frozen[w], 1 + rest.hash[w] % 100);
    assert_same_bag(&rest, &first);
    assert_memory_equal(rest.weight, first.weight, first.cells * sizeof *first.weight);
    cr__bag_free(&rest);
    assert_int_equal(combine(&rest, &later, &first, 1), CR_EARG); /* later has not met them all */
    later.frozen_documents = 61;
    assert_int_equal(combine(&rest, &first, &later, 1), CR_EARG);
    cr__bag_free(&sum);
    cr__bag_free(&first);
    cr__bag_free(&later);
}

/* The same counts by brute force: every word of every document compared with every bag word. */
static void counts_are_what_a_naive_count_says(void **state)
{
    cr__bag bag;
    uint64_t terms = 0, cells = 0;

    (void)state;
    bag_of(&bag, 0, DOCUMENTS);
    for (size_t w = 0; w < bag.words; w++) {
        assert_true(w == 0 || bag.hash[w] >= bag.hash[w - 1]);
        for (uint64_t i = bag.row[w]; i < bag.row[w + 1]; i++, cells++) {
            terms += bag.cell[i].terms;
            assert_true(bag.cell[i].documents >= 1 && bag.cell[i].documents <= bag.cell[i].terms);
            assert_true(i == bag.row[w] || bag.cell[i].class_index > bag.cell[i - 1].class_index);
        }
    }
    assert_int_equal(terms, DOCUMENTS * LENGTH);
    assert_int_equal(cells, bag.cells);
    cr__bag_free(&bag);
}

/* All words of a bag and as many that it has not, and two words that share a hash: the group finds
 * what the single search finds. */
static void words_are_found_in_groups_as_one_by_one(void **state)
{
    static const char text[] = "one two";
    const uint64_t hash[] = {5, 7, 7, 9};
    const uint32_t end[] = {3, 6, 9, 12}, index[] = {0, 4, 4};
    const cr__words few = {.words = 4,
                           .hash = hash,
                           .end = end,
                           .bytes = "onetwosixten",
                           .index = index,
                           .index_bits = 1};
    const cr__token asked[] = {{7, 4, 3}, {7, 0, 3}, {5, 0, 3}, {8, 4, 3}, {9, 4, 3}, {7, 4, 2}};
    uint32_t *bits, word[6];
    cr__bag bag;
    cr__words words;
    cr__token *token;
    uint32_t *found;
    size_t n = 0, kept, at = 0;

    (void)state;
    assert_int_equal(cr__words_find_all(&few, text, asked, 6, word), 2);
    assert_true(word[0] == 1 && word[1] == 0); /* "two" of hash 7, "one" of hash 5 */
    bag_of(&bag, 0, DOCUMENTS);
    words = (cr__words){.words = bag.words,
                        .hash = bag.hash,
                        .end = bag.end,
                        .bytes = bag.bytes,
                        .index_bits = cr__words_index_bits(bag.words)};
    bits = malloc((((size_t)1 << words.index_bits) + 1) * sizeof *bits);
    cr__words_make_index(&words, bits);
    words.index = bits;
    token = malloc(2 * bag.words * sizeof *token);
    found = malloc(2 * bag.words * sizeof *found);
    for (size_t w = 0; w < bag.words; w++)
        for (uint32_t shorter = 0; shorter < 2; shorter++) {
            const uint32_t start = w == 0 ? 0 : bag.end[w - 1];
            const uint32_t length = bag.end[w] - start - shorter;
            token[n++] = (cr__token){cr__token_hash(bag.bytes + start, length), start, length};
        }
    kept = cr__words_find_all(&words, bag.bytes, token, n, found);
    for (size_t i = 0; i < n; i++) {
        const uint32_t one =
            cr__words_find(&words, token[i].hash, bag.bytes + token[i].start, token[i].length);
        assert_true(i % 2 == 1 || one == i / 2);
        if (one != UINT32_MAX)
            assert_int_equal(found[at++], one);
    }
    assert_int_equal(at, kept);
    assert_true(kept > bag.words && kept < n);
    free(bits);
    free(token);
    free(found);
    cr__bag_free(&bag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merging_parts_equals_one_pass),
        cmocka_unit_test(vocabularies_join_to_the_bag_of_one),
        cmocka_unit_test(rows_of_any_shape_count_the_same),
        cmocka_unit_test(subtracting_leaves_the_rest),
        cmocka_unit_test(parts_of_other_class_codes_sum_to_one_pass),
        cmocka_unit_test(weights_add_where_the_frozen_frequencies_agree),
        cmocka_unit_test(counts_are_what_a_naive_count_says),
        cmocka_unit_test(words_are_found_in_groups_as_one_by_one),
    };
    return cmocka_run_group_tests_name("bag", tests, NULL, NULL);
}
