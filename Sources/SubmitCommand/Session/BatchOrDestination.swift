internal import ArgumentParser
internal import Submit
internal import SubmitJournal

/// What `cancel` and `retry` are to act on: a batch by its number, or a destination by its name.
enum BatchOrDestination: ExpressibleByArgument {
    case batch(BatchID)
    case destination(String)

    init?(argument: String) {
        self = BatchID(argument).map { .batch($0) } ?? .destination(argument)
    }
}

extension BatchOrDestination? {
    var batch: BatchID? { if case .batch(let number)? = self { number } else { nil } }

    /// - Parameter option: the destination of `--to`.
    /// - Throws: usage, if both name one.
    func destination(or option: String?) throws(SubmitFailure) -> String? {
        guard case .destination(let name)? = self else { return option }
        if let option, option != name { throw .usage("Name one destination: “\(name)” or “\(option)”.") }
        return name
    }
}
