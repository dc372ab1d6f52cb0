internal import CLinux
internal import Submit
internal import SubmitConcurrency
internal import SubmitPlatform
package import SubmitStore
package import SystemPackage

/// Finds out whether a program is still writing a file.
///
/// On a local file system the kernel knows it (`F_SETLEASE`, fcntl(2)), but answers only the file's owner. For all other files,
/// `/proc` lists what the programs of this user have open for writing. A program of another user or another machine shows only
/// by what it changes: a local file that changed a moment ago counts as being written, and a recent file on a share has to
/// stay as it is for ``rest``.
package final class FileWriters: Sendable {
    /// How long a file on a share must not change between two looks.
    static let rest = Duration.seconds(2)

    /// A local file that changed so recently counts as being written if neither the kernel nor `/proc` can tell.
    private static let recent = Duration.seconds(5)
    /// Nobody has been writing a file for so long without changing it, even if a server's clock is some hours off.
    private static let longAgo = Duration.seconds(24 * 3600)

    private let fileSystems: Locked<[UInt64: FileSystem]>
    private let written = Locked((numbers: Set<FileWalk.FileNumber>(), at: ContinuousClock.Instant?.none))

    /// - Parameter shares: devices that count as shares, besides those that are.
    package init(shares: Set<UInt64> = []) {
        fileSystems = Locked(Dictionary(uniqueKeysWithValues: shares.map { ($0, .share(answersLeases: false)) }))
    }

    /// Whether a file has to rest before ``isWriting(_:since:)`` can tell.
    func needsRest(_ path: FilePath, _ identity: SourceIdentity) -> Bool {
        Self.age(of: identity) < Self.longAgo && fileSystem(of: identity, path).isShare
    }

    /// Whether a program is still writing the file, as far as can be told now.
    ///
    /// - Parameter seen: the file's marks at an earlier look, for a file that had to rest since.
    package func isWriting(_ path: FilePath, since seen: SourceIdentity? = nil) -> Bool {
        let descriptor = path.withPlatformString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return false }
        return isWriting(descriptor, path, SourceIdentity(status), since: seen)
    }

    /// - Parameters:
    ///   - descriptor: open for reading only.
    ///   - now: its marks at this moment.
    ///   - keepsLease: if the kernel grants a lease, the descriptor keeps it, and nobody can write the file until
    ///     ``FileLease/release(_:)``.
    func isWriting(
        _ descriptor: CInt, _ path: FilePath, _ now: SourceIdentity, since seen: SourceIdentity? = nil,
        keepsLease: Bool = false
    ) -> Bool {
        let fileSystem = fileSystem(of: now, path)
        if fileSystem.answersLeases {
            switch FileLease.take(descriptor) {
            case .writer: return true
            case .taken:
                if !keepsLease { FileLease.release(descriptor) }
                // A share knows only the writers of this machine.
                if !fileSystem.isShare { return false }
            case .unknown: break
            }
        }
        let age = Self.age(of: now)
        if age < Self.longAgo, isWrittenByVisible(now) { return true }
        if fileSystem.isShare { return seen.map { $0 != now } ?? false }
        return age < Self.recent && age > .zero - Self.recent && !Self.isReadOnly(descriptor)
    }

    private static func age(of identity: SourceIdentity) -> Duration {
        max(identity.modified, identity.changed ?? identity.modified).duration(to: .now)
    }

    private static func isReadOnly(_ descriptor: CInt) -> Bool {
        var status = statvfs()
        // 1 is ST_RDONLY.
        return fstatvfs(descriptor, &status) == 0 && status.f_flag & 1 != 0
    }

    // MARK: File systems

    private enum FileSystem {
        case local
        case share(answersLeases: Bool)

        var isShare: Bool { if case .share = self { true } else { false } }

        var answersLeases: Bool { if case .share(let answers) = self { answers } else { true } }

        /// Kinds of file systems that other machines write into, by their number (statfs(2)).
        init(_ type: Int) {
            switch type {
            // NFS, SMB, CIFS, SMB 2: for them a refused lease says nothing about writers.
            case 0x6969, 0x517b, 0xff53_4d42, 0xfe53_4d42: self = .share(answersLeases: false)
            // FUSE, 9P, AFS, Ceph and Coda.
            case 0x6573_5546, 0x0102_1997, 0x5346_414f, 0x00c3_6400, 0x7375_7245: self = .share(answersLeases: true)
            default: self = .local
            }
        }
    }

    /// Whether other machines may write a file, whose marks may reach this one late.
    func isOnShare(_ path: FilePath, _ identity: SourceIdentity) -> Bool { fileSystem(of: identity, path).isShare }

    /// Whether other machines may write into a folder.
    package static func isShare(_ folder: FilePath) -> Bool {
        var status = stat()
        guard folder.withPlatformString({ stat($0, &status) }) == 0 else { return false }
        return FileWriters().fileSystem(of: SourceIdentity(status), folder).isShare
    }

    private func fileSystem(of identity: SourceIdentity, _ path: FilePath) -> FileSystem {
        fileSystems.withLock { known in
            if let fileSystem = known[identity.device] { return fileSystem }
            // What lies on a disk is local, even if FUSE reads it, as with some exFAT and NTFS cards (major(3)).
            let isOnDisk = (identity.device >> 8) & 0xfff != 0 || identity.device >> 44 != 0
            var status = statfs()
            let fileSystem: FileSystem =
                isOnDisk || path.withPlatformString({ statfs($0, &status) }) != 0
                ? .local : FileSystem(Int(status.f_type) & 0xffff_ffff)
            known[identity.device] = fileSystem
            return fileSystem
        }
    }

    // MARK: /proc

    /// Whether a program has it open for writing, of those that this user may look into.
    private func isWrittenByVisible(_ identity: SourceIdentity) -> Bool {
        written.withLock { written in
            if written.at.map({ ContinuousClock.now - $0 > .seconds(1) }) ?? true {
                written = (Self.writtenFiles(), .now)
            }
            return written.numbers.contains(FileWalk.FileNumber(identity))
        }
    }

    /// The regular files that visible programs have open for writing (proc(5)).
    private static func writtenFiles() -> Set<FileWalk.FileNumber> {
        var numbers: Set<FileWalk.FileNumber> = []
        for process in (try? FileWalk.children(of: "/proc")) ?? [] {
            guard process.lastComponent?.string.first?.isNumber == true else { continue }
            for descriptor in (try? FileWalk.children(of: process.appending("fd"))) ?? [] {
                var status = stat()
                // A link that may be written stands for a descriptor that may be.
                guard descriptor.withPlatformString({ lstat($0, &status) }) == 0, status.st_mode & S_IWUSR != 0,
                    descriptor.withPlatformString({ stat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFREG
                else { continue }
                numbers.insert(FileWalk.FileNumber(status))
            }
        }
        return numbers
    }
}

/// A lease to read a file, which the kernel grants only while nobody has the file open for writing (fcntl(2)).
enum FileLease {
    enum Outcome {
        /// Nobody writes the file. Who opens it to write waits until the lease is released or its file is closed.
        case taken
        /// A program has the file open for writing.
        case writer
        /// The file is another user's, or its file system has no leases.
        case unknown
    }

    // <linux/fcntl.h>: F_SETLEASE and F_SETSIG.
    private static let (setLease, setSignal): (CInt, CInt) = (1024, 10)

    /// - Parameter descriptor: open for reading only.
    static func take(_ descriptor: CInt) -> Outcome {
        // The kernel announces a writer by SIGIO, which would end the process, unless another signal is set. SIGURG is ignored.
        _ = fcntl(descriptor, setSignal, SIGURG)
        if fcntl(descriptor, setLease, CInt(F_RDLCK)) == 0 { return .taken }
        return errno == EAGAIN ? .writer : .unknown
    }

    static func release(_ descriptor: CInt) { _ = fcntl(descriptor, setLease, CInt(F_UNLCK)) }
}
