/* file/update.c - updates of a model file by several programs. */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "credence/model.h"

struct cr_lock {
    int file; /* or -1: there is nothing to hold */
};

/* Whether the lock was acquired; a file system may support none, and then there is nothing to wait
 * for. */
static int get_lock(int file, void (**waiting)(void *context), void *context)
{
    int result = flock(file, LOCK_EX | LOCK_NB);

    if (result != 0 && errno == EWOULDBLOCK) {
        if (*waiting != NULL)
            (*waiting)(context);
        *waiting = NULL; /* once is enough */
        do
            result = flock(file, LOCK_EX);
        while (result != 0 && errno == EINTR);
    }
    return result == 0;
}

/* A file that was replaced while we waited is no longer the model: then wait for the new one. */
cr_status cr_model_lock(cr_lock **out, const char *path, void (*waiting)(void *context),
                        void *context, cr_error *err)
{
    struct stat held, there;

    if ((*out = cr__alloc_zero(1, sizeof **out)) == NULL)
        return cr__fail_memory(err);
    for (;;) {
        const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

        (*out)->file = file;
        if (file < 0 || fstat(file, &held) != 0 || !S_ISREG(held.st_mode) ||
            !get_lock(file, &waiting, context) || stat(path, &there) != 0 ||
            (held.st_dev == there.st_dev && held.st_ino == there.st_ino))
            return CR_OK;
        close(file);
    }
}

void cr_model_unlock(cr_lock *lock)
{
    if (lock == NULL)
        return;
    if (lock->file >= 0)
        close(lock->file);
    cr__free(lock);
}

cr_status cr_model_update(const char *path,
                          cr_status (*change)(void *context, cr_model *model, cr_error *err),
                          void *context, cr_error *err)
{
    cr_model *model = NULL;
    cr_lock *lock;
    cr_status st = cr_model_lock(&lock, path, NULL, NULL, err);

    if (st != CR_OK)
        return st;
    st = cr_model_load(&model, path, 0, err);
    if (st == CR_OK)
        st = change(context, model, err);
    if (st == CR_OK)
        st = cr_model_save(model, path, err);
    cr_model_free(model);
    cr_model_unlock(lock);
    return st;
}
