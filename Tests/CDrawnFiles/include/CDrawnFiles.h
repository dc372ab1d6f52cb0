#pragma once

#include <stddef.h>
#include <stdint.h>

/// Takes the place of libc's file calls in the test process, and hands those that concern a drawn file system to it: all
/// below the folders of ``drawn_files_begin``, by path or by a descriptor that was opened there. All others go on at once.

typedef enum __attribute__((enum_extensibility(closed))) FileCallKind : int32_t {
    FileCallKindOpen,
    FileCallKindClose,
    FileCallKindMakeFolder,
    FileCallKindUnlink,
    FileCallKindLink,
    FileCallKindRename,
    FileCallKindLook,     // stat(2) and its kin, of a name
    FileCallKindLookOpen, // of an open file
    FileCallKindAccess,
    FileCallKindRead,
    FileCallKindWrite,
    FileCallKindCopy,
    FileCallKindClone,
    FileCallKindSync,
    FileCallKindSyncAll,   // syncfs(2)
    FileCallKindSyncRange, // sync_file_range(2)
    FileCallKindTimes,
    FileCallKindMode,
    FileCallKindLock,
    FileCallKindAdvise,
    FileCallKindKind, // fstatfs(2), which is to tell `mode` as the type
    FileCallKindRoom, // statvfs(3)
    FileCallKindBirth, // statx(2) of an open file is about to be told
    FileCallKindListed, // an entry of a folder is about to be told: 1 or 0; without a name: one more, into `bytes`
    FileCallKindSleep,
} FileCallKind;

/// What was asked for. What a call does not have is 0.
typedef struct FileCall {
    FileCallKind kind;
    /// From which `name` is reached, or what is open.
    int32_t descriptor;
    const char *name;
    const char *to;
    int32_t flags;
    uint32_t mode;
    void *bytes;
    size_t count;
    int64_t offset;
    /// Of a copy.
    int32_t source;
    /// `struct stat`, `struct statfs`, `struct statvfs` or `struct timespec[2]`.
    void *status;
} FileCall;

/// Begins to hand calls over.
///
/// - Parameters:
///   - folder: an absolute path that ends in `/`. What lies below `FOLDER/NUMBER/` concerns the file system of that number.
///   - answer: what the call is to return, or a negative `errno`. What it does itself concerns no file system.
void drawn_files_begin(const char *folder, int64_t (*answer)(int32_t number, FileCall *call));

/// Does what is asked for. Returns what the call returns, or a negative `errno`.
int64_t drawn_files_perform(const FileCall *call);

/// From now on, until the same with 0, this thread's calls concern no file system.
void drawn_files_look_through(int32_t does);
