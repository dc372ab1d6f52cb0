// Whether the phone took the place out of a photo before the browser got it: Android blanks it, and leaves the room it had.

const most = 256 << 10;

export async function isPlaceRemoved(file) {
  try {
    const view = new DataView(await file.slice(0, most).arrayBuffer());
    const tiff = exif(view);
    return tiff === undefined ? false : isBlank(view, tiff);
  } catch {
    return false;
  }
}

// Where the TIFF header of a JPEG's Exif is.
function exif(view) {
  if (view.getUint16(0) !== 0xffd8) return undefined;
  let offset = 2;
  while (offset + 10 < view.byteLength) {
    const marker = view.getUint16(offset);
    if (marker < 0xffc0 || marker === 0xffda) return undefined;
    if (marker === 0xffe1 && view.getUint32(offset + 4) === 0x45786966) return offset + 10;
    offset += 2 + view.getUint16(offset + 2);
  }
  return undefined;
}

function isBlank(view, tiff) {
  const little = view.getUint16(tiff) === 0x4949;
  const directory = tiff + view.getUint32(tiff + 4, little);
  const pointer = entry(view, directory, 0x8825, little);
  if (pointer === undefined) return false;
  const places = tiff + view.getUint32(pointer + 8, little);
  const latitude = entry(view, places, 2, little);
  if (latitude === undefined) return entry(view, places, 4, little) === undefined;
  const values = tiff + view.getUint32(latitude + 8, little);
  for (let index = 0; index < 3; index += 1) {
    if (view.getUint32(values + 8 * index, little) !== 0) return false;
  }
  return true;
}

function entry(view, directory, tag, little) {
  const count = view.getUint16(directory, little);
  for (let index = 0; index < count; index += 1) {
    const place = directory + 2 + 12 * index;
    if (view.getUint16(place, little) === tag) return place;
  }
  return undefined;
}
