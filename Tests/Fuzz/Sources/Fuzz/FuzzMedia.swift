internal import Glibc
internal import Submit

@testable internal import SubmitMedia

/// Tells what a file is, and when it was taken, but for what libgexiv2 reads.
func fuzzMedia(_ bytes: [UInt8]) {
    let head = Array(bytes.prefix(MediaTypeDetector.headLength))
    for ending in ["", "jpg", "mp4", "mka", "nef", "jxl", "wmv", "mts", "thm", "xmp", "aae"] {
        let type = MediaTypeDetector.type(of: head.span, fileExtension: ending)
        if let type { precondition(type != .other && !type.filenameExtension.isEmpty) }
        _ = Sidecar(head: head.span, fileExtension: ending)
    }
    let text = String(decoding: bytes.prefix(64), as: UTF8.self)
    check(CaptureText.time(text, offset: String(text.dropFirst(19))))
    guard file >= 0, ftruncate(file, 0) == 0, pwrite(file, bytes, bytes.count, 0) == bytes.count else { return }
    for mime in ["video/mp4", "video/webm", "video/x-msvideo"] {
        let type = MediaType(kind: .video, mime: mime, filenameExtension: "")
        check(CaptureMetadata.captureTime(of: file, type: type))
    }
    for mime in ["image/jpeg", "image/heic", "image/tiff"] {
        let type = MediaType(kind: .photo, mime: mime, filenameExtension: "")
        for head in [0, 64, bytes.count] {
            bytes.withUnsafeBytes {
                guard let region = FileRegion(file) else { return }
                let head = UnsafeRawBufferPointer(rebasing: $0.prefix(head))
                let finding = CaptureMetadata.finding(MediaSource(head: head, file: region), type)
                if case .told(let time) = finding { check(time) }
            }
        }
    }
}

private func check(_ time: CaptureTime?) {
    guard let time else { return }
    precondition((1826...2100).contains(time.year))
    precondition(CaptureTime(time.description) == time)
}

/// A file without a name.
private let file: CInt = {
    var template = Array("/tmp/submit-fuzz-XXXXXX\0".utf8CString)
    let file = mkstemp(&template)
    unlink(template)
    return file
}()
