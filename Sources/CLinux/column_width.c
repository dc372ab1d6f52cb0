#define _XOPEN_SOURCE 700
#include "column_width.h"
#include <wchar.h>

int submit_column_width(unsigned int scalar) {
    int width = wcwidth((wchar_t)scalar);
    return width < 0 ? 0 : width;
}
