/* serve/endpoints/tensor.h - datatypes of the Open Inference Protocol, and tensors as bytes.
 *
 * The extension for binary tensors: the body is JSON, then the bytes of the tensors that say so
 * with the parameter binary_data_size, in their order. Numbers are little-endian, one after the
 * other; each of BYTES has its length before it, four bytes.
 */
#ifndef SERVE_TENSOR_H
#define SERVE_TENSOR_H

#include <stdbool.h>

#include "credence/credence.h"

typedef enum tensor_kind { TENSOR_NUMBER, TENSOR_WHOLE, TENSOR_BOOL, TENSOR_TEXT } tensor_kind;

typedef struct tensor_type {
    const char *name;
    tensor_kind kind;
    size_t size;   /* size of a value in bytes; the minimum for BYTES */
    bool has_sign; /* of whole numbers */
} tensor_type;

/* NULL: there is no such datatype. */
const tensor_type *tensor_type_of(const char *name);

/* The number at bytes, which need not be aligned. */
double tensor_number(const tensor_type *type, const unsigned char *bytes);

/* The next text of at most *left bytes; advances past it. false: it is truncated. */
bool tensor_text(const unsigned char **bytes, size_t *left, cr_span *out);

#endif
