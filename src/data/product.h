/* data/product.h - columns that are products of others: x^2, x*y, x^2*y.
 *
 * The name of such a column is its definition: names of columns before it, or powers of them,
 * joined by '*'. A reader of rows fills in the factors, then calls cr__products_fill(). So any
 * learner that is linear in its features becomes a polynomial of the columns (Bishop, Pattern
 * Recognition and Machine Learning, 3.1: basis functions), with the same results as for a table
 * that contains the products as columns.
 */
#ifndef CR_DATA_PRODUCT_H
#define CR_DATA_PRODUCT_H

#include "data/batch.h"

enum { CR__FACTORS = 9 }; /* of a product, at most: x^9 */

/* Read the column's factors from its name. CR_EFORMAT: it is not a product, or a factor is not a
 * column of the schema. */
cr_status cr__product_read(const cr_schema *schema, cr__column *column, cr_error *err);

/* The products of the rows in a batch. Where a factor is missing, or the product too large
 * for a double, the product is missing. */
void cr__products_fill(const cr_schema *schema, cr__batch *batch);

#endif
