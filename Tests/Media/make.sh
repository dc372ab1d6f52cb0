#!/usr/bin/env bash
# Makes the sample media again from the drawings in source/. The results are committed, so this is
# for changing them; it wants (Debian 12, --no-install-recommends):
#   librsvg2-bin imagemagick ffmpeg libheif-examples libavif-bin webp libimage-exiftool-perl
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

draw() { rsvg-convert "source/$1.svg" -o "$work/$1.png"; }
tag() { exiftool -q -overwrite_original "$@"; }
film() { # FILE CODEC-OPTIONS...: two seconds of the boat under way
    local file=$1
    shift
    ffmpeg -v error -y -loop 1 -framerate 24 -i "$work/wide.png" -t 2 \
        -vf "crop=320:180:x='20*t':y=30" -pix_fmt yuv420p -fflags +bitexact -flags +bitexact "$@" "$file"
}

for name in harbour garden lamp scan leaf still; do draw "$name"; done
camera=(-Make=Submit "-Model=Sample One")

# Photos
convert "$work/harbour.png" -strip -sampling-factor 4:2:0 -quality 88 harbour.jpg
tag "${camera[@]}" -Orientation#=1 \
    "-DateTimeOriginal=2024:05:17 18:42:07" "-CreateDate=2024:05:17 18:42:07" \
    -OffsetTimeOriginal=+02:00 -SubSecTimeOriginal=35 \
    -GPSLatitude=53.5436 -GPSLatitudeRef=N -GPSLongitude=9.9666 -GPSLongitudeRef=E \
    -FNumber=5.6 -ExposureTime=1/250 -ISO=200 -FocalLength=35 harbour.jpg

# Stored lying on its side, as a camera held upright does, and to be turned by 90 degrees.
convert "$work/harbour.png" -crop 534x800+80+0 +repage -rotate -90 -strip -quality 85 harbour-portrait.jpg
tag "${camera[@]}" -Orientation#=6 "-DateTimeOriginal=2024:05:18 07:03:00" harbour-portrait.jpg

# The EXIF block is there before heif-enc, which carries it over.
convert "$work/garden.png" -strip -quality 95 "$work/garden.jpg"
tag "${camera[@]}" "-DateTimeOriginal=2023:11:02 09:15:30" "$work/garden.jpg"
heif-enc -q 50 -o garden.heic "$work/garden.jpg" >/dev/null

# As many pixels as phones make, in few bytes.
convert -size 4032x3024 xc:'#c81e1e' xc:'#1ea028' +append "$work/upper.png"
convert -size 4032x3024 xc:'#283cbe' xc:'#dcd23c' +append "$work/lower.png"
convert "$work/upper.png" "$work/lower.png" -append "$work/quarters.png"
heif-enc -q 60 -o wide.heic "$work/quarters.png" >/dev/null

convert "$work/lamp.png" -strip -colors 128 -define png:exclude-chunks=date,time lamp.png
tag -XMP-photoshop:DateCreated=2022-01-31T23:59:59 -XMP-exif:DateTimeOriginal=2022-01-31T23:59:59 lamp.png

convert "$work/scan.png" -strip -colorspace Gray -resize 300x -compress Zip scan.tiff
tag "${camera[@]}" "-DateTimeOriginal=2019:03:08 11:20:00" scan.tiff

cwebp -quiet -q 75 "$work/leaf.png" -o leaf.webp
tag "${camera[@]}" "-EXIF:DateTimeOriginal=2023:10:14 16:20:05" leaf.webp

avifenc --speed 4 --min 20 --max 32 "$work/still.png" still.avif >/dev/null
tag "${camera[@]}" "-EXIF:DateTimeOriginal=2023:12:24 15:30:00" still.avif

# Two frames, and on purpose without any date.
convert -size 160x120 xc:'#1b2a41' \( +clone -fill '#ffd166' -draw 'circle 80,60 80,30' \) \
    -set delay 50 -loop 0 -strip blink.gif

# A linear DNG: 16 bits a channel, no mosaic, the tags that a raw converter asks for.
convert "$work/still.png" -strip -resize 120x -depth 16 -alpha off -type TrueColor -compress None "tiff:$work/raw.dng"
tag "${camera[@]}" -IFD0:PhotometricInterpretation#=34892 -IFD0:SubfileType#=0 \
    "-DNGVersion=1 4 0 0" "-DNGBackwardVersion=1 2 0 0" "-UniqueCameraModel=Submit Sample One" \
    "-ColorMatrix1=3.2406 -1.5372 -0.4986 -0.9689 1.8758 0.0415 0.0557 -0.204 1.057" \
    -CalibrationIlluminant1#=21 "-AsShotNeutral=1 1 1" -Orientation#=1 \
    "-DateTimeOriginal=2024:02:29 12:00:00" "$work/raw.dng"
cp "$work/raw.dng" raw.dng

# Videos
convert "$work/harbour.png" -resize 400x "$work/wide.png"
utc=2024-05-17T16:45:00Z
h264=(-c:v libx264 -preset veryslow -crf 30 -movflags +faststart)
film boat.mp4 "${h264[@]}" -metadata creation_time=$utc
film boat.m4v "${h264[@]}" -f mp4 -brand 'M4V ' -metadata creation_time=$utc
film boat.mov "${h264[@]}" -metadata creation_time=$utc
tag -Keys:CreationDate='2024:05:17 18:45:00+02:00' boat.mov
film boat.webm -c:v libvpx-vp9 -crf 42 -b:v 0 -metadata creation_time=$utc
film boat.mkv "${h264[@]:0:6}" -metadata creation_time=$utc
film boat.avi -c:v mpeg4 -q:v 9 -metadata date="2024-05-17 18:45:00"
