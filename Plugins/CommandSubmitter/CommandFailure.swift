internal import Submit
internal import SubmitPlatform
internal import SubmitPrograms

extension SubmitFailure {
    /// What the end of the program that sends means; `nil` for success.
    ///
    /// Source: sysexits.h of 4.3BSD for 64 to 78; the shell's 126 and 127.
    static func command(_ end: ProgramResult, _ program: String, _ item: MediaItem, at destination: String)
        -> SubmitFailure?
    {
        let said = ForeignText.lastLine(of: end.complaint).map { ": “\($0)”" } ?? ""
        func failure(_ remedy: Remedy, _ code: String, _ what: String) -> SubmitFailure {
            SubmitFailure(
                remedy, code: code, message: "“\(item.name)” was not sent to \(destination): \(program) \(what)\(said)."
            )
        }
        switch end.status {
        case .exited(0): return nil
        case .exited(let status):
            let ended = "ended with the status \(status)"
            switch status {
            case 64, 78, 126, 127:
                return failure(
                    .hold(.misconfigured, after: nil), "misconfigured",
                    ended + "; correct the setting “run”")
            case 69: return failure(.hold(.unreachable, after: nil), "unreachable", ended)
            case 73: return failure(.giveUp, "name-taken", ended + ", because other bytes have its name; rename one")
            case 77: return failure(.renewCredentials, "credentials", ended + "; log in again")
            default: return failure(.retry(after: nil), "program-failed", ended)
            }
        case .killed(let signal):
            return failure(.retry(after: nil), "program-killed", "was killed by the signal \(signal)")
        case .late:
            return failure(.retry(after: nil), "program-late", "did not end in time, and was ended")
        }
    }
}
