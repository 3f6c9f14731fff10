/* credence/explain.h - why a row is decided as it is: the terms of the decision, the blackboard,
 * JSON.
 *
 * cr_model_explain() visits every row of a source with a cr_explanation, which holds the terms of
 * the decision as numbers. cr_board_new() writes an explanation out as on a blackboard, in lines
 * that say where each number comes from and what follows from it. Both can be written as JSON.
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
    CR_WORD_NUMBER,      /* not a fraction of counts */
    CR_WORD_PROBABILITY, /* P(word | class) */
    CR_WORD_ODDS,        /* P(word | class) : P(text without it | class) */
    CR_WORD_INVERSE      /* 1 / P(word | the other classes) */
} cr_word_form;

/* One word of a text: how often it occurs, its weight, and what it adds to each score. */
typedef struct cr_word_share {
    const char *bytes;
    size_t length;
    size_t word; /* its place in the vocabulary, see cr_model_word() */
    size_t count;
    double weight;
    const double *log_p; /* [classes]; for a fraction, weight * log(top / bottom) */
    cr_word_form form;
    const double *counted, *total; /* [classes] bare counts; NULL without a fraction */
    const double *top, *bottom;    /* [classes] smoothed */
    const double *slope;           /* [classes] logistic: what the word adds once; else NULL */
} cr_word_share;

enum { CR_FACTOR_GIVEN = 8 }; /* how many columns a factor names besides the class, at most */

/* One factor of the product: the prior (column SIZE_MAX) or a feature. */
typedef struct cr_factor {
    size_t column;       /* of the model's schema; SIZE_MAX for the prior */
    size_t with;         /* 1 + the column whose features those of `column` are multiplied with, or
                          * 1 + itself: a square; 0: it stands alone */
    const char *name;    /* of the column; "prior"; "a*b" of a product, "a^2" of a square */
    const char *value;   /* the row's value as text; NULL for the prior */
    const double *log_p; /* [classes] log of the factor: the score is the sum of these */
    int left_out;        /* 1: missing, 2: never seen; its log_p are all 0 */
    int fraction;        /* 1: the factor is top/bottom, both [classes] */
    const double *top, *bottom;
    const double *count, *total; /* [classes] bare counts behind the fraction; NULL for densities */
    const double *mean, *variance; /* [classes] of a density; NULL for fractions */
    const double *freedom; /* [classes] degrees of freedom; 0 where the density is Gaussian */
    size_t words; /* of a text: its known words, in the model's order. log_p is their sum plus
                   * cr_factor_alike() */
    const cr_word_share *word; /* [words], or NULL if there are none */
    const char *text;          /* of a text: the input itself, or NULL */
    size_t text_size;
    int chained;   /* it is P(value | class, the values before it), not P(value | class) */
    size_t givens; /* how many of those values matter, if that is known; 0: any of them may */
    size_t given[CR_FACTOR_GIVEN]; /* their columns; if there are more, the first few */
    int pooled;       /* the variance is pooled over 1: the classes, 2: the columns, 3: both */
    int cut;          /* the number is replaced by the interval low < value <= high */
    double low, high; /* infinite at the ends */
    const double *kernels, *width; /* [classes] of a kernel density: how many, how wide */
    const double *kernel_sum;      /* [classes] the mean of the kernels at the value */
    double guess_rows, guess;      /* the Gaussian of all classes that is mixed in: its rows, its
                                    * density */
    const double *slope;           /* [classes] logistic: the weight; log_p is x times the weight */
    double x;                      /* the value that is multiplied by the weight; 1 for a symbol; in
                                    * a product numbers less their means */
} cr_factor;

/* --- other forms ---------------------------------------------------------------------------- */

/* How the scores are computed. */
typedef enum cr_explanation_form {
    CR_FORM_PRODUCT,   /* log P(class, row): the log_p of the factors, added */
    CR_FORM_QUADRATIC, /* the same, the real features jointly normal */
    CR_FORM_LINEAR,    /* logistic: z = intercept + weights times values, posterior by softmax */
    CR_FORM_PATH,      /* a tree: the leaves that the row reaches */
    CR_FORM_MEAN,      /* log of the mean of several products */
    CR_FORM_VOTES,     /* the fraction of the hypotheses of a version space that vote for the
                        * class */
    CR_FORM_MEMBERS,   /* an ensemble: the members' posteriors, weighted */
    CR_FORM_POWERS     /* an ensemble: the members' posteriors, to their powers and multiplied */
} cr_explanation_form;

/* What a member of an ensemble says about the row. */
typedef struct cr_member_share {
    const char *name;
    double weight;           /* of the member; where some hold the row impossible, these share it */
    const double *posterior; /* [classes]; all 0 if the member gives the row probability zero */
    int32_t decision;        /* its most probable class, or CR_UNDECIDED */
    int drawn;               /* the Gibbs rule drew this one: it alone counts */
} cr_member_share;

/* One question on the way through a tree. */
typedef struct cr_path_step {
    const char *question; /* "birth = yes", as it was answered; "" for the root */
    double share;         /* share of the row that goes this way: 1, or less if the value is
                           * missing */
    const double *count;  /* [classes] weight of the training rows that reach this point */
    double rows;          /* their sum */
    const double *top;    /* [classes] P(class | here) = top / bottom */
    double bottom;
} cr_path_step;

/* One leaf that the row reaches, and the path to it. */
typedef struct cr_path {
    double share; /* of the row: the shares of its steps multiplied */
    size_t steps; /* the root first, the leaf last */
    const cr_path_step *step;
} cr_path;

/* One of the products that are averaged. */
typedef struct cr_product {
    size_t column; /* all features depend on this one besides the class; SIZE_MAX: on none */
    size_t factors;
    const size_t *of;    /* [factors] SIZE_MAX: the prior; else the feature's column */
    const double *log_p; /* [factors * classes] */
} cr_product;

/* How a posterior was calibrated, class by class. before is the input, after the output before
 * normalisation. The numbers are the parameters of the method. */
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
    const double *score;     /* [classes] log P(class, row): exactly the sum of the log_p, added in
                              * order */
    const double *posterior; /* [classes] calibrated, and under the rule's priors */
    const cr_factor *factor; /* [factors], the prior first, then the columns in their order */
    size_t members;          /* of an ensemble, which has no factors; 0 otherwise */
    const cr_member_share *member; /* [members]; weight times posterior adds up to the posterior */
    cr_explanation_form form;
    const double *moderation; /* [classes] logistic: the factor by which log_p and z are multiplied,
                               * or NULL */
    size_t paths;
    const cr_path *path; /* [paths] of a tree */
    size_t products;
    const cr_product *product;              /* [products] of CR_FORM_MEAN */
    const char *calibration;                /* method, or NULL */
    const cr_calibration_share *calibrated; /* [classes]; of two classes, the second has it */
    const double *before_rule; /* [classes] posterior before the rule's priors are applied; NULL:
                                * the same */
    const cr_rule *rule;       /* that decided, or NULL */
    cr_reason reason;
    double expected_cost; /* of the decision, under a rule */
    const char
        *error; /* why the row could not be read, with CR_ON_ERROR_ROW: there is nothing else */
    const double *low, *high; /* [classes] of the posterior, if the options ask for an interval; or
                               * NULL */
    double level;             /* of that interval */
    const struct cr__batch *inside; /* for cr_row_take(): where the row is stored */
    size_t inside_row;
} cr_explanation;

/* Explain every row, in order, in one thread. With a rule, the decision is the rule's. If visit
 * returns a status other than CR_OK, the pass ends and returns it. */
cr_status cr_model_explain(const cr_model *model, cr_source *source,
                           const cr_predict_options *options,
                           cr_status (*visit)(void *context, const cr_explanation *e),
                           void *context, cr_error *err);

/* Explain one row with its own copy of the model. rule may be NULL. visit is called once, with line
 * 0. CR_EARG: the rule is for another number of classes. */
cr_status cr_row_explain(cr_row *row, const cr_rule *rule,
                         cr_status (*visit)(void *context, const cr_explanation *e), void *context,
                         cr_error *err);

/* The class that a decision is compared with: that with the name `against`, or the runner-up if
 * `against` is NULL or the decision itself; CR_UNDECIDED if there is none. CR_EARG: the model has
 * no such class. */
cr_status cr_explanation_rival(int32_t *out, const cr_model *model, const cr_explanation *e,
                               const char *against, cr_error *err);

/* The first factor that makes a class impossible, or NULL. */
const cr_factor *cr_explanation_zero(const cr_explanation *e, size_t class_index);

/* The posterior of the decision. It is 1 only if no other class is possible; otherwise a posterior
 * that rounds to 1 is returned as less than 1. 0 without a decision. */
double cr_explanation_certainty(const cr_explanation *e);

/* What a text factor adds to the score of a class in addition to its words, the same for every
 * text. For a factor without words that is all of it. */
double cr_factor_alike(const cr_factor *f, size_t class_index);

/* Order the words of a text by how strongly they favour one class over another, strongest first.
 * word[i] is an index into f->word; word has room for f->words. If there are no two classes, the
 * order is the model's. CR_ENOMEM. */
cr_status cr_factor_order_words(const cr_factor *f, int32_t decision, int32_t rival, size_t *word);

/* --- what would have to change -------------------------------------------------------------- */

/* The smallest change found of a single feature that leads to another decision. */
typedef struct cr_change {
    size_t column; /* of the model's schema */
    const char *name;
    double number;      /* the new number; NaN if the feature is not a number */
    const char *value;  /* the new value or interval, if its values have names; otherwise NULL */
    size_t words;       /* of a text: how many words would have to be left out */
    size_t *word;       /* [words] their numbers: see cr_model_word() */
    int32_t decision;   /* the new decision */
    double probability; /* of the new decision */
    double distance;    /* for a number, in standard deviations of its column, from the mean if it
                         * is missing; for a text, the number of words; 1 for another value */
} cr_change;

typedef struct cr_changes {
    size_t count;      /* features that can change the decision by themselves */
    cr_change *change; /* [count] the nearest first */
} cr_changes;

/* Find what would have to change in a row for another decision, one feature at a time. rule may be
 * NULL. Of a symbol's values, and of the intervals of a number that is cut, the one with the surest
 * decision is reported. Numbers are tried in steps of a sixteenth of a standard deviation from the
 * row's own value, up to four deviations from the mean. Where the decision changes between two
 * steps, the point is found exactly and reported to a hundredth of a deviation. Numbers whose
 * spread the model does not know are not tried. Up to 20 words of a text are left out, starting
 * with those that favour the decision most. Missing values may become known, but not the reverse.
 * Names belong to the row. Free *out with cr_changes_free(). CR_EARG: the model has no classes. */
cr_status cr_row_changes(cr_row *row, const cr_rule *rule, cr_changes **out, cr_error *err);
void cr_changes_free(cr_changes *changes); /* NULL is allowed */

/* During a visit, copy the explained row into a row of the same model. CR_EARG: the row belongs to
 * another model, or the model is an ensemble with texts, whose words belong to the members. */
cr_status cr_row_take(cr_row *row, const cr_explanation *e);

/* --- the blackboard ------------------------------------------------------------------------- */

/* How a line's value follows from what is on the board. */
typedef enum cr_board_rule {
    CR_BOARD_TEXT,     /* a remark, with nothing to compute */
    CR_BOARD_NUMBER,   /* a number of the model, or one that `right` derives */
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
    double value;     /* exp(log_value), which may underflow to 0; or another value of the line */
    double count, total, top, bottom, power; /* of a fraction: bare counts, smoothed counts,
                                              * exponent */
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
    size_t size;         /* sizeof(cr_board_options), or 0: see run.h */
    size_t name_width;   /* maximum width of a name, a value or a word in columns; 0: 24 */
    const char *against; /* order the words of a long text by how strongly they favour the decision
                          * over this class; NULL: over the runner-up */
} cr_board_options;

/* Write an explanation out. options may be NULL. At most the 8 most probable classes and 40 words
 * of a text are written out. CR_ENOMEM, CR_EARG. */
cr_status cr_board_new(cr_board **out, const cr_model *model, const cr_explanation *e,
                       const cr_board_options *options, cr_error *err);
/* The same for a regression, with an interval that holds the target with probability level. */
cr_status cr_board_new_regression(cr_board **out, const cr_model *model,
                                  const cr_regression_explanation *e, double level,
                                  const cr_board_options *options, cr_error *err);
void cr_board_free(cr_board *board); /* NULL is allowed */

/* The board as lines of text. The left sides of a section are padded to the widest. */
void cr_board_text(const cr_board *board, cr_output *out);

/* The board as a member of an object or, with key NULL, by itself: {"heading", "note", "sections":
 * [{"title", "lines": [{"left", "right", "rule", "value", "log_value", ...}]}], "closing"}. Terms
 * are indices into all lines of the board. */
void cr_board_json(const cr_board *board, cr_json *json, const char *key);

/* --- JSON ----------------------------------------------------------------------------------- */

typedef struct cr_explanation_json_options {
    size_t size;               /* sizeof(cr_explanation_json_options), or 0: see run.h */
    const char *against;       /* a class to compare with; NULL: the runner-up */
    int work;                  /* add the blackboard under "work" */
    const cr_changes *changes; /* added under "changes"; NULL: none */
} cr_explanation_json_options;

/* One object on a line; `credence help explain` lists the keys. CR_ENOMEM, CR_EARG. */
cr_status cr_explanation_json(const cr_model *model, const cr_explanation *e,
                              const cr_explanation_json_options *options, cr_output *out,
                              cr_error *err);
cr_status cr_regression_explanation_json(const cr_model *model, const cr_regression_explanation *e,
                                         double level, int work, cr_output *out, cr_error *err);

/* --- CSV ------------------------------------------------------------------------------------ */

/* The names of the columns, and the lines of one row: one for each factor or word and class, for
 * each member of an ensemble and class, or for each share of a regression's answer. */
void cr_explanation_csv_header(const cr_model *model, cr_output *out);
void cr_explanation_csv(const cr_model *model, const cr_explanation *e, cr_output *out);
void cr_regression_explanation_csv(const cr_model *model, const cr_regression_explanation *e,
                                   cr_output *out);

#ifdef __cplusplus
}
#endif
#endif
