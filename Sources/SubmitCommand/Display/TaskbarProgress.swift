internal import Foundation

/// How far a run is, for terminals that show it on their tab or in the task bar.
/// Source: OSC 9;4, https://conemu.github.io/en/AnsiEscapeCodes.html#ConEmu_specific_OSC.
struct TaskbarProgress: Equatable {
    enum Kind: Int {
        case going = 1
        case failed = 2
        case onHold = 4
    }

    var kind: Kind
    var percent: Int

    var text: String { "\u{1b}]9;4;\(kind.rawValue);\(percent)\u{1b}\\" }

    static let none = "\u{1b}]9;4;0;0\u{1b}\\"

    /// Only those that are known to take it for that: to others it is a message to show to the user.
    static func isKnown(_ environment: [String: String]) -> Bool {
        if environment["WT_SESSION"] != nil || environment["ConEmuANSI"] == "ON" { return true }
        switch environment["TERM_PROGRAM"] {
        case "WezTerm", "ghostty": return true
        // “P” of https://iterm2.com/feature-reporting/: features are a capital, small letters and a number each.
        case "iTerm.app":
            return environment["TERM_FEATURES"]?.matches(of: /[A-Z][a-z]*\d*/).contains { $0.output == "P" } ?? false
        default: break
        }
        // The first that has it: https://gitlab.gnome.org/chergert/ptyxis/-/issues/305
        return environment["PTYXIS_VERSION"].flatMap { Int($0.prefix { $0 != "." }) }.map { $0 >= 48 } ?? false
    }
}
