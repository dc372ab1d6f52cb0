#define _GNU_SOURCE
#include "descriptor_passing.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { most_descriptors = 8 };

int submit_make_message_pair(int ends[2]) {
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) ? errno : 0;
}

int submit_send(int socket, const char *message, size_t size, const int *descriptors, int count) {
    struct iovec bytes = {.iov_base = (void *)message, .iov_len = size};
    struct msghdr header = {.msg_iov = &bytes, .msg_iovlen = 1};
    _Alignas(struct cmsghdr) char room[CMSG_SPACE(most_descriptors * sizeof(int))] = {0};
    if (count > 0 && count <= most_descriptors) {
        header.msg_control = room;
        header.msg_controllen = CMSG_SPACE(count * sizeof(int));
        struct cmsghdr *rights = CMSG_FIRSTHDR(&header);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(rights), descriptors, count * sizeof(int));
    }
    while (sendmsg(socket, &header, MSG_NOSIGNAL) < 0)
        if (errno != EINTR) return errno;
    return 0;
}

ssize_t submit_receive(int socket, char *message, size_t size, int *descriptors, int most) {
    struct iovec bytes = {.iov_base = message, .iov_len = size};
    _Alignas(struct cmsghdr) char room[CMSG_SPACE(most_descriptors * sizeof(int))];
    struct msghdr header = {
        .msg_iov = &bytes, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    for (int index = 0; index < most; index++) descriptors[index] = -1;
    ssize_t count;
    while ((count = recvmsg(socket, &header, MSG_CMSG_CLOEXEC)) < 0)
        if (errno != EINTR) return -1;
    int taken = 0;
    for (struct cmsghdr *part = CMSG_FIRSTHDR(&header); part; part = CMSG_NXTHDR(&header, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
        size_t held = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t index = 0; index < held; index++) {
            int descriptor;
            memcpy(&descriptor, CMSG_DATA(part) + index * sizeof(int), sizeof descriptor);
            if (taken < most) descriptors[taken++] = descriptor;
            else close(descriptor);
        }
    }
    return count;
}
