// A program whose work is done by another: who listens at the socket beside it, which has its path and “.socket”, hears
// what it is told on standard input, and what that one says goes to standard output. It ends as soon as either side does.
// In C, because tests start it hundreds of times, and most of a Swift program's start is its libraries.

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/// Copies what is there; 0 where there will be no more.
static int copy(int source, int sink) {
    static char buffer[64 << 10];
    ssize_t count = read(source, buffer, sizeof buffer);
    if (count < 0) return errno == EINTR;
    for (ssize_t written = 0; written < count;) {
        ssize_t more = write(sink, buffer + written, count - written);
        if (more < 0 && errno != EINTR) return 0;
        if (more > 0) written += more;
    }
    return count > 0;
}

int main(int count, char **arguments) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (count < 1 || strlen(arguments[0]) + sizeof ".socket" > sizeof address.sun_path) return 1;
    snprintf(address.sun_path, sizeof address.sun_path, "%s.socket", arguments[0]);
    int peer = socket(AF_UNIX, SOCK_STREAM, 0);
    if (peer < 0 || connect(peer, (struct sockaddr *)&address, sizeof address) != 0) {
        perror("Nobody listens beside this program");
        return 1;
    }
    struct pollfd watched[] = {{STDIN_FILENO, POLLIN, 0}, {peer, POLLIN, 0}};
    while (poll(watched, 2, -1) > 0) {
        if (watched[1].revents && !copy(peer, STDOUT_FILENO)) return 0;
        if (watched[0].revents && !copy(STDIN_FILENO, peer)) return 0;
    }
    return 1;
}
