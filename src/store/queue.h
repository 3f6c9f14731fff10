/* store/queue.h - where processes that want to teach the same store at the same time meet.
 *
 * One of them leads: it takes the lessons of those who wait, stores them with its own in one
 * transaction, and replies. The rest sleep. Nothing here has to survive: a lesson counts once its
 * transaction is committed, and a queue that is lost, damaged or not there only makes everyone
 * write for himself. So the queue is a small file beside the database, mapped by all, and never
 * synced.
 *
 * A process that waits has a place, and holds a lock of the file on it for as long as it lives:
 * what the dead have posted is not taken.
 */
#ifndef CR_STORE_QUEUE_H
#define CR_STORE_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include "credence/run.h"

enum {
    CR__QUEUE_PLACES = 32,
    CR__QUEUE_ROOM = 8192 /* bytes of a lesson */
};

typedef struct cr__queue cr__queue;

typedef enum cr__reply {
    CR__REPLY_NONE = 0,
    CR__REPLY_DONE = 1, /* it is stored */
    CR__REPLY_ALONE = 2 /* it was refused: store it alone, and learn why */
} cr__reply;

/* The queue of a folder, made where there is none. NULL: there can be none, or memory is out. */
cr__queue *cr__queue_open(const char *folder);
void cr__queue_close(cr__queue *queue); /* NULL is allowed */

/* Try to become the one who leads; and no longer be it, which wakes one who waits. */
int cr__queue_lead(cr__queue *queue);
void cr__queue_resign(cr__queue *queue);

/* --- who waits -------------------------------------------------------------------------------- */

/* Post a lesson. 0: it is too large, or all places are taken. */
int cr__queue_post(cr__queue *queue, const void *lesson, size_t size);
/* The number of the lesson that was posted; 0: none is. */
uint64_t cr__queue_ticket(const cr__queue *queue);
cr__reply cr__queue_reply(const cr__queue *queue, cr_tally *tally);
void cr__queue_withdraw(cr__queue *queue);
/* Until there is a reply, or nobody leads; or for a moment. */
void cr__queue_sleep(cr__queue *queue);

/* --- who leads -------------------------------------------------------------------------------- */

typedef struct cr__posted {
    uint64_t ticket;
    size_t place, size;
    char lesson[CR__QUEUE_ROOM]; /* a copy */
} cr__posted;

/* The lesson in a place: 1; 0: nobody waits there who lives and has no reply yet. */
int cr__queue_take(const cr__queue *queue, size_t place, cr__posted *out);
/* The place where a lesson waits for its reply, whether he who waits lives or not; SIZE_MAX: none.
 */
size_t cr__queue_find(const cr__queue *queue, uint64_t ticket);
void cr__queue_answer(cr__queue *queue, size_t place, uint64_t ticket, cr__reply reply,
                      const cr_tally *tally);

#endif
