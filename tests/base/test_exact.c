/* tests/base/test_exact.c - exact sums: any order, any split, back again by subtraction.
 *
 * Expected numbers with hexadecimal exponents were computed with Python 3.11's fractions.Fraction:
 * exact rationals of the given doubles, converted by numerator / denominator, which rounds once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"

#define ITEMS(array) (sizeof(array) / sizeof *(array))

__extension__ typedef unsigned __int128 u128;

/* The same number in the same form, which is one for each number. */
static int same_bits(const cr__exact *x, const cr__exact *y)
{
    return x->sign == y->sign && x->low == y->low && x->count == y->count &&
           memcmp(x->capacity == 0 ? x->small : x->limb, y->capacity == 0 ? y->small : y->limb,
                  x->count * sizeof *x->limb) == 0;
}

static uint64_t state = 20261115;

static uint64_t draw(void) /* splitmix64 */
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Any finite double: every exponent is equally likely, including denormals and zeros. */
static double draw_any(void)
{
    for (;;) {
        uint64_t bits = draw();
        double x;

        if (draw() % 16 == 0)
            bits &= 0x800fffffffffffffu;
        if (draw() % 16 == 0)
            bits &= 0x8000000000000000u;
        memcpy(&x, &bits, sizeof x);
        if (isfinite(x))
            return x;
    }
}

/* Doubles of magnitudes that are typical for columns, some of them missing or zero. */
static double draw_usual(void)
{
    const uint64_t kind = draw() % 20;

    if (kind == 0)
        return NAN;
    if (kind == 1)
        return 0;
    return ((double)(int64_t)draw() * 0x1p-63) * (kind == 2 ? 1e12 : 50);
}

typedef struct sums {
    int64_t count;
    uint64_t fraction;
    cr__exact sum, squares;
} sums;

static void sums_free(sums *s)
{
    cr__exact_free(&s->sum);
    cr__exact_free(&s->squares);
    memset(s, 0, sizeof *s);
}

static void flush(cr__lane *lane, sums *into)
{
    into->count += lane->count;
    into->fraction += lane->fraction;
    assert_int_equal(cr__lane_flush(lane, &into->sum, &into->squares), CR_OK);
    assert_true(lane->count == 0 && lane->fraction == 0);
}

/* Absorb values into one lane and flush it. */
static sums absorb(const double *x, size_t rows)
{
    static const uint32_t code[4096];
    cr__lane lane = {0};
    sums s = {0};

    assert_true(rows <= ITEMS(code));
    assert_int_equal(cr__lanes_absorb(&lane, x, code, rows), CR_OK);
    flush(&lane, &s);
    cr__lane_free(&lane);
    return s;
}

static void assert_same(const sums *a, const sums *b)
{
    unsigned char left[2000], right[2000];

    assert_true(a->count == b->count && a->fraction == b->fraction);
    assert_true(same_bits(&a->sum, &b->sum));
    assert_true(same_bits(&a->squares, &b->squares));
    assert_true(cr__exact_bytes(&a->sum) == cr__exact_bytes(&b->sum));
    cr__exact_write(&a->sum, left);
    cr__exact_write(&b->sum, right);
    assert_memory_equal(left, right, cr__exact_bytes(&a->sum));
    cr__exact_write(&a->squares, left);
    cr__exact_write(&b->squares, right);
    assert_memory_equal(left, right, cr__exact_bytes(&a->squares));
}

static void assert_double(double value, double expected)
{
    if (memcmp(&value, &expected, sizeof value) != 0)
        fail_msg("%a (%.17g), expected %a (%.17g)", value, value, expected, expected);
}

static cr__exact exact_of(double a, double b, double c)
{
    cr__exact x = {0};

    assert_int_equal(cr__exact_add_double(&x, a), CR_OK);
    assert_int_equal(cr__exact_add_double(&x, b), CR_OK);
    assert_int_equal(cr__exact_add_double(&x, c), CR_OK);
    return x;
}

static cr__exact product_of(double a, double b)
{
    cr__exact x = exact_of(a, 0, 0), y = exact_of(b, 0, 0);

    assert_int_equal(cr__exact_multiply(&x, &x, &y), CR_OK);
    cr__exact_free(&y);
    return x;
}

/* Values; their sum, sum of squares, mean, variance, unbiased variance. */
static const struct {
    double x[6];
    double sum, squares, mean, variance, unbiased;
} known[] = {
    {/* normal */
     {-0x1.06057b7a4b411p-2, 0x1.05da59e8cdf2bp-1, -0x1.cf0b818bf4a85p-3, -0x1.42a14be7a8b63p-2,
      -0x1.dc2b58203e26dp-1, -0x1.b4d7a6c2c7070p-3},
     -0x1.6dce95fe0c8ddp+0,
     0x1.634a88d256dfap+0,
     -0x1.e7be1d52bb67cp-3,
     0x1.65901a55bf446p-3,
     0x1.ad1352cd4bebap-3},
    {/* shifted */
     {0x1.dcd65000001e7p+29, 0x1.dcd65000010a1p+29, 0x1.dcd650000013bp+29, 0x1.dcd6500000e36p+29,
      0x1.dcd650000024ap+29, 0x1.dcd65000002f9p+29},
     0x1.65a0bc00004e8p+32,
     0x1.4d1120d7b1f23p+62,
     0x1.dcd650000068ap+29,
     0x1.417fe55555555p-25,
     0x1.81ccacccccccdp-25},
    {/* full */
     {0x1.1ddb66cad4a26p-781, -0x1.192cfd3ac94afp-755, -0x1.c105d1fb17c23p+809,
      -0x1.0b33839263059p-488, -0x1.f48f1a09f76b5p-684, 0x1.630f1f29d0da9p-770},
     -0x1.c105d1fb17c23p+809,
     INFINITY,
     -0x1.2b5936a7652c2p+807,
     INFINITY,
     INFINITY},
    {/* mid */
     {0x1.3bd04d2bcc158p+0, -0x1.cd3875830a12ap-88, -0x1.d04ca138bf348p-133,
      -0x1.aee15394b34dcp-129, 0x1.4d4c7c789e870p+88, -0x1.883aae7092facp+147},
     -0x1.883aae7092facp+147,
     0x1.2c79e1d621ffep+295,
     -0x1.057c744b0ca73p+145,
     0x1.4ddcc20a5eaa8p+292,
     0x1.90a28272d7ffdp+292},
    {/* denormal */
     {0x0.34c3b2e44158cp-1022, 0x0.31e265f557204p-1022, 0x0.1e840907a70c4p-1022,
      -0x0.daed6881ed163p-1022, -0x0.e807cec66a788p-1022, 0x0.7f31c4cbd87aep-1022},
     -0x0.be99509b3f8e9p-1022,
     0x0.0p+0,
     -0x0.1fc43819dfed2p-1022,
     0x0.0p+0,
     0x0.0p+0},
    {/* huge */
     {0x1.fffffffffffffp+1023, -0x1.fffffffffffffp+1023, 0x1.1ccf385ebc8a0p+1023,
      -0x1.1ccf385ebc8a0p+1023, 0x0.0000000000001p-1022, 0x1.8000000000000p+1},
     0x1.8000000000000p+1,
     INFINITY,
     0x1.0000000000000p-1,
     INFINITY,
     INFINITY},
    {/* cancel */
     {0x1.1ccf385ebc8a0p+1023, -0x1.1ccf385ebc8a0p+1023, 0x1.56e1fc2f8f359p-997,
      0x1.4e718d7d7625ap+664, -0x1.4e718d7d7625ap+664, 0x0.0p+0},
     0x1.56e1fc2f8f359p-997,
     INFINITY,
     0x1.c92d503f699ccp-1000,
     INFINITY,
     INFINITY},
    {/* constant */
     {0x1.999999999999ap-4, 0x1.999999999999ap-4, 0x1.999999999999ap-4, 0x1.999999999999ap-4,
      0x1.999999999999ap-4, 0x1.999999999999ap-4},
     0x1.3333333333334p-1,
     0x1.eb851eb851eb9p-5,
     0x1.999999999999ap-4,
     0x0.0p+0,
     0x0.0p+0},
    {/* over */
     {0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023,
      0x1.fffffffffffffp+1023, 0x1.fffffffffffffp+1023, -0x1.0000000000000p+0},
     INFINITY,
     INFINITY,
     0x1.aaaaaaaaaaaaap+1023,
     INFINITY,
     INFINITY},
};

static void sums_and_moments_equal_those_of_exact_rationals(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < ITEMS(known); i++) {
        sums s = absorb(known[i].x, 6);

        assert_true(s.count == 6);
        assert_double(cr__exact_to_double(&s.sum), known[i].sum);
        assert_double(cr__exact_to_double(&s.squares), known[i].squares);
        assert_double(cr__exact_mean(6, 0, &s.sum), known[i].mean);
        assert_double(cr__exact_variance(6, 0, &s.sum, &s.squares, 0), known[i].variance);
        assert_double(cr__exact_variance(6, 0, &s.sum, &s.squares, 1), known[i].unbiased);
        sums_free(&s);
    }
}

static void shuffle(double *x, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        const size_t j = draw() % i;
        const double keep = x[i - 1];

        x[i - 1] = x[j];
        x[j] = keep;
    }
}

static void check_order_and_split(double (*draw_one)(void), size_t rows)
{
    double x[1000];
    sums all, parts, part;

    for (size_t i = 0; i < rows; i++)
        x[i] = draw_one();
    all = absorb(x, rows);
    for (int round = 0; round < 20; round++) {
        size_t from = 0;

        shuffle(x, rows);
        memset(&parts, 0, sizeof parts);
        while (from < rows) {
            const size_t size = 1 + draw() % (rows - from);

            part = absorb(x + from, size);
            parts.count += part.count;
            assert_int_equal(cr__exact_add(&parts.sum, &part.sum, 1), CR_OK);
            assert_int_equal(cr__exact_add(&parts.squares, &part.squares, 1), CR_OK);
            sums_free(&part);
            from += size;
        }
        assert_same(&all, &parts);
        part = absorb(x, rows / 2); /* taking half away leaves the other half */
        assert_int_equal(cr__exact_add(&parts.sum, &part.sum, -1), CR_OK);
        assert_int_equal(cr__exact_add(&parts.squares, &part.squares, -1), CR_OK);
        parts.count -= part.count;
        sums_free(&part);
        part = absorb(x + rows / 2, rows - rows / 2);
        assert_same(&parts, &part);
        assert_int_equal(cr__exact_add(&parts.sum, &part.sum, -1), CR_OK);
        assert_true(parts.sum.count == 0);
        sums_free(&part);
        sums_free(&parts);
    }
    sums_free(&all);
}

static void any_order_split_and_subtraction_gives_the_same_bytes(void **unused)
{
    (void)unused;
    for (size_t rows = 2; rows <= 1000; rows = rows * 2 + 1) {
        check_order_and_split(draw_any, rows);
        check_order_and_split(draw_usual, rows);
    }
}

/* A lane against cr__exact arithmetic: the sum by adding doubles, the squares by multiplying. */
static void lanes_agree_with_plain_exact_arithmetic(void **unused)
{
    enum { ROWS = 3000, CLASSES = 7 };
    static double x[ROWS];
    static uint32_t code[ROWS];

    (void)unused;
    for (int round = 0; round < 6; round++) {
        cr__lane lanes[CLASSES] = {0};
        sums plain[CLASSES] = {0}, s = {0};

        for (size_t r = 0; r < ROWS; r++) {
            cr__exact value = {0}, square = {0};

            x[r] = round % 3 == 0 ? draw_any() : draw_usual();
            code[r] = round < 3 ? (uint32_t)(draw() % CLASSES) : (uint32_t)(r * CLASSES / ROWS);
            if (isnan(x[r]))
                continue;
            assert_int_equal(cr__exact_add_double(&value, x[r]), CR_OK);
            assert_double(cr__exact_to_double(&value), x[r] == 0 ? 0 : x[r]);
            assert_int_equal(cr__exact_multiply(&square, &value, &value), CR_OK);
            assert_int_equal(cr__exact_add(&plain[code[r]].sum, &value, 1), CR_OK);
            assert_int_equal(cr__exact_add(&plain[code[r]].squares, &square, 1), CR_OK);
            plain[code[r]].count++;
            cr__exact_free(&value);
            cr__exact_free(&square);
        }
        assert_int_equal(cr__lanes_absorb(lanes, x, code, ROWS), CR_OK);
        for (int k = 0; k < CLASSES; k++) {
            flush(&lanes[k], &s);
            assert_same(&s, &plain[k]);
            sums_free(&s);
            sums_free(&plain[k]);
            cr__lane_free(&lanes[k]);
        }
    }
}

/* Blocks of four and of 256, their rests, classes without rows; values outside the window. */
static void grouped_rows_give_the_same_sums(void **unused)
{
    enum { ROWS = 3000, CLASSES = 9 };
    static double x[ROWS];
    static uint32_t code[ROWS], order[ROWS], start[CLASSES + 1];

    (void)unused;
    for (uint32_t round = 0; round < 60; round++) {
        const uint32_t rows = round < 30 ? round * 3 : ROWS - round;
        cr__lane one[CLASSES] = {0}, two[CLASSES] = {0};
        uint32_t seen = 0;

        for (uint32_t r = 0; r < rows; r++) {
            x[r] = round % 3 == 0 ? draw_any() : draw_usual();
            code[r] = (uint32_t)(draw() % CLASSES * draw() % CLASSES); /* 0 often, some seldom */
        }
        cr__rows_group(code, rows, CLASSES, order, start);
        assert_true(start[0] == 0 && start[CLASSES] == rows);
        for (uint32_t c = 0; c < CLASSES; c++)
            for (uint32_t i = start[c]; i < start[c + 1]; i++, seen++)
                assert_true(code[order[i]] == c && (i == start[c] || order[i - 1] < order[i]));
        assert_true(seen == rows);
        assert_int_equal(cr__lanes_absorb(one, x, code, rows), CR_OK);
        for (int part = 0; part < 2; part++) /* the second time every window has its place */
            assert_int_equal(cr__lanes_absorb_grouped(two, x, order, start, CLASSES), CR_OK);
        for (int k = 0; k < CLASSES; k++) {
            sums a = {0}, b = {0};

            flush(&one[k], &a);
            flush(&two[k], &b);
            a.count *= 2;
            assert_int_equal(cr__exact_add(&a.sum, &a.sum, 1), CR_OK);
            assert_int_equal(cr__exact_add(&a.squares, &a.squares, 1), CR_OK);
            assert_same(&a, &b);
            sums_free(&a);
            sums_free(&b);
            cr__lane_free(&one[k]);
            cr__lane_free(&two[k]);
        }
    }
}

/* The largest significand at the top of the window, where the accumulators are fullest. */
static void a_block_of_the_largest_values_does_not_overflow(void **unused)
{
    enum { ROWS = 1024 };
    static double x[ROWS];
    static uint32_t order[ROWS];
    const uint32_t start[2] = {0, ROWS}, code[1] = {0};
    const double first = 1;

    (void)unused;
    for (int sign = -1; sign <= 1; sign += 2) {
        for (double top = 1; top <= 1024; top *= 2) {
            cr__lane lane = {0};
            sums s = {0}, expected = {0};
            cr__exact square = product_of(top - top * 0x1p-53, top - top * 0x1p-53);

            for (uint32_t r = 0; r < ROWS; r++) {
                order[r] = r;
                x[r] = sign * (top - top * 0x1p-53);
            }
            assert_int_equal(cr__lanes_absorb(&lane, &first, code, 1), CR_OK);
            assert_int_equal(cr__lanes_absorb_grouped(&lane, x, order, start, 1), CR_OK);
            flush(&lane, &s);
            expected.count = ROWS + 1;
            assert_int_equal(cr__exact_add_double(&expected.sum, ROWS * x[0]), CR_OK);
            assert_int_equal(cr__exact_add_double(&expected.sum, 1), CR_OK);
            assert_int_equal(cr__exact_add_double(&expected.squares, 1), CR_OK);
            for (int r = 0; r < ROWS; r++)
                assert_int_equal(cr__exact_add(&expected.squares, &square, 1), CR_OK);
            assert_same(&s, &expected);
            sums_free(&s);
            sums_free(&expected);
            cr__exact_free(&square);
            cr__lane_free(&lane);
        }
    }
}

static void sums_of_small_integers_equal_128_bit_arithmetic(void **unused)
{
    double x[4096];
    int64_t sum = 0;
    u128 squares = 0;
    sums s;

    (void)unused;
    for (size_t r = 0; r < ITEMS(x); r++) {
        const int64_t value = (int64_t)(draw() % 2000001) - 1000000;

        x[r] = (double)value;
        sum += value;
        squares += (u128)(value * value);
    }
    s = absorb(x, ITEMS(x));
    assert_double(cr__exact_to_double(&s.sum), (double)sum);
    assert_true(s.squares.sign == 1 && s.squares.low == 0 && s.squares.count == 1);
    assert_true(s.squares.small[0] == (uint64_t)squares);
    sums_free(&s);
}

/* It would take 2^29 values to fill the squares of a window, so the test sets them to 2^191 - 1
 * units, the most they may hold, and adds twelve values more. */
static void a_full_window_spills_without_loss(void **unused)
{
    static const uint32_t order[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, start[2] = {0, 12};
    static const uint32_t code[12];
    const double x[12] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};

    (void)unused;
    for (int grouped = 0; grouped < 2; grouped++) {
        const double first = 1;
        cr__lane lane = {0};
        sums s = {0};
        cr__exact expected = {0};
        int unit;

        assert_int_equal(cr__lanes_absorb(&lane, &first, code, 1), CR_OK);
        unit = 2 * (lane.base - 1075);
        lane.squares[0] = lane.squares[1] = UINT64_MAX;
        lane.squares[2] = INT64_MAX;
        assert_null(lane.wide);
        assert_int_equal(grouped ? cr__lanes_absorb_grouped(&lane, x, order, start, 1)
                                 : cr__lanes_absorb(&lane, x, code, 12),
                         CR_OK);
        assert_non_null(lane.wide);
        assert_true(lane.squares[2] >> 63 == 0);
        flush(&lane, &s);
        assert_int_equal(cr__exact_add_double(&expected, ldexp(1, 191 + unit)), CR_OK);
        assert_int_equal(cr__exact_add_double(&expected, -ldexp(1, unit)), CR_OK);
        assert_int_equal(cr__exact_add_double(&expected, 12.0 * 255 * 255), CR_OK);
        assert_true(same_bits(&s.squares, &expected));
        assert_double(cr__exact_to_double(&s.sum), 12.0 * 255 + 1);
        cr__exact_free(&expected);
        sums_free(&s);
        cr__lane_free(&lane);
    }
}

static void a_missing_value_is_not_counted(void **unused)
{
    const double x[] = {NAN, 1, -NAN, 0, -0.0, 2, NAN};
    sums s = absorb(x, ITEMS(x));

    (void)unused;
    assert_true(s.count == 4);
    assert_double(cr__exact_to_double(&s.sum), 3);
    assert_double(cr__exact_to_double(&s.squares), 5);
    sums_free(&s);
}

/* 1e308 twice gives no infinity in between, and taking it away leaves the smallest denormal. */
static void huge_values_cancel_to_leave_the_smallest(void **unused)
{
    const double x[] = {1e308, 5e-324, 1e308, DBL_MAX, -1e308, -1e308, -DBL_MAX};
    sums s = absorb(x, ITEMS(x));

    (void)unused;
    assert_double(cr__exact_to_double(&s.sum), 5e-324);
    sums_free(&s);
}

/* a + b + c rounded, by the definition of rounding to nearest, ties to even. */
static void sums_round_to_nearest_even(void **unused)
{
    static const double cases[][4] = {
        {1, 0x1p-53, 0, 1},
        {1, 0x1p-53, 0x1p-1074, 1 + 0x1p-52},
        {1, 0x1p-53, 0x1p-120, 1 + 0x1p-52}, /* three limbs: only the lowest breaks the tie */
        {1, 0x1p-53, -0x1p-1074, 1},
        {1, 0x3p-53, 0, 1 + 0x1p-51},
        {1, 0x3p-53, -0x1p-1074, 1 + 0x1p-52},
        {1, -0x1p-54, 0, 1},
        {1, -0x1p-54, -0x1p-1000, 1 - 0x1p-53},
        {-1, -0x1p-53, 0, -1},
        {-1, -0x1p-53, -0x1p-1074, -1 - 0x1p-52},
        {0x1p53, 1, 0, 0x1p53},
        {0x1p53, 3, 0, 0x1p53 + 4},
        {DBL_MAX, 0x1p970, -0x1p-1074, DBL_MAX},
        {DBL_MAX, 0x1p970, 0, INFINITY},
        {-DBL_MAX, -0x1p970, 0, -INFINITY},
        {-DBL_MAX, DBL_MAX, 0, 0},
        {DBL_MIN, -0x1p-1074, 0, DBL_MIN - 0x1p-1074},
        {0x1p-1074, 0x1p-1074, 0x1p-1074, 0x3p-1074},
    };

    (void)unused;
    for (size_t i = 0; i < ITEMS(cases); i++) {
        cr__exact x = exact_of(cases[i][0], cases[i][1], cases[i][2]);

        assert_double(cr__exact_to_double(&x), cases[i][3]);
        cr__exact_free(&x);
    }
}

/* The processor's own products and quotients are correctly rounded. */
static void products_and_quotients_of_doubles_round_as_the_processor_does(void **unused)
{
    static const double denormal[][2] = {{0x1p-1074, 0.5},
                                         {0x3p-1074, 0.5},
                                         {0x1p-1074, 0.75},
                                         {0x1p-1074, 0x1p-52},
                                         {0x1.8p-1022, 0x1.fffffp-30}};

    (void)unused;
    for (size_t i = 0; i < 60000; i++) {
        const double a = i < ITEMS(denormal) ? denormal[i][0] : draw_any();
        const double b = i < ITEMS(denormal) ? denormal[i][1]
                         : i % 3 == 0        ? (double)(1 + draw() % 1000)
                                             : draw_any();
        cr__exact x = exact_of(a, 0, 0), y = exact_of(b, 0, 0), p = product_of(a, b);

        if (a != 0 && b != 0) {
            assert_double(cr__exact_to_double(&p), a * b);
            assert_double(cr__exact_ratio_to_double(&x, &y), a / b);
            assert_double(cr__exact_ratio_to_double(&p, &y), a);
        }
        cr__exact_free(&x);
        cr__exact_free(&y);
        cr__exact_free(&p);
    }
}

/* (m + 1/2 ulp) * d over d is a tie; one unit far below breaks it. */
static void quotients_at_ties_are_decided_exactly(void **unused)
{
    (void)unused;
    for (int i = 0; i < 2000; i++) {
        const double m = (double)(((uint64_t)1 << 52) + (draw() >> 12));
        cr__exact tie = exact_of(m, 0.5, 0), d = exact_of(draw_any(), draw_any(), draw_any());
        cr__exact little = {0};
        const double even = fmod(m, 2) == 0 ? m : m + 1;
        double tiny = cr__exact_to_double(&d);

        tiny = fabs(tiny) > 0x1p-900 ? fabs(tiny) * 0x1p-120 : 0x1p-1074;
        if (d.count == 0 || !isfinite(tiny))
            goto next;
        assert_int_equal(cr__exact_multiply(&tie, &tie, &d), CR_OK);
        assert_double(cr__exact_ratio_to_double(&tie, &d), even);
        assert_int_equal(cr__exact_add_double(&little, cr__exact_sign(&d) * tiny), CR_OK);
        assert_int_equal(cr__exact_add(&tie, &little, 1), CR_OK);
        assert_double(cr__exact_ratio_to_double(&tie, &d), m + 1);
        assert_int_equal(cr__exact_add(&tie, &little, -1), CR_OK);
        assert_int_equal(cr__exact_add(&tie, &little, -1), CR_OK);
        assert_double(cr__exact_ratio_to_double(&tie, &d), m);
    next:
        cr__exact_free(&tie);
        cr__exact_free(&d);
        cr__exact_free(&little);
    }
}

static void comparison_orders_like_doubles(void **unused)
{
    (void)unused;
    for (int i = 0; i < 20000; i++) {
        const double a = draw_any(), b = draw() % 8 == 0 ? a : draw_any();
        cr__exact x = exact_of(a, 0, 0), y = exact_of(b, 0, 0);

        assert_int_equal(cr__exact_compare(&x, &y), (a > b) - (a < b));
        assert_int_equal(same_bits(&x, &y), a == b);
        assert_int_equal(cr__exact_sign(&x), (a > 0) - (a < 0));
        cr__exact_free(&x);
        cr__exact_free(&y);
    }
}

static void a_value_may_be_added_to_and_taken_from_itself(void **unused)
{
    cr__exact x = exact_of(1e300, -1e-300, 3);

    (void)unused;
    assert_int_equal(cr__exact_add(&x, &x, 1), CR_OK);
    assert_int_equal(cr__exact_add_double(&x, -2e300), CR_OK);
    assert_double(cr__exact_to_double(&x), 6);
    assert_int_equal(cr__exact_add_double(&x, -6), CR_OK);
    assert_double(cr__exact_to_double(&x), -2e-300);
    assert_int_equal(cr__exact_add(&x, &x, -1), CR_OK);
    assert_true(x.count == 0 && x.low == 0 && x.sign == 0);
    cr__exact_free(&x);
}

/* ---- weights ------------------------------------------------------------------------ */

static sums absorb_weighted(const double *x, const double *w, size_t rows)
{
    static const uint32_t code[4096];
    cr__lane lane = {0};
    sums s = {0};

    assert_int_equal(cr__lanes_absorb_weighted(&lane, x, w, code, rows), CR_OK);
    flush(&lane, &s);
    cr__lane_free(&lane);
    return s;
}

static void weighted_moments_equal_those_of_exact_rationals(void **unused)
{
    const double x[] = {0x1.43aaf826643bep+1, 0x1.9477099368706p+0, 0x1.a458d0b8584c4p-1,
                        0x1.e650107a06c49p+0, 0x1.527a19b4d326dp+2, 0x1.6e3511ba91548p-1};
    const double w[] = {0x1.ba45bc74eb8d9p-1, 0x1.78631bb3837e0p+1, 0x1.6ab2b4c4950b4p-2,
                        0x1.411e4aafd61bcp+0, 0x1.22bdfb606b2e8p+1, 0x1.d2e580666031ap-2};
    sums s = absorb_weighted(x, w, ITEMS(x));

    (void)unused;
    assert_true(s.count == 8 && s.fraction == 2587709811068682240u);
    assert_double(cr__exact_to_double(&s.sum), 0x1.5d7c22e1fe17fp+4);
    assert_double(cr__exact_to_double(&s.squares), 0x1.4594245f8f3e7p+6);
    assert_double(cr__exact_mean(s.count, s.fraction, &s.sum), 0x1.577658f124d4fp+1);
    assert_double(cr__exact_variance(s.count, s.fraction, &s.sum, &s.squares, 0),
                  0x1.66429395846d4p+1);
    assert_double(cr__exact_variance(s.count, s.fraction, &s.sum, &s.squares, 1),
                  0x1.986f40634b97ep+1);
    sums_free(&s);
}

static void a_whole_weight_equals_repetition(void **unused)
{
    double x[200], w[200], repeated[4096];
    size_t rows = 0;
    sums a, b;

    (void)unused;
    for (size_t i = 0; i < ITEMS(x); i++) {
        x[i] = i % 2 == 0 ? draw_any() : draw_usual();
        w[i] = (double)(draw() % 20);
        for (int k = 0; k < (int)w[i]; k++)
            repeated[rows++] = x[i];
    }
    a = absorb_weighted(x, w, ITEMS(x));
    b = absorb(repeated, rows);
    assert_same(&a, &b);
    sums_free(&a);
    sums_free(&b);
}

/* w * x * x of 106 + 53 bits by products of cr__exact; halves of weights add up to the whole. */
static void weighted_sums_are_exact_over_the_full_range(void **unused)
{
    (void)unused;
    for (int i = 0; i < 3000; i++) {
        const double x = i % 2 == 0 ? draw_any() : 100 * (double)draw() * 0x1p-64;
        const double w = (double)(draw() >> 11) * ldexp(1, -(int)(draw() % 100));
        sums s = absorb_weighted(&x, &w, 1);
        cr__exact wx = product_of(w, x), xs = exact_of(x, 0, 0);

        assert_true(same_bits(&s.sum, &wx));
        assert_int_equal(cr__exact_multiply(&wx, &wx, &xs), CR_OK);
        if (x == 0 || fabs(x) > 0x1p-900) /* nothing is cut there */
            assert_true(same_bits(&s.squares, &wx));
        else
            assert_true(cr__exact_compare(&s.squares, &wx) <= 0);
        cr__exact_free(&wx);
        cr__exact_free(&xs);
        sums_free(&s);
    }
}

/* Ones from 2^-424 up to 2^423, then one more at the bottom: a carry through 13 limbs to 2^424. */
static void a_carry_runs_through_the_wide_part(void **unused)
{
    double x[17], w[17];
    sums s;

    (void)unused;
    for (int i = 0; i < 17; i++) {
        x[i] = i < 16 ? ldexp(0x1p53 - 1, 53 * (i - 8)) : ldexp(1, 53 * -8);
        w[i] = 1;
    }
    s = absorb_weighted(x, w, 17);
    assert_double(cr__exact_to_double(&s.sum), 0x1p424);
    assert_true(s.sum.count == 1);
    sums_free(&s);
}

static void a_flushed_lane_is_empty(void **unused)
{
    const double x[] = {1, 1e300, -1e-300, 7}, w[] = {1, 1, 1, 0.5};
    const uint32_t code[4] = {0};
    cr__lane lane = {0};
    sums first = {0}, second = {0};

    (void)unused;
    assert_int_equal(cr__lanes_absorb(&lane, x, code, 4), CR_OK);
    assert_int_equal(cr__lanes_absorb_weighted(&lane, x, w, code, 4), CR_OK);
    flush(&lane, &first);
    assert_true(first.count == 7 && first.fraction == (uint64_t)1 << 63);
    flush(&lane, &second);
    assert_true(second.count == 0 && second.sum.count == 0);
    assert_true(second.squares.count == 0);
    sums_free(&first);
    cr__lane_free(&lane);
}

static void the_weighted_count_is_rounded_to_64_binary_places(void **unused)
{
    const double ones[] = {1, 1, 1, 1, 1, 1}, x[] = {1, 1, 1, 1, 1, NAN};
    const double w[] = {0.5, 0.75, 3, 0x1.8p-64, 0x1p-66, 1000}; /* 1.5 rounds to 2, 0.25 to 0 */
    const uint32_t code[] = {0, 0};
    const double much[] = {0x1p62, 0x1p62}, too_much[] = {0x1p63, 0x1p64, 0x1.8p100, DBL_MAX};
    cr__lane lane = {0};
    sums s = absorb_weighted(x, w, 6);

    (void)unused;
    assert_true(s.count == 4 && s.fraction == ((uint64_t)1 << 62) + 2);
    sums_free(&s);
    assert_int_equal(cr__lanes_absorb_weighted(&lane, ones, much, code, 2), CR_ELIMIT);
    for (size_t i = 0; i < ITEMS(too_much); i++)
        assert_int_equal(cr__lanes_absorb_weighted(&lane, ones, &too_much[i], code, 1), CR_ELIMIT);
    cr__lane_free(&lane);
}

static void moments_of_too_few_values_are_zero(void **unused)
{
    const double x[] = {7.5};
    sums s = absorb(x, 1);
    cr__exact none = {0};

    (void)unused;
    assert_double(cr__exact_mean(1, 0, &s.sum), 7.5);
    assert_double(cr__exact_variance(1, 0, &s.sum, &s.squares, 0), 0);
    assert_double(cr__exact_variance(1, 0, &s.sum, &s.squares, 1), 0);
    assert_double(cr__exact_variance(0, 1, &s.sum, &s.squares, 1), 0);
    assert_double(cr__exact_mean(0, 0, &none), 0);
    assert_double(cr__exact_variance(0, 0, &none, &none, 0), 0);
    assert_double(cr__exact_variance(-5, 0, &s.sum, &s.squares, 0), 0);
    assert_double(cr__exact_mean(-1, 0, &s.sum), 0);
    sums_free(&s);
}

/* ---- the stored form ---------------------------------------------------------------- */

static void values_are_read_back_as_they_were_written(void **unused)
{
    (void)unused;
    for (int i = 0; i < 20000; i++) {
        cr__exact x = exact_of(draw_any(), i % 2 == 0 ? 0 : draw_any(), 0), y = exact_of(1, 0, 0);
        unsigned char bytes[1100];
        const size_t size = cr__exact_bytes(&x);
        size_t used = 0;

        assert_true(size <= sizeof bytes);
        cr__exact_write(&x, bytes);
        assert_int_equal(cr__exact_read(&y, bytes, size, &used), CR_OK);
        assert_true(used == size && same_bits(&x, &y));
        assert_int_equal(cr__exact_read(&y, bytes, size - 1, &used), CR_EFORMAT);
        assert_true(same_bits(&x, &y)); /* a failed read changes nothing */
        cr__exact_free(&x);
        cr__exact_free(&y);
    }
}

static void the_stored_form_is_little_endian_on_every_machine(void **unused)
{
    cr__exact x = exact_of(-0x1.0203p+56, 0, 0); /* -2^56 - 2 * 2^48 - 3 * 2^40 */
    const unsigned char expected[] = {2, 1, 0, 0, 0, 0, 0, 0, 0, 3, 2, 1};
    unsigned char bytes[12];

    (void)unused;
    assert_true(cr__exact_bytes(&x) == sizeof bytes);
    cr__exact_write(&x, bytes);
    assert_memory_equal(bytes, expected, sizeof bytes);
    cr__exact_free(&x);
}

static void hostile_bytes_are_refused(void **unused)
{
    static const unsigned char cases[][20] = {
        {3, 1, 0, 0, 1},                          /* no such sign */
        {0, 1, 0, 0, 1},                          /* a zero with limbs */
        {1, 0, 0, 0},                             /* a number without */
        {0, 0, 1, 0},                             /* a zero with an offset */
        {1, 1, 0, 0, 0},                          /* a limb of 0 */
        {1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1},  /* the lowest limb 0 */
        {1, 2, 0, 0, 1},                          /* the highest limb 0 */
        {1, 1, 64, 0, 1},                         /* beyond 2^4096 */
        {1, 2, 63, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1}, /* reaching beyond it */
        {1, 1, 0xbf, 0xff, 1},                    /* below 2^-4096 */
        {1, 1, 0, 0x80, 1},                       /* far below */
        {1, 255, 0, 0, 1},                        /* too few bytes for 255 */
    };
    static unsigned char longest[4 + 8 * 200];
    cr__exact x = {0};
    size_t used = 0;

    (void)unused;
    for (size_t i = 0; i < ITEMS(cases); i++)
        assert_int_equal(cr__exact_read(&x, cases[i], sizeof cases[i], &used), CR_EFORMAT);
    for (size_t length = 0; length < 4; length++)
        assert_int_equal(cr__exact_read(&x, cases[2], length, &used), CR_EFORMAT);
    memset(longest, 0xff, sizeof longest);
    longest[0] = 1;
    longest[1] = 129;
    longest[2] = 0xc0; /* low = -64 */
    assert_int_equal(cr__exact_read(&x, longest, sizeof longest, &used), CR_EFORMAT);
    longest[1] = 128;
    assert_int_equal(cr__exact_read(&x, longest, sizeof longest, &used), CR_OK);
    assert_true(used == 4 + 8 * 128);
    assert_double(cr__exact_variance(INT64_MAX, UINT64_MAX, &x, &x, 1), 0); /* no overrun */
    cr__exact_free(&x);
}

static void running_out_of_memory_is_reported(void **unused)
{
    const double x[] = {1, 1e300, 1e-300, -1e200, 1e100};
    const uint32_t code[5] = {0};

    (void)unused;
    for (long n = 0; n < 4; n++) {
        cr__lane lane = {0};
        cr__exact sum = {0}, squares = {0};
        cr_status status;

        cr__memory_fail_after = n;
        status = cr__lanes_absorb(&lane, x, code, 5);
        if (status == CR_OK)
            status = cr__lane_flush(&lane, &sum, &squares);
        cr__memory_fail_after = -1;
        assert_int_equal(status, n < 3 ? CR_ENOMEM : CR_OK); /* wide, sum, squares */
        cr__lane_free(&lane);
        cr__exact_free(&sum);
        cr__exact_free(&squares);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_moments_equal_those_of_exact_rationals),
        cmocka_unit_test(any_order_split_and_subtraction_gives_the_same_bytes),
        cmocka_unit_test(lanes_agree_with_plain_exact_arithmetic),
        cmocka_unit_test(grouped_rows_give_the_same_sums),
        cmocka_unit_test(a_block_of_the_largest_values_does_not_overflow),
        cmocka_unit_test(sums_of_small_integers_equal_128_bit_arithmetic),
        cmocka_unit_test(a_full_window_spills_without_loss),
        cmocka_unit_test(a_missing_value_is_not_counted),
        cmocka_unit_test(huge_values_cancel_to_leave_the_smallest),
        cmocka_unit_test(sums_round_to_nearest_even),
        cmocka_unit_test(products_and_quotients_of_doubles_round_as_the_processor_does),
        cmocka_unit_test(quotients_at_ties_are_decided_exactly),
        cmocka_unit_test(comparison_orders_like_doubles),
        cmocka_unit_test(a_value_may_be_added_to_and_taken_from_itself),
        cmocka_unit_test(weighted_moments_equal_those_of_exact_rationals),
        cmocka_unit_test(a_whole_weight_equals_repetition),
        cmocka_unit_test(weighted_sums_are_exact_over_the_full_range),
        cmocka_unit_test(a_carry_runs_through_the_wide_part),
        cmocka_unit_test(a_flushed_lane_is_empty),
        cmocka_unit_test(the_weighted_count_is_rounded_to_64_binary_places),
        cmocka_unit_test(moments_of_too_few_values_are_zero),
        cmocka_unit_test(values_are_read_back_as_they_were_written),
        cmocka_unit_test(the_stored_form_is_little_endian_on_every_machine),
        cmocka_unit_test(hostile_bytes_are_refused),
        cmocka_unit_test(running_out_of_memory_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
