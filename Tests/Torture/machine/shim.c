// Put before libc by LD_PRELOAD: counts the named steps of `submit`, and at a chosen one kills it, lets the call fail,
// or notes down what a disk would still have after a power cut. What it does is said by the environment:
//
//   TORTURE_ROOT      what lies below counts as its files; all else (libraries, /proc) is passed by
//   TORTURE_COUNTERS  a file for the counts, in the order of `names`, also read after a kill
//   TORTURE_KILL      STEP:N:WHEN, with before, torn (half of the bytes) or after
//   TORTURE_FAIL      STEP:N:ERRNO:TIMES (0: for ever)
//   TORTURE_CLOCK     MILLISECONDS:SECONDS, so long after the start the wall clock jumps by so much
//   TORTURE_SHADOW    a folder for the synced state of all below the root: a file for each inode, called after its number
//                     and birth (and d), with the content, or a folder's list, at the last sync
//   TORTURE_SPARED    a folder below the root that is left out of this
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum step {
    COMMIT,        // the write-ahead log is synced
    CHECKPOINT,    // the journal's main file is synced
    JOURNAL_WRITE, // bytes for the journal, its log included
    CREATE,        // a file is made
    COPY,          // bytes for a file
    SYNC,          // a file, a folder or a file system is synced
    RENAME,        // or linked
    UNLINK,
    MKDIR,
    REQUEST, // bytes for a server
    REPLY,   // bytes of a server have come
    OPEN,
    READ,
    MAP,
    SOCKET,
    CONNECT,
    STEPS,
    NONE
};
static const char *const names[STEPS] = {"commit", "checkpoint", "journal-write", "create", "copy", "sync",
                                         "rename", "unlink", "mkdir", "request", "reply", "open",
                                         "read", "map", "socket", "connect"};

enum moment { BEFORE, TORN, AFTER };

static _Atomic uint64_t private_counts[STEPS];
static _Atomic uint64_t *counts = private_counts;
static char root[PATH_MAX];
static size_t root_length;
static enum step kill_step = NONE, fail_step = NONE;
static uint64_t kill_at, fail_at, fail_times;
static enum moment kill_when;
static int fail_errno;
static int64_t jump_after = -1, jump_by;
static struct timespec begun;
static char shadow[PATH_MAX], spared[PATH_MAX];
static pthread_mutex_t shadow_lock = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name) ((__typeof__(&name))real(#name))
static void *real(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) _exit(99);
    return found;
}
#define CALL(type, name, ...) \
    ({ \
        static type (*function)(); \
        if (!function) function = (type(*)())real(#name); \
        function(__VA_ARGS__); \
    })

static enum step named(const char *name, size_t length) {
    for (int step = 0; step < STEPS; step++)
        if (strlen(names[step]) == length && strncmp(names[step], name, length) == 0) return step;
    static const char text[] = "torture: no such step\n";
    syscall(SYS_write, 2, text, sizeof text - 1);
    _exit(98);
}

__attribute__((constructor)) static void begin(void) {
    const char *value;
    clock_gettime(CLOCK_MONOTONIC, &begun);
    if ((value = getenv("TORTURE_ROOT"))) root_length = (size_t)snprintf(root, sizeof root, "%s", value);
    if ((value = getenv("TORTURE_COUNTERS"))) {
        int file = (int)syscall(SYS_openat, AT_FDCWD, value, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (file < 0 || syscall(SYS_ftruncate, file, sizeof private_counts) != 0) _exit(97);
        counts = (void *)syscall(SYS_mmap, NULL, sizeof private_counts, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        syscall(SYS_close, file);
    }
    if ((value = getenv("TORTURE_KILL"))) {
        const char *at = strchr(value, ':'), *when = strrchr(value, ':');
        kill_step = named(value, (size_t)(at - value));
        kill_at = strtoull(at + 1, NULL, 10);
        kill_when = strcmp(when, ":before") == 0 ? BEFORE : strcmp(when, ":torn") == 0 ? TORN : AFTER;
    }
    if ((value = getenv("TORTURE_FAIL"))) {
        const char *at = strchr(value, ':');
        char *rest;
        fail_step = named(value, (size_t)(at - value));
        fail_at = strtoull(at + 1, &rest, 10);
        fail_errno = (int)strtol(rest + 1, &rest, 10);
        fail_times = strtoull(rest + 1, NULL, 10);
    }
    if ((value = getenv("TORTURE_CLOCK"))) {
        char *rest;
        jump_after = strtoll(value, &rest, 10);
        jump_by = strtoll(rest + 1, NULL, 10);
    }
    if ((value = getenv("TORTURE_SPARED"))) snprintf(spared, sizeof spared, "%s", value);
    if ((value = getenv("TORTURE_SHADOW"))) snprintf(shadow, sizeof shadow, "%s", value);
}

// MARK: - What a call is about

static int is_below(const char *path, const char *folder, size_t length) {
    return length && strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

static int path_of(int descriptor, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_MAX - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return 1;
}

// An absolute path, as far as that can be told without following links.
static void absolute(int folder, const char *name, char *path) {
    char start[PATH_MAX] = "";
    if (name[0] == '/') {
        snprintf(path, PATH_MAX, "%s", name);
        return;
    }
    if (folder == AT_FDCWD)
        syscall(SYS_getcwd, start, sizeof start);
    else
        path_of(folder, start);
    if (snprintf(path, PATH_MAX, "%s/%s", start, name) >= PATH_MAX) path[0] = 0;
}

enum place { ELSEWHERE, LOG, SHARED_INDEX, DATABASE, FILES, NETWORK };

static enum place place_of_path(const char *path) {
    if (!is_below(path, root, root_length)) return ELSEWHERE;
    size_t length = strlen(path);
#define ENDS(text) (length >= sizeof text - 1 && strcmp(path + length - (sizeof text - 1), text) == 0)
    if (ENDS("journal.sqlite-wal")) return LOG;
    if (ENDS("journal.sqlite-shm")) return SHARED_INDEX;
    if (ENDS("journal.sqlite")) return DATABASE;
    return FILES;
}

static enum place place_of(int descriptor) {
    char path[PATH_MAX];
    if (!path_of(descriptor, path)) return ELSEWHERE;
    if (strncmp(path, "socket:", 7) == 0) {
        struct sockaddr_storage address;
        socklen_t length = sizeof address;
        // Not the pair that curl wakes itself with.
        if (syscall(SYS_getsockname, descriptor, &address, &length) != 0) return ELSEWHERE;
        return address.ss_family == AF_INET || address.ss_family == AF_INET6 ? NETWORK : ELSEWHERE;
    }
    return place_of_path(path);
}

// MARK: - Killing and failing

static void die(void) {
    syscall(SYS_kill, getpid(), SIGKILL);
    for (;;) pause();
}

struct call {
    int is_last;  // it is the one to be killed at
    int is_wrong; // it is to fail, with errno set
};

static struct call arrive(enum step step) {
    struct call call = {0, 0};
    if (step >= STEPS) return call;
    uint64_t number = atomic_fetch_add(&counts[step], 1) + 1;
    if (step == kill_step && number == kill_at) {
        call.is_last = 1;
        if (kill_when == BEFORE) die();
    }
    if (step == fail_step && number >= fail_at && (!fail_times || number < fail_at + fail_times)) {
        call.is_wrong = 1;
        errno = fail_errno;
    }
    return call;
}

static void leave(struct call call) {
    if (call.is_last) die();
}

#define TORN_LENGTH(call, length) ((call).is_last && kill_when == TORN && (length) > 1 ? (length) / 2 : (length))

// MARK: - What survives a power cut

static int is_kept(const char *path) {
    return shadow[0] && is_below(path, root, root_length) && !is_below(path, spared, strlen(spared));
}

static int key_of(int folder, const char *name, char *key, uint32_t *mode) {
    struct statx status;
    if (syscall(SYS_statx, folder, name, AT_SYMLINK_NOFOLLOW | (*name ? 0 : AT_EMPTY_PATH),
                STATX_BASIC_STATS | STATX_BTIME, &status) != 0)
        return 0;
    // Numbers of inodes are given away again, with another birth.
    snprintf(key, 96, "%llu-%lld.%09u%s", (unsigned long long)status.stx_ino, (long long)status.stx_btime.tv_sec,
             status.stx_btime.tv_nsec, S_ISDIR(status.stx_mode) ? "d" : "");
    *mode = status.stx_mode;
    return 1;
}

static void write_all(int file, const char *bytes, size_t count) {
    while (count) {
        ssize_t written = syscall(SYS_write, file, bytes, count);
        if (written <= 0) _exit(96);
        bytes += written;
        count -= (size_t)written;
    }
}

static void keep_folder(int file, int into) {
    char buffer[32768], line[PATH_MAX], key[96];
    uint32_t mode;
    int list = (int)syscall(SYS_openat, file, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    for (long count; (count = syscall(SYS_getdents64, list, buffer, sizeof buffer)) > 0;) {
        for (long at = 0; at < count;) {
            struct dirent64 *entry = (void *)(buffer + at);
            at += entry->d_reclen;
            if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
            if (!key_of(list, entry->d_name, key, &mode)) continue;
            int length = snprintf(line, sizeof line, "%s %s%c", key, entry->d_name, 0);
            write_all(into, line, (size_t)length);
        }
    }
    syscall(SYS_close, list);
}

static void keep_file(int file, int into) {
    static _Thread_local char buffer[65536];
    for (off_t offset = 0;;) {
        ssize_t count = syscall(SYS_pread64, file, buffer, sizeof buffer, offset);
        if (count <= 0) break;
        write_all(into, buffer, (size_t)count);
        offset += count;
    }
    struct stat status;
    if (fstat(file, &status) == 0) {
        struct timespec times[2] = {status.st_atim, status.st_mtim};
        syscall(SYS_fchmod, into, status.st_mode & 07777);
        syscall(SYS_utimensat, into, NULL, times, 0);
    }
}

// What is there when the sync begins will be there after a cut that comes once it has ended.
static void keep(int file, const char *path) {
    if (!is_kept(path)) return;
    char key[96], target[PATH_MAX], fresh[PATH_MAX], own[64];
    uint32_t mode;
    if (!key_of(file, "", key, &mode)) return;
    // What syncs may not be open for reading.
    snprintf(own, sizeof own, "/proc/self/fd/%d", file);
    int readable = (int)syscall(SYS_openat, AT_FDCWD, own, O_RDONLY | O_CLOEXEC, 0);
    if (readable < 0) return;
    pthread_mutex_lock(&shadow_lock);
    snprintf(target, sizeof target, "%.2000s/%s", shadow, key);
    snprintf(fresh, sizeof fresh, "%.2000s/new", shadow);
    int into = (int)syscall(SYS_openat, AT_FDCWD, fresh, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (into < 0) _exit(95);
    if (S_ISDIR(mode))
        keep_folder(readable, into);
    else
        keep_file(readable, into);
    syscall(SYS_close, into);
    syscall(SYS_rename, fresh, target);
    pthread_mutex_unlock(&shadow_lock);
    syscall(SYS_close, readable);
}

static void keep_tree(int file, const char *path) {
    keep(file, path);
    int list = (int)syscall(SYS_openat, file, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (list < 0) return;
    char buffer[8192], below[PATH_MAX];
    for (long count; (count = syscall(SYS_getdents64, list, buffer, sizeof buffer)) > 0;) {
        for (long at = 0; at < count;) {
            struct dirent64 *entry = (void *)(buffer + at);
            at += entry->d_reclen;
            if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
            int child = (int)syscall(SYS_openat, list, entry->d_name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC, 0);
            if (child < 0) continue;
            if (snprintf(below, sizeof below, "%s/%s", path, entry->d_name) < (int)sizeof below && is_kept(below))
                (entry->d_type == DT_DIR ? keep_tree : keep)(child, below);
            syscall(SYS_close, child);
        }
    }
    syscall(SYS_close, list);
}

static void keep_everything(void) {
    if (!shadow[0]) return;
    int file = (int)syscall(SYS_openat, AT_FDCWD, root, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (file < 0) return;
    keep_tree(file, root);
    syscall(SYS_close, file);
}

// MARK: - Syncing

static enum step step_of_sync(int file) {
    switch (place_of(file)) {
    case LOG: return COMMIT;
    case DATABASE: return CHECKPOINT;
    case FILES: return SYNC;
    default: return NONE;
    }
}

static void keep_descriptor(int file) {
    char path[PATH_MAX];
    if (shadow[0] && path_of(file, path)) keep(file, path);
}

int fsync(int file) {
    struct call call = arrive(step_of_sync(file));
    if (call.is_wrong) return -1;
    keep_descriptor(file);
    int result = CALL(int, fsync, file);
    leave(call);
    return result;
}

int fdatasync(int file) {
    struct call call = arrive(step_of_sync(file));
    if (call.is_wrong) return -1;
    keep_descriptor(file);
    int result = CALL(int, fdatasync, file);
    leave(call);
    return result;
}

int syncfs(int file) {
    struct call call = arrive(step_of_sync(file));
    if (call.is_wrong) return -1;
    keep_everything();
    int result = CALL(int, syncfs, file);
    leave(call);
    return result;
}

// MARK: - Writing

static enum step step_of_write(int file) {
    switch (place_of(file)) {
    case LOG: case DATABASE: return JOURNAL_WRITE;
    case FILES: return COPY;
    case NETWORK: return REQUEST;
    default: return NONE;
    }
}

ssize_t write(int file, const void *bytes, size_t count) {
    struct call call = arrive(step_of_write(file));
    if (call.is_wrong) return -1;
    ssize_t result = CALL(ssize_t, write, file, bytes, TORN_LENGTH(call, count));
    leave(call);
    return result;
}

#define PWRITE(name, offset_type) \
    ssize_t name(int file, const void *bytes, size_t count, offset_type offset) { \
        struct call call = arrive(step_of_write(file)); \
        if (call.is_wrong) return -1; \
        ssize_t result = CALL(ssize_t, name, file, bytes, TORN_LENGTH(call, count), offset); \
        leave(call); \
        return result; \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

ssize_t copy_file_range(int from, off64_t *from_offset, int to, off64_t *to_offset, size_t count, unsigned flags) {
    struct call call = arrive(step_of_write(to));
    if (call.is_wrong) return -1;
    ssize_t result =
        CALL(ssize_t, copy_file_range, from, from_offset, to, to_offset, TORN_LENGTH(call, count), flags);
    leave(call);
    return result;
}

// MARK: - Names

static enum step step_at(enum step step, int folder, const char *name) {
    char path[PATH_MAX];
    absolute(folder, name, path);
    enum place place = place_of_path(path);
    return place == FILES || (step != CREATE && place != ELSEWHERE) ? step : NONE;
}

#define NAMED(type, step, folder, name, function, ...) \
    struct call call = arrive(step_at(step, folder, name)); \
    if (call.is_wrong) return -1; \
    type result = CALL(type, function, __VA_ARGS__); \
    leave(call); \
    return result;

int rename(const char *from, const char *to) { NAMED(int, RENAME, AT_FDCWD, to, rename, from, to) }
int renameat(int in, const char *from, int out, const char *to) {
    NAMED(int, RENAME, out, to, renameat, in, from, out, to)
}
int renameat2(int in, const char *from, int out, const char *to, unsigned flags) {
    NAMED(int, RENAME, out, to, renameat2, in, from, out, to, flags)
}
int link(const char *from, const char *to) { NAMED(int, RENAME, AT_FDCWD, to, link, from, to) }
int linkat(int in, const char *from, int out, const char *to, int flags) {
    NAMED(int, RENAME, out, to, linkat, in, from, out, to, flags)
}
int unlink(const char *name) { NAMED(int, UNLINK, AT_FDCWD, name, unlink, name) }
int unlinkat(int folder, const char *name, int flags) { NAMED(int, UNLINK, folder, name, unlinkat, folder, name, flags) }
int rmdir(const char *name) { NAMED(int, UNLINK, AT_FDCWD, name, rmdir, name) }
int mkdir(const char *name, mode_t mode) { NAMED(int, MKDIR, AT_FDCWD, name, mkdir, name, mode) }
int mkdirat(int folder, const char *name, mode_t mode) { NAMED(int, MKDIR, folder, name, mkdirat, folder, name, mode) }

#define OPENING(flags, folder, name, function, ...) \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | __O_TMPFILE)) { \
        va_list rest; \
        va_start(rest, flags); \
        mode = va_arg(rest, mode_t); \
        va_end(rest); \
    } \
    struct call call = arrive(step_at((flags) & O_CREAT ? CREATE : OPEN, folder, name)); \
    if (call.is_wrong) return -1; \
    int result = CALL(int, function, __VA_ARGS__); \
    leave(call); \
    return result;

int open(const char *name, int flags, ...) { OPENING(flags, AT_FDCWD, name, open, name, flags, mode) }
int open64(const char *name, int flags, ...) { OPENING(flags, AT_FDCWD, name, open64, name, flags, mode) }
int openat(int folder, const char *name, int flags, ...) {
    OPENING(flags, folder, name, openat, folder, name, flags, mode)
}
int openat64(int folder, const char *name, int flags, ...) {
    OPENING(flags, folder, name, openat64, folder, name, flags, mode)
}

// MARK: - Reading and mapping

static enum step step_of_read(int file) {
    switch (place_of(file)) {
    case LOG: case DATABASE: case FILES: return READ;
    default: return NONE;
    }
}

// A reply counts when something came.
static ssize_t received(ssize_t result) {
    if (result <= 0) return result;
    struct call call = arrive(REPLY);
    leave(call);
    return call.is_wrong ? -1 : result;
}

ssize_t read(int file, void *bytes, size_t count) {
    enum place place = place_of(file);
    struct call call = arrive(place == LOG || place == DATABASE || place == FILES ? READ : NONE);
    if (call.is_wrong) return -1;
    ssize_t result = CALL(ssize_t, read, file, bytes, count);
    leave(call);
    return place == NETWORK ? received(result) : result;
}

#define PREAD(name, offset_type) \
    ssize_t name(int file, void *bytes, size_t count, offset_type offset) { \
        struct call call = arrive(step_of_read(file)); \
        if (call.is_wrong) return -1; \
        ssize_t result = CALL(ssize_t, name, file, bytes, count, offset); \
        leave(call); \
        return result; \
    }
PREAD(pread, off_t)
PREAD(pread64, off64_t)

#define MAPPING(name, offset_type) \
    void *name(void *address, size_t length, int protection, int flags, int file, offset_type offset) { \
        struct call call = arrive(file >= 0 && place_of(file) != ELSEWHERE ? MAP : NONE); \
        if (call.is_wrong) return MAP_FAILED; \
        void *result = (void *)syscall(SYS_mmap, address, length, protection, flags, file, offset); \
        leave(call); \
        return result; \
    }
MAPPING(mmap, off_t)
MAPPING(mmap64, off64_t)

// MARK: - The network

ssize_t send(int file, const void *bytes, size_t count, int flags) {
    struct call call = arrive(place_of(file) == NETWORK ? REQUEST : NONE);
    if (call.is_wrong) return -1;
    ssize_t result = CALL(ssize_t, send, file, bytes, TORN_LENGTH(call, count), flags);
    leave(call);
    return result;
}

ssize_t recv(int file, void *bytes, size_t count, int flags) {
    int is_network = place_of(file) == NETWORK && !(flags & MSG_PEEK);
    ssize_t result = CALL(ssize_t, recv, file, bytes, count, flags);
    return is_network ? received(result) : result;
}

int socket(int domain, int type, int protocol) {
    struct call call = arrive(domain == AF_INET || domain == AF_INET6 ? SOCKET : NONE);
    if (call.is_wrong) return -1;
    int result = CALL(int, socket, domain, type, protocol);
    leave(call);
    return result;
}

int connect(int file, const struct sockaddr *address, socklen_t length) {
    struct call call = arrive(place_of(file) == NETWORK ? CONNECT : NONE);
    if (call.is_wrong) return -1;
    int result = CALL(int, connect, file, address, length);
    leave(call);
    return result;
}

// MARK: - The wall clock

static int64_t jump(void) {
    if (jump_after < 0) return 0;
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    int64_t passed = (now.tv_sec - begun.tv_sec) * 1000 + (now.tv_nsec - begun.tv_nsec) / 1000000;
    return passed >= jump_after ? jump_by : 0;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = CALL(int, clock_gettime, clock, time);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += jump();
    return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    int result = CALL(int, gettimeofday, time, zone);
    if (result == 0) time->tv_sec += jump();
    return result;
}

time_t time(time_t *into) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (into) *into = now.tv_sec;
    return now.tv_sec;
}
