internal import Submit
internal import SubmitPlatform
internal import SubmitReceiving

extension TusMetadata {
    func offer(length: Int64) -> FileOffer {
        FileOffer(
            name: name ?? "", folder: values["folder"] ?? values["relativePath"].flatMap(Self.folder),
            length: length, sha256: values["sha256"].flatMap { Hexadecimal.bytes(of: $0) },
            modified: values["lastModified"].flatMap(Int64.init).flatMap(Timestamp.init(milliseconds:)),
            type: values["filetype"] ?? values["type"])
    }

    /// A relative path ends with the name itself.
    private static func folder(_ path: String) -> String? {
        path.lastIndex(of: "/").map { String(path[..<$0]) }
    }
}

extension Timestamp {
    /// As JavaScript counts; `nil` for times that nobody means.
    init?(milliseconds: Int64) {
        let (nanoseconds, isBeyond) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
        if isBeyond { return nil }
        self.init(nanoseconds: nanoseconds)
    }
}
