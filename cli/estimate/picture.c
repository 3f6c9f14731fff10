/* cli/estimate/picture.c - densities in the terminal, in block characters or plain ASCII. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "estimate/estimate.h"
#include "out/out.h"
#include "out/text.h"

enum { COLUMNS = 60, ROWS = 7, STEPS = 8 };

/* The marks of an axis. */
typedef struct marks {
    const char *left, *right, *line, *low, *high, *thick, *mean;
} marks;

static const marks fine = {"├", "┤", "─", "[", "]", "━", "┿"};
static const marks plain = {"|", "|", "-", "[", "]", "=", "+"};

/* Eighths of a character's height; ASCII has only a few characters of increasing height. */
static const char *const fine_block[STEPS + 1] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
static const char *const plain_block[STEPS + 1] = {" ", ".", ".", ":", ":", "#", "#", "#", "#"};
static const char *const plain_shade[STEPS + 1] = {" ", ".", ":", "-", "=", "+", "*", "#", "@"};

/* What the terminal can show, according to the environment. */
static bool speaks_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);

        if (value != NULL && *value != '\0')
            return strcasestr(value, "UTF-8") != NULL || strcasestr(value, "UTF8") != NULL;
    }
    return false;
}

/* --- the axis ----------------------------------------------------------------------------- */

typedef struct axis {
    double low, high;
} axis;

/* The interval with a margin on both sides, within the support. */
static axis axis_of(const cr_distribution *d, double level)
{
    cr_interval i = cr_distribution_central(d, fmax(level, 0.9)), piece[2];
    size_t pieces = cr_distribution_highest(d, fmax(level, 0.9), piece);
    axis a = {fmin(i.low, piece[0].low), fmax(i.high, piece[pieces - 1].high)};
    double margin = 0.35 * (a.high - a.low);

    a.low -= margin;
    a.high += margin;
    if (d->family != CR_STUDENT)
        a.low = a.low < 0.25 * margin ? 0 : a.low;
    if (d->family == CR_BETA)
        a.high = a.high > 1 - 0.25 * margin ? 1 : a.high;
    return a;
}

/* Round the ends to two digits of the length. */
static axis rounded(axis a, bool share)
{
    double step = pow(10, floor(log10(a.high - a.low)) - 1);
    axis r = {floor(a.low / step) * step, ceil(a.high / step) * step};

    if (share)
        r = (axis){fmax(r.low, 0), fmin(r.high, 1)};
    if (fabs(r.low) < step / 2)
        r.low = 0;
    return r;
}

static int column_of(axis a, double x)
{
    double at = (x - a.low) / (a.high - a.low) * COLUMNS;

    return at < 0 ? 0 : at >= COLUMNS ? COLUMNS - 1 : (int)at;
}

/* Positions of a distribution's marks on the axis. */
typedef struct span {
    int low, high, mean;
} span;

static span span_of(axis a, const cr_distribution *d, double level)
{
    cr_interval i = cr_distribution_central(d, level);
    double mean = cr_distribution_mean(d);

    return (span){column_of(a, i.low), column_of(a, i.high),
                  isfinite(mean) && mean <= a.high ? column_of(a, mean) : -1};
}

static void print_axis(const marks *m, span s, bool ends, int columns)
{
    for (int c = 0; c < columns; c++) {
        bool inside = c >= s.low && c <= s.high;
        const char *mark = inside ? m->thick : m->line;

        if (ends && (c == 0 || c == columns - 1))
            mark = c == 0 ? m->left : m->right;
        if (c == s.low || c == s.high)
            mark = c == s.low ? m->low : m->high;
        if (c == s.mean)
            mark = m->mean;
        fputs(mark, stdout);
    }
}

/* --- heights ------------------------------------------------------------------------------ */

/* The mass over each column, relative to the largest. Unlike the density, it is always finite. */
static void masses(const cr_distribution *d, axis a, double height[COLUMNS])
{
    double most = 0, before = cr_distribution_lower(d, a.low);

    for (int c = 0; c < COLUMNS; c++) {
        double after = cr_distribution_lower(d, a.low + (a.high - a.low) * (c + 1) / COLUMNS);

        height[c] = after - before;
        before = after;
        most = fmax(most, height[c]);
    }
    for (int c = 0; c < COLUMNS; c++)
        height[c] /= most;
}

/* The filled part of a column in a row: 0 ... STEPS. */
static int steps_in_row(double height, int row, int rows)
{
    double steps = height * rows * STEPS - row * STEPS;

    return steps <= 0 ? 0 : steps >= STEPS ? STEPS : (int)(steps + 0.5);
}

static void print_row(const double height[COLUMNS], int row, int rows, span s,
                      const char *const *block)
{
    int last = COLUMNS - 1;

    while (last >= 0 && steps_in_row(height[last], row, rows) == 0)
        last--;
    for (int c = 0; c <= last; c++) {
        if (c == 0 || c == s.low || c == s.high + 1)
            fputs(out_style(c >= s.low && c <= s.high ? STYLE_FOR : STYLE_DIM), stdout);
        fputs(block[steps_in_row(height[c], row, rows)], stdout);
    }
    fputs(out_style(STYLE_NONE), stdout);
    putchar('\n');
}

/* --- pictures ----------------------------------------------------------------------------- */

static void print_legend(double level, int indent, const marks *m)
{
    char percent[NUMBER_ROOM];

    printf("%*s%s[ ] %s interval, %s mean%s\n", indent, "", out_style(STYLE_DIM),
           number_percent(percent, level), m->mean, out_style(STYLE_NONE));
}

void picture_large(const cr_distribution *d, double level)
{
    bool utf8 = speaks_utf8();
    axis a = rounded(axis_of(d, level), d->family == CR_BETA);
    span s = span_of(a, d, level);
    double height[COLUMNS];
    char low[NUMBER_ROOM], high[NUMBER_ROOM];
    int indent;

    masses(d, a, height);
    indent = (int)strlen(number_plain(low, a.low)) + 3;
    for (int row = ROWS - 1; row >= 0; row--) {
        printf("%*s", indent, "");
        print_row(height, row, ROWS, s, utf8 ? fine_block : plain_block);
    }
    printf("  %s ", low);
    print_axis(utf8 ? &fine : &plain, s, true, COLUMNS);
    printf(" %s\n", number_plain(high, a.high));
    print_legend(level, indent, utf8 ? &fine : &plain);
}

/* A density that reaches far beyond the others would squeeze them, so the axis ends where most of
 * each is shown. */
void picture_strips(const char *const *name, const cr_distribution *d, size_t count, double level)
{
    bool utf8 = speaks_utf8();
    const marks *m = utf8 ? &fine : &plain;
    axis a = axis_of(&d[0], level);
    char low[NUMBER_ROOM], high[NUMBER_ROOM];
    size_t width = 0;
    double height[COLUMNS];

    for (size_t i = 0; i < count; i++) {
        axis own = axis_of(&d[i], level);

        a = (axis){fmin(a.low, own.low), fmax(a.high, own.high)};
        width = text_width(name[i]) > width ? text_width(name[i]) : width;
    }
    width = width > 12 ? 12 : width;
    a = rounded(a, d[0].family == CR_BETA);
    number_plain(low, a.low);
    width = strlen(low) > width ? strlen(low) : width;
    for (size_t i = 0; i < count; i++) {
        span s = span_of(a, &d[i], level);
        char *shown = text_shown(name[i], width);

        masses(&d[i], a, height);
        printf("  %s%*s ", shown, (int)(width - text_width(shown)), "");
        print_row(height, 0, 1, s, utf8 ? fine_block : plain_shade);
        printf("  %*s ", (int)width, "");
        print_axis(m, s, false, COLUMNS);
        putchar('\n');
        free(shown);
    }
    printf("  %*s ", (int)width, low);
    print_axis(m, (span){-1, -1, -1}, true, COLUMNS);
    printf(" %s\n", number_plain(high, a.high));
    print_legend(level, (int)width + 3, m);
}

void picture_bar(cr_interval i, double mean, int columns)
{
    const marks *m = speaks_utf8() ? &fine : &plain;
    double scale = columns - 1e-9;

    print_axis(
        m,
        (span){(int)(fmax(i.low, 0) * scale), (int)(fmin(i.high, 1) * scale), (int)(mean * scale)},
        false, columns);
}
