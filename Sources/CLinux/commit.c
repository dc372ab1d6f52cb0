#include "commit.h"

__attribute__((weak)) const char *submit_commit(void) { return ""; }
