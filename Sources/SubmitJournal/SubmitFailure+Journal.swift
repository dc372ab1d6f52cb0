internal import Foundation
internal import GRDB
internal import Submit
internal import SystemPackage

extension SubmitFailure {
    /// Why the journal could not do what it was asked. A submission that meets it first is tried again later.
    init(journal error: any Error, path: String) {
        switch error {
        case let failure as SubmitFailure: self = failure
        case let error as DatabaseError: self.init(error, path: path)
        // Something stands in it that nobody of us writes.
        case is RowDecodingError, is DecodingError: self = .damaged(path)
        case CocoaError.fileWriteOutOfSpace, Errno.noSpace: self = .full(path)
        case is CocoaError, is Errno: self = .unwritable(path)
        default: self.init(.retry(after: nil), code: "journal", message: "The journal \(path) failed: \(error).")
        }
    }

    /// Its tables are of a version that this one does not know.
    static func newerJournal(_ path: String) -> SubmitFailure {
        SubmitFailure(
            .retry(after: nil), code: "journal-newer",
            message: "The journal \(path) was written by a newer version of submit: use that version.")
    }

    /// It would have to be taken over, and cannot be written.
    static func olderJournal(_ path: String) -> SubmitFailure {
        SubmitFailure(
            .retry(after: nil), code: "journal-older",
            message: "The journal \(path) is of an older version and cannot be written: its owner may take it over.")
    }

    /// Others can write it.
    static func exposedJournal(_ what: String, _ cure: String) -> SubmitFailure {
        SubmitFailure(
            .retry(after: nil), code: "journal-exposed",
            message:
                "\(what) can be written by others, who could have your files sent or removed: run `\(cure)` if you trust what is in it."
        )
    }

    static func emptyJournal(_ path: String) -> SubmitFailure {
        foreign(
            "The journal \(path) is an empty file: put a copy of the journal there, or remove it to begin a new one.")
    }

    static func foreignJournal(_ path: String) -> SubmitFailure {
        foreign(
            "What lies at \(path) is no journal of submit but another database: it was left as it is; move it away to begin a "
                + "journal there.")
    }

    /// Only a part of it is there.
    static func lostJournal(_ path: String) -> SubmitFailure {
        foreign(
            "The journal \(path) is gone, and its newest part \(path)-wal is there: put it back beside that, or move away all "
                + "files whose names begin with its name to begin a new one.")
    }

    private static func foreign(_ sentence: String) -> SubmitFailure {
        SubmitFailure(.retry(after: nil), code: "journal-foreign", message: sentence)
    }

    fileprivate static func full(_ path: String) -> SubmitFailure {
        SubmitFailure(
            .retry(after: nil), code: "journal-full",
            message: "The disk of the journal \(path) is full: make room and run it again.")
    }

    fileprivate static func damaged(_ path: String) -> SubmitFailure {
        SubmitFailure(
            .retry(after: nil), code: "journal-damaged",
            message: "The journal \(path) is damaged: keep a copy of it and move it away to begin a new one.")
    }

    fileprivate static func unwritable(_ path: String) -> SubmitFailure {
        if isShortOfDescriptors {
            return SubmitFailure(
                .retry(after: nil), code: "journal-descriptors",
                message:
                    "The journal \(path) cannot be opened, because too many files are open: raise the limit (`ulimit -n`)."
            )
        }
        return SubmitFailure(
            .retry(after: nil), code: "journal-unwritable",
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
        if error.isOfOddValue {
            self = .damaged(path)
            return
        }
        switch error.resultCode {
        case .SQLITE_FULL: self = .full(path)
        case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH: self = .unwritable(path)
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            self.init(
                .retry(after: nil), code: "journal-busy",
                message: "The journal \(path) was held by another process for too long: wait for that one to finish.")
        case .SQLITE_NOTADB: self = .damaged(path)
        case .SQLITE_IOERR:
            self.init(
                .retry(after: nil), code: "journal-io",
                message:
                    "The disk of the journal \(path) failed (\(error.message ?? "input/output error")): check that disk."
            )
        default:
            self.init(
                .retry(after: nil), code: "journal",
                message: "The journal \(path) failed: \(error.message ?? "error \(error.resultCode.rawValue)").")
        }
    }
}
