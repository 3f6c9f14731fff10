/* render/board.h - write a blackboard, line by line.
 *
 * A line is begun by putting text on its right side and ended by cr__board_line(). Running out of
 * memory is recorded and reported at the end, so nothing in between needs to be checked.
 */
#ifndef CR_RENDER_BOARD_H
#define CR_RENDER_BOARD_H

#include "base/arena.h"
#include "base/buffer.h"
#include "credence/explain.h"

enum {
    CR__BOARD_CLASSES = 8, /* classes written out; the likeliest when there are more */
    CR__BOARD_TERMS = 8,   /* of a product or a sum, written out */
    CR__BOARD_WORDS = 40,  /* of a text */
    CR__BOARD_NAME_WIDTH = 24
};

typedef struct cr__board {
    cr_board board; /* what users see; first, so that a cr_board is one of these */
    cr__arena arena;
    cr_board_section *section;
    cr_board_line *line;
    size_t section_room, line_room;
    cr__buffer right; /* of the current line */
    size_t *term;     /* of the current line */
    size_t terms, term_room;
    int failed;
    const cr_model *model;
    const cr_explanation *e;
    size_t name_width;
    int32_t rival;
    size_t shown;   /* classes */
    size_t *of;     /* [shown] which ones */
    size_t *joint;  /* [shown] the line of each that the posterior is computed from */
    size_t *answer; /* [shown] the line of its posterior */
} cr__board;

/* A new section; title may be NULL: it continues with lines of another width. */
void cr__board_section(cr__board *b, const char *title, int32_t class_index);

/* Add to the right side, as printf. */
CR_PRINTF_LIKE(2, 3)
void cr__board_put(cr__board *b, const char *fmt, ...);

/* Numbers on the right side: 4 digits, and e^x however small. */
void cr__board_plain(cr__board *b, double x);
void cr__board_power(cr__board *b, double log_x);
void cr__board_added(cr__board *b, double x, int first); /* " + 3", " - 3" */

/* The probability of class_index among p, [classes], which add up to 1, with as many nines as it
 * needs: it is 1 only if nothing is left. In a formula a difference has brackets. */
void cr__board_share(cr__board *b, const double *p, size_t class_index, int in_formula);

/* "6/7", or "(6 + 1)/(7 + 2) = 7/9" where something was added, to the power of an exponent. */
void cr__board_fraction(cr__board *b, double count, double total, double top, double bottom,
                        double power);

/* The current line is computed from another one. */
void cr__board_term(cr__board *b, size_t line);

/* End the line; returns its index. value, log_value and what the rule needs are those of `is`. */
size_t cr__board_line(cr__board *b, const char *left, cr_board_line is);

/* A line whose value is a probability, a density or a product of these. */
size_t cr__board_log_line(cr__board *b, const char *left, cr_board_rule rule, double log_value);

/* Text in the board's memory: as printf; "" when out of memory. */
CR_PRINTF_LIKE(2, 3)
const char *cr__board_text(cr__board *b, const char *fmt, ...);

/* A name, a value or a word as it is shown, no wider than the board's names. */
const char *cr__board_name(cr__board *b, const char *text, size_t size);
const char *cr__board_class(cr__board *b, size_t class_index);

/* "P(legs=no | mammals, fur=yes)", of a factor; a small p for densities. */
const char *cr__board_factor_side(cr__board *b, const cr_factor *f, size_t class_index);

/* "legs=no", "40<hours<=60" */
const char *cr__board_value(cr__board *b, const cr_factor *f);

/* Whether a factor is a text; how its words are ordered and how many are written out. */
int cr__board_is_text(const cr__board *b, const cr_factor *f);
const size_t *cr__board_words(cr__board *b, const cr_factor *f);

/* The parts of a board: each writes its sections. Those of a form fill joint[] or answer[]. */
void cr__board_products(cr__board *b); /* board_product.c */
void cr__board_linear(cr__board *b);   /* board_linear.c */
void cr__board_paths(cr__board *b);    /* board_path.c */
void cr__board_means(cr__board *b);    /* board_mean.c */
void cr__board_votes(cr__board *b);
void cr__board_members(cr__board *b);
void cr__board_normalise(cr__board *b); /* board_decide.c: from joint[] to answer[] */
void cr__board_calibration(cr__board *b);

/* Divide the values of lines, [shown], by their sum over all classes; `what` precedes the names of
 * the new answers, which are [classes]. */
void cr__board_divide(cr__board *b, const size_t *line, double log_all, const char *what,
                      const double *answer);
void cr__board_rule(cr__board *b);

#endif
