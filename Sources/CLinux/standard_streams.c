#include "standard_streams.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

void submit_hold_standard_streams(void) {
    for (int stream = 0; stream <= 2; stream++) {
        // The lowest free number is given: this one, since all below are taken.
        if (fcntl(stream, F_GETFD) < 0 && errno == EBADF) { open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY); }
    }
}

int submit_flush_standard_output(void) {
    errno = 0;
    if (fflush(stdout) != 0) { return errno ? errno : EIO; }
    if (!ferror(stdout)) { return 0; }
    // It failed while it was printed, and nobody saw why: a reader that is gone is the usual reason.
    struct pollfd state = {.fd = STDOUT_FILENO};
    return poll(&state, 1, 0) == 1 && (state.revents & POLLERR) ? EPIPE : EIO;
}
