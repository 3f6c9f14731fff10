/* base/matrix.h - products and factorisations of matrices, by OpenBLAS.
 *
 * All matrices are stored in row-major order without gaps. The library is loaded when it is first
 * needed: code that sets up something that will call a function of this header, and can fail,
 * begins with cr__matrix_open().
 */
#ifndef CR_BASE_MATRIX_H
#define CR_BASE_MATRIX_H

#include <cblas.h>
#include <stddef.h>

#include "credence/status.h"

/* CR_EIO when the library is missing. Costs nothing once it is open. */
cr_status cr__matrix_open(cr_error *err);

/* --- BLAS ------------------------------------------------------------------------------------- */

/* Debian's serial OpenBLAS may give the same buffer to two threads that ask for one at the same
 * time, so a lock lets them in one by one. A library that is built for threads needs no lock, and
 * is told to start no threads of its own. Sums over vectors need no buffer. */
void cr__blas_enter(void);
void cr__blas_leave(void);

#define CR__BLAS(X) X(daxpy) X(ddot) X(dgemm) X(dgemv) X(dnrm2) X(dsyr) X(dsyrk) X(dtrsm) X(dtrsv)

#define CR__BLAS_POINTER(name) __typeof__(cblas_##name) *name;

typedef struct cr__blas_table {
    CR__BLAS(CR__BLAS_POINTER)
} cr__blas_table;

extern cr__blas_table cr__blas;

#define CR__BLAS_ALONE(call) (cr__blas_enter(), call, cr__blas_leave())

/* They are called by their usual names. */
#define cblas_daxpy cr__blas.daxpy
#define cblas_ddot cr__blas.ddot
#define cblas_dnrm2 cr__blas.dnrm2
#define cblas_dgemm(...) CR__BLAS_ALONE(cr__blas.dgemm(__VA_ARGS__))
#define cblas_dgemv(...) CR__BLAS_ALONE(cr__blas.dgemv(__VA_ARGS__))
#define cblas_dsyr(...) CR__BLAS_ALONE(cr__blas.dsyr(__VA_ARGS__))
#define cblas_dsyrk(...) CR__BLAS_ALONE(cr__blas.dsyrk(__VA_ARGS__))
#define cblas_dtrsm(...) CR__BLAS_ALONE(cr__blas.dtrsm(__VA_ARGS__))
#define cblas_dtrsv(...) CR__BLAS_ALONE(cr__blas.dtrsv(__VA_ARGS__))

/* --- LAPACK ----------------------------------------------------------------------------------- */

/* A = L L', with L replacing A's lower triangle; the part above it is kept. Returns 0, or the row,
 * from 1, whose pivot is not positive: A is not positive definite or contains NaN. */
size_t cr__cholesky(double *a, size_t n);

/* With L of cr__cholesky: b becomes A⁻¹ b; L becomes the lower triangle of A⁻¹; L becomes L⁻¹. The
 * last two return 0 when a pivot is 0. */
void cr__cholesky_solve(const double *l, size_t n, double *b);
int cr__cholesky_invert(double *l, size_t n);
int cr__triangle_invert(double *l, size_t n);

/* A = V diag(value) V' of a symmetric A with both of its triangles; the columns of V replace A, the
 * values ascend. CR_ENOMEM, or CR_EFORMAT when it does not converge. */
cr_status cr__eigen(double *a, size_t n, double *value);

/* L with L L' = A A' into the lower triangle of A, [n * length] with length >= n, without forming A
 * A': A' = QR, and L = R'. The part above it is overwritten with reflections. room: [n *
 * CR__QR_ROOM]. */
enum { CR__QR_ROOM = 33 };
void cr__qr(double *a, size_t n, size_t length, double *room);

#endif
