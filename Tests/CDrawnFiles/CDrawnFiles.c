#define _GNU_SOURCE
#include "CDrawnFiles.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

static char begin[256];
static size_t begin_length;
static int64_t (*answer)(int32_t, FileCall *);

/// By descriptor: the number of the file system that it was opened in; 0 for all others.
enum { DESCRIPTORS = 65536 };
static _Atomic int opened[DESCRIPTORS];

static _Thread_local int looks_through;
/// That of this thread's last call: a thread that sleeps in between sleeps in it.
static _Thread_local int last;

/// The function of the C library that has this name. Threads that look for it first find the same one.
#define REAL(function) \
    ({ \
        static _Atomic(__typeof__(&function)) known; \
        __typeof__(&function) real = atomic_load_explicit(&known, memory_order_relaxed); \
        if (!real) { \
            real = (__typeof__(&function))dlsym(RTLD_NEXT, #function); \
            atomic_store_explicit(&known, real, memory_order_relaxed); \
        } \
        real; \
    })

void drawn_files_begin(const char *folder, int64_t (*answering)(int32_t, FileCall *)) {
    answer = answering;
    begin_length = (size_t)snprintf(begin, sizeof begin, "%s", folder);
}

void drawn_files_look_through(int32_t does) { looks_through = does; }

static int open_in(int descriptor) {
    int number = descriptor >= 0 && descriptor < DESCRIPTORS ? atomic_load(&opened[descriptor]) : 0;
    if (!looks_through) last = number;
    return looks_through ? 0 : number;
}

/// What is copied concerns where it goes, else where it comes from.
static int either(int to, int from) {
    int number = open_in(to);
    return number ? number : open_in(from);
}

static int reached_from(int descriptor, const char *name) {
    if (name[0] != '/') return open_in(descriptor);
    int number = begin_length && strncmp(name, begin, begin_length) == 0 ? atoi(name + begin_length) : 0;
    if (!looks_through) last = number;
    return looks_through ? 0 : number;
}

static int64_t ask(int number, FileCall call) {
    int error = errno;
    looks_through = 1;
    int64_t result = answer(number, &call);
    looks_through = 0;
    errno = result < 0 ? (int)-result : error;
    return result < 0 ? -1 : result;
}

#define ASKED(number, ...) if (number) return (int)ask(number, (FileCall){__VA_ARGS__})

static int opening(int number, int descriptor) {
    if (descriptor >= 0 && descriptor < DESCRIPTORS) atomic_store(&opened[descriptor], number);
    return descriptor;
}

int openat(int folder, const char *name, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    int number = reached_from(folder, name);
    if (!number) return REAL(openat)(folder, name, flags, mode);
    return opening(number, (int)ask(number, (FileCall){FileCallKindOpen, folder, name, .flags = flags, .mode = mode}));
}

int open(const char *name, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return reached_from(AT_FDCWD, name) ? openat(AT_FDCWD, name, flags, mode) : REAL(open)(name, flags, mode);
}

int close(int descriptor) {
    int number = open_in(descriptor);
    opening(0, descriptor);
    ASKED(number, FileCallKindClose, descriptor);
    return REAL(close)(descriptor);
}

int mkdirat(int folder, const char *name, mode_t mode) {
    ASKED(reached_from(folder, name), FileCallKindMakeFolder, folder, name, .mode = mode);
    return REAL(mkdirat)(folder, name, mode);
}

int mkdir(const char *name, mode_t mode) { return mkdirat(AT_FDCWD, name, mode); }

int unlinkat(int folder, const char *name, int flags) {
    ASKED(reached_from(folder, name), FileCallKindUnlink, folder, name, .flags = flags);
    return REAL(unlinkat)(folder, name, flags);
}

int linkat(int from, const char *name, int into, const char *to, int flags) {
    ASKED(from == into ? reached_from(from, name) : 0, FileCallKindLink, from, name, to, flags);
    return REAL(linkat)(from, name, into, to, flags);
}

int renameat2(int from, const char *name, int into, const char *to, unsigned flags) {
    ASKED(from == into ? reached_from(from, name) : 0, FileCallKindRename, from, name, to, (int)flags);
    return REAL(renameat2)(from, name, into, to, flags);
}

int renameat(int from, const char *name, int into, const char *to) { return renameat2(from, name, into, to, 0); }

int fstatat(int folder, const char *restrict name, struct stat *restrict status, int flags) {
    ASKED(reached_from(folder, name), FileCallKindLook, folder, name, .flags = flags, .status = status);
    return REAL(fstatat)(folder, name, status, flags);
}

int stat(const char *restrict name, struct stat *restrict status) {
    return fstatat(AT_FDCWD, name, status, 0);
}

int lstat(const char *restrict name, struct stat *restrict status) {
    return fstatat(AT_FDCWD, name, status, AT_SYMLINK_NOFOLLOW);
}

int fstat(int descriptor, struct stat *status) {
    ASKED(open_in(descriptor), FileCallKindLookOpen, descriptor, .status = status);
    return REAL(fstat)(descriptor, status);
}

int faccessat(int folder, const char *name, int mode, int flags) {
    ASKED(reached_from(folder, name), FileCallKindAccess, folder, name, .mode = (uint32_t)mode, .flags = flags);
    return REAL(faccessat)(folder, name, mode, flags);
}

int access(const char *name, int mode) { return faccessat(AT_FDCWD, name, mode, 0); }

ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) {
    int number = open_in(descriptor);
    if (!number) return REAL(pread)(descriptor, bytes, count, offset);
    return ask(number, (FileCall){FileCallKindRead, descriptor, .bytes = bytes, .count = count, .offset = offset});
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    int number = open_in(descriptor);
    if (!number) return REAL(pwrite)(descriptor, bytes, count, offset);
    return ask(number, (FileCall){FileCallKindWrite, descriptor, .bytes = (void *)bytes, .count = count, .offset = offset});
}

ssize_t copy_file_range(int from, off64_t *at, int to, off64_t *offset, size_t count, unsigned flags) {
    int number = at && offset && *at == *offset ? either(to, from) : 0;
    if (!number) return REAL(copy_file_range)(from, at, to, offset, count, flags);
    return ask(number, (FileCall){FileCallKindCopy, to, .count = count, .offset = *offset, .source = from});
}

int ioctl(int descriptor, unsigned long request, ...) {
    va_list rest;
    va_start(rest, request);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    if (request == FICLONE)
        ASKED(either(descriptor, (int)(intptr_t)argument), FileCallKindClone, descriptor, .source = (int)(intptr_t)argument);
    return REAL(ioctl)(descriptor, request, argument);
}

int fsync(int descriptor) {
    ASKED(open_in(descriptor), FileCallKindSync, descriptor);
    return REAL(fsync)(descriptor);
}

int syncfs(int descriptor) {
    ASKED(open_in(descriptor), FileCallKindSyncAll, descriptor);
    return REAL(syncfs)(descriptor);
}

int sync_file_range(int descriptor, off64_t offset, off64_t count, unsigned flags) {
    ASKED(open_in(descriptor), FileCallKindSyncRange, descriptor, .count = (size_t)count, .offset = offset);
    return REAL(sync_file_range)(descriptor, offset, count, flags);
}

int futimens(int descriptor, const struct timespec times[2]) {
    ASKED(open_in(descriptor), FileCallKindTimes, descriptor, .status = (void *)times);
    return REAL(futimens)(descriptor, times);
}

int fchmod(int descriptor, mode_t mode) {
    ASKED(open_in(descriptor), FileCallKindMode, descriptor, .mode = mode);
    return REAL(fchmod)(descriptor, mode);
}

int flock(int descriptor, int flags) {
    ASKED(open_in(descriptor), FileCallKindLock, descriptor, .flags = flags);
    return REAL(flock)(descriptor, flags);
}

int posix_fadvise(int descriptor, off_t offset, off_t count, int flags) {
    ASKED(open_in(descriptor), FileCallKindAdvise, descriptor, .offset = offset, .count = (size_t)count, .flags = flags);
    return REAL(posix_fadvise)(descriptor, offset, count, flags);
}

int fstatfs(int descriptor, struct statfs *status) {
    ASKED(open_in(descriptor), FileCallKindKind, descriptor, .status = status);
    return REAL(fstatfs)(descriptor, status);
}

int statx(int folder, const char *restrict name, int flags, unsigned mask, struct statx *restrict status) {
    int number = name[0] ? 0 : open_in(folder);
    if (number && ask(number, (FileCall){FileCallKindBirth, folder}) < 0) return -1;
    return REAL(statx)(folder, name, flags, mask, status);
}

int statvfs(const char *restrict name, struct statvfs *restrict status) {
    ASKED(reached_from(AT_FDCWD, name), FileCallKindRoom, AT_FDCWD, name, .status = status);
    return REAL(statvfs)(name, status);
}

struct dirent *readdir(DIR *stream) {
    int number = open_in(dirfd(stream));
    if (!number) return REAL(readdir)(stream);
    struct dirent *entry;
    while ((entry = REAL(readdir)(stream)))
        if (ask(number, (FileCall){FileCallKindListed, dirfd(stream), entry->d_name}) > 0) return entry;
    static _Thread_local struct dirent more;
    FileCall call = {FileCallKindListed, dirfd(stream), .bytes = more.d_name, .count = sizeof more.d_name};
    return ask(number, call) > 0 ? &more : NULL;
}

int closedir(DIR *stream) {
    opening(0, dirfd(stream));
    return REAL(closedir)(stream);
}

/// SQLite waits for its locks on threads that were in a file system before.
static int is_ours(void *caller) {
    Dl_info there, here;
    return dladdr(caller, &there) && dladdr((void *)is_ours, &here) && there.dli_fbase == here.dli_fbase;
}

int usleep(useconds_t microseconds) {
    int number = looks_through || !is_ours(__builtin_return_address(0)) ? 0 : last;
    ASKED(number, FileCallKindSleep, .count = microseconds);
    return REAL(usleep)(microseconds);
}

enum { PIECE = 65536 };

// The true file system may be one that cannot do this between these two.
static int64_t copy(const FileCall *call) {
    char bytes[PIECE];
    ssize_t count = REAL(pread)(call->source, bytes, call->count < PIECE ? call->count : PIECE, call->offset);
    return count <= 0 ? count : REAL(pwrite)(call->descriptor, bytes, (size_t)count, call->offset);
}

int64_t drawn_files_perform(const FileCall *call) {
    int64_t result = -1;
    int descriptor = call->descriptor;
    const char *name = call->name;
    int64_t copied;
    switch (call->kind) {
    case FileCallKindOpen: result = REAL(openat)(descriptor, name, call->flags, call->mode); break;
    case FileCallKindClose: result = REAL(close)(descriptor); break;
    case FileCallKindMakeFolder: result = REAL(mkdirat)(descriptor, name, call->mode); break;
    case FileCallKindUnlink: result = REAL(unlinkat)(descriptor, name, call->flags); break;
    case FileCallKindLink: result = REAL(linkat)(descriptor, name, descriptor, call->to, call->flags); break;
    case FileCallKindRename:
        result = REAL(renameat2)(descriptor, name, descriptor, call->to, (unsigned)call->flags);
        break;
    case FileCallKindLook: result = REAL(fstatat)(descriptor, name, call->status, call->flags); break;
    case FileCallKindLookOpen: result = REAL(fstat)(descriptor, call->status); break;
    case FileCallKindAccess: result = REAL(faccessat)(descriptor, name, (int)call->mode, call->flags); break;
    case FileCallKindRead: result = REAL(pread)(descriptor, call->bytes, call->count, call->offset); break;
    case FileCallKindWrite: result = REAL(pwrite)(descriptor, call->bytes, call->count, call->offset); break;
    case FileCallKindCopy: result = copy(call); break;
    case FileCallKindClone:
        for (FileCall part = *call; part.count = PIECE, (copied = copy(&part)) > 0;) part.offset += copied;
        result = copied;
        break;
    case FileCallKindTimes: result = REAL(futimens)(descriptor, call->status); break;
    case FileCallKindMode: result = REAL(fchmod)(descriptor, call->mode); break;
    case FileCallKindKind: {
        struct statfs *status = call->status;
        result = REAL(fstatfs)(descriptor, status);
        status->f_type = call->mode;
        memset(&status->f_fsid, 0, sizeof status->f_fsid);
        break;
    }
    case FileCallKindRoom: result = REAL(statvfs)(name, call->status); break;
    case FileCallKindSleep: result = REAL(usleep)((useconds_t)call->count); break;
    // Nothing of these is needed: the machine stays up, and one process has it.
    case FileCallKindSync: case FileCallKindSyncAll: case FileCallKindSyncRange: case FileCallKindLock:
    case FileCallKindAdvise: case FileCallKindBirth: result = 0; break;
    case FileCallKindListed: result = name != NULL; break;
    }
    return result < 0 ? -errno : result;
}
