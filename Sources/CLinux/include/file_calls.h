#pragma once

#include <stddef.h>
#include <stdint.h>

/// Linux file calls. Each returns 0, or the `errno` of its failure.

/// Renames within one directory, and fails with `EEXIST` rather than replace anything: renameat2(2).
int submit_rename_exclusive(int directory, const char *from, const char *to);

/// Makes `destination` share all blocks of `source`: ioctl_ficlone(2).
int submit_clone(int destination, int source);

/// Copies up to `length` bytes inside the kernel, at the same offset in both files: copy_file_range(2).
/// `copied` gets the number of bytes; 0 at the source's end.
int submit_copy_range(int destination, int source, int64_t offset, size_t length, size_t *copied);

/// Sets the time of modification and leaves the time of access: futimens(2).
int submit_set_modification_time(int descriptor, int64_t seconds, int64_t nanoseconds);

/// Starts writing a range to the device and does not wait: sync_file_range(2).
int submit_start_writing(int descriptor, int64_t offset, int64_t length);

/// Writes a range to the device and waits for it. Says nothing about the device's own cache: sync_file_range(2).
int submit_finish_writing(int descriptor, int64_t offset, int64_t length);

/// Takes room for the first `length` bytes of a file, whose size stays as it is: fallocate(2). `EOPNOTSUPP` where the file
/// system cannot.
int submit_reserve(int descriptor, int64_t length);

/// Makes everything durable that was written to the file system of `descriptor`: syncfs(2).
int submit_sync_file_system(int descriptor);

/// Whether syncfs(2) on this file system promises as much as fsync(2) on each of its files. Not so where a server or
/// a program keeps the data (NFS, SMB, FUSE): there fsync(2) alone is passed on.
int submit_can_sync_file_system(int descriptor);

/// Reads what memory has of a file, and waits for nothing: `EAGAIN` where it has nothing, `EOPNOTSUPP` where that cannot
/// be told; preadv2(2). `count` gets the number of bytes; 0 at its end.
int submit_read_now(int descriptor, void *buffer, size_t length, int64_t offset, size_t *count);

/// When the file behind `descriptor` was made: statx(2). `ENODATA` where its file system does not keep that.
int submit_birth_time(int descriptor, int64_t *seconds, uint32_t *nanoseconds);

/// What a file system calls itself, as 64 bits that are the same at every mount; 0 where it has none of its own but, for
/// example, the number of its device: fstatfs(2).
uint64_t submit_file_system_identity(int descriptor);

/// Makes a file in memory that no one else can find and that goes with its last descriptor, which it returns; or -1
/// with `errno`: memfd_create(2).
int submit_make_memory_file(void);

/// Lets nobody change a file in memory any more, not through other descriptors either: F_ADD_SEALS of fcntl(2).
int submit_seal_memory_file(int descriptor);
