#include "CDesktopLibraries.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// libsixel 1's types and numbers, as its sixel.h has them.
typedef void sixel_output;
typedef void sixel_dither;
typedef void sixel_allocator;
typedef int (*sixel_write)(char *data, int size, void *context);

enum { rgb888 = 3, colours = 256 };

static int is_failed(int status) { return status & 0x1000; }

static struct {
    int (*sixel_allocator_new)(sixel_allocator **, void *, void *, void *, void *);
    void (*sixel_allocator_unref)(sixel_allocator *);
    int (*sixel_output_new)(sixel_output **, sixel_write, void *context, sixel_allocator *);
    void (*sixel_output_unref)(sixel_output *);
    int (*sixel_dither_new)(sixel_dither **, int colours, sixel_allocator *);
    void (*sixel_dither_unref)(sixel_dither *);
    int (*sixel_dither_initialize)(
        sixel_dither *, unsigned char *pixels, int width, int height, int format, int largest, int representative,
        int quality);
    int (*sixel_encode)(unsigned char *pixels, int width, int height, int depth, sixel_dither *, sixel_output *);
    int is_there;
} libsixel;

static void load(void) {
    void *library = dlopen("libsixel.so.1", RTLD_NOW | RTLD_LOCAL);
#define FIND(name) (library && (*(void **)&libsixel.name = dlsym(library, #name)))
    libsixel.is_there = FIND(sixel_allocator_new) && FIND(sixel_allocator_unref) && FIND(sixel_output_new)
        && FIND(sixel_output_unref) && FIND(sixel_dither_new) && FIND(sixel_dither_unref) && FIND(sixel_dither_initialize)
        && FIND(sixel_encode);
#undef FIND
}

static int load_once(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return libsixel.is_there;
}

int submit_sixel_is_there(void) { return load_once(); }

struct text {
    char *bytes;
    size_t size, room;
};

static int append(char *data, int size, void *context) {
    struct text *text = context;
    if (size < 0) return -1;
    if (text->size + (size_t)size > text->room) {
        size_t room = (text->size + (size_t)size) * 2;
        char *bytes = realloc(text->bytes, room);
        if (!bytes) return -1;
        text->bytes = bytes;
        text->room = room;
    }
    memcpy(text->bytes + text->size, data, (size_t)size);
    text->size += (size_t)size;
    return size;
}

static int encode(unsigned char *pixels, int width, int height, struct text *text) {
    sixel_allocator *allocator = NULL;
    sixel_output *output = NULL;
    sixel_dither *dither = NULL;
    int is_made = !is_failed(libsixel.sixel_allocator_new(&allocator, NULL, NULL, NULL, NULL))
        && !is_failed(libsixel.sixel_output_new(&output, append, text, allocator))
        && !is_failed(libsixel.sixel_dither_new(&dither, colours, allocator))
        && !is_failed(libsixel.sixel_dither_initialize(dither, pixels, width, height, rgb888, 0, 0, 0))
        && !is_failed(libsixel.sixel_encode(pixels, width, height, 3, dither, output));
    if (dither) libsixel.sixel_dither_unref(dither);
    if (output) libsixel.sixel_output_unref(output);
    if (allocator) libsixel.sixel_allocator_unref(allocator);
    return is_made;
}

char *submit_sixel(const unsigned char *pixels, int width, int height, size_t *size) {
    if (width < 1 || height < 1 || !load_once()) return NULL;
    size_t count = (size_t)width * (size_t)height * 3;
    // It is written to while colours are chosen.
    unsigned char *own = malloc(count);
    if (!own) return NULL;
    memcpy(own, pixels, count);
    struct text text = {0};
    int is_made = encode(own, width, height, &text);
    free(own);
    if (!is_made) {
        free(text.bytes);
        return NULL;
    }
    *size = text.size;
    return text.bytes;
}
