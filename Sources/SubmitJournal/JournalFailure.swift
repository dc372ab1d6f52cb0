internal import Foundation
internal import GRDB
internal import SystemPackage

/// Why the journal could not do what it was asked.
///
/// Nothing of the verb that failed is in the journal. What was acknowledged before stays.
public struct JournalFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// A short stable word for programs, such as `journal-full`.
    public var code: String
    /// One sentence: what happened and what to do.
    public var message: String

    public init(code: String, message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }

    init(_ error: any Error, path: String) {
        switch error {
        case let failure as JournalFailure: self = failure
        case let error as DatabaseError: self.init(error, path: path)
        case CocoaError.fileWriteOutOfSpace, Errno.noSpace: self = .full(path)
        case is CocoaError, is Errno: self = .unwritable(path)
        default: self.init(code: "journal", message: "The journal \(path) failed: \(error).")
        }
    }

    private static func full(_ path: String) -> JournalFailure {
        JournalFailure(code: "journal-full", message: "The disk of the journal \(path) is full: make room and run it again.")
    }

    private static func unwritable(_ path: String) -> JournalFailure {
        if isShortOfDescriptors {
            return JournalFailure(
                code: "journal-descriptors",
                message: "The journal \(path) cannot be opened, because too many files are open: raise the limit (`ulimit -n`).")
        }
        return JournalFailure(
            code: "journal-unwritable",
            message: "The journal \(path) cannot be written: check that you own it and that its disk is not read-only.")
    }

    /// SQLite does not tell why it cannot open a file, and has let go of the others by now.
    private static var isShortOfDescriptors: Bool {
        var probes: [FileDescriptor] = []
        defer { for probe in probes { try? probe.close() } }
        for _ in 0..<descriptorsNeeded {
            do {
                probes.append(try FileDescriptor.open("/dev/null", .readOnly))
            } catch {
                return [.tooManyOpenFiles, .tooManyOpenFilesInSystem].contains(error as? Errno)
            }
        }
        return false
    }

    /// The journal's three files, for the one who writes and for those who read.
    private static let descriptorsNeeded = 12

    private init(_ error: DatabaseError, path: String) {
        switch error.resultCode {
        case .SQLITE_FULL: self = .full(path)
        case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH: self = .unwritable(path)
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            self.init(
                code: "journal-busy",
                message: "The journal \(path) was held by another process for too long: wait for that one to finish.")
        case .SQLITE_CORRUPT, .SQLITE_NOTADB:
            self.init(
                code: "journal-damaged",
                message: "The journal \(path) is damaged: keep a copy of it and move it away to begin a new one.")
        case .SQLITE_IOERR:
            self.init(
                code: "journal-io",
                message: "The disk of the journal \(path) failed (\(error.message ?? "input/output error")): check that disk.")
        default:
            self.init(
                code: "journal", message: "The journal \(path) failed: \(error.message ?? "error \(error.resultCode.rawValue)").")
        }
    }
}
