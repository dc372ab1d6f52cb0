internal import SystemPackage

/// Where programs tell what went wrong.
package enum StandardError {
    /// Writes a line at once. What cannot be written is told nowhere else.
    package static func line(_ text: String) { write(text + "\n") }

    /// Writes a text as it is, at once.
    package static func write(_ text: String) {
        _ = try? FileDescriptor.standardError.writeAll(text.utf8)
    }
}
