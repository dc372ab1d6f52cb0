internal import SubmitPlatform
internal import SystemPackage

extension FilePath {
    /// Whether some program has the file open to write into it, as far as this system tells: of files that are this user's own,
    /// on disks of this machine (`F_SETLEASE`, fcntl(2)).
    var isBeingWritten: Bool {
        let descriptor = withPlatformString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        // Whoever opens it to write while the lease is held makes the kernel tell us, by SIGIO, which would end the process, unless
        // it is another signal (10 is F_SETSIG): SIGURG means nothing to anybody.
        _ = fcntl(descriptor, 10, SIGURG)
        // Linux: 1024 is F_SETLEASE. A lease to read is refused with EAGAIN while anybody may write.
        if fcntl(descriptor, 1024, CInt(F_RDLCK)) == 0 {
            _ = fcntl(descriptor, 1024, CInt(F_UNLCK))
            return false
        }
        return errno == EAGAIN
    }
}
