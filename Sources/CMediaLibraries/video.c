#include "CMediaLibraries.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct {
    void *(*create)(void);
    const char *(*option)(void *handle, const char *option, const char *value);
    size_t (*buffer_init)(void *handle, uint64_t size, uint64_t offset);
    size_t (*buffer_continue)(void *handle, const uint8_t *buffer, size_t length);
    uint64_t (*buffer_go_to)(void *handle);
    size_t (*buffer_finalize)(void *handle);
    const char *(*get)(void *handle, int stream, size_t number, const char *field, int info, int search);
    void (*destroy)(void *handle);
} mediainfo;

enum { stream_general = 0, info_name = 0, info_text = 1, status_finished = 8 };

/// As much as a broken file can make it read.
static const int64_t most_bytes = 64 << 20;
static const size_t piece = 64 << 10;

static char load_error[300];

static void load(void) {
    void *library = dlopen("libmediainfo.so.0", RTLD_NOW | RTLD_LOCAL);
#define FIND(field, name) (library && (mediainfo.field = dlsym(library, "MediaInfoA_" name)))
    int found = FIND(create, "New") && FIND(option, "Option") && FIND(buffer_init, "Open_Buffer_Init")
        && FIND(buffer_continue, "Open_Buffer_Continue") && FIND(buffer_go_to, "Open_Buffer_Continue_GoTo_Get")
        && FIND(buffer_finalize, "Open_Buffer_Finalize") && FIND(get, "Get") && FIND(destroy, "Delete");
#undef FIND
    if (found) return;
    const char *reason = dlerror();
    snprintf(load_error, sizeof load_error, "%s", reason ? reason : "libmediainfo.so.0 is unusable");
}

const char *submit_video_library_error(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return load_error[0] ? load_error : NULL;
}

submit_video *submit_video_open(int descriptor, int64_t size) {
    if (submit_video_library_error()) return NULL;
    uint8_t *buffer = malloc(piece);
    void *video = buffer ? mediainfo.create() : NULL;
    if (!video) {
        free(buffer);
        return NULL;
    }
    mediainfo.option(video, "ParseSpeed", "0");
    mediainfo.buffer_init(video, (uint64_t)size, 0);
    int64_t offset = 0, total = 0;
    while (offset >= 0 && offset < size && total < most_bytes) {
        ssize_t count = pread(descriptor, buffer, piece, offset);
        if (count <= 0) break;
        offset += count;
        total += count;
        if (mediainfo.buffer_continue(video, buffer, (size_t)count) & status_finished) break;
        uint64_t target = mediainfo.buffer_go_to(video);
        if (target != UINT64_MAX) {
            offset = (int64_t)target;
            mediainfo.buffer_init(video, (uint64_t)size, target);
        }
    }
    mediainfo.buffer_finalize(video);
    free(buffer);
    return video;
}

const char *submit_video_field(submit_video *video, const char *field) {
    return mediainfo.get(video, stream_general, 0, field, info_text, info_name);
}

void submit_video_close(submit_video *video) {
    mediainfo.destroy(video);
}
