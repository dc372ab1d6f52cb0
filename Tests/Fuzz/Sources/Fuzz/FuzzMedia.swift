internal import Submit

@testable internal import SubmitMedia

/// Tells what a file is, and when it was taken, how large it is, and what the camera put into it for looking at.
func fuzzMedia(_ bytes: [UInt8]) {
    let head = Array(bytes.prefix(MediaTypeDetector.headLength))
    for ending in ["", "jpg", "mp4", "mka", "nef", "jxl", "wmv", "mts", "thm", "xmp", "aae"] {
        let type = MediaTypeDetector.type(of: head.span, fileExtension: ending)
        if let type { precondition(type != .other && !type.filenameExtension.isEmpty) }
        _ = Sidecar(head: head.span, fileExtension: ending)
    }
    let text = String(decoding: bytes.prefix(64), as: UTF8.self)
    check(CaptureText.time(text, offset: String(text.dropFirst(19))))
    let file = FuzzedFile.descriptor
    guard FuzzedFile.hold(bytes) else { return }
    for mime in ["video/mp4", "video/webm", "video/x-msvideo"] {
        let type = MediaType(kind: .video, mime: mime, filenameExtension: "")
        check(CaptureMetadata.captureTime(of: file, type: type))
    }
    for mime in photos {
        let type = MediaType(kind: .photo, mime: mime, filenameExtension: "")
        for head in [0, 64, bytes.count] {
            bytes.withUnsafeBytes {
                check(
                    CaptureMetadata.captureTime(
                        of: file, type: type, head: UnsafeRawBufferPointer(rebasing: $0.prefix(head))))
            }
        }
        if let region = FileRegion(file) { _ = MediaDimensions(region, type) }
        if let preview = RAWPreview(of: file, type: type) {
            precondition(preview.place.lowerBound > 0 && preview.place.upperBound <= bytes.count)
            precondition(preview.width > 0 && preview.height > 0 && (1...8).contains(preview.orientation))
        }
        if let exif = RAWPreview.exif(of: file, type: type) { precondition(exif.starts(with: [0x4d, 0x4d, 0, 42])) }
    }
}

private let photos = [
    "image/jpeg", "image/heic", "image/tiff", "image/png", "image/webp", "image/gif", "image/avif", "image/jxl",
    "image/jp2",
    "image/x-canon-cr2", "image/x-canon-cr3", "image/x-canon-crw", "image/x-fuji-raf", "image/x-panasonic-rw2",
    "image/x-olympus-orf", "image/x-minolta-mrw", "image/x-nikon-nef", "image/x-sigma-x3f", "image/vnd.adobe.photoshop",
]

private func check(_ time: CaptureTime?) {
    guard let time else { return }
    precondition((1826...2100).contains(time.year))
    precondition(CaptureTime(time.description) == time)
}
