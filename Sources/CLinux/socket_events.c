#include "socket_events.h"

#include <errno.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { at_once = 64 };

int submit_open_watch(int *watch, int *bell) {
    *watch = epoll_create1(EPOLL_CLOEXEC);
    if (*watch < 0) return errno;
    *bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    // Told by each ring, whatever its count, so that nobody has to read it.
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.fd = -1};
    if (*bell >= 0 && epoll_ctl(*watch, EPOLL_CTL_ADD, *bell, &event) == 0) return 0;
    int reason = errno;
    if (*bell >= 0) close(*bell);
    close(*watch);
    return reason;
}

int submit_watch_socket(int watch, int socket, bool is_new, bool is_reading, bool is_writing) {
    struct epoll_event event = {.events = (is_reading ? EPOLLIN : 0) | (is_writing ? EPOLLOUT : 0), .data.fd = socket};
    if (!is_reading && !is_writing) return epoll_ctl(watch, EPOLL_CTL_DEL, socket, &event) == 0 ? 0 : errno;
    if (epoll_ctl(watch, is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket, &event) == 0) return 0;
    // Closing a socket ends its being watched, too, and its number is given to another.
    int other = errno == EEXIST ? EPOLL_CTL_MOD : errno == ENOENT ? EPOLL_CTL_ADD : 0;
    return other && epoll_ctl(watch, other, socket, &event) == 0 ? 0 : errno;
}

int submit_wait_for_sockets(int watch, struct submit_socket_event *events, int most, int milliseconds) {
    struct epoll_event happened[at_once];
    int count = epoll_wait(watch, happened, most < at_once ? most : at_once, milliseconds);
    int told = 0;
    for (int index = 0; index < count; index++) {
        uint32_t what = happened[index].events;
        if (happened[index].data.fd < 0) continue;
        events[told++] = (struct submit_socket_event){
            .socket = happened[index].data.fd,
            .is_readable = what & EPOLLIN,
            .is_writable = what & EPOLLOUT,
            .is_broken = what & (EPOLLERR | EPOLLHUP),
        };
    }
    return told;
}

void submit_ring(int bell) {
    int reason = errno;
    uint64_t one = 1;
    while (write(bell, &one, sizeof one) < 0 && errno == EINTR) {}
    errno = reason;
}
