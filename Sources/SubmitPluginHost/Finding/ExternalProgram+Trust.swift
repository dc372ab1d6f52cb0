internal import SubmitPlatform
internal import SystemPackage

extension ExternalProgram {
    /// Why it is not to be run: whoever can write to it, or to where it is, would be us. One sentence with what to do;
    /// `nil`: nothing speaks against it.
    public var distrust: String? {
        if path.withPlatformString({ access($0, F_OK) }) != 0 {
            return "“\(path)” is not used: it is not there."
        }
        if path.withPlatformString({ access($0, X_OK) }) != 0 {
            return "“\(path)” is not used: it may not be executed; `chmod +x` it."
        }
        if let complaint = Self.complaint(of: path.removingLastComponent()) {
            return "“\(path)” is not used: its folder \(complaint)."
        }
        guard let real = path.withPlatformString({ realpath($0, nil) }) else {
            return "“\(path)” is not used: it cannot be looked at."
        }
        defer { free(real) }
        let target = FilePath(platformString: real)
        if let complaint = Self.complaint(of: target) {
            return "“\(path)” is not used: it \(complaint)."
        }
        if let complaint = Self.complaint(of: target.removingLastComponent()) {
            return
                "“\(path)” is not used: the folder “\(target.removingLastComponent())”, which it leads to, \(complaint)."
        }
        return nil
    }

    private static func complaint(of path: FilePath) -> String? {
        var status = stat()
        guard path.withPlatformString({ stat($0, &status) }) == 0 else { return "cannot be looked at" }
        if status.st_uid != getuid(), status.st_uid != 0 {
            return "belongs to another user; `chown` it if you trust what is in it"
        }
        if status.st_mode & (S_IWGRP | S_IWOTH) != 0 {
            return "can be written to by others; `chmod go-w` it if you trust what is in it"
        }
        return nil
    }
}
