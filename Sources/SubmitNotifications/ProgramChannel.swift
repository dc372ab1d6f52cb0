internal import Foundation
package import Submit
internal import SubmitPrograms

/// A program of one's own that finds each piece of news as JSON on its standard input, and its kind and sentence in `SUBMIT_EVENT`
/// and `SUBMIT_MESSAGE`. It has heard it when it ends with 0.
package struct ProgramChannel: NewsChannel {
    package let name = "program"
    private let program: String
    private let environment: [String: String]

    /// - Parameter environment: what it is given besides.
    package init(_ program: String, environment: [String: String]) {
        self.program = program
        self.environment = environment
    }

    package func tell(_ news: News) async throws(SubmitFailure) {
        let own = [
            "SUBMIT_EVENT": news.kind.rawValue, "SUBMIT_MESSAGE": news.message, "SUBMIT_OVER": news.isOver ? "1" : "0",
        ]
        let call = ProgramCall(
            program, [], environment: environment.merging(own) { $1 }, life: .seconds(60))
        let result = try await call.run(feeding: MemoryBytes(news.json))
        guard result.status != .exited(0) else { return }
        throw SubmitFailure(
            .retry(after: nil), code: "news-program",
            message: "“\(program)”, which is to be told news, ended otherwise than with 0: run it to see why.")
    }
}

/// The notifications of a desktop (Desktop Notifications Specification 1.2), by gdbus(1) of GLib.
package struct DesktopChannel: NewsChannel {
    package let name = "desktop"
    private let environment: [String: String]

    package init(environment: [String: String]) { self.environment = environment }

    package func tell(_ news: News) async throws(SubmitFailure) {
        let urgency = [.batchDone, .cardSafe].contains(news.kind) || news.isOver ? "1" : "2"
        let call = ProgramCall(
            "gdbus",
            [
                "call", "--session", "--dest", "org.freedesktop.Notifications", "--object-path",
                "/org/freedesktop/Notifications", "--method", "org.freedesktop.Notifications.Notify", "--", "submit",
                "0",
                "camera-photo", "submit", Self.variant(news.message), "[]", "{'urgency': <byte \(urgency)>}", "-1",
            ], environment: environment, life: .seconds(10))
        let result = try await call.run()
        guard result.status != .exited(0) else { return }
        throw SubmitFailure(
            .retry(after: nil), code: "desktop", message: "No desktop shows notifications now: sign in to one.")
    }

    /// As GVariant's text, without what the specification's markup would mean.
    private static func variant(_ text: String) -> String {
        "\"\(text.escaping(.ofMarkup).escaping(.ofBackslashes))\""
    }
}
