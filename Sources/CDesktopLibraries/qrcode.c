#include "CDesktopLibraries.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// As qrencode.h of libqrencode 4 has it.
typedef struct {
    int version;
    int width;
    unsigned char *data;
} qr_code;

static struct {
    qr_code *(*encode)(const char *text, int version, int level);
    void (*free_code)(qr_code *);
} libqrencode;

static void load(void) {
    void *library = dlopen("libqrencode.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    *(void **)&libqrencode.free_code = dlsym(library, "QRcode_free");
    if (libqrencode.free_code) *(void **)&libqrencode.encode = dlsym(library, "QRcode_encodeString8bit");
}

unsigned char *submit_qr_code(const char *text, int *width) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    if (!libqrencode.encode) return NULL;
    // The smallest version that fits, with the lowest correction (QR_ECLEVEL_L): screens are not dirty, and are small.
    qr_code *code = libqrencode.encode(text, 0, 0);
    if (!code) return NULL;
    size_t size = (size_t)code->width * (size_t)code->width;
    unsigned char *squares = malloc(size);
    if (squares) {
        memcpy(squares, code->data, size);
        *width = code->width;
    }
    libqrencode.free_code(code);
    return squares;
}
