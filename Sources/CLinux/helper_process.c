#define _GNU_SOURCE
#include "helper_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int submit_start_helper(const char *path, int input, pid_t *process) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&files);
    if (error) return error;
    error = posix_spawnattr_init(&attributes);
    if (error) {
        posix_spawn_file_actions_destroy(&files);
        return error;
    }
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    // What this process ignores or blocks is not for its helpers.
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    error = posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
    if (!error) error = posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (!error) error = posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
    if (!error) error = posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
#endif
    char *arguments[] = {(char *)path, NULL}, *environment[] = {NULL};
    if (!error) error = posix_spawn(process, path, &files, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

bool submit_await_end(pid_t process, int milliseconds) {
    int descriptor = (int)syscall(SYS_pidfd_open, process, 0);
    if (descriptor < 0) {
        // A kernel before 5.3, or no descriptor is left.
        siginfo_t end;
        return waitid(P_PID, (id_t)process, &end, WEXITED | WNOWAIT) == 0;
    }
    struct pollfd ended = {.fd = descriptor, .events = POLLIN};
    int count;
    while ((count = poll(&ended, 1, milliseconds)) < 0 && errno == EINTR) {}
    close(descriptor);
    return count > 0;
}
