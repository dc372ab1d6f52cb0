internal import Foundation
internal import Submit
internal import SubmitPrograms
internal import SubmitTesting

/// A program of the user's that makes a destination fail, and mends it.
///
/// It is called with the name of a fault, or `none` for the end of all. It ends with 0 when that is done, and with 64 where
/// it cannot make that fault (`EX_USAGE` of sysexits.h).
struct FaultProgram: LiveFaults {
    private static let life = Duration.seconds(60)
    private static let unknown = 64

    /// The program and its arguments.
    private let words: [String]

    /// - Throws: for text that cannot be split into words, as a shell does it.
    init(_ text: String) throws(SubmitFailure) {
        guard let words = ShellWords.split(text), !words.isEmpty else {
            throw .usage("“\(text)” is no command: close what is quoted in it.")
        }
        self.words = words
    }

    /// No request is told from another.
    var hasMetFault: Bool { true }

    func make(_ fault: ContractFault, after requests: Int?) async throws -> Bool {
        guard requests == nil else { return false }
        return try await run(fault.rawValue)
    }

    func end() async throws { try await mustEnd() }

    /// Ends all faults, of an earlier run too.
    ///
    /// - Throws: where the program cannot even do that, so that nothing is to be tried with it.
    func mustEnd() async throws(SubmitFailure) {
        guard try await run("none") else {
            throw Self.failure("“\(words[0])” has to be able to end all faults, by “none”", "")
        }
    }

    private func run(_ fault: String) async throws(SubmitFailure) -> Bool {
        let environment = InheritedEnvironment(ProcessInfo.processInfo.environment)
        let end = try await ProgramCall(
            words[0], words.dropFirst() + [fault], environment: environment.given(to: words[0]), life: Self.life
        ).run()
        switch end.status {
        case .exited(0): return true
        case .exited(Self.unknown): return false
        case .exited, .killed, .late:
            let complaint = ForeignText.lastLine(of: end.complaint).map { ": \($0)" } ?? ""
            throw Self.failure("“\(words[0])” could not make or end the fault “\(fault)”", complaint)
        }
    }

    private static func failure(_ what: String, _ complaint: String) -> SubmitFailure {
        SubmitFailure(.giveUp, code: "no-fault", message: "\(what)\(complaint): mend it, or leave --faults out.")
    }
}
