#pragma once

#include <stdbool.h>

/// Waiting for many sockets at once, and for a call from other threads: epoll(7), eventfd(2).

/// What happened at a socket. Where it is broken too, the other two may say less than there is.
struct submit_socket_event {
    int socket;
    bool is_readable;
    bool is_writable;
    bool is_broken;
};

/// Opens what sockets are watched with, and the bell that ends a wait. Returns 0, or the `errno` of its failure: `EMFILE`
/// where no more files may be open.
int submit_open_watch(int *watch, int *bell);

/// Watches a socket for this, and no longer for what was said of it before; for neither, not at all. Returns 0 or `errno`.
/// `is_new` tells whether it is watched for nothing yet, which spares a call, and does no harm where it is wrong.
int submit_watch_socket(int watch, int socket, bool is_new, bool is_reading, bool is_writing);

/// Waits for something to happen, at most for so many milliseconds, and tells up to `most` of it. The bell is no event.
/// Returns the number of events; 0 also when a signal ended the wait.
int submit_wait_for_sockets(int watch, struct submit_socket_event *events, int most, int milliseconds);

/// Ends the wait under way, or the next one. Any thread may.
void submit_ring(int bell);
