/* src/call.c - long calls that Ctrl-C can stop, and errors as exceptions. */
#include "module.h"

#include <pthread.h>
#include <string.h>
#include <stdatomic.h>
#include <time.h>

#define WAKE_NANOSECONDS 50000000L /* how often signals are checked */

PyObject *credence_error;

/* --- errors ----------------------------------------------------------------------------------- */

static int set_text(PyObject *object, const char *name, const char *text)
{
    PyObject *value = *text == '\0'
                          ? Py_NewRef(Py_None)
                          : PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    int failed = value == NULL || PyObject_SetAttrString(object, name, value) != 0;

    Py_XDECREF(value);
    return failed ? -1 : 0;
}

static int set_number(PyObject *object, const char *name, size_t number)
{
    PyObject *value = number == 0 ? Py_NewRef(Py_None) : PyLong_FromSize_t(number);
    int failed = value == NULL || PyObject_SetAttrString(object, name, value) != 0;

    Py_XDECREF(value);
    return failed ? -1 : 0;
}

/* The error, with settings named as in Python. */
static cr_error in_python(const cr_error *err)
{
    cr_error said = *err;

    cr_error_message(err, hint_words, NULL, said.message, sizeof said.message);
    cr_error_hint(err, hint_words, NULL, said.hint, sizeof said.hint);
    said.hint_items = 0;
    return said;
}

static PyObject *error_text(cr_status status, const cr_error *err)
{
    char text[1100];

    if (err->code == CR_OK)
        return PyUnicode_FromString(cr_status_text(status));
    cr_error_text(err, text, sizeof text);
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

PyObject *raise_status(cr_status status, const cr_error *err)
{
    const cr_error said = in_python(err);
    PyObject *message, *error;

    if (PyErr_Occurred())
        return NULL;
    if (status == CR_ENOMEM)
        return PyErr_NoMemory();
    if ((message = error_text(status, &said)) == NULL)
        return NULL;
    error = PyObject_CallFunctionObjArgs(credence_error, message, NULL);
    Py_DECREF(message);
    if (error == NULL)
        return NULL;
    if (set_text(error, "code", cr_status_text(status)) == 0 &&
        set_text(error, "hint", said.hint) == 0 && set_text(error, "file", said.file) == 0 &&
        set_number(error, "line", said.line) == 0 && set_number(error, "column", said.column) == 0)
        PyErr_SetObject(credence_error, error);
    Py_DECREF(error);
    return NULL;
}

/* --- long calls ------------------------------------------------------------------------------- */

typedef struct running {
    long_call *call;
    cr_status status;
    int done;
    atomic_int stop;
    _Atomic uint64_t at, total, rows;
    pthread_mutex_t lock;
    pthread_cond_t wake;
} running;

static int note_progress(void *context, uint64_t done, uint64_t total, uint64_t rows)
{
    running *r = context;

    atomic_store(&r->at, done);
    atomic_store(&r->total, total);
    atomic_store(&r->rows, rows);
    return atomic_load(&r->stop);
}

static void *work_thread(void *context)
{
    running *r = context;
    cr_status status = r->call->work(r->call);

    pthread_mutex_lock(&r->lock);
    r->status = status;
    r->done = 1;
    pthread_cond_signal(&r->wake);
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

/* Sleep until the work is done or it is time to check for signals. Returns whether it is done. */
static int sleep_a_while(running *r)
{
    struct timespec until;
    int done;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += WAKE_NANOSECONDS;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_mutex_lock(&r->lock);
    if (!r->done)
        pthread_cond_timedwait(&r->wake, &r->lock, &until);
    done = r->done;
    pthread_mutex_unlock(&r->lock);
    return done;
}

static void tell_progress(running *r, PyObject *progress)
{
    PyObject *answer;

    if (progress == NULL || progress == Py_None || atomic_load(&r->stop))
        return;
    answer = PyObject_CallFunction(progress, "KKK", (unsigned long long)atomic_load(&r->at),
                                   (unsigned long long)atomic_load(&r->total),
                                   (unsigned long long)atomic_load(&r->rows));
    if (answer == NULL)
        atomic_store(&r->stop, 1);
    Py_XDECREF(answer);
}

cr_status call_long(long_call *call, PyObject *progress)
{
    running r = {.call = call};
    pthread_t thread;
    int done = 0;

    call->run.size = sizeof call->run;
    call->run.progress = note_progress;
    call->run.context = &r;
    pthread_mutex_init(&r.lock, NULL);
    pthread_cond_init(&r.wake, NULL);
    if (pthread_create(&thread, NULL, work_thread, &r) != 0) {
        Py_BEGIN_ALLOW_THREADS r.status = call->work(call); /* no thread could be created */
        Py_END_ALLOW_THREADS
    } else {
        while (!done) {
            Py_BEGIN_ALLOW_THREADS done = sleep_a_while(&r);
            Py_END_ALLOW_THREADS if (!atomic_load(&r.stop) && PyErr_CheckSignals() != 0)
                atomic_store(&r.stop, 1);
            tell_progress(&r, progress);
        }
        Py_BEGIN_ALLOW_THREADS pthread_join(thread, NULL);
        Py_END_ALLOW_THREADS
    }
    pthread_cond_destroy(&r.wake);
    pthread_mutex_destroy(&r.lock);
    return r.status;
}
