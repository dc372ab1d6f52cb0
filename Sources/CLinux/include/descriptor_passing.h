#pragma once

#include <stddef.h>
#include <sys/types.h>

/// Messages with open descriptors over a socket of the local machine: unix(7), SCM_RIGHTS.

/// Makes two ends of a connection that keeps messages apart. Returns 0, or the `errno` of its failure.
int submit_make_message_pair(int ends[2]);

/// Sends a message. Returns 0, or the `errno` of its failure; never a signal.
int submit_send(int socket, const char *message, size_t size, const int *descriptors, int count);

/// Receives a message and up to `most` descriptors, which are closed on exec; others are -1. Returns its bytes, 0 at the end,
/// -1 with `errno`.
ssize_t submit_receive(int socket, char *message, size_t size, int *descriptors, int most);
