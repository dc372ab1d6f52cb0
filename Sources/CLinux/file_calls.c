#define _GNU_SOURCE
#include "file_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef XFS_SUPER_MAGIC
#define XFS_SUPER_MAGIC 0x58465342
#endif
#ifndef BCACHEFS_SUPER_MAGIC
#define BCACHEFS_SUPER_MAGIC 0xca451a4e
#endif

int submit_rename_exclusive(int directory, const char *from, const char *to) {
    return renameat2(directory, from, directory, to, RENAME_NOREPLACE) == 0 ? 0 : errno;
}

int submit_clone(int destination, int source) {
    return ioctl(destination, FICLONE, source) == 0 ? 0 : errno;
}

int submit_copy_range(int destination, int source, int64_t offset, size_t length, size_t *copied) {
    off64_t from = offset, to = offset;
    ssize_t count = copy_file_range(source, &from, destination, &to, length, 0);
    *copied = count < 0 ? 0 : (size_t)count;
    return count < 0 ? errno : 0;
}

int submit_set_modification_time(int descriptor, int64_t seconds, int64_t nanoseconds) {
    struct timespec times[2] = {{0, UTIME_OMIT}, {seconds, nanoseconds}};
    return futimens(descriptor, times) == 0 ? 0 : errno;
}

int submit_start_writing(int descriptor, int64_t offset, int64_t length) {
    return sync_file_range(descriptor, offset, length, SYNC_FILE_RANGE_WRITE) == 0 ? 0 : errno;
}

int submit_finish_writing(int descriptor, int64_t offset, int64_t length) {
    unsigned int flags = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
    return sync_file_range(descriptor, offset, length, flags) == 0 ? 0 : errno;
}

int submit_reserve(int descriptor, int64_t length) {
    return fallocate(descriptor, FALLOC_FL_KEEP_SIZE, 0, length) == 0 ? 0 : errno;
}

int submit_sync_file_system(int descriptor) {
    return syncfs(descriptor) == 0 ? 0 : errno;
}

int submit_can_sync_file_system(int descriptor) {
    struct statfs information;
    if (fstatfs(descriptor, &information) != 0) return 0;
    switch ((unsigned long)information.f_type & 0xffffffff) {
    case EXT4_SUPER_MAGIC:
    case XFS_SUPER_MAGIC:
    case BTRFS_SUPER_MAGIC:
    case F2FS_SUPER_MAGIC:
    case BCACHEFS_SUPER_MAGIC:
    case TMPFS_MAGIC:
        return 1;
    default:
        return 0;
    }
}

int submit_birth_time(int descriptor, int64_t *seconds, uint32_t *nanoseconds) {
    struct statx status;
    if (statx(descriptor, "", AT_EMPTY_PATH, STATX_BTIME, &status) != 0) return errno;
    if (!(status.stx_mask & STATX_BTIME) || status.stx_btime.tv_sec <= 0) return ENODATA;
    *seconds = status.stx_btime.tv_sec;
    *nanoseconds = status.stx_btime.tv_nsec;
    return 0;
}

uint64_t submit_file_system_identity(int descriptor) {
    struct statfs information;
    if (fstatfs(descriptor, &information) != 0) return 0;
    uint32_t low = (uint32_t)information.f_fsid.__val[0], high = (uint32_t)information.f_fsid.__val[1];
    // The number of a device, of which another one may have it tomorrow, leaves the upper half empty.
    return high == 0 ? 0 : (uint64_t)high << 32 | low;
}

int submit_make_memory_file(void) {
    return memfd_create("media item", MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

int submit_seal_memory_file(int descriptor) {
    int seals = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
    return fcntl(descriptor, F_ADD_SEALS, seals) == 0 ? 0 : errno;
}

int submit_read_now(int descriptor, void *buffer, size_t length, int64_t offset, size_t *count) {
    struct iovec place = {.iov_base = buffer, .iov_len = length};
    ssize_t result = preadv2(descriptor, &place, 1, offset, RWF_NOWAIT);
    if (result < 0) return errno;
    *count = (size_t)result;
    return 0;
}
