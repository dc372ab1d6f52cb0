internal import Foundation
internal import Submit

/// Questions to somebody at the terminal, each with what an empty line stands for. The end of the input breaks off.
enum Interview {
    /// A line that is as it should be.
    ///
    /// - Parameters:
    ///   - usual: what an empty line stands for; `nil`: something has to be typed.
    ///   - fault: what is wrong with an answer: it is told, and asked again.
    /// - Throws: ``SubmitFailure/cancelled`` at the end of the input.
    static func line(
        _ question: String, usual: String? = nil, fault: (String) -> String? = { _ in nil }
    ) throws(SubmitFailure) -> String {
        while true {
            Output.question(question + (usual.map { $0.isEmpty ? "" : " [\($0)]" } ?? "") + ":")
            guard let typed = readLine() else { throw .cancelled }
            let text = typed.trimmingCharacters(in: .whitespaces)
            let answer = text.isEmpty ? usual ?? "" : text
            if answer.isEmpty, usual == nil { continue }
            if let fault = answer.isEmpty ? nil : fault(answer) {
                say(fault)
                continue
            }
            return answer
        }
    }

    /// One of several, by its number.
    ///
    /// - Parameter usual: the index that an empty line stands for.
    static func choice(_ question: String, _ options: [String], usual: Int? = nil) throws(SubmitFailure) -> Int {
        say(question)
        for (index, option) in options.enumerated() { say("  \(index + 1)  \(Printable.line(option))") }
        let answer = try line("Number", usual: usual.map { "\($0 + 1)" }) { answer in
            (1...options.count).contains(Int(answer) ?? 0) ? nil : "Type a number from 1 to \(options.count)."
        }
        return (Int(answer) ?? 1) - 1
    }

    /// Yes or no.
    static func yes(_ question: String, usual: Bool) throws(SubmitFailure) -> Bool {
        while true {
            Output.question("\(question) [\(usual ? "Y/n" : "y/N")]")
            guard let typed = readLine() else { throw .cancelled }
            switch typed.trimmingCharacters(in: .whitespaces).lowercased() {
            case "": return usual
            case "y", "yes": return true
            case "n", "no": return false
            default: continue
            }
        }
    }

    static func say(_ text: String) { Output.trouble(Printable.line(text)) }
}
