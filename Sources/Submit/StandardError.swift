internal import SystemPackage

/// Where programs tell what went wrong.
package enum StandardError {
    /// Writes a line at once. What cannot be written is told nowhere else.
    package static func line(_ text: String) {
        _ = try? FileDescriptor.standardError.writeAll((text + "\n").utf8)
    }
}
