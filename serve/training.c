/* serve/training.c - running trainings. */
#include "training.h"

#include <stdio.h>
#include <string.h>

void trainings_open(trainings *t)
{
    memset(t, 0, sizeof *t);
    pthread_mutex_init(&t->lock, NULL);
}

void trainings_close(trainings *t)
{
    pthread_mutex_destroy(&t->lock);
}

/* The caller holds the lock. */
static training *find(trainings *t, const char *name)
{
    for (size_t i = 0; i < TRAININGS; i++)
        if (t->list[i].name[0] != '\0' && strcmp(t->list[i].name, name) == 0)
            return &t->list[i];
    return NULL;
}

static training *oldest(trainings *t)
{
    training *best = NULL;

    for (size_t i = 0; i < TRAININGS; i++)
        if (!t->list[i].running && (best == NULL || t->list[i].order < best->order))
            best = &t->list[i];
    return best;
}

training *training_begin(trainings *t, const char *name)
{
    training *one;

    pthread_mutex_lock(&t->lock);
    one = find(t, name);
    if (one == NULL || one->running)
        one = one != NULL ? NULL : oldest(t);
    if (one != NULL) {
        *one = (training){.running = true, .order = ++t->begun};
        snprintf(one->name, sizeof one->name, "%s", name);
    }
    pthread_mutex_unlock(&t->lock);
    return one;
}

void training_end(trainings *t, training *one)
{
    pthread_mutex_lock(&t->lock);
    one->running = false;
    pthread_mutex_unlock(&t->lock);
}

int training_step(trainings *t, training *one, uint64_t done, uint64_t total, uint64_t rows)
{
    int stop;

    pthread_mutex_lock(&t->lock);
    one->done = done;
    one->total = total;
    one->rows = rows;
    stop = one->stop;
    pthread_mutex_unlock(&t->lock);
    return stop;
}

bool training_look(trainings *t, const char *name, training *out)
{
    const training *one;

    pthread_mutex_lock(&t->lock);
    if ((one = find(t, name)) != NULL)
        *out = *one;
    pthread_mutex_unlock(&t->lock);
    return one != NULL;
}

bool training_stop(trainings *t, const char *name)
{
    training *one;

    pthread_mutex_lock(&t->lock);
    if ((one = find(t, name)) != NULL)
        one->stop = true;
    pthread_mutex_unlock(&t->lock);
    return one != NULL;
}
