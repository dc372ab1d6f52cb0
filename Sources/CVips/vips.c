#define _GNU_SOURCE
#include "CVips.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// libvips's own types and numbers, as its headers have them (libvips 8.14, include/vips/).
typedef void VipsImage;
typedef void VipsSource;

enum { fail_on_error = 2, size_down = 2, interesting_centre = 1, band_format_uchar = 0 };
enum { interpretation_b_w = 1, interpretation_cmyk = 15, interpretation_srgb = 22, interpretation_grey16 = 26 };
enum { heif_compression_av1 = 4, bind_lazily = 1 };

// Its variable arguments are pairs of a name and a value: an `int` for what it calls gboolean.
static struct {
    int (*vips_init)(const char *name);
    int (*vips_version)(int part);
    void *(*g_module_open)(const char *path, int flags);
    void (*vips_concurrency_set)(int threads);
    void (*vips_cache_set_max)(int operations);
    void (*vips_block_untrusted_set)(int is_blocked);
    void (*vips_operation_block_set)(const char *name, int is_blocked);
    const char *(*vips_error_buffer)(void);
    void (*vips_error_clear)(void);
    VipsSource *(*vips_source_new_from_descriptor)(int descriptor);
    VipsImage *(*vips_image_new_from_source)(VipsSource *source, const char *options, ...);
    VipsImage *(*vips_image_new_from_buffer)(const void *bytes, size_t size, const char *options, ...);
    VipsImage *(*vips_image_new_from_memory_copy)(
        const void *bytes, size_t size, int width, int height, int bands, int format);
    VipsImage *(*vips_image_copy_memory)(VipsImage *image);
    void *(*vips_image_write_to_memory)(VipsImage *image, size_t *size);
    int (*vips_image_get_width)(const VipsImage *image);
    int (*vips_image_get_height)(const VipsImage *image);
    int (*vips_image_get_n_pages)(VipsImage *image);
    int (*vips_image_get_orientation_swap)(VipsImage *image);
    int (*vips_image_hasalpha)(VipsImage *image);
    int (*vips_image_get_interpretation)(const VipsImage *image);
    unsigned long (*vips_image_get_typeof)(const VipsImage *image, const char *name);
    int (*vips_thumbnail_source)(VipsSource *source, VipsImage **out, int width, ...);
    int (*vips_thumbnail_image)(VipsImage *in, VipsImage **out, int width, ...);
    int (*vips_colourspace)(VipsImage *in, VipsImage **out, int space, ...);
    int (*vips_copy)(VipsImage *in, VipsImage **out, ...);
    void (*vips_image_set_int)(VipsImage *image, const char *name, int value);
    int (*vips_image_remove)(VipsImage *image, const char *name);
    int (*vips_flatten)(VipsImage *in, VipsImage **out, ...);
    void *(*vips_array_double_newv)(int count, ...);
    void (*vips_area_unref)(void *area);
    int (*vips_percent)(VipsImage *in, double percent, int *threshold, ...);
    int (*vips_linear1)(VipsImage *in, VipsImage **out, double a, double b, ...);
    int (*vips_extract_band)(VipsImage *in, VipsImage **out, int band, ...);
    int (*vips_resize)(VipsImage *in, VipsImage **out, double scale, ...);
    int (*vips_jpegsave_buffer)(VipsImage *in, void **bytes, size_t *size, ...);
    int (*vips_webpsave_buffer)(VipsImage *in, void **bytes, size_t *size, ...);
    int (*vips_pngsave_buffer)(VipsImage *in, void **bytes, size_t *size, ...);
    int (*vips_heifsave_buffer)(VipsImage *in, void **bytes, size_t *size, ...);
    void (*g_object_unref)(void *object);
    void (*g_free)(void *bytes);
} vips;

struct submit_picture {
    VipsImage *image;
    /// What is read anew where a file is decoded; NULL for what is computed.
    VipsSource *source;
    bool is_heif;
    /// It was said how it is turned.
    bool is_turned;
};

static char load_error[300];

/// Loads the one of libvips's modules that is needed, where it is none of the library itself.
static void load_heif(void) {
    char path[500];
    Dl_info library;
    if (!dladdr((void *)vips.vips_init, &library) || !library.dli_fname) return;
    const char *name = strrchr(library.dli_fname, '/');
    int count = snprintf(
        path, sizeof path, "%.*s/vips-modules-%d.%d/vips-heif.so", name ? (int)(name - library.dli_fname) : 0,
        library.dli_fname, vips.vips_version(0), vips.vips_version(1));
    if (count > 0 && count < (int)sizeof path) vips.g_module_open(path, bind_lazily);
}

const char *submit_vips_load(void) {
    void *library = dlopen("libvips.so.42", RTLD_LAZY | RTLD_LOCAL);
#define FIND(name) (library && (vips.name = dlsym(library, #name)))
    int found = FIND(vips_init) && FIND(vips_version) && FIND(g_module_open) && FIND(vips_concurrency_set) && FIND(vips_cache_set_max)
        && FIND(vips_block_untrusted_set) && FIND(vips_operation_block_set) && FIND(vips_error_buffer)
        && FIND(vips_error_clear) && FIND(vips_source_new_from_descriptor) && FIND(vips_image_new_from_source)
        && FIND(vips_image_new_from_buffer) && FIND(vips_image_new_from_memory_copy) && FIND(vips_image_copy_memory)
        && FIND(vips_image_write_to_memory) && FIND(vips_image_get_width) && FIND(vips_image_get_height)
        && FIND(vips_image_get_n_pages) && FIND(vips_image_get_orientation_swap) && FIND(vips_image_hasalpha)
        && FIND(vips_image_get_interpretation) && FIND(vips_image_get_typeof) && FIND(vips_copy) && FIND(vips_image_remove)
        && FIND(vips_image_set_int)
        && FIND(vips_thumbnail_source) && FIND(vips_thumbnail_image) && FIND(vips_colourspace) && FIND(vips_flatten)
        && FIND(vips_array_double_newv) && FIND(vips_area_unref) && FIND(vips_percent) && FIND(vips_linear1)
        && FIND(vips_extract_band) && FIND(vips_resize) && FIND(vips_jpegsave_buffer)
        && FIND(vips_webpsave_buffer) && FIND(vips_pngsave_buffer) && FIND(vips_heifsave_buffer)
        && FIND(g_object_unref) && FIND(g_free);
#undef FIND
    if (!found) {
        const char *reason = dlerror();
        snprintf(load_error, sizeof load_error, "%s", reason ? reason : "libvips.so.42 is unusable");
        return load_error;
    }
    // A large picture that is needed as a whole would go into a file in /tmp.
    setenv("VIPS_DISC_THRESHOLD", "1024g", 1);
    // Beside it are modules that are never used, and that take as long to load as the library itself.
    setenv("VIPSHOME", "/nonexistent", 1);
    if (vips.vips_init("submit-media")) {
        snprintf(load_error, sizeof load_error, "libvips could not be initialized: %s", vips.vips_error_buffer());
        return load_error;
    }
    load_heif();
    vips.vips_block_untrusted_set(1);
    vips.vips_concurrency_set(1);
    vips.vips_cache_set_max(0);
    return NULL;
}

const char *submit_vips_version(void) {
    static char text[40];
    snprintf(text, sizeof text, "%d.%d.%d", vips.vips_version(0), vips.vips_version(1), vips.vips_version(2));
    return text;
}

/// What libvips had said before it was asked for something else; empty for nothing.
static char earlier_trouble[500];

const char *submit_vips_trouble(void) { return *earlier_trouble ? earlier_trouble : vips.vips_error_buffer(); }

static void forget_trouble(void) {
    *earlier_trouble = 0;
    vips.vips_error_clear();
}

/// Takes over what was computed; NULL where nothing was.
static submit_picture *picture(int is_failed, VipsImage *image) {
    submit_picture *made = is_failed ? NULL : calloc(1, sizeof *made);
    if (made) made->image = image;
    return made;
}

/// What a file is was found out by other code: no other loader gets to see it.
static void allow_only(const char *loader) {
    vips.vips_operation_block_set("VipsForeignLoad", 1);
    vips.vips_operation_block_set(loader, 0);
}

/// The loader of what is being worked at; empty where there was nothing yet.
static char current_loader[40];

submit_picture *submit_picture_open(
    int descriptor, const char *loader, int orientation, struct submit_picture_facts *facts) {
    forget_trouble();
    snprintf(current_loader, sizeof current_loader, "%s", loader);
    allow_only(loader);
    submit_picture *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    made->is_heif = !strcmp(loader, "VipsForeignLoadHeif");
    made->source = vips.vips_source_new_from_descriptor(descriptor);
    if (made->source) made->image = vips.vips_image_new_from_source(made->source, "", "fail_on", fail_on_error, NULL);
    if (!made->image) {
        submit_picture_close(made);
        return NULL;
    }
    made->is_turned = orientation > 1;
    if (made->is_turned) vips.vips_image_set_int(made->image, "orientation", orientation);
    facts->width = vips.vips_image_get_width(made->image);
    facts->height = vips.vips_image_get_height(made->image);
    facts->pages = vips.vips_image_get_n_pages(made->image);
    bool is_turned = vips.vips_image_get_orientation_swap(made->image);
    facts->shown_width = is_turned ? facts->height : facts->width;
    facts->shown_height = is_turned ? facts->width : facts->height;
    return made;
}

submit_picture *submit_picture_fit(submit_picture *from, int width, int height, bool is_cut) {
    VipsImage *image = NULL, *shown = NULL;
    int crop = is_cut ? interesting_centre : 0;
    int interpretation = vips.vips_image_get_interpretation(from->image);
    bool is_converted = vips.vips_image_get_typeof(from->image, "icc-profile-data") || interpretation == interpretation_cmyk;
    // Without a profile it is in sRGB already: a conversion would shift its colours.
    const char *profile = is_converted ? "export_profile" : NULL;
    // Of HEIF the thumbnail inside would be taken, which may show something else than the picture. A file that is read again has
    // forgotten how it is turned.
    int failed = from->is_heif || from->is_turned
        ? vips.vips_thumbnail_image(
            from->image, &image, width, "height", height, "size", size_down, "crop", crop, profile, "srgb", NULL)
        : vips.vips_thumbnail_source(
            from->source, &image, width, "height", height, "size", size_down, "crop", crop, "option_string",
            "[fail_on=error]", profile, "srgb", NULL);
    if (failed) return NULL;
    bool is_grey = !is_converted && (interpretation == interpretation_b_w || interpretation == interpretation_grey16);
    // To eight bits.
    failed = vips.vips_colourspace(image, &shown, is_grey ? interpretation_b_w : interpretation_srgb, NULL);
    vips.g_object_unref(image);
    if (failed) return NULL;
    image = NULL;
    failed = vips.vips_copy(shown, &image, NULL);
    vips.g_object_unref(shown);
    // Not every writer leaves it out; sRGB needs none.
    if (!failed) vips.vips_image_remove(image, "icc-profile-data");
    return picture(failed, image);
}

bool submit_picture_has_alpha(const submit_picture *picture) { return vips.vips_image_hasalpha(picture->image); }

submit_picture *submit_picture_flatten(submit_picture *from) {
    VipsImage *image = NULL;
    void *white = vips.vips_array_double_newv(1, 255.0);
    int failed = vips.vips_flatten(from->image, &image, "background", white, NULL);
    vips.vips_area_unref(white);
    return picture(failed, image);
}

submit_picture *submit_picture_decode(submit_picture *from) {
    VipsImage *image = vips.vips_image_copy_memory(from->image);
    return picture(!image, image);
}

int submit_picture_brightness(submit_picture *from, double percent) {
    VipsImage *grey = NULL;
    int threshold = -1;
    if (vips.vips_colourspace(from->image, &grey, interpretation_b_w, NULL)) return -1;
    VipsImage *first = NULL;
    if (vips.vips_extract_band(grey, &first, 0, NULL) || vips.vips_percent(first, percent, &threshold, NULL))
        threshold = -1;
    if (first) vips.g_object_unref(first);
    vips.g_object_unref(grey);
    return threshold;
}

submit_picture *submit_picture_scale_brightness(submit_picture *from, double factor, double offset) {
    VipsImage *image = NULL;
    int failed = vips.vips_linear1(from->image, &image, factor, offset, "uchar", 1, NULL);
    return picture(failed, image);
}

submit_picture *submit_picture_shrink(submit_picture *from, double factor) {
    VipsImage *image = NULL;
    int failed = vips.vips_resize(from->image, &image, factor, NULL);
    return picture(failed, image);
}

submit_picture *submit_picture_sample(int side) {
    size_t size = (size_t)side * side * 3;
    unsigned char *bytes = malloc(size);
    if (!bytes) return NULL;
    for (size_t index = 0; index < size; index++) bytes[index] = (unsigned char)(index * 7 % 251);
    VipsImage *raw = vips.vips_image_new_from_memory_copy(bytes, size, side, side, 3, band_format_uchar);
    VipsImage *image = NULL;
    int failed = !raw || vips.vips_copy(raw, &image, "interpretation", interpretation_srgb, NULL);
    free(bytes);
    if (raw) vips.g_object_unref(raw);
    return picture(failed, image);
}

static int encode(
    VipsImage *in, enum submit_picture_format format, int quality, int effort, void **bytes, size_t *size
) {
    switch (format) {
    case submit_jpeg:
        return vips.vips_jpegsave_buffer(in, bytes, size, "Q", quality, "optimize_coding", 1, "strip", 1, NULL);
    case submit_webp: return vips.vips_webpsave_buffer(in, bytes, size, "Q", quality, "strip", 1, NULL);
    case submit_png: return vips.vips_pngsave_buffer(in, bytes, size, "strip", 1, NULL);
    case submit_avif:
        return vips.vips_heifsave_buffer(
            in, bytes, size, "Q", quality, "compression", heif_compression_av1, "effort", effort, "strip", 1, NULL);
    }
    return -1;
}

static const char *const loaders[] = {
    [submit_jpeg] = "VipsForeignLoadJpeg", [submit_webp] = "VipsForeignLoadWebp", [submit_png] = "VipsForeignLoadPng",
    [submit_avif] = "VipsForeignLoadHeif",
};

/// Whether these bytes begin as a picture of this size does.
static bool is_picture(const void *bytes, size_t size, enum submit_picture_format format, VipsImage *like) {
    allow_only(loaders[format]);
    VipsImage *head = vips.vips_image_new_from_buffer(bytes, size, "", NULL);
    bool is_alike = head && vips.vips_image_get_width(head) == vips.vips_image_get_width(like)
        && vips.vips_image_get_height(head) == vips.vips_image_get_height(like);
    if (head) vips.g_object_unref(head);
    if (*current_loader) allow_only(current_loader);
    return is_alike;
}

int submit_picture_encode(
    submit_picture *from, enum submit_picture_format format, int quality, int effort, void **bytes, size_t *size
) {
    forget_trouble();
    if (encode(from->image, format, quality, effort, bytes, size)) return -1;
    // libheif tells of its encoder's failure and libvips does not: an empty file would pass for a picture.
    snprintf(earlier_trouble, sizeof earlier_trouble, "%s", vips.vips_error_buffer());
    if (*bytes && is_picture(*bytes, *size, format, from->image)) {
        *earlier_trouble = 0;
        return 0;
    }
    if (*bytes) vips.g_free(*bytes);
    *bytes = NULL;
    return 1;
}

int submit_picture_pixels(submit_picture *from, void **bytes, size_t *size) {
    VipsImage *image = NULL;
    // What is grey has one byte a pixel.
    if (vips.vips_colourspace(from->image, &image, interpretation_srgb, NULL)) return -1;
    *bytes = vips.vips_image_write_to_memory(image, size);
    size_t width = (size_t)vips.vips_image_get_width(image), height = (size_t)vips.vips_image_get_height(image);
    vips.g_object_unref(image);
    if (*bytes && *size == width * height * 3) return 0;
    if (*bytes) vips.g_free(*bytes);
    *bytes = NULL;
    return -1;
}

int submit_picture_width(submit_picture *picture) { return vips.vips_image_get_width(picture->image); }
int submit_picture_height(submit_picture *picture) { return vips.vips_image_get_height(picture->image); }

void submit_picture_close(submit_picture *picture) {
    if (!picture) return;
    if (picture->image) vips.g_object_unref(picture->image);
    if (picture->source) vips.g_object_unref(picture->source);
    free(picture);
}

void submit_vips_free(void *bytes) { vips.g_free(bytes); }
