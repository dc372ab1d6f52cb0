// Confines itself as submit-media does, and tries what it should not be able to, once from its own thread and once from one that
// was there before. A line each: what it tried, and `refused` or `done`. What may still work is tried, too, and ends in `done`.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "confinement.h"

static void tell(const char *thread, const char *what, bool is_done) {
    char line[200];
    int count = snprintf(line, sizeof line, "%s %s %s\n", thread, what, is_done ? "done" : "refused");
    if (write(STDOUT_FILENO, line, count) != count) _exit(1);
}

/// A process that should not be there is gone at once.
static long started(long process) {
    if (process == 0) _exit(0);
    return process;
}

static void *start(void *unused) { return unused; }

static void *try_all(void *thread) {
    const char *name = thread;
    char byte = 0;
    struct stat status;
    struct iovec part = {&byte, 1};
    struct open_how { unsigned long long flags, mode, resolve; } how = {O_RDONLY, 0, 0};
    // `struct clone_args`, as far as a fork needs it.
    unsigned long long fork_arguments[8] = {[4] = SIGCHLD};
    char *arguments[] = {"true", NULL};
#define FORBIDDEN(what, call) tell(name, what, (call) >= 0)
#ifdef __NR_open
    FORBIDDEN("open", syscall(__NR_open, "/etc/passwd", O_RDONLY));
    FORBIDDEN("fork", started(syscall(__NR_fork)));
#endif
    FORBIDDEN("openat", syscall(__NR_openat, AT_FDCWD, "/etc/passwd", O_RDONLY));
    FORBIDDEN("openat-here", syscall(__NR_openat, AT_FDCWD, ".", O_RDONLY | O_DIRECTORY));
    FORBIDDEN("openat2", syscall(437, AT_FDCWD, "/etc/passwd", &how, sizeof how));
    FORBIDDEN("stat", fstatat(AT_FDCWD, "/etc/passwd", &status, 0));
    FORBIDDEN("readlink", readlink("/proc/self/exe", &byte, 1));
    FORBIDDEN("socket", socket(AF_INET, SOCK_STREAM, 0));
    FORBIDDEN("unix-socket", socket(AF_UNIX, SOCK_STREAM, 0));
    FORBIDDEN("clone", started(syscall(__NR_clone, SIGCHLD, 0, 0, 0, 0)));
    FORBIDDEN("clone3", started(syscall(435, fork_arguments, sizeof fork_arguments)));
    FORBIDDEN("execve", execve("/bin/true", arguments, arguments + 1));
    FORBIDDEN("kill", kill(getpid(), 0));
    FORBIDDEN("tgkill-parent", syscall(__NR_tgkill, getppid() > 0 ? getppid() : 1, 1, 0));
    FORBIDDEN("unlink", unlinkat(AT_FDCWD, "/nowhere/at/all", 0) < 0 && errno == ENOENT ? 0 : -1);
    FORBIDDEN("memory-of-others", process_vm_readv(1, &part, 1, &part, 1, 0) < 0 && errno != ENOSYS ? 0 : -1);
    FORBIDDEN("memory-file", memfd_create("x", 0));
    FORBIDDEN("ptrace", syscall(__NR_ptrace, 0, 0, 0, 0));
    FORBIDDEN("rings", syscall(425, 1, NULL) < 0 && errno != ENOSYS ? 0 : -1);
    FORBIDDEN("send-elsewhere", sendmsg(STDOUT_FILENO, &(struct msghdr){0}, 0) < 0 && errno != ENOSYS ? 0 : -1);
#if defined(__x86_64__)
    // The same calls by the numbers of x32.
    FORBIDDEN("x32", syscall(0x40000000 | __NR_openat, AT_FDCWD, "/etc/passwd", O_RDONLY));
#endif
#undef FORBIDDEN
    tell(name, "may-stat-what-is-open", fstat(STDIN_FILENO, &status) == 0);
    void *room = malloc(64 << 20);
    if (room) memset(room, 1, 64 << 20);
    tell(name, "may-have-memory", room);
    free(room);
    tell(name, "may-signal-itself", raise(0) == 0);
    pthread_t other;
    tell(name, "may-start-threads", pthread_create(&other, NULL, start, NULL) == 0 && pthread_join(other, NULL) == 0);
    return NULL;
}

static int turn[2];

static void *wait_for_turn(void *unused) {
    char byte;
    if (read(turn[0], &byte, 1) == 1) try_all("early");
    return unused;
}

int main(void) {
    pthread_t early;
    if (pipe(turn) || pthread_create(&early, NULL, wait_for_turn, NULL)) return 1;
    bool is_confined = submit_confine();
    tell("main", "confined", is_confined);
    if (!is_confined) return 0;
    try_all("main");
    if (write(turn[1], "", 1) != 1) return 1;
    pthread_join(early, NULL);
    return 0;
}
