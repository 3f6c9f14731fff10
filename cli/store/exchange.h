/* cli/store/exchange.h - stores that learned separately. */
#ifndef CLI_STORE_EXCHANGE_H
#define CLI_STORE_EXCHANGE_H

#include "options/options.h"
#include "session/session.h"

/* The actions of credence store. They return exit statuses, after a message on failure. */
int store_sync(request *r);
int store_answer(request *r);
int store_state(request *r);
int store_send(request *r);
int store_receive(request *r);

#endif
