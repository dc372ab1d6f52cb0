#pragma once

#include <stdbool.h>

/// Leaves all threads of this process, those to come too, no calls of the kernel but those that reading and writing open
/// files, memory and threads take, and messages over its standard input: seccomp(2). Nothing can be opened, connected or
/// started from then on.
///
/// False where this kernel cannot, and then nothing has changed.
bool submit_filter_calls(void);
