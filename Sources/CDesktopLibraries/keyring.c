#include "CDesktopLibraries.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// libsecret's and GLib's types, as their headers have them (libsecret/secret-schema.h, glib/gerror.h); both are part of
// an ABI that is kept.
typedef struct {
    unsigned int domain;
    int code;
    char *message;
} glib_error;

typedef struct {
    const char *name;
    int flags;
    struct {
        const char *name;
        int type;
    } attributes[32];
    int reserved;
    void *more_reserved[7];
} secret_schema;

static struct {
    char *(*lookup)(const secret_schema *, void *cancellable, glib_error **, ...);
    int (*store)(
        const secret_schema *, const char *collection, const char *label, const char *password, void *cancellable,
        glib_error **, ...);
    void *(*search)(const secret_schema *, int flags, void *cancellable, glib_error **, ...);
    int (*clear)(const secret_schema *, void *cancellable, glib_error **, ...);
    void (*free_password)(char *);
    void (*error_free)(glib_error *);
    void (*list_free_full)(void *list, void (*free_element)(void *));
    void (*object_unref)(void *);
} libsecret;

// Attribute type 0 is a string (SECRET_SCHEMA_ATTRIBUTE_STRING). GNOME Keyring does not find the entries of a locked
// keyring by their schema's name: they are looked for without (SECRET_SCHEMA_DONT_MATCH_NAME).
static const secret_schema schema = {
    .name = "submit.Destination",
    .flags = 1 << 1,
    .attributes = {{"configuration", 0}, {"destination", 0}},
};

static char load_error[300];

static void load(void) {
    void *library = dlopen("libsecret-1.so.0", RTLD_NOW | RTLD_LOCAL);
    // The symbols of the libraries it needs, such as GLib's g_error_free, are found through it.
#define FIND(field, name) (library && (*(void **)&libsecret.field = dlsym(library, name)))
    int found = FIND(lookup, "secret_password_lookup_sync") && FIND(store, "secret_password_store_sync")
        && FIND(clear, "secret_password_clear_sync") && FIND(free_password, "secret_password_free")
        && FIND(search, "secret_password_search_sync") && FIND(error_free, "g_error_free")
        && FIND(list_free_full, "g_list_free_full") && FIND(object_unref, "g_object_unref");
#undef FIND
    if (found) return;
    const char *reason = dlerror();
    snprintf(load_error, sizeof load_error, "%s", reason ? reason : "libsecret-1.so.0 is unusable");
}

const char *submit_keyring_library_error(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return load_error[0] ? load_error : NULL;
}

static int failed(glib_error *failure, char **error) {
    if (!failure) return 0;
    *error = strdup(failure->message ? failure->message : "unknown error");
    libsecret.error_free(failure);
    return -1;
}

char *submit_keyring_read(const char *configuration, const char *destination, char **error) {
    glib_error *failure = NULL;
    char *text = libsecret.lookup(
        &schema, NULL, &failure, "configuration", configuration, "destination", destination, (char *)NULL);
    if (failed(failure, error) || text) return text;
    // What is there and stays locked is told as what is not there.
    void *items = libsecret.search(
        &schema, 0, NULL, &failure, "configuration", configuration, "destination", destination, (char *)NULL);
    if (items) {
        libsecret.list_free_full(items, libsecret.object_unref);
        *error = strdup("the keyring is locked");
    } else {
        failed(failure, error);
    }
    return NULL;
}

int submit_keyring_write(
    const char *configuration, const char *destination, const char *label, const char *text, char **error) {
    glib_error *failure = NULL;
    if (text) {
        // The collection that stays when the session ends (SECRET_COLLECTION_DEFAULT).
        int stored = libsecret.store(
            &schema, "default", label, text, NULL, &failure, "configuration", configuration, "destination", destination,
            (char *)NULL);
        // Who dismisses the question whether to unlock it makes no error.
        if (!stored && !failure) {
            *error = strdup("it stayed locked, and has kept nothing");
            return -1;
        }
    } else {
        libsecret.clear(
            &schema, NULL, &failure, "configuration", configuration, "destination", destination, (char *)NULL);
    }
    return failed(failure, error);
}

void submit_keyring_free(char *text) {
    if (text) libsecret.free_password(text);
}
