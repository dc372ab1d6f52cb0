internal import Foundation

/// A question that somebody at the terminal answers by yes or no.
enum Confirmation {
    /// Somebody is there to be asked, and to answer.
    static var isPossible: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    /// Anything but a yes is a no.
    static func ask(_ question: String) -> Bool {
        Output.question("\(question) [y/N]")
        let answer = (readLine() ?? "").trimmingCharacters(in: .whitespaces).lowercased()
        return answer == "y" || answer == "yes"
    }
}
