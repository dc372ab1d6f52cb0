internal import FoundationEssentials
internal import Submit
internal import SubmitPluginProtocol

/// Bytes that a submitter keeps, as the text that messages hold: UTF-8 as it is, anything else in Base64 behind a mark.
enum CheckpointText {
    private static let mark = "base64:"

    /// `nil` where the text is longer than the protocol allows.
    static func text(_ bytes: [UInt8]) -> String? {
        var text = mark + Data(bytes).base64EncodedString()
        if let plain = String(validating: bytes, as: UTF8.self), !plain.utf8.starts(with: mark.utf8) { text = plain }
        return text.utf8.count <= PluginProtocol.longestCheckpoint ? text : nil
    }

    static func bytes(_ text: String) -> [UInt8] {
        guard text.utf8.starts(with: mark.utf8),
            let bytes = Data(base64Encoded: String(text.dropFirst(mark.count)))
        else { return Array(text.utf8) }
        return Array(bytes)
    }
}
