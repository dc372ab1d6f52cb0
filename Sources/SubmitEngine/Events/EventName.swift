internal import Submit

/// What an event is called in the JSON of the library. The command's `--json` has the same names, and is written by
/// `JSONOutput` in SubmitCommand: that is for people's scripts, this for programs that read events back.
enum EventName: String, Codable {
    case accepted, refused
    case leftBehind = "left-behind"
    case batchComplete = "batch-complete"
    case onHold = "on-hold"
    case holdEnded = "hold-ended"
    case started, done, failed, waiting, cancelled, paused, resumed
    case sourceRemoved = "source-removed"
    case sourceKept = "source-kept"
}
