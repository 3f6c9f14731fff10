/* bench/generate.c - write seeded synthetic tables as CSV to standard output.
 *
 *   generate dense ROWS COLUMNS CLASSES SEED
 *   generate categorical ROWS COLUMNS VALUES CLASSES SEED
 *
 * dense: each class has its own mean and deviation for each column, and the reals are written with
 * six decimals. categorical: each class has its own distribution over the same short words in
 * each column. The last column is the class. Equal arguments give equal bytes, as far as the
 * machine's log, sin and cos agree.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* SplitMix64, after Steele, Lea and Flood, "Fast splittable pseudorandom number generators"
 * (OOPSLA 2014): a counter and a mixing function, plenty for test data. */
static uint64_t state;

static uint64_t random_bits(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static double uniform(void) /* in (0, 1) */
{
    return ((double)(random_bits() >> 11) + 0.5) * 0x1p-53;
}

/* A standard normal number by the method of Box and Muller (1958), which gives two at a time. */
static double normal(void)
{
    static double spare;
    static int has_spare;
    if (has_spare) {
        has_spare = 0;
        return spare;
    }
    double radius = sqrt(-2.0 * log(uniform()));
    double angle = 6.283185307179586 * uniform();
    spare = radius * sin(angle);
    has_spare = 1;
    return radius * cos(angle);
}

static void *array(size_t count, size_t size)
{
    void *p = calloc(count, size);
    if (p == NULL) {
        fprintf(stderr, "generate: out of memory\n");
        exit(1);
    }
    return p;
}

/* Lines are collected here, because one call of stdio per value would take most of the time. */
static char buffer[1 << 16];
static size_t used;

static void flush(void)
{
    if (fwrite(buffer, 1, used, stdout) != used) {
        perror("generate");
        exit(1);
    }
    used = 0;
}

static void put_text(const char *text)
{
    size_t length = strlen(text);
    memcpy(buffer + used, text, length);
    used += length;
}

static void put_real(double x) /* as "%.6f", for |x| below 10^12 */
{
    long long millionths = llround(x * 1e6);
    char digits[24];
    int n = 0;
    if (millionths < 0) {
        buffer[used++] = '-';
        millionths = -millionths;
    }
    for (; millionths > 0 || n < 7; millionths /= 10) {
        if (n == 6)
            digits[n++] = '.';
        digits[n++] = (char)('0' + millionths % 10);
    }
    while (n > 0)
        buffer[used++] = digits[--n];
}

static void put_end(char separator)
{
    buffer[used++] = separator;
    if (used > sizeof buffer - 64)
        flush();
}

static void put_header(size_t columns, const char *target)
{
    char name[32];
    for (size_t j = 0; j < columns; j++) {
        snprintf(name, sizeof name, "x%zu", j + 1);
        put_text(name);
        put_end(',');
    }
    put_text(target);
    put_end('\n');
}

/* Class c is drawn with a weight of 3 + c. */
static size_t draw_class(size_t classes)
{
    double u = uniform() * (double)(classes * 3 + classes * (classes - 1) / 2);
    size_t c = 0;
    while (c + 1 < classes && (u -= 3.0 + (double)c) >= 0)
        c++;
    return c;
}

static void dense(size_t rows, size_t columns, size_t classes)
{
    double *mean = array(classes * columns, sizeof *mean);
    double *deviation = array(classes * columns, sizeof *deviation);
    char name[32];

    for (size_t i = 0; i < classes * columns; i++) {
        mean[i] = 0.4 * normal();
        deviation[i] = 0.8 + 0.8 * uniform();
    }
    put_header(columns, "class");
    for (size_t i = 0; i < rows; i++) {
        size_t c = draw_class(classes);
        for (size_t j = 0; j < columns; j++) {
            put_real(mean[c * columns + j] + deviation[c * columns + j] * normal());
            put_end(',');
        }
        snprintf(name, sizeof name, "c%zu", c);
        put_text(name);
        put_end('\n');
    }
    free(mean);
    free(deviation);
}

/* The name of value v in column j: columns begin at different places of the list, and values
 * beyond the list are numbered. */
static void name_value(char name[static 32], size_t j, size_t v)
{
    static const char *const words[] = {"red", "blue", "green", "amber",
                                        "v4",  "teal", "pink",  "olive"};
    if (v < 8)
        snprintf(name, 32, "%s", words[(v + j) % 8]);
    else
        snprintf(name, 32, "v%zu", v);
}

/* Rows of cumulative probabilities, one for each class and column. */
static double *draw_distributions(size_t count, size_t values)
{
    double *cumulative = array(count * values, sizeof *cumulative);
    for (size_t i = 0; i < count; i++) {
        double *p = cumulative + i * values;
        double sum = 0;
        for (size_t v = 0; v < values; v++)
            p[v] = sum += exp(0.5 * normal());
        for (size_t v = 0; v < values; v++)
            p[v] /= sum;
    }
    return cumulative;
}

static void categorical(size_t rows, size_t columns, size_t values, size_t classes)
{
    static const char *const places[] = {"north", "south", "east", "west"};
    double *cumulative = draw_distributions(classes * columns, values);
    char(*names)[32] = array(columns * values, sizeof *names);
    char name[32];

    for (size_t j = 0; j < columns; j++)
        for (size_t v = 0; v < values; v++)
            name_value(names[j * values + v], j, v);
    put_header(columns, "class");
    for (size_t i = 0; i < rows; i++) {
        size_t c = draw_class(classes);
        for (size_t j = 0; j < columns; j++) {
            const double *p = cumulative + (c * columns + j) * values;
            double u = uniform();
            size_t v = 0;
            while (v + 1 < values && u >= p[v])
                v++;
            put_text(names[j * values + v]);
            put_end(',');
        }
        if (c < 4)
            snprintf(name, sizeof name, "%s", places[c]);
        else
            snprintf(name, sizeof name, "c%zu", c);
        put_text(name);
        put_end('\n');
    }
    free(cumulative);
    free(names);
}

/* The r-th commonest of the words by Zipf's law, P(r) proportional to 1 / r: the cumulative sum of
 * 1 / r is near log r, so its inverse is an exponential. */
static size_t zipf(size_t words)
{
    const size_t r = (size_t)exp(uniform() * log((double)words + 1));

    return r < 1 ? 0 : r > words ? words - 1 : r - 1;
}

/* A pronounceable name of a word: common words are short. */
static void name_word(char name[static 32], size_t w)
{
    static const char consonants[] = "tnshrdlcmwfgpbvkjxqz", vowels[] = "eaoiu";
    size_t n = 0;

    for (w += 4; w > 0 && n < 24; w /= 100) {
        name[n++] = consonants[w % 20];
        name[n++] = vowels[w / 20 % 5];
    }
    if (n < 8)
        n += (size_t)snprintf(name + n, 2, "%c", consonants[n * 7 % 20]);
    name[n] = '\0';
}

/* Documents in fastText's format. One word in eight is drawn from the class's own order of the
 * words, so that classes differ. */
static void text(size_t documents, size_t classes, size_t words)
{
    char name[32];

    for (size_t d = 0; d < documents; d++) {
        const size_t c = random_bits() % classes;
        const size_t length = 60 + (size_t)(uniform() * uniform() * 400);

        snprintf(name, sizeof name, "__label__c%zu", c);
        put_text(name);
        for (size_t i = 0; i < length; i++) {
            size_t w = zipf(words);

            if (random_bits() % 8 == 0)
                w = (w * 20011 + c * 7919 + 13) % words;
            name_word(name, w);
            put_end(' ');
            put_text(name);
        }
        put_end('\n');
    }
}

static size_t number(const char *argument)
{
    char *end;
    unsigned long long n = strtoull(argument, &end, 10);
    if (end == argument || *end != '\0' || n > 1000000000000u) {
        fprintf(stderr, "generate: %s is not a number that makes sense here\n", argument);
        exit(2);
    }
    return (size_t)n;
}

int main(int argc, char **argv)
{
    if (argc == 6 && strcmp(argv[1], "dense") == 0) {
        state = number(argv[5]);
        dense(number(argv[2]), number(argv[3]), number(argv[4]));
    } else if (argc == 7 && strcmp(argv[1], "categorical") == 0) {
        state = number(argv[6]);
        categorical(number(argv[2]), number(argv[3]), number(argv[4]), number(argv[5]));
    } else if (argc == 6 && strcmp(argv[1], "text") == 0) {
        state = number(argv[5]);
        text(number(argv[2]), number(argv[3]), number(argv[4]));
    } else {
        fprintf(stderr, "usage: generate dense ROWS COLUMNS CLASSES SEED\n"
                        "       generate categorical ROWS COLUMNS VALUES CLASSES SEED\n"
                        "       generate text DOCUMENTS CLASSES WORDS SEED\n");
        return 2;
    }
    flush();
    return fflush(stdout) == 0 ? 0 : 1;
}
