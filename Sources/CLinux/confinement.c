#define _GNU_SOURCE
#include "confinement.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *watch(void *socket) {
    struct pollfd peer = {.fd = (int)(intptr_t)socket, .events = 0};
    while (poll(&peer, 1, -1) < 0 && errno == EINTR) {}
    _exit(0);
}

void submit_exit_with_peer(int socket) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, watch, (void *)(intptr_t)socket) == 0) pthread_detach(thread);
}

#if defined(__x86_64__)
#define THIS_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#define REFUSE BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
/// Refuses a call by its number.
#define CALL(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), REFUSE

static void filter_calls(void) {
#ifdef THIS_ARCHITECTURE
    struct sock_filter program[] = {
        LOAD(arch), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCHITECTURE, 1, 0), REFUSE,
        LOAD(nr),
        CALL(__NR_socket), CALL(__NR_connect), CALL(__NR_bind), CALL(__NR_execve), CALL(__NR_execveat),
        CALL(__NR_ptrace), CALL(__NR_unlinkat), CALL(__NR_renameat2), CALL(__NR_kill), CALL(__NR_openat2),
#ifdef __NR_open
        CALL(__NR_open), CALL(__NR_unlink), CALL(__NR_rename), CALL(__NR_renameat), CALL(__NR_creat), CALL(__NR_fork), CALL(__NR_vfork),
#endif
        // What is opened by a name is read at most: libraries' tables.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_openat, 0, 3),
        LOAD(args[2]), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, 0, 1), REFUSE,
        ALLOW,
    };
    struct sock_fprog filter = {.len = sizeof program / sizeof *program, .filter = program};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0);
#endif
}

static void limit(int resource, rlim_t most) {
    struct rlimit now;
    if (getrlimit(resource, &now)) return;
    if (now.rlim_max != RLIM_INFINITY && now.rlim_max < most) most = now.rlim_max;
    now.rlim_cur = now.rlim_max = most;
    setrlimit(resource, &now);
}

void submit_confine(void) {
    limit(RLIMIT_AS, (rlim_t)1 << 30);
    limit(RLIMIT_FSIZE, (rlim_t)1 << 30);
    limit(RLIMIT_CORE, 0);
    filter_calls();
}

void submit_allow_processor_time(unsigned seconds) {
    struct rusage used;
    struct rlimit time;
    if (getrusage(RUSAGE_SELF, &used) || getrlimit(RLIMIT_CPU, &time)) return;
    time.rlim_cur = used.ru_utime.tv_sec + used.ru_stime.tv_sec + 1 + seconds;
    setrlimit(RLIMIT_CPU, &time);
}
