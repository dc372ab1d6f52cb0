#pragma once

/// What a program does to itself that is about to read bytes of strangers.

/// Ends this process as soon as nobody holds the other end of the socket any more, whatever it is at: a thread watches.
void submit_exit_with_peer(int socket);

/// Takes from this process what it does not need: memory above 1 GiB, files above 1 GiB, core dumps, and, where the kernel
/// has seccomp(2), sockets, other programs, and opening files for writing.
void submit_confine(void);

/// Lets this process use so many more seconds of the processor: SIGXCPU ends it then.
void submit_allow_processor_time(unsigned seconds);
