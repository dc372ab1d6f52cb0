#pragma once

#include <stdint.h>

/// The few functions of libgexiv2 and libmediainfo that `submit` calls. Both libraries are loaded when one of their
/// functions here is called for the first time, so that neither has to be installed and no start-up pays for them.
/// Neither is safe to use from two threads at once: callers take turns.

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

/// Why libmediainfo cannot be used: what the loader says. NULL if it can.
const char *submit_video_library_error(void);

/// A video's metadata, opened.
typedef void submit_video;

/// Reads a video's metadata from an open file of `size` bytes, at most 64 MiB of it; NULL if it cannot be read.
/// `MediaInfoA_Open_Buffer_Init` and its companions of MediaInfo's C interface (MediaInfoDLL.h).
submit_video *submit_video_open(int descriptor, int64_t size);

/// A field of the stream kind “General”, such as `Encoded_Date`; empty if it is not there. Valid until the next call.
const char *submit_video_field(submit_video *video, const char *field);

void submit_video_close(submit_video *video);
