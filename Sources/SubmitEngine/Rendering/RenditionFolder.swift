internal import CLinux
internal import Foundation
internal import Submit
internal import SubmitConcurrency
internal import SubmitPlatform
internal import SubmitStore
internal import SystemPackage

/// Where renditions lie from the moment they are made until their submissions have ended: a folder of its own beside the
/// journal, for its owner alone. All of it can be made anew.
struct RenditionFolder: Sendable {
    private let path: FilePath
    private let store: any Store

    init(_ store: any Store) {
        self.store = store
        path = store.renditions
    }

    /// The whole rendition of a submission, under its number.
    private func place(of submission: SubmissionID) -> FilePath { path.appending("\(submission)") }

    /// The rendition of a submission while an attempt writes it.
    private func part(of submission: SubmissionID, attempt: Int) -> FilePath {
        path.appending("\(submission)-\(attempt).part")
    }

    /// Opens what was made for a submission.
    ///
    /// - Throws: `rendition-unwritable`, to be tried again, where it cannot be opened.
    func open(_ claim: ClaimedSubmission) throws(SubmitFailure) -> GuardedFile {
        let place = place(of: claim.id)
        let descriptor = place.withPlatformString { Glibc.open($0, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) }
        guard descriptor >= 0 else { throw Self.failure(claim, Errno(rawValue: errno)) }
        return try GuardedFile(descriptor: descriptor, path: place)
    }

    /// Where the rendition of a submission is.
    func path(of submission: SubmissionID) -> FilePath { place(of: submission) }

    /// Writes a rendition, which has its name when it is whole.
    ///
    /// Blocks its thread.
    ///
    /// - Parameters:
    ///   - claim: whose it is.
    ///   - size: bytes that it will about have: where there is no room for them nothing is written.
    ///   - source: what it is made of: it gets the same rights.
    ///   - modified: its time, by which who is handed the file knows that it is the one it was told of.
    ///   - make: writes it; what it returns is for `check`.
    ///   - check: looks at what was written, before it has its name.
    /// - Returns: what that says of it.
    /// - Throws: what `make` and `check` throw; `rendition-space`, to wait with, where there is no room. Nothing is left then.
    func write<Made, Told>(
        for claim: ClaimedSubmission, size: Int64, like source: GuardedFile, modified: Timestamp,
        _ make: ((UnsafeRawBufferPointer) throws(SubmitFailure) -> Void) throws(SubmitFailure) -> Made,
        check: (Made, GuardedFile) throws(SubmitFailure) -> Told
    ) throws(SubmitFailure) -> Told {
        if path.withPlatformString({ mkdir($0, 0o700) }) != 0, errno != EEXIST {
            throw Self.failure(claim, Errno(rawValue: errno))
        }
        var space = statvfs()
        let isKnown = path.withPlatformString { statvfs($0, &space) } == 0
        if isKnown, UInt64(space.f_bavail).multipliedReportingOverflow(by: UInt64(space.f_frsize)).partialValue < size {
            throw Self.failure(claim, .noSpace)
        }
        // Whoever held the claim before may write yet.
        let part = part(of: claim.id, attempt: claim.tries)
        part.withPlatformString { _ = unlink($0) }
        let descriptor = part.withPlatformString {
            Glibc.open($0, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        }
        guard descriptor >= 0 else { throw Self.failure(claim, Errno(rawValue: errno)) }
        do throws(SubmitFailure) {
            let made: Made
            do throws(SubmitFailure) {
                made = try make { (bytes) throws(SubmitFailure) in try Self.append(bytes, to: descriptor, claim) }
            } catch {
                close(descriptor)
                throw error
            }
            // Its folder keeps others out; a copy of it is to be read by whom the original may be.
            fchmod(descriptor, source.permissions | 0o600)
            submit_set_modification_time(descriptor, modified.seconds, modified.nanosecondsOfSecond)
            let told = try check(made, try GuardedFile(descriptor: descriptor, path: part))
            let renamed = part.withPlatformString { from in
                place(of: claim.id).withPlatformString { rename(from, $0) }
            }
            guard renamed == 0 else { throw Self.failure(claim, Errno(rawValue: errno)) }
            return told
        } catch {
            part.withPlatformString { _ = unlink($0) }
            throw error
        }
    }

    /// An empty file for what is on its way to a rendition, which goes with its descriptor.
    func scratch(for claim: ClaimedSubmission) throws(SubmitFailure) -> CInt {
        // Under the name of a part, which is taken away where this process dies in between.
        let part = path.appending("\(claim.id)-\(claim.tries).pixels.part")
        part.withPlatformString { _ = unlink($0) }
        let descriptor = part.withPlatformString {
            Glibc.open($0, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        }
        guard descriptor >= 0 else { throw Self.failure(claim, Errno(rawValue: errno)) }
        part.withPlatformString { _ = unlink($0) }
        return descriptor
    }

    private static func append(
        _ bytes: UnsafeRawBufferPointer, to descriptor: CInt, _ claim: ClaimedSubmission
    ) throws(SubmitFailure) {
        if Task.isCancelled { throw .cancelled }
        do throws(Errno) {
            try FileDescriptor(rawValue: descriptor).append(bytes)
        } catch {
            throw failure(claim, error)
        }
    }

    private static func failure(_ claim: ClaimedSubmission, _ error: Errno) -> SubmitFailure {
        switch error {
        case .noSpace, .diskQuotaExceeded:
            SubmitFailure(
                .wait(after: .seconds(60)), code: "rendition-space",
                message:
                    "“\(claim.item.name)” waits: there is no room beside the journal for what \(claim.destination) "
                    + "is to get of it; make room, and it is sent.")
        default:
            SubmitFailure(
                .retry(after: nil), code: "rendition-unwritable",
                message:
                    "“\(claim.item.name)” was not sent: what \(claim.destination) is to get of it cannot be kept beside "
                    + "the journal (\(error)); check the disk it is on.")
        }
    }

    // MARK: Tidying up

    /// Removes the rendition of a submission that has come to an end, and what killed attempts left of it.
    ///
    /// - Parameter destinations: by name.
    func hear(_ event: SubmitEvent, at destinations: Locked<[String: Destination]>) {
        switch event {
        case .done(let note, _), .failed(let note, _), .cancelled(let note):
            // Of most there was none.
            if note.recipe == nil, destinations.withLock({ $0[note.destination]?.getsOriginals }) == true { return }
            remove(note.id)
            for attempt in 1...max(1, note.attempt) {
                part(of: note.id, attempt: attempt).withPlatformString { _ = unlink($0) }
            }
        default: break
        }
    }

    /// Removes what was made for a submission: it is made anew where it is wanted.
    func remove(_ submission: SubmissionID) { place(of: submission).withPlatformString { _ = unlink($0) } }

    /// Removes those of submissions that have ended, which a process that died has left.
    func tidy() async {
        let names = await BlockingThreads.sources.run { [path] in
            (try? FileManager.default.contentsOfDirectory(atPath: path.string)) ?? []
        }
        for name in names {
            let number = name.prefix { $0.isASCII && $0.isNumber }
            guard let id = Int64(number).map(SubmissionID.init(rawValue:)),
                let states = try? await store.states(of: [id])
            else { continue }
            // A part whose writer has died is written anew by whoever claims its submission next.
            let isWanted = states[.running] != nil || states[.waiting] != nil && number.count == name.count
            if !isWanted { path.appending(name).withPlatformString { _ = unlink($0) } }
        }
    }
}

extension FileDescriptor {
    /// Writes all of these bytes.
    func append(_ bytes: UnsafeRawBufferPointer) throws(Errno) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(rawValue, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count >= 0 { rest = rest.dropFirst(count) } else if errno != EINTR { throw Errno(rawValue: errno) }
        }
    }
}
