/* text/recipe_impl.h - shared by recipe.c and recipe_line.c. */
#ifndef CR_TEXT_RECIPE_IMPL_H
#define CR_TEXT_RECIPE_IMPL_H

#define CR__GRAM_WORDS 5   /* the longest n-grams of words */
#define CR__GRAM_CHARS 8   /* and of characters */
#define CR__SKIP_WINDOW 10 /* the widest skip-bigrams */

extern const char *const cr__token_kind_names[]; /* by cr__token_kind, NULL at the end */
extern const char *const cr__strip_names[];      /* by bit of CR__STRIP_..., NULL at the end */

#endif
