internal import Submit

/// Stands in until it is written.
enum CommandSubmitter {}
