internal import SubmitPlatform
public import SystemPackage

/// Who could have written a file that is obeyed: a configuration, a recipe, a program.
public enum FileTrust {
    /// Why a file is not to be obeyed: others than root and this process's user could have written it, or put it there.
    /// `nil`: nothing speaks against it.
    ///
    /// The file, its folder and the folder that a link leads to are looked at, and no folder above those. Where the groups
    /// of a file have rights by an access control list, its mode shows them.
    ///
    /// - Parameters:
    ///   - path: of the file.
    ///   - file: the open one where it is read, since another may have taken its place.
    /// - Returns: a clause with what to do, such as “it can be written to by others; `chmod go-w` it …”.
    public static func complaint(about path: FilePath, opened file: FileDescriptor? = nil) -> String? {
        complaint(about: path, opened: file, user: geteuid())
    }

    static func complaint(about path: FilePath, opened file: FileDescriptor?, user: uid_t) -> String? {
        var status = stat()
        let result =
            if let file { fstat(file.rawValue, &status) } else { path.withPlatformString { stat($0, &status) } }
        guard result == 0, let real = path.withPlatformString({ realpath($0, nil) }) else {
            return "it cannot be looked at"
        }
        defer { free(real) }
        if let complaint = complaint(status, user) { return "it \(complaint)" }
        let folder = path.removingLastComponent()
        if let complaint = complaint(ofFolder: folder, user) { return "its folder \(complaint)" }
        let target = FilePath(platformString: real).removingLastComponent()
        return complaint(ofFolder: target, user).map { "the folder “\(target)”, which it leads to, \($0)" }
    }

    /// Why a private key is not used: others than its owner can read it, as ssh(1) has it. `nil`: nobody else can.
    ///
    /// Of a key that belongs to another user, such as root's for a group of servers, only everybody is no reader.
    ///
    /// - Returns: a clause with what to do.
    public static func complaint(aboutKey file: FileDescriptor) -> String? {
        complaint(aboutKey: file, user: geteuid())
    }

    /// Why a private key is not used that another library reads by its path: the rule is the same as for an open file.
    ///
    /// - Returns: a clause with what to do. `nil` also if the file can't be opened, which its reader reports.
    public static func complaint(aboutKey path: FilePath) -> String? {
        guard let file = try? FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking]) else {
            return nil
        }
        defer { try? file.close() }
        return complaint(aboutKey: file)
    }

    static func complaint(aboutKey file: FileDescriptor, user: uid_t) -> String? {
        var status = stat()
        guard fstat(file.rawValue, &status) == 0 else { return "it cannot be looked at" }
        let others: mode_t = status.st_uid == user ? 0o077 : 0o007
        return status.st_mode & others == 0 ? nil : "others can read it; `chmod 600` it"
    }

    private static func complaint(ofFolder path: FilePath, _ user: uid_t) -> String? {
        var status = stat()
        let folder = path.isEmpty ? "." : path
        guard folder.withPlatformString({ stat($0, &status) }) == 0 else { return "cannot be looked at" }
        return complaint(status, user)
    }

    private static func complaint(_ status: stat, _ user: uid_t) -> String? {
        if status.st_uid != user, status.st_uid != 0 {
            return "belongs to another user; `chown` it if you trust what is in it"
        }
        if status.st_mode & (S_IWGRP | S_IWOTH) != 0 {
            return "can be written to by others; `chmod go-w` it if you trust what is in it"
        }
        return nil
    }
}
