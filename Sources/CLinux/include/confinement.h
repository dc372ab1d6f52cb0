#pragma once

#include <stdbool.h>

/// What a program does to itself that is about to read bytes of strangers.

/// Ends this process as soon as nobody holds the other end of the socket any more, whatever it is at: a thread watches.
/// Returns 0, or the `errno` of its failure.
int submit_exit_with_peer(int socket);

/// Takes from this process what it does not need: memory above 4 GiB, files above 1 GiB, core dumps, and, where the kernel can
/// (see `submit_filter_calls`), all calls but those that decoding what is open takes: then it returns true.
bool submit_confine(void);

/// Lets this process use so many more seconds of the processor: SIGXCPU ends it then.
void submit_allow_processor_time(unsigned seconds);
