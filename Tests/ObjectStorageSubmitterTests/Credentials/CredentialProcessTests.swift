import Glibc
import Submit
import SubmitHTTP
import TestServers
import Testing

@testable import ObjectStorageSubmitter

@Suite struct `A credential_process` {
    let folder = TemporaryFolder()

    private static let key = #"{"Version": 1, "AccessKeyId": "AK", "SecretAccessKey": "s3cr3t"}"#

    private func process(_ commandLine: String) -> CredentialProcess {
        CredentialProcess(
            commandLine: commandLine, profile: "work", environment: ["PATH": "/usr/bin:/bin", "AWS_PLACE": folder.path])
    }

    /// A process that runs a script of `sh`.
    private func script(_ text: String) throws -> CredentialProcess {
        process("sh \(try folder.write(text, to: "script"))")
    }

    private func failure(_ process: CredentialProcess) async -> AccessKeyFailure? {
        let failure = await #expect(throws: AccessKeyFailure.self) { try await process.lease() }
        #expect(failure?.reason.contains("s3cr3t") == false)
        #expect(failure?.reason.contains("“work”") == true)
        return failure
    }

    @Test func `gives a key without an end`() async throws {
        let lease = try await script("cat <<.\n\(Self.key)\n.").lease()
        #expect(lease.value.id == "AK" && lease.value.holds(secret: "s3cr3t"))
        #expect(lease.expires == nil)
    }

    @Test(arguments: [
        ("2030-01-02T03:04:05Z", 1_893_553_445), ("2030-01-02T03:04:05+00:00", 1_893_553_445),
        ("2030-01-02T05:04:05.250+02:00", 1_893_553_445), ("9999-12-31T23:59:59Z", 9_000_000_000),
    ])
    func `gives a key with a token and an end`(_ text: String, _ seconds: Int64) async throws {
        let key = #""AccessKeyId":"AK","SecretAccessKey":"s","SessionToken":"tok""#
        let lease = try await script(#"echo '{"Version":1,\#(key),"Expiration":"\#(text)"}'"#).lease()
        #expect(lease.value.holds(secret: "s", token: "tok"))
        #expect(lease.expires?.seconds == seconds)
    }

    @Test func `gets its arguments as they are quoted, no shell, and the environment it is given`() async throws {
        let tool = "#!/bin/sh\nprintf '%s|' \"$@\" > $AWS_PLACE/arguments\necho '\(Self.key)'\n"
        let path = try folder.write(tool, to: "a tool")
        chmod(path, 0o755)
        _ = try await process(#""\#(path)" 'a b' $AWS_PLACE ";" x"#).lease()
        #expect(try folder.text("arguments") == "a b|$AWS_PLACE|;|x|")
    }

    @Test func `has nothing to read and no terminal`() async throws {
        _ = try await script("cat; (: < /dev/tty) 2> /dev/null && exit 1; echo '\(Self.key)'").lease()
    }

    @Test func `that fails waits for someone, who is told its status and not what it wrote`() async throws {
        let failed = await failure(try script("echo s3cr3t; echo s3cr3t >&2; exit 7"))
        #expect(failed?.remedy == .renewCredentials)
        #expect(failed?.reason.contains("status 7") == true)
        let killed = await failure(try script("kill -9 $$"))
        #expect(killed?.remedy == .renewCredentials)
        #expect(killed?.reason.contains("signal 9") == true)
    }

    @Test(arguments: [
        ("s3cr3t", "no JSON"), ("[1]", "no JSON"), (#"{"AccessKeyId":"s3cr3t"}"#, "no “Version”"),
        (#"{"Version":2,"AccessKeyId":"AK","SecretAccessKey":"s3cr3t"}"#, "“Version” 2"),
        (#"{"Version":1,"SecretAccessKey":"s3cr3t"}"#, "no “AccessKeyId”"),
        (#"{"Version":1,"AccessKeyId":"AK"}"#, "no “SecretAccessKey”"),
        (#"{"Version":1,"AccessKeyId":"A\r\ns3cr3t: x","SecretAccessKey":"y"}"#, "cannot be one"),
        (#"{"Version":1,"AccessKeyId":"AK","SecretAccessKey":"s3cr3t","Expiration":"soon"}"#, "“Expiration”"),
    ])
    func `that prints no key is refused`(_ output: String, _ named: String) async throws {
        try folder.write(output, to: "output")
        let failure = await failure(process("cat \(folder.path("output"))"))
        #expect(failure?.remedy == .hold(.misconfigured, after: nil))
        #expect(failure?.reason.contains(named) == true)
    }

    @Test func `that prints without an end is stopped`() async throws {
        let failure = await failure(process("yes s3cr3t"))
        #expect(failure?.remedy == .hold(.misconfigured, after: nil))
        #expect(failure?.reason.contains("65536") == true)
    }

    @Test(arguments: ["", "'open", "/nowhere/tool", "no-such-tool", "/etc/passwd"])
    func `that cannot be run is refused`(_ commandLine: String) async throws {
        let failure = await failure(process(commandLine))
        #expect(failure?.remedy == .hold(.misconfigured, after: nil))
    }

    /// Starts a helper of its own and waits for it.
    private static let waiting = "sleep 1000 & echo $$ $! > $AWS_PLACE/new; mv $AWS_PLACE/new $AWS_PLACE/pids; wait"

    private func pids() async throws -> [pid_t] {
        while try folder.text("pids").isEmpty { await Task.yield() }
        return try folder.text("pids").split(whereSeparator: \.isWhitespace).compactMap { pid_t($0) }
    }

    /// Waits until a process is no more, or waits for its parent to take note of that.
    private func ended(_ pid: pid_t) async throws {
        while case let status = try TemporaryFolder.status(of: pid), !status.isEmpty, status != "Z" {
            await Task.yield()
        }
    }

    @Test(arguments: ["", "trap '' TERM; "])
    func `ends with all it started when it is cancelled`(_ stubborn: String) async throws {
        let process = try script(stubborn + Self.waiting)
        let task = Task { try await process.lease() }
        let pids = try await pids()
        #expect(pids.count == 2)
        task.cancel()
        await #expect(throws: AccessKeyFailure.cancelled) { try await task.value }
        for pid in pids { try await ended(pid) }
    }

    @Test func `ends when its time is up, and is run again later`() async throws {
        var process = try script(Self.waiting)
        process.deadline = { [folder] in
            while (try? folder.text("pids").isEmpty) ?? true, !Task.isCancelled { await Task.yield() }
        }
        let failure = await failure(process)
        #expect(failure?.remedy == .hold(.unreachable, after: nil))
        #expect(failure?.reason.contains("within a minute") == true)
        for pid in try await pids() { try await ended(pid) }
    }
}

extension TemporaryFolder {
    /// The letter of a process's state; empty when there is none.
    fileprivate static func status(of pid: pid_t) throws -> String {
        guard let file = fopen("/proc/\(pid)/stat", "r") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = fread(&bytes, 1, bytes.count, file)
        let text = String(decoding: bytes.prefix(count), as: UTF8.self)
        // After the name in parentheses, which may have blanks.
        return String(text.drop { $0 != ")" }.dropFirst(2).prefix(1))
    }
}
