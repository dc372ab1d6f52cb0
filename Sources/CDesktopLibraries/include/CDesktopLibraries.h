#pragma once

#include <stddef.h>

/// The few functions of libsecret, libqrencode and libsixel that `submit` calls. Each library is loaded when it is needed for the
/// first time, so that neither need be installed and no start-up pays for them. Safe to use from several threads at once.

/// Why libsecret cannot be used: what the loader says. NULL if it can.
const char *submit_keyring_library_error(void);

/// Reads what the Secret Service keeps for a destination of a configuration; NULL where it keeps nothing, or where it
/// cannot be asked: then `*error` says why, to be freed. What is returned is to be given to `submit_keyring_free`.
char *submit_keyring_read(const char *configuration, const char *destination, char **error);

/// Keeps a text, in place of what was kept before; with NULL it keeps nothing any more. 0, or `*error` says why not.
int submit_keyring_write(
    const char *configuration, const char *destination, const char *label, const char *text, char **error);

/// Frees a secret after its memory was overwritten.
void submit_keyring_free(char *text);

/// A QR code of a text, with `*width` rows and columns. The lowest bit of each byte says whether the square is dark. NULL
/// where libqrencode is not installed, or the text is too long. To be freed.
unsigned char *submit_qr_code(const char *text, int *width);

/// Whether libsixel can be used.
int submit_sixel_is_there(void);

/// A picture as terminals take it that show sixels: `*size` bytes, to be freed; NULL where libsixel is not installed or has no
/// memory. `pixels` are three bytes each, red, green and blue, row by row.
char *submit_sixel(const unsigned char *pixels, int width, int height, size_t *size);
