public import Submit
internal import SubmitPlatform
internal import Subprocess
public import SystemPackage

/// Why a program has no end that could be told of.
public enum ProgramFailure: Error, Sendable, Hashable {
    /// It is not there, or may not be executed. Not a step of it was done.
    case notFound(Errno?)
    /// It could not be started. Not a step of it was done.
    case notStarted(Errno?)
    /// It could not be started, or not be watched to its end.
    case lost(Errno?)
    /// What it was fed with could not be read.
    case source(SubmitFailure)
    /// The task was cancelled.
    case cancelled

    init(_ error: SubprocessError) {
        switch error.code {
        case .executableNotFound: self = .notFound(error.underlyingError)
        case .spawnFailed, .failedToChangeWorkingDirectory: self = .notStarted(error.underlyingError)
        default: self = .lost(error.underlyingError)
        }
    }

    /// The system's word for it.
    public var error: Errno? {
        switch self {
        case .notFound(let error), .notStarted(let error), .lost(let error): error
        case .source, .cancelled: nil
        }
    }

    /// What it is for a submitter that has to run the program.
    func failure(of program: String) -> SubmitFailure {
        switch self {
        case .cancelled: return .cancelled
        case .source(let failure): return failure
        case .notFound:
            return SubmitFailure(
                .hold(.misconfigured, after: nil), code: "program-missing",
                message: "The program “\(program)” cannot be found or run; install it, or give its full path.")
        case .notStarted(let error?), .lost(let error?):
            guard error == .permissionDenied || error == .noSuchFileOrDirectory || error.rawValue == ENOEXEC else {
                break
            }
            return SubmitFailure(
                .hold(.misconfigured, after: nil), code: "program-missing",
                message: "The program “\(program)” cannot be run (\(error)); see that it is there and may be executed.")
        default: break
        }
        let reason = error.map { " (\($0))" } ?? ""
        if case .lost = self {
            return SubmitFailure(
                .retry(after: nil), code: "program-lost",
                message: "The program “\(program)” could not be run, or not be watched to its end\(reason); try again.")
        }
        return SubmitFailure(
            .retry(after: nil), code: "program-failed",
            message: "The program “\(program)” could not be run\(reason); try again.")
    }
}
