/* base/matrix.c - the function tables of BLAS and LAPACK, and calls of LAPACK (E. Anderson et al.,
 * LAPACK Users' Guide, 1999).
 *
 * LAPACK has Fortran's calling convention: everything by address, the lengths of strings after all
 * other arguments, and matrices in column-major order. A row-major matrix is the transpose of the
 * column-major one, so the lower triangle here is the upper one there.
 */
#include "base/matrix.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/library.h"
#include "base/memory.h"
#include "base/pool.h"

void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t);
void dpotri_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t);
void dtrtri_(const char *uplo, const char *diag, const int *n, double *a, const int *lda, int *info,
             size_t, size_t);
void dsyevd_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w,
             double *work, const int *lwork, int *iwork, const int *liwork, int *info, size_t,
             size_t);
void dgeqrf_(const int *m, const int *n, double *a, const int *lda, double *tau, double *work,
             const int *lwork, int *info);

#define LAPACK(X) X(dpotrf_) X(dpotri_) X(dtrtri_) X(dsyevd_) X(dgeqrf_)
#define LAPACK_POINTER(name) __typeof__(name) *name;

#define SETTINGS(X) X(get_parallel) X(set_num_threads)
#define SETTINGS_POINTER(name) __typeof__(openblas_##name) *name;

cr__blas_table cr__blas;

static struct {
    LAPACK(LAPACK_POINTER)
} lapack;

static struct {
    SETTINGS(SETTINGS_POINTER)
} openblas;

static cr__library blas_library = {CREDENCE_OPENBLAS, "cblas_", CR__NAMES(CR__BLAS), &cr__blas, 0};
static cr__library lapack_library = {CREDENCE_OPENBLAS, "", CR__NAMES(LAPACK), &lapack, 0};
static cr__library settings_library = {CREDENCE_OPENBLAS, "openblas_", CR__NAMES(SETTINGS),
                                       &openblas, 0};

/* --- threads ---------------------------------------------------------------------------------- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER, opening = PTHREAD_MUTEX_INITIALIZER;
static int serial; /* the library is not built for threads */

/* OpenBLAS's allocator retries for ever when it gets no memory. So where the address space is
 * limited, the space is checked for beforehand, and the one buffer of a call is taken at once. */
static int limited; /* the address space is */

static void settle(void)
{
    const int one = 1;
    int info;
    double a = 1;

    serial = limited || openblas.get_parallel() == 0;
    if (openblas.get_parallel() != 0)
        openblas.set_num_threads(1);
    if (limited)
        lapack.dpotrf_("U", &one, &a, &one, &info, 1);
}

/* The library itself; and for each of its threads, including the calling one, a buffer (128 MB
 * where the library is built for several processors), a stack, and an arena of the C library. */
static size_t needed_space(void)
{
    const char *set = getenv("OPENBLAS_NUM_THREADS");
    const long threads = set != NULL && atol(set) > 0 ? atol(set) : cr__cores();
    struct rlimit stack;
    size_t each = (size_t)8 << 20;

    if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur != RLIM_INFINITY)
        each = (size_t)stack.rlim_cur;
    return ((size_t)48 << 20) + (size_t)threads * (each + ((size_t)192 << 20));
}

static cr_status check_space(cr_error *err)
{
    const size_t need = needed_space();
    struct rlimit space;
    void *block;

    if (getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur == RLIM_INFINITY)
        return CR_OK;
    limited = 1;
    block = mmap(NULL, need, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (block != MAP_FAILED) {
        munmap(block, need);
        return CR_OK;
    }
    cr__fail(err, CR_ENOMEM,
             "matrix calculations need OpenBLAS, and OpenBLAS needs %s of address space; the "
             "limit of %s does not allow that",
             cr__size_of((double)need).text, cr__size_of((double)space.rlim_cur).text);
    return cr__fail_hint(err, CR_ENOMEM, "raise the limit of the process (ulimit -v)");
}

/* Checked once: how much is needed depends on whether the library is open. */
static cr_status open_first(cr_error *err)
{
    cr_status st = check_space(err);

    if (st == CR_OK)
        st = cr__library_open(&lapack_library, err);
    if (st == CR_OK)
        st = cr__library_open(&settings_library, err);
    if (st == CR_OK)
        pthread_once(&once, settle);
    if (st == CR_OK)
        st = cr__library_open(&blas_library, err);
    return st;
}

cr_status cr__matrix_open(cr_error *err)
{
    cr_status st;

    if (atomic_load_explicit(&blas_library.open, memory_order_acquire))
        return CR_OK;
    pthread_mutex_lock(&opening);
    st = atomic_load_explicit(&blas_library.open, memory_order_relaxed) ? CR_OK : open_first(err);
    pthread_mutex_unlock(&opening);
    return st;
}

void cr__blas_enter(void)
{
    if (serial)
        pthread_mutex_lock(&door);
}

void cr__blas_leave(void)
{
    if (serial)
        pthread_mutex_unlock(&door);
}

/* --- factors ---------------------------------------------------------------------------------- */

/* A NaN reaches the pivot of its row. */
size_t cr__cholesky(double *a, size_t n)
{
    const int size = (int)n;
    int info = 0;

    if (n > 0)
        CR__BLAS_ALONE(lapack.dpotrf_("U", &size, a, &size, &info, 1));
    for (size_t i = 0; info == 0 && i < n; i++)
        if (!(a[i * n + i] > 0))
            info = (int)i + 1;
    return (size_t)info;
}

void cr__cholesky_solve(const double *l, size_t n, double *b)
{
    const int size = (int)n;

    cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, size, l, size, b, 1);
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasTrans, CblasNonUnit, size, l, size, b, 1);
}

int cr__cholesky_invert(double *l, size_t n)
{
    const int size = (int)n;
    int info;

    CR__BLAS_ALONE(lapack.dpotri_("U", &size, l, &size, &info, 1));
    return info == 0;
}

int cr__triangle_invert(double *l, size_t n)
{
    const int size = (int)n;
    int info;

    CR__BLAS_ALONE(lapack.dtrtri_("U", "N", &size, l, &size, &info, 1, 1));
    return info == 0;
}

static int all_finite(const double *a, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(a[i]))
            return 0;
    return 1;
}

static void transpose(double *a, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            const double kept = a[i * n + j];

            a[i * n + j] = a[j * n + i];
            a[j * n + i] = kept;
        }
}

/* Divide and conquer (Cuppen 1981), which needs 1 + 6n + 2n² numbers of workspace. LAPACK counts
 * them in an int, and may not terminate on NaN. */
cr_status cr__eigen(double *a, size_t n, double *value)
{
    const size_t numbers = 1 + 6 * n + 2 * n * n, wholes = 3 + 5 * n;
    const int size = (int)n, room = (int)numbers, whole_room = (int)wholes;
    double *number;
    int *whole, info = 0;
    cr_status st;

    if (n > 30000 || !all_finite(a, n * n))
        return CR_EFORMAT;
    number = cr__alloc(numbers, sizeof *number);
    whole = cr__alloc(wholes, sizeof *whole);
    st = number == NULL || whole == NULL ? CR_ENOMEM : CR_OK;
    if (st == CR_OK) {
        CR__BLAS_ALONE(lapack.dsyevd_("V", "L", &size, a, &size, value, number, &room, whole,
                                      &whole_room, &info, 1, 1));
        transpose(a, n);
    }
    cr__free(number);
    cr__free(whole);
    return info == 0 ? st : CR_EFORMAT;
}

void cr__qr(double *a, size_t n, size_t length, double *room)
{
    const int columns = (int)n, rows = (int)length, spare = columns * (CR__QR_ROOM - 1);
    int info;

    if (n > 0)
        CR__BLAS_ALONE(lapack.dgeqrf_(&rows, &columns, a, &rows, room, room + n, &spare, &info));
}
