#define _GNU_SOURCE
#include "column_width.h"
#include <locale.h>
#include <pthread.h>
#include <wchar.h>

static locale_t unicode;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_locale(void) { unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0); }

int submit_column_width(unsigned int scalar) {
    // In the locale C nothing beyond ASCII has a width.
    pthread_once(&once, make_locale);
    locale_t before = unicode ? uselocale(unicode) : (locale_t)0;
    int width = wcwidth((wchar_t)scalar);
    if (before) uselocale(before);
    return width < 0 ? 0 : width;
}
