#pragma once

/// Gives 0, 1 and 2 to nobody else: a file that is opened later would be taken for standard output where a program was
/// started with that closed. Reading from and writing to what was closed fails with `EBADF`, as it did.
void submit_hold_standard_streams(void);

/// Hands over what is printed. Returns 0, or the `errno` of why some of it, now or before, could not be written.
int submit_flush_standard_output(void);
