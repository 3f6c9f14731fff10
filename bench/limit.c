/* bench/limit.c - the practical limit: the least work that training on a CSV file can be.
 *
 *   limit dense|categorical FILE [THREADS]
 *
 * Reads, parses and sums, nothing else: no quotes, no missing values, no kinds to infer, no checks
 * beyond what keeps it inside its buffers, plain double sums. It knows that the first line is a
 * header, that the last column is the class and that names have at most eight bytes. Prints
 * the counts, and for dense files the mean and variance of each class and column.
 *
 * Each thread reads its share of the file by blocks into a buffer that stays in the cache, and
 * handles eight bytes at a time in a 64-bit word (little-endian machines only).
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 1 << 18, PAD = 64, MAX_COLUMNS = 256, SLOTS = 64, MAX_THREADS = 256 };

/* Up to SLOTS names by open addressing; a name is its own bytes in one word, never zero. */
typedef struct names {
    uint64_t key[SLOTS];
} names;

typedef struct share {
    pthread_t thread;
    off_t begin, end; /* the lines that begin in this part of the file */
    names classes;
    uint64_t count[SLOTS];      /* rows of each class */
    double (*sum)[MAX_COLUMNS]; /* [class][column] */
    double (*square)[MAX_COLUMNS];
    names *values;                  /* [column] */
    uint32_t (*seen)[SLOTS][SLOTS]; /* [column][class][value] */
} share;

static int file, is_dense;
static size_t columns; /* without the class */

static void die(const char *text)
{
    fprintf(stderr, "limit: %s\n", text);
    exit(1);
}

static void *array(size_t count, size_t size)
{
    void *p = calloc(count, size);
    if (p == NULL)
        die("out of memory");
    return p;
}

static uint64_t load(const char *p)
{
    uint64_t w;
    memcpy(&w, p, 8);
    return w;
}

/* The high bit of each byte of w that equals the byte repeated in pattern, and perhaps of bytes
 * above the first such one: only the lowest bit is to be used. */
static uint64_t match(uint64_t w, uint64_t pattern)
{
    uint64_t x = w ^ pattern;
    return (x - 0x0101010101010101u) & ~x & 0x8080808080808080u;
}

static size_t slot_of(names *n, uint64_t key)
{
    size_t s = (size_t)(key * 0x9e3779b97f4a7c15u >> 58), tries = 0;
    while (n->key[s] != key && n->key[s] != 0) {
        if (++tries == SLOTS)
            die("too many different names");
        s = (s + 1) % SLOTS;
    }
    n->key[s] = key;
    return s;
}

/* The name at p, which ends before the byte repeated in pattern; *p moves past that byte. */
static uint64_t read_name(const char **p, uint64_t pattern)
{
    uint64_t w = load(*p), end = match(w, pattern);
    if (end == 0) {
        if (((*p)[8] ^ (char)pattern) != 0)
            die("a name is longer than eight bytes");
        *p += 9;
        return w;
    }
    unsigned bits = (unsigned)__builtin_ctzll(end) - 7;
    *p += bits / 8 + 1;
    return w & ((UINT64_C(1) << bits) - 1);
}

/* The digits at p, at most eight of them: their number in *n, their value as the result. Eight
 * digits become a number by three multiplications that join neighbours: 2, 4, then 8 digits. */
static uint64_t read_digits(const char *p, unsigned *n)
{
    uint64_t w = load(p) - 0x3030303030303030u;
    uint64_t other = (w | (w + 0x7676767676767676u)) & 0x8080808080808080u;
    unsigned bits = other ? (unsigned)__builtin_ctzll(other) - 7 : 64;
    *n = bits / 8;
    if (bits == 0)
        return 0;
    w <<= 64 - bits;
    w = w * 10 + (w >> 8);
    return ((w & 0x000000ff000000ffu) * 0x000f424000000064u +
            (w >> 16 & 0x000000ff000000ffu) * 0x0000271000000001u) >>
           32;
}

/* A decimal number. Up to fifteen digits the integer and the power of ten are both exact, so that
 * one division gives the nearest double (Clinger 1990); the rest is left to strtod. The sign comes
 * with the divisor, since a branch on it would be mispredicted half of the time. */
static double read_real(const char **text)
{
    static const double power[2][9] = {{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8},
                                       {-1, -1e1, -1e2, -1e3, -1e4, -1e5, -1e6, -1e7, -1e8}};
    static const uint64_t ten_to[] = {1,      10,      100,      1000,     10000,
                                      100000, 1000000, 10000000, 100000000};
    const char *start = *text, *p = start;
    int negative = *p == '-';
    unsigned n, fraction = 0;
    uint64_t digits;
    double x;

    p += negative;
    if (p[1] == '.') { /* one digit before the point is common */
        digits = (uint64_t)(*p - '0');
        n = 1;
    } else {
        digits = read_digits(p, &n);
    }
    p += n;
    if (n < 8 && *p == '.') {
        uint64_t decimals = read_digits(p + 1, &fraction);
        digits = digits * ten_to[fraction] + decimals;
        p += 1 + fraction;
    }
    if (n + fraction < 15 && (*p == ',' || *p == '\n')) {
        x = (double)(int64_t)digits / power[negative][fraction];
    } else {
        char *end;
        x = strtod(start, &end);
        p = end;
        if (*p != ',' && *p != '\n')
            die("not a number");
    }
    *text = p + 1;
    return x;
}

static const char *sum_line(share *s, const char *p)
{
    double x[MAX_COLUMNS];
    for (size_t j = 0; j < columns; j++)
        x[j] = read_real(&p);
    size_t c = slot_of(&s->classes, read_name(&p, 0x0a0a0a0a0a0a0a0au));
    s->count[c]++;
    for (size_t j = 0; j < columns; j++) {
        s->sum[c][j] += x[j];
        s->square[c][j] += x[j] * x[j];
    }
    return p;
}

static const char *count_line(share *s, const char *p)
{
    size_t v[MAX_COLUMNS];
    for (size_t j = 0; j < columns; j++)
        v[j] = slot_of(&s->values[j], read_name(&p, 0x2c2c2c2c2c2c2c2cu));
    size_t c = slot_of(&s->classes, read_name(&p, 0x0a0a0a0a0a0a0a0au));
    s->count[c]++;
    for (size_t j = 0; j < columns; j++)
        s->seen[j][c][v[j]]++;
    return p;
}

/* Absorb the lines that begin in the share. A block ends somewhere within a line; the rest of it
 * moves to the front of the buffer before the next block is read. */
static void *absorb(void *argument)
{
    share *s = argument;
    char *buffer = array(BLOCK + PAD, 1);
    size_t have = 0;
    off_t at = s->begin; /* the offset of buffer[0] in the file */

    while (at < s->end) {
        ssize_t got = pread(file, buffer + have, BLOCK - have, at + (off_t)have);
        if (got < 0)
            die("cannot read");
        have += (size_t)got;
        if (got == 0 && have > 0 && have < BLOCK && buffer[have - 1] != '\n')
            buffer[have++] = '\n';
        const char *end = memrchr(buffer, '\n', have), *p = buffer;
        if (end == NULL && got > 0)
            continue;
        if (end == NULL)
            die(have == 0 ? "the file has shrunk" : "a line is too long");
        const char *stop = s->end - at < (off_t)have ? buffer + (s->end - at) : buffer + have;
        if (is_dense)
            while (p <= end && p < stop)
                p = sum_line(s, p);
        else
            while (p <= end && p < stop)
                p = count_line(s, p);
        at += p - buffer;
        have -= (size_t)(p - buffer);
        memmove(buffer, p, have);
    }
    free(buffer);
    return NULL;
}

/* The offset of the first line that begins at or after the given one. */
static off_t next_line(off_t place)
{
    char buffer[4096];
    ssize_t got;
    for (place--; (got = pread(file, buffer, sizeof buffer, place)) > 0; place += got) {
        const char *end = memchr(buffer, '\n', (size_t)got);
        if (end != NULL)
            return place + (end - buffer) + 1;
    }
    return place;
}

static void merge(share *into, const share *from)
{
    for (size_t k = 0; k < SLOTS; k++) {
        if (from->count[k] == 0)
            continue;
        size_t c = slot_of(&into->classes, from->classes.key[k]);
        into->count[c] += from->count[k];
        for (size_t j = 0; j < columns; j++) {
            if (is_dense) {
                into->sum[c][j] += from->sum[k][j];
                into->square[c][j] += from->square[k][j];
                continue;
            }
            for (size_t v = 0; v < SLOTS; v++)
                if (from->seen[j][k][v] > 0)
                    into->seen[j][c][slot_of(&into->values[j], from->values[j].key[v])] +=
                        from->seen[j][k][v];
        }
    }
}

static void print(const share *s)
{
    for (size_t c = 0; c < SLOTS; c++) {
        double n = (double)s->count[c];
        if (s->count[c] == 0)
            continue;
        printf("%.8s %.0f\n", (const char *)&s->classes.key[c], n);
        for (size_t j = 0; j < columns; j++) {
            printf(" %zu", j + 1);
            if (is_dense) {
                double mean = s->sum[c][j] / n;
                printf(" %.9g %.9g", mean, s->square[c][j] / n - mean * mean);
            }
            for (size_t v = 0; !is_dense && v < SLOTS; v++)
                if (s->seen[j][c][v] > 0)
                    printf(" %.8s:%u", (const char *)&s->values[j].key[v], s->seen[j][c][v]);
            putchar('\n');
        }
    }
}

/* Count the columns of the header and return where the first row begins. */
static off_t read_header(void)
{
    char buffer[1 << 14];
    ssize_t got = pread(file, buffer, sizeof buffer, 0);
    const char *end = got > 0 ? memchr(buffer, '\n', (size_t)got) : NULL;
    if (end == NULL)
        die("there is no header");
    for (const char *p = buffer; p < end; p++)
        columns += *p == ',';
    if (columns > MAX_COLUMNS)
        die("too many columns");
    return end + 1 - buffer;
}

int main(int argc, char **argv)
{
    static share shares[MAX_THREADS];
    struct stat st;

    if (argc < 3 || argc > 4 || (strcmp(argv[1], "dense") && strcmp(argv[1], "categorical")))
        die("usage: limit dense|categorical FILE [THREADS]");
    is_dense = strcmp(argv[1], "dense") == 0;
    file = open(argv[2], O_RDONLY);
    if (file < 0 || fstat(file, &st) != 0)
        die("cannot open the file");
    int threads = argc == 4 ? atoi(argv[3]) : 1;
    if (threads < 1 || threads > MAX_THREADS)
        die("bad number of threads");

    off_t begin = read_header(), size = st.st_size;
    for (int t = 0; t < threads; t++) {
        share *s = &shares[t];
        off_t edge = begin + (size - begin) / threads * t;
        s->begin = t == 0 ? begin : shares[t - 1].end;
        s->end = size;
        if (t > 0)
            s->begin = shares[t - 1].end = next_line(edge);
        if (is_dense) {
            s->sum = array(SLOTS, sizeof *s->sum);
            s->square = array(SLOTS, sizeof *s->square);
        } else {
            s->values = array(columns, sizeof *s->values);
            s->seen = array(columns, sizeof *s->seen);
        }
    }
    for (int t = 1; t < threads; t++)
        if (pthread_create(&shares[t].thread, NULL, absorb, &shares[t]) != 0)
            die("cannot start a thread");
    absorb(&shares[0]);
    for (int t = 1; t < threads; t++) {
        pthread_join(shares[t].thread, NULL);
        merge(&shares[0], &shares[t]);
    }
    print(&shares[0]);
    return 0;
}
