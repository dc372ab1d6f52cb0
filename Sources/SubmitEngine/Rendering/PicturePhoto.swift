internal import CLinux
internal import Submit
internal import SubmitMedia
internal import SubmitPlatform
internal import SystemPackage

/// A photo of the catalogue, open, for who shows it.
public struct PicturePhoto: Sendable {
    /// The file, or the JPEG that a camera put into a RAW.
    public let file: GuardedFile
    /// What it is, by its content.
    public let mime: String
    /// How it is turned and mirrored, if its decoder must be told; otherwise 1.
    public let orientation: Int

    /// - Returns: `nil` where it is none that can be shown: a film, a RAW without a picture.
    /// - Throws: when its file cannot be read.
    init?(of source: GuardedFile, _ item: MediaItem) throws(SubmitFailure) {
        guard item.type.kind == .photo else { return nil }
        guard RAWPreview.isPossible(of: item.type) else {
            (file, mime) = (source, item.type.mime)
            orientation =
                source.fileDescriptor.map { MediaDimensions.untoldOrientation(of: $0, mime: item.type.mime) } ?? 1
            return
        }
        guard let preview = source.fileDescriptor.flatMap({ RAWPreview(of: $0, type: item.type) }) else { return nil }
        let scratch = submit_make_memory_file()
        guard scratch >= 0 else { return nil }
        do throws(SubmitFailure) {
            try RenditionBase.write(preview, of: source, item) { (bytes) throws(SubmitFailure) in
                do throws(Errno) {
                    try FileDescriptor(rawValue: scratch).append(bytes)
                } catch {
                    throw SubmitFailure(
                        .retry(after: nil), code: "resources",
                        message: "“\(item.name)” could not be shown (\(error)): end what takes memory.")
                }
            }
        } catch {
            close(scratch)
            throw error
        }
        file = try GuardedFile(descriptor: scratch, path: item.source)
        mime = RenditionBase.Origin.preview.type(of: item).mime
        orientation = 1
    }
}
