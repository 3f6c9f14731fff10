/* credence/explain.h - why a row is decided as it is: the parts of a model that decided, the
 * blackboard, JSON.
 *
 * cr_model_explain() visits every row of a source with a cr_explanation: the parts of the model
 * that decided, as numbers. cr_board_new() works an explanation out as on a blackboard: lines that
 * say where each number comes from and what follows from it. Both can be written as JSON.
 *
 * What an explanation points to is valid during the visit. A board owns everything it points to.
 * Neither may be used by two threads at once.
 */
#ifndef CREDENCE_EXPLAIN_H
#define CREDENCE_EXPLAIN_H

#include "credence/decision.h"
#include "credence/json.h"
#include "credence/linear.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- words and factors ---------------------------------------------------------------------- */

/* What a word of a text stands for. */
typedef enum cr_word_form {
    CR_WORD_NUMBER,      /* no fraction of counts */
    CR_WORD_PROBABILITY, /* P(word | class) */
    CR_WORD_ODDS,        /* P(word | class) : P(text without it | class) */
    CR_WORD_INVERSE      /* 1 / P(word | the other classes) */
} cr_word_form;

/* One word of a text: how often it occurs there, its weight, and what it adds to each score. */
typedef struct cr_word_share {
    const char *bytes;
    size_t length;
    size_t word; /* its place in the vocabulary, see cr_model_word() */
    size_t count;
    double weight;
    const double *log_p; /* [classes]; where there is a fraction, weight * log(top / bottom) */
    cr_word_form form;
    const double *counted, *total; /* [classes] bare counts; NULL without a fraction */
    const double *top, *bottom;    /* [classes] smoothed */
    const double *slope;           /* [classes] logistic: what the word adds once; else NULL */
} cr_word_share;

enum { CR_FACTOR_GIVEN = 8 }; /* columns that a factor names besides the class */

/* One factor of the product: the prior (column SIZE_MAX) or a feature. */
typedef struct cr_factor {
    size_t column;       /* of the model's schema; SIZE_MAX for the prior */
    const char *name;    /* of the column; "prior" */
    const char *value;   /* the row's value as text; NULL for the prior */
    const double *log_p; /* [classes] log of the factor: what the score adds up */
    int left_out;        /* 1: missing, 2: never seen; its log_p are all 0 */
    int fraction;        /* 1: the factor is top/bottom, both [classes] */
    const double *top, *bottom;
    const double *count, *total; /* [classes] bare counts behind the fraction; NULL for densities */
    const double *mean, *variance; /* [classes] of a density; NULL for fractions */
    const double *freedom; /* [classes] degrees of freedom; 0 where the density is Gaussian */
    size_t words; /* of a text: its known words, in the model's order; log_p is their sum */
    const cr_word_share *word; /* and what every text of the class has alike (NULL when none) */
    const char *text;          /* of a text: as it stands in the input, or NULL */
    size_t text_size;
    int chained;   /* it is P(value | class, the values before it), not P(value | class) */
    size_t givens; /* of those values, how many matter where that is known; 0: any may */
    size_t given[CR_FACTOR_GIVEN]; /* their columns, the first few when they are more */
    int pooled;       /* the variance is estimated over 1: the classes, 2: the columns, 3: both */
    int cut;          /* a number that counts as the interval low < value <= high */
    double low, high; /* infinite at the ends */
    const double *kernels, *width; /* [classes] of a kernel density: how many, how wide */
    const double *kernel_sum;      /* [classes] the mean of the kernels at the value */
    double guess_rows, guess;      /* and the Gaussian of all classes mixed in: rows, density */
    const double *slope;           /* [classes] logistic: the weight; log_p is x times that */
    double x;                      /* what it is multiplied with; 1 for a symbol */
} cr_factor;

/* --- other forms ---------------------------------------------------------------------------- */

/* How the scores come about. */
typedef enum cr_explanation_form {
    CR_FORM_PRODUCT,   /* log P(class, row): the log_p of the factors, added */
    CR_FORM_QUADRATIC, /* the same, the real features jointly normal */
    CR_FORM_LINEAR,    /* logistic: z = intercept + weights times values, posterior by softmax */
    CR_FORM_PATH,      /* a tree: the leaves that the row reaches */
    CR_FORM_MEAN,      /* log of the mean of several products */
    CR_FORM_VOTES,     /* hypotheses of a version space that say so, as a fraction */
    CR_FORM_MEMBERS,   /* an ensemble: the members' posteriors, weighted */
    CR_FORM_POWERS     /* an ensemble: the members' posteriors, to their powers and multiplied */
} cr_explanation_form;

/* What a member of an ensemble says of the row. */
typedef struct cr_member_share {
    const char *name;
    double weight;           /* of the member; where some hold the row impossible, these share it */
    const double *posterior; /* [classes]; all 0 when it holds the row impossible */
    int32_t decision;        /* its most probable class, or CR_UNDECIDED */
    int drawn;               /* the Gibbs rule drew this one: it alone counts */
} cr_member_share;

/* One question on the way through a tree. */
typedef struct cr_path_step {
    const char *question; /* "birth = yes", as it was answered; "" for the root */
    double share;         /* of the row that goes this way: 1, or less where the value is missing */
    const double *count;  /* [classes] weight of the training rows that came here */
    double rows;          /* their sum */
    const double *top;    /* [classes] P(class | here) = top / bottom */
    double bottom;
} cr_path_step;

/* One leaf that the row reaches, and the way there. */
typedef struct cr_path {
    double share; /* of the row: the shares of its steps multiplied */
    size_t steps; /* the root first, the leaf last */
    const cr_path_step *step;
} cr_path;

/* One of the products of which the mean is taken. */
typedef struct cr_product {
    size_t column; /* all features depend on this one besides the class; SIZE_MAX: on none */
    size_t factors;
    const size_t *of;    /* [factors] SIZE_MAX: the prior; else the feature's column */
    const double *log_p; /* [factors * classes] */
} cr_product;

/* How a posterior was calibrated, class by class: before is what went in, after what came out,
 * before normalisation. The numbers are those of the method, see cr_calibration. */
typedef struct cr_calibration_share {
    double before, after;
    double log_before, log_rest; /* ln before, ln(1 - before), as the method takes them */
    size_t numbers;
    double number[4]; /* temperature T; platt a, b; beta a, b, c; isotonic x0, y0, x1, y1 */
} cr_calibration_share;

/* --- explanations --------------------------------------------------------------------------- */

typedef struct cr_explanation {
    size_t line, classes, factors;
    int32_t decision;        /* or CR_UNDECIDED */
    int32_t runner_up;       /* the second best class, or CR_UNDECIDED */
    const double *score;     /* [classes] log P(class, row): the log_p added in order, exactly */
    const double *posterior; /* [classes] calibrated, and under the rule's priors */
    const cr_factor *factor; /* [factors], the prior first, then the columns in their order */
    size_t members;          /* of an ensemble, which has no factors; 0 otherwise */
    const cr_member_share *member; /* [members]; weight times posterior adds up to the posterior */
    cr_explanation_form form;
    const double
        *moderation; /* [classes] logistic: what log_p and z are multiplied with, or NULL */
    size_t paths;
    const cr_path *path; /* [paths] of a tree */
    size_t products;
    const cr_product *product;              /* [products] of CR_FORM_MEAN */
    const char *calibration;                /* method, or NULL */
    const cr_calibration_share *calibrated; /* [classes]; of two classes, the second has it */
    const double *before_rule; /* [classes] posterior without the rule's priors; NULL: the same */
    const cr_rule *rule;       /* that decided, or NULL */
    cr_reason reason;
    double expected_cost; /* of the decision, under a rule */
    const char
        *error; /* why the row could not be read, with CR_ON_ERROR_ROW: there is nothing else */
    const double *low, *high; /* [classes] of the posterior, with the options' interval; or NULL */
    double level;             /* of that */
    const struct cr__batch *inside; /* for cr_row_take(): where the row stands */
    size_t inside_row;
} cr_explanation;

/* Explain every row, in order, one thread. With a rule the decision is the rule's. A status of
 * visit other than CR_OK ends the pass and is returned. */
cr_status cr_model_explain(const cr_model *model, cr_source *source,
                           const cr_predict_options *options,
                           cr_status (*visit)(void *context, const cr_explanation *e),
                           void *context, cr_error *err);

/* Explain one row by the model as the row knows it, with a rule or NULL; visit is called once, and
 * line is 0. CR_EARG: the rule is for another number of classes. */
cr_status cr_row_explain(cr_row *row, const cr_rule *rule,
                         cr_status (*visit)(void *context, const cr_explanation *e), void *context,
                         cr_error *err);

/* The class that a decision is weighed against: `against` unless that is CR_UNDECIDED or the
 * decision itself, else the runner-up; CR_UNDECIDED when there is none. */
int32_t cr_explanation_rival(const cr_explanation *e, int32_t against);

/* The first factor that makes a class impossible, or NULL. */
const cr_factor *cr_explanation_zero(const cr_explanation *e, size_t class_index);

/* The posterior of the decision, which is 1 only where no other class is possible: elsewhere a
 * posterior of 1 is a rounded one. 0 without a decision. */
double cr_explanation_certainty(const cr_explanation *e);

/* What a factor adds to the score of a class beside its words, alike for every text; else 0. */
double cr_factor_alike(const cr_factor *f, size_t class_index);

/* The words of a text by how strongly they speak for one class against another, strongest first:
 * word[i] is an index of f->word, room for f->words. Their order is the model's where there are no
 * two classes. CR_ENOMEM. */
cr_status cr_factor_order_words(const cr_factor *f, int32_t decision, int32_t rival, size_t *word);

/* --- what would have to change -------------------------------------------------------------- */

/* A change of one feature alone that leads to another decision: the smallest one that was found. */
typedef struct cr_change {
    size_t column; /* of the model's schema */
    const char *name;
    double number;      /* the number that it would have to be; otherwise NaN */
    const char *value;  /* the value, or the interval, where it has values with names; else NULL */
    size_t words;       /* of a text: so many words would have to be left out, */
    size_t *word;       /* these: see cr_model_word() */
    int32_t decision;   /* that follows */
    double probability; /* of that class, then */
    double distance;    /* of a number in standard deviations of its column, from its mean where it
                         * is missing; of a text the number of words; 1 for another value */
} cr_change;

typedef struct cr_changes {
    size_t count;      /* features that can change the decision by themselves */
    cr_change *change; /* [count] the nearest first */
} cr_changes;

/* What would have to change in a row for another decision, with a rule or NULL, one feature at a
 * time. Of a symbol's values, and the intervals of a number that is cut, the one with the surest
 * decision is told. Numbers are tried at sixteenths of a standard deviation from the row's own on,
 * as far as four deviations from the mean; where the decision changes between two of them, the
 * place is found exactly, and told to a hundredth of a deviation. Numbers whose spread the model
 * does not know are not tried. Up to 20 words of a text are left out, those that speak most for the
 * decision first. Values that are missing may become known, not the other way round. The names
 * belong to the row. To be freed. CR_EARG: the model has no classes. */
cr_status cr_row_changes(cr_row *row, const cr_rule *rule, cr_changes **out, cr_error *err);
void cr_changes_free(cr_changes *changes); /* NULL is allowed */

/* Make a row of the same model the one that an explanation is about, during its visit. CR_EARG: it
 * is of another model, or an ensemble with texts, whose words are the members'. */
cr_status cr_row_take(cr_row *row, const cr_explanation *e);

/* --- the blackboard ------------------------------------------------------------------------- */

/* How a line's value follows from what is on the board. */
typedef enum cr_board_rule {
    CR_BOARD_TEXT,     /* nothing to compute: a remark */
    CR_BOARD_NUMBER,   /* a number of the model, or one that right derives */
    CR_BOARD_FRACTION, /* (top / bottom) ^ power */
    CR_BOARD_GAUSSIAN, /* exp(-(x - mean)² / (2 variance)) / √(2 π variance) */
    CR_BOARD_STUDENT,  /* Student's t with freedom at (x - mean) / √variance, over √variance */
    CR_BOARD_SQUARE,   /* (x - mean)² / variance */
    CR_BOARD_TIMES,    /* top × bottom */
    CR_BOARD_PRODUCT,  /* of its terms */
    CR_BOARD_SUM,      /* of its terms */
    CR_BOARD_LOG_SUM,  /* Σ ln variance of its terms */
    CR_BOARD_MEAN,     /* of its terms */
    CR_BOARD_QUOTIENT, /* the first term over the second */
    CR_BOARD_NORMAL,   /* exp(-(first term + second term + top × ln 2π) / 2) */
    CR_BOARD_SIGMOID,  /* 1 / (1 + e^-term) */
    CR_BOARD_REST,     /* 1 - term */
    CR_BOARD_EXP,      /* e^term */
    CR_BOARD_WEIGHTED, /* first term × second + third × fourth + … */
    CR_BOARD_POWER,    /* term ^ (1 / top) */
    CR_BOARD_POWERS    /* second term ^ first × fourth ^ third × … */
} cr_board_rule;

typedef struct cr_board_line {
    size_t section;    /* of the board */
    const char *left;  /* "P(birth=yes | mammals)" */
    const char *right; /* "= 6/7 = 0.8571"; the numbers rounded for reading */
    cr_board_rule rule;
    double log_value; /* of a probability, a density or a product of these; else NaN */
    double value;     /* exp(log_value), which may be 0 in a double; or what else the line says */
    double count, total, top, bottom, power; /* of a fraction: bare, smoothed, its exponent */
    double x, mean, variance, freedom;       /* of a density or a square */
    size_t terms;                            /* lines that the value is computed from */
    const size_t *term;
} cr_board_line;

typedef struct cr_board_section {
    const char *title;   /* "mammals", "Together"; a class is titled by its name */
    int32_t class_index; /* or CR_UNDECIDED */
    size_t width;        /* columns of its widest left side */
} cr_board_section;

typedef struct cr_board {
    const char *heading; /* "Line 2: birth=yes, fly=no" */
    const char *note;    /* "Variances are pooled over the classes.", or NULL */
    size_t sections, lines;
    const cr_board_section *section;
    const cr_board_line *line; /* in the order of their sections */
    const char *closing;       /* "Decision: mammals, the most probable class, 88.49 %." */
} cr_board;

typedef struct cr_board_options {
    size_t name_width; /* columns for a name, a value or a word, at most; 0: 24 */
    int32_t against;   /* the words of a long text are ordered by how they speak against this class;
                        * CR_UNDECIDED: against the runner-up */
} cr_board_options;

/* Work an explanation out. options may be NULL. At most 8 classes are written out, the likeliest,
 * and 40 words of a text. CR_ENOMEM. */
cr_status cr_board_new(cr_board **out, const cr_model *model, const cr_explanation *e,
                       const cr_board_options *options, cr_error *err);
/* The same for a number, with an interval that holds it with probability level. */
cr_status cr_board_new_regression(cr_board **out, const cr_model *model,
                                  const cr_regression_explanation *e, double level,
                                  const cr_board_options *options, cr_error *err);
void cr_board_free(cr_board *board); /* NULL is allowed */

/* The board as lines of text, left sides as wide as the widest of their section. */
void cr_board_text(const cr_board *board, cr_output *out);

/* As a member of an object, or with key NULL by itself: {"heading", "note", "sections": [{"title",
 * "lines": [{"left", "right", "rule", "value", "log_value", ...}]}], "closing"}. Terms are indices
 * of all lines of the board. */
void cr_board_json(const cr_board *board, cr_json *json, const char *key);

/* --- JSON ----------------------------------------------------------------------------------- */

typedef struct cr_explanation_json_options {
    int32_t against;           /* a class to compare with, or CR_UNDECIDED: the runner-up */
    int work;                  /* with the blackboard under "work" */
    const cr_changes *changes; /* under "changes"; NULL: without */
} cr_explanation_json_options;

/* One object on a line; `credence help explain` lists the keys. CR_ENOMEM. */
cr_status cr_explanation_json(const cr_model *model, const cr_explanation *e,
                              const cr_explanation_json_options *options, cr_output *out,
                              cr_error *err);
cr_status cr_regression_explanation_json(const cr_model *model, const cr_regression_explanation *e,
                                         double level, int work, cr_output *out, cr_error *err);

#ifdef __cplusplus
}
#endif
#endif
