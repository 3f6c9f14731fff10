/* plot/scale.h - axes: from numbers to positions, and the places of ticks. */
#ifndef CR_PLOT_SCALE_H
#define CR_PLOT_SCALE_H

#include <stddef.h>

enum { CR__TICKS = 24, CR__TICK_ROOM = 32 };

typedef struct cr__scale {
    double low, high; /* of the numbers, low < high */
    int log;          /* logarithmic; both are above 0 */
    double from, to;  /* where they are on the page */
    size_t ticks;
    double tick[CR__TICKS];
    char label[CR__TICKS][CR__TICK_ROOM]; /* empty for a minor tick */
} cr__scale;

/* Where a number is on the page. */
double cr__scale_at(const cr__scale *scale, double x);

/* Widen to hold x, which is ignored when not finite, or not above 0 on a logarithmic scale. An
 * empty scale has low > high. */
cr__scale cr__scale_empty(int log);
void cr__scale_include(cr__scale *scale, double x);

/* Add a margin at both ends, as a share of the whole; a scale without extent, or an empty one, gets
 * some extent. */
void cr__scale_pad(cr__scale *scale, double share);

/* Put about this many ticks at round numbers inside. */
void cr__scale_ticks(cr__scale *scale, size_t about);

/* A number for a label: at most `digits` significant digits, "1,234", "0.05", "3.2e-09". Returns
 * out, which has CR__TICK_ROOM bytes. */
char *cr__number_label(char *out, double x, int digits);

#endif
