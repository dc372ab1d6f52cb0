internal import CVips
internal import SubmitPixels
internal import SubmitPlatform

/// A picture of libvips, which goes with this value.
final class Picture {
    let pointer: OpaquePointer

    var width: Int { Int(submit_picture_width(pointer)) }
    var height: Int { Int(submit_picture_height(pointer)) }
    var hasAlpha: Bool { submit_picture_has_alpha(pointer) }

    init(_ pointer: OpaquePointer?) throws(PixelFault) {
        guard let pointer else { throw .library() }
        self.pointer = pointer
    }

    deinit { submit_picture_close(pointer) }
}

/// The bytes of a picture in some format, which go with this value.
final class EncodedPicture {
    let result: PixelResult
    private let bytes: UnsafeMutableRawBufferPointer

    /// - Parameter effort: how hard AVIF is tried; `nil`: as is usual for so many pixels.
    init(_ picture: Picture, _ format: PixelFormat, _ quality: Int, effort: Int? = nil) throws(PixelFault) {
        let kind: submit_picture_format =
            switch format {
            case .jpeg: submit_jpeg
            case .webp: submit_webp
            case .png: submit_png
            case .avif: submit_avif
            }
        let effort = effort ?? Self.effort(pixels: picture.width * picture.height)
        var (bytes, size) = (UnsafeMutableRawPointer?.none, 0)
        switch submit_picture_encode(picture.pointer, kind, CInt(quality), CInt(effort), &bytes, &size) {
        case 0: break
        case 1: throw .unwritten(format)
        default: throw .library()
        }
        self.bytes = UnsafeMutableRawBufferPointer(start: bytes, count: size)
        result = PixelResult(
            format: format, width: picture.width, height: picture.height, size: Int64(size), quality: quality)
    }

    deinit { submit_vips_free(bytes.baseAddress) }

    /// AVIF of 24 megapixels with the effort of smaller ones takes a minute of a processor, and is a fifth smaller by that.
    private static func effort(pixels: Int) -> Int {
        switch pixels {
        case ...3_000_000: 4
        case ...12_000_000: 2
        default: 1
        }
    }

    func write(to output: CInt) throws(PixelFault) {
        try Self.write(UnsafeRawBufferPointer(bytes), to: output)
    }

    static func write(_ bytes: [UInt8], to output: CInt) throws(PixelFault) {
        let written: Result<Void, PixelFault> = bytes.withUnsafeBytes { bytes in
            do throws(PixelFault) { return .success(try write(bytes, to: output)) } catch { return .failure(error) }
        }
        try written.get()
    }

    static func write(_ bytes: UnsafeRawBufferPointer, to output: CInt) throws(PixelFault) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(output, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw PixelFault(kind: .unwritable, why: String(cString: strerror(errno)))
            }
        }
    }
}
