/* base/knobs.h - the knobs of a learner: one row of a table each, and the values in use.
 *
 * A knob is a named choice that can be made after training. Its row states the values it may take,
 * so that one piece of code checks every value, writes the help, and stores the values in the model
 * file.
 */
#ifndef CR_BASE_KNOBS_H
#define CR_BASE_KNOBS_H

#include "credence/model.h"

typedef enum cr__knob_type {
    CR__KNOB_NUMBER, /* a number of at least `least` */
    CR__KNOB_CHOICE, /* one of the words in `choices` */
    CR__KNOB_EITHER, /* one of the words, or a number of at least `least` */
    CR__KNOB_LISTED  /* free text that the learner checks: NAME:NUMBER lists */
} cr__knob_type;

typedef struct cr__knob_spec {
    const char *name;
    const char *fallback; /* the default */
    cr__knob_type type;
    double least;
    const char *choices; /* "one|two|three" */
    const char *help;
} cr__knob_spec;

typedef struct cr__knobs {
    const cr__knob_spec *spec;
    size_t count;
    char **value; /* [count], never NULL */
} cr__knobs;

/* All at their defaults. */
cr_status cr__knobs_new(cr__knobs *out, const cr__knob_spec *spec, size_t count, cr_error *err);
void cr__knobs_free(cr__knobs *knobs);
cr_status cr__knobs_copy(cr__knobs *out, const cr__knobs *from, cr_error *err);

/* Set one from "NAME=VALUE". CR_EARG with the nearest name, the choices or the range. */
cr_status cr__knobs_set(cr__knobs *knobs, const char *setting, cr_error *err);

const char *cr__knobs_text(const cr__knobs *knobs, const char *name);
double cr__knobs_number(const cr__knobs *knobs, const char *name); /* NAN when it is a word */
int cr__knobs_is(const cr__knobs *knobs, const char *name, const char *choice);

/* Whether the knobs `real` and `values`, where they exist, ask for the values of real features
 * themselves, not only their moments. */
int cr__knobs_want_values(const cr__knobs *knobs);

/* The number that a list "1,age:0.5,sex:2" gives for a name: its own, else the bare one, else
 * fallback. A name may contain colons, not commas. */
double cr__list_number(const char *list, const char *name, double fallback);

/* Walk such a list: item i as name (NULL for a bare number) and number. CR_END past the last,
 * CR_EFORMAT when the item is not a number. name is written to buffer. */
cr_status cr__list_item(const char *list, size_t index, char *buffer, size_t size,
                        const char **name, double *number);

#endif
