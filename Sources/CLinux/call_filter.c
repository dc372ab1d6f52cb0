#define _GNU_SOURCE
#include "call_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define THIS_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef THIS_ARCHITECTURE

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define END(action) BPF_STMT(BPF_RET | BPF_K, action)
// As a kernel answers that has no such call: libraries know what to do then, as with `clone3` and `openat2`.
#define REFUSE END(SECCOMP_RET_ERRNO | ENOSYS)
#define ALLOW END(SECCOMP_RET_ALLOW)
#define CALL(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), ALLOW
/// A call whose argument is this: the lower half of it, which is all that the kernel looks at in each of these.
#define CALL_IF(number, argument, test, value) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4), LOAD(args[argument]), \
    BPF_JUMP(BPF_JMP | test | BPF_K, value, 0, 1), ALLOW, REFUSE

bool submit_filter_calls(void) {
    struct sock_filter program[] = {
        LOAD(arch), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCHITECTURE, 1, 0), END(SECCOMP_RET_KILL_PROCESS),
        // Numbers of x32 are none of these.
        LOAD(nr),

        // What is open already.
        CALL(__NR_read), CALL(__NR_write), CALL(__NR_readv), CALL(__NR_writev), CALL(__NR_pread64), CALL(__NR_pwrite64),
        CALL(__NR_lseek), CALL(__NR_close), CALL(__NR_dup), CALL(__NR_fadvise64),
#ifdef __NR_fstat
        CALL(__NR_fstat),
#endif
        CALL_IF(__NR_newfstatat, 3, BPF_JSET, AT_EMPTY_PATH),
#ifdef __NR_statx
        CALL_IF(__NR_statx, 2, BPF_JSET, AT_EMPTY_PATH),
#endif
        CALL_IF(__NR_fcntl, 1, BPF_JEQ, F_GETFL),

        // The socket over which it is asked.
        CALL_IF(__NR_recvmsg, 0, BPF_JEQ, STDIN_FILENO), CALL_IF(__NR_sendmsg, 0, BPF_JEQ, STDIN_FILENO),
#ifdef __NR_poll
        CALL(__NR_poll),
#endif
        CALL(__NR_ppoll),

        // Memory. Executable, too: libraries make machine code for what they are to compute.
        CALL(__NR_mmap), CALL(__NR_munmap), CALL(__NR_mremap), CALL(__NR_mprotect), CALL(__NR_madvise), CALL(__NR_brk),

        // Threads, but no processes: `clone3` keeps its flags where nobody can look, and so there is `clone` alone.
        CALL_IF(__NR_clone, 0, BPF_JSET, CLONE_THREAD),
        CALL(__NR_futex), CALL(__NR_set_robust_list), CALL(__NR_sched_yield), CALL(__NR_sched_getaffinity),
        CALL(__NR_gettid), CALL(__NR_getpid), CALL(__NR_exit), CALL(__NR_exit_group),
        CALL_IF(__NR_prctl, 0, BPF_JEQ, PR_SET_NAME),
#ifdef __NR_rseq
        CALL(__NR_rseq),
#endif

        // Signals to itself, as from `abort`.
        CALL(__NR_rt_sigaction), CALL(__NR_rt_sigprocmask), CALL(__NR_rt_sigreturn), CALL(__NR_sigaltstack),
        CALL(__NR_restart_syscall), CALL_IF(__NR_tgkill, 0, BPF_JEQ, (unsigned)getpid()),

        // What time it is, and what there is of anything.
        CALL(__NR_clock_gettime), CALL(__NR_clock_getres), CALL(__NR_clock_nanosleep), CALL(__NR_nanosleep),
        CALL(__NR_gettimeofday), CALL(__NR_getrusage), CALL(__NR_sysinfo), CALL(__NR_uname), CALL(__NR_getcpu),
        CALL(__NR_getrandom),
#ifdef __NR_time
        CALL(__NR_time),
#endif
        // Its own limits, of which it can lift none.
        CALL_IF(__NR_prlimit64, 0, BPF_JEQ, 0),
#ifdef __NR_getrlimit
        CALL(__NR_getrlimit),
#endif
#ifdef __NR_setrlimit
        CALL(__NR_setrlimit),
#endif
        REFUSE,
    };
    struct sock_fprog filter = {.len = sizeof program / sizeof *program, .filter = program};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
        && syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) == 0;
}

#else

bool submit_filter_calls(void) { return false; }

#endif
