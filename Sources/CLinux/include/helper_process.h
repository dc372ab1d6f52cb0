#pragma once

#include <stdbool.h>
#include <sys/types.h>

/// A program that serves this process over a socket.

/// Starts it in a session of its own with that as its standard input, with no argument, no environment, nothing else open, and
/// what it writes going nowhere. Returns 0, or the `errno` of its failure.
int submit_start_helper(const char *path, int input, pid_t *process);

/// Waits until a child has ended, which is not reaped by that. False where it has not so soon.
bool submit_await_end(pid_t process, int milliseconds);
