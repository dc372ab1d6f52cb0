#pragma once

#include <stdbool.h>
#include <stddef.h>

/// The few functions of libvips that `submit-media` calls, from 8.13 on. It is loaded by `submit_vips_load`, so that it need
/// not be installed to build. None of these is safe to be called from two threads at once.

/// Loads libvips, with one thread, no cache, no files for what it works at, and no loader that it does not trust. NULL, or why it
/// cannot be used.
const char *submit_vips_load(void);

/// Its version, such as `8.14.1`.
const char *submit_vips_version(void);

/// A picture: not yet decoded where it was opened, and in whatever form libvips keeps it.
typedef struct submit_picture submit_picture;

/// What the head of a file says. `shown_width` and `shown_height` are after turning it as it says.
struct submit_picture_facts {
    int width, height, pages, shown_width, shown_height;
};

/// Reads a picture's head by one of libvips's loaders, such as `VipsForeignLoadJpeg`, and by no other. NULL where it cannot.
/// `orientation`, from 1 to 8, is how a picture is turned whose loader doesn't read that; 1 for all others.
submit_picture *submit_picture_open(
    int descriptor, const char *loader, int orientation, struct submit_picture_facts *facts);

/// What is to be seen of the file, upright, in sRGB, no larger than asked for and never larger than it is; cut to its middle
/// where `is_cut`. A file that ends too early is none. NULL where it cannot be.
submit_picture *submit_picture_fit(submit_picture *picture, int width, int height, bool is_cut);

/// Whether a picture is transparent anywhere. A file's colours may have more channels than the picture that is made of them.
bool submit_picture_has_alpha(const submit_picture *picture);

/// The picture on white where it was transparent. Call it only if `submit_picture_has_alpha`: libvips takes the last channel for
/// transparency, whatever it is.
submit_picture *submit_picture_flatten(submit_picture *picture);

/// The picture decoded, so that it can be used several times.
submit_picture *submit_picture_decode(submit_picture *picture);

/// The brightness below which `percent` of the pixels are, of 255; -1 where that cannot be told.
int submit_picture_brightness(submit_picture *picture, double percent);

/// Every colour times `factor` and plus `offset`.
submit_picture *submit_picture_scale_brightness(submit_picture *picture, double factor, double offset);

/// The picture in a smaller size.
submit_picture *submit_picture_shrink(submit_picture *picture, double factor);

enum submit_picture_format { submit_jpeg, submit_webp, submit_png, submit_avif };

/// Encodes a picture without any metadata, and looks at what came out. `effort`, from 0 to 9, is how hard AVIF is tried. Returns 0,
/// -1, or 1 where what came out is no such picture; `bytes` are to be freed by `submit_vips_free` after 0.
int submit_picture_encode(
    submit_picture *picture, enum submit_picture_format format, int quality, int effort, void **bytes, size_t *size);

/// The pixels of a picture without transparency: three bytes each, row by row. Returns 0 or -1; `bytes` are to be freed by
/// `submit_vips_free` after 0.
int submit_picture_pixels(submit_picture *picture, void **bytes, size_t *size);

/// A square picture that no file is needed for.
submit_picture *submit_picture_sample(int side);

int submit_picture_width(submit_picture *picture);
int submit_picture_height(submit_picture *picture);

void submit_picture_close(submit_picture *picture);
void submit_vips_free(void *bytes);

/// Why the last of these failed, in the words of the library, for a log; valid until the next call.
const char *submit_vips_trouble(void);
