#pragma once

/// The few functions of libgexiv2 that `submit` calls. It is loaded when one of them is called for the first time, so
/// that it need not be installed and no start-up pays for it. Not safe to use from two threads at once: its XMP toolkit
/// is not made for that, so callers take turns.

/// Why libgexiv2 cannot be used: what the loader says. NULL if it can.
const char *submit_photo_library_error(void);

/// A photo's metadata, opened.
typedef struct submit_photo submit_photo;

/// Opens a photo's metadata; NULL if it has none that can be read. `gexiv2_metadata_open_path` of gexiv2.
submit_photo *submit_photo_open(const char *path);

/// A tag such as `Exif.Photo.DateTimeOriginal` as text; NULL if it is not there. The text is valid until the next tag
/// is asked for, or until the photo is closed. `gexiv2_metadata_try_get_tag_string` of gexiv2.
const char *submit_photo_tag(submit_photo *photo, const char *tag);

void submit_photo_close(submit_photo *photo);
