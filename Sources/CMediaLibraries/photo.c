#include "CMediaLibraries.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <stdio.h>

static struct {
    int (*initialize)(void);
    void (*log_set_level)(int level);
    void *(*metadata_new)(void);
    int (*metadata_open_path)(void *metadata, const char *path, void **error);
    char *(*metadata_try_get_tag_string)(void *metadata, const char *tag, void **error);
    void (*metadata_free)(void *metadata);
    void (*g_free)(void *memory);
} gexiv2;

static const int gexiv2_log_level_mute = 4;

static char load_error[300];

struct submit_photo {
    void *metadata;
    char *text;
};

static void load(void) {
    void *library = dlopen("libgexiv2.so.2", RTLD_NOW | RTLD_LOCAL);
    // The symbols of the libraries it needs, such as GLib's g_free, are found through it.
#define FIND(field, name) (library && (gexiv2.field = dlsym(library, name)))
    int found = FIND(initialize, "gexiv2_initialize") && FIND(log_set_level, "gexiv2_log_set_level")
        && FIND(metadata_new, "gexiv2_metadata_new") && FIND(metadata_open_path, "gexiv2_metadata_open_path")
        && FIND(metadata_try_get_tag_string, "gexiv2_metadata_try_get_tag_string")
        && FIND(metadata_free, "gexiv2_metadata_free") && FIND(g_free, "g_free");
#undef FIND
    if (!found) {
        const char *reason = dlerror();
        snprintf(load_error, sizeof load_error, "%s", reason ? reason : "libgexiv2.so.2 is unusable");
        return;
    }
    // Otherwise it writes warnings about odd photos to the terminal.
    gexiv2.log_set_level(gexiv2_log_level_mute);
    if (!gexiv2.initialize()) snprintf(load_error, sizeof load_error, "libgexiv2.so.2 could not be initialized");
}

const char *submit_photo_library_error(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return load_error[0] ? load_error : NULL;
}

submit_photo *submit_photo_open(const char *path) {
    if (submit_photo_library_error()) return NULL;
    submit_photo *photo = calloc(1, sizeof *photo);
    if (!photo) return NULL;
    photo->metadata = gexiv2.metadata_new();
    if (photo->metadata && gexiv2.metadata_open_path(photo->metadata, path, NULL)) return photo;
    submit_photo_close(photo);
    return NULL;
}

const char *submit_photo_tag(submit_photo *photo, const char *tag) {
    gexiv2.g_free(photo->text);
    photo->text = gexiv2.metadata_try_get_tag_string(photo->metadata, tag, NULL);
    return photo->text;
}

void submit_photo_close(submit_photo *photo) {
    gexiv2.g_free(photo->text);
    if (photo->metadata) gexiv2.metadata_free(photo->metadata);
    free(photo);
}
