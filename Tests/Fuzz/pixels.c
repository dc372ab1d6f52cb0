// Decodes, shrinks and encodes photos as submit-media does, in one process that its caller builds with AddressSanitizer: what is
// wrong with the shim, and what libvips writes beyond its own blocks, ends it.
//   usage: pixels LOADER FILE…
#include "CVips.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(int count, char **arguments) {
    const char *why = count > 2 ? submit_vips_load() : "no file is named";
    if (why) {
        fprintf(stderr, "%s\n", why);
        return 2;
    }
    int made = 0;
    for (int index = 2; index < count; index++) {
        int file = open(arguments[index], O_RDONLY);
        struct submit_picture_facts facts = {0};
        submit_picture *whole = submit_picture_open(file, arguments[1], 1, &facts);
        submit_picture *small = whole ? submit_picture_fit(whole, 90, 70, index % 2) : NULL;
        submit_picture *opaque = small && facts.has_alpha ? submit_picture_flatten(small) : NULL;
        submit_picture *ready = small ? submit_picture_decode(opaque ? opaque : small) : NULL;
        if (ready) {
            void *bytes = NULL;
            size_t size = 0;
            submit_picture_brightness(ready, 99.5);
            if (submit_picture_encode(ready, submit_jpeg, 80, 0, &bytes, &size) == 0) {
                submit_vips_free(bytes);
                made++;
            } else {
                submit_vips_trouble();
            }
            submit_picture_close(ready);
        } else {
            submit_vips_trouble();
        }
        if (opaque) submit_picture_close(opaque);
        if (small) submit_picture_close(small);
        if (whole) submit_picture_close(whole);
        close(file);
    }
    printf("%d of %d\n", made, count - 2);
    return 0;
}
