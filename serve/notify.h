/* serve/notify.h - tell the service manager the state of the service (sd_notify(3), without its
 * library).
 */
#ifndef SERVE_NOTIFY_H
#define SERVE_NOTIFY_H

/* "READY=1", "STOPPING=1", "STATUS=…". Does nothing without a service manager. */
void notify(const char *state);

#endif
