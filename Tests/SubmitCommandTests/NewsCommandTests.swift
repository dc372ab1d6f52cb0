import Foundation
import TestServers
import Testing

/// News at the end of a command, to those who hear it by programs that none of us wrote.
@Suite struct NewsCommandTests {
    /// python-dbusmock's, on a bus of its own.
    @Test func `of what ended is a notification of the desktop, whatever stands in it`() async throws {
        let submit = Submit()
        try submit.configure("news: {desktop: true}\n")
        let heard = submit.folder.path("heard")
        let photo = try Photos.make(1, in: submit.folder)[0]
        let outcome = try await submit.run(
            ["-q", "--to", "file", photo],
            wrapper: [
                "dbus-run-session", "--", "sh", "-c",
                """
                /usr/bin/python3 -m dbusmock --template notification_daemon -l '\(heard)' &
                until gdbus introspect --session --dest org.freedesktop.Notifications \\
                    --object-path /org/freedesktop/Notifications >/dev/null 2>&1; do sleep 0.1; done
                "$@"
                status=$?
                kill $!
                exit $status
                """, "sh",
            ])
        #expect(outcome.end == .exited(0), "\(outcome)")
        let text = try String(contentsOfFile: heard, encoding: .utf8)
        #expect(text.contains(/Notify "submit" 0 "camera-photo" "submit" "Batch 1: file: 1 done\."/), "\(text)")
    }

    /// What is told is no reason to send nothing.
    @Test func `that cannot be told holds up nothing`() async throws {
        let submit = Submit()
        try submit.configure(
            "news: {webhook: 'http://127.0.0.1:9/', webhook_secret_command: 'false', program: /bin/false}\n")
        let photo = try Photos.make(1, in: submit.folder)[0]
        let outcome = try await submit.run("--to", "file", photo)
        #expect(outcome.end == .exited(0) && outcome.troubles.isEmpty, "\(outcome)")
        #expect(try submit.names().count == 1)
    }

    @Test(arguments: [
        ("of: [lose]", "lose"), ("desktop: perhaps", "true or false"), ("program: /nowhere", "no program"),
    ])
    func `that is configured wrongly is told before anything is sent`(_ text: String, _ word: String) async throws {
        let submit = Submit()
        try submit.configure("news: {\(text)}\n")
        let photo = try Photos.make(1, in: submit.folder)[0]
        let outcome = try await submit.run("--to", "file", photo)
        #expect(outcome.end == .exited(2) && outcome.err.contains(word), "\(outcome)")
        #expect(!FileManager.default.fileExists(atPath: submit.place))
    }
}
