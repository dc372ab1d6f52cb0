import Foundation
import SystemPackage

/// A folder that is removed with the value that holds it.
final class TemporaryFolder: Sendable {
    let path: FilePath

    init() {
        path = FilePath(NSTemporaryDirectory()).appending("submit-test-\(UUID().uuidString)")
        try? FileManager.default.createDirectory(atPath: path.string, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path.string)
    }
}
