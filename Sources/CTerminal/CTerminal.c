// Swift's Glibc module leaves wcwidth out.
#define _XOPEN_SOURCE 700
#include "CTerminal.h"
#include <wchar.h>

int column_width(unsigned int scalar) {
    int width = wcwidth((wchar_t)scalar);
    return width < 0 ? 0 : width;
}
