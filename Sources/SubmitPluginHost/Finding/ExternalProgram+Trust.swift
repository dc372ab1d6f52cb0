internal import Submit
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
        return FileTrust.complaint(about: path).map { "“\(path)” is not used: \($0)." }
    }
}
