internal import Submit
internal import SubmitHTTP
internal import SubmitPrograms

/// A program that prints an access key: the `credential_process` of a profile.
///
/// It runs without a shell, with what it needs of the environment, nothing to read and no terminal. What it writes for people is
/// not shown: it may hold secrets. It has a minute. When its time is up or the task is cancelled, it and all that it
/// started are told to end, and killed a second later.
///
/// Source: "Process credential provider" in the AWS SDKs and Tools Reference Guide; botocore's `ProcessProvider`; the
/// minute is `processcreds.DefaultTimeout` of the AWS SDK for Go.
struct CredentialProcess: Sendable {
    let commandLine: String
    /// Whose it is, for sentences.
    let profile: String
    /// Ours, whole.
    let environment: [String: String]
    /// Returns when its time is up, or early when the task is cancelled.
    var deadline: @Sendable () async -> Void = { try? await Task.sleep(for: .seconds(60)) }

    private static let longestOutput = 64 << 10

    private enum End: Sendable {
        case ended(ProgramResult)
        case failed(ProgramFailure)
        case late
    }

    /// Runs it and reads what it prints.
    ///
    /// - Throws: a failure that waits for someone who logs in when it exits with another status than 0 or is killed.
    func lease() async throws(AccessKeyFailure) -> ExpiringValue<AccessKey>.Lease {
        guard let words = ShellWords.split(commandLine), let program = words.first, !program.isEmpty else {
            throw .misconfigured(
                "the “credential_process” of the profile “\(profile)” is no command line; close its quotes")
        }
        let name = "the “credential_process” of the profile “\(profile)” (\(program))"
        let end = await end(of: program, Array(words.dropFirst()))
        if Task.isCancelled { throw .cancelled }
        switch end {
        case .ended(let end): return try lease(end, from: name)
        case .failed(.notFound):
            throw .misconfigured("\(name) cannot be found or run; give the full path of a program")
        case .failed(let trouble):
            let reason = trouble.error.map { " (\($0))" } ?? ""
            throw .unavailable("\(name) could not be run\(reason); run it by hand to see why")
        case .late: throw late(name)
        }
    }

    private func lease(_ end: ProgramResult, from name: String) throws(AccessKeyFailure)
        -> ExpiringValue<AccessKey>.Lease
    {
        guard !end.isCut else {
            throw .misconfigured("\(name) printed more than \(Self.longestOutput) bytes; run it by hand to see what")
        }
        switch end.status {
        case .exited(0): break
        case .exited(let status):
            throw .loggedOut("\(name) ended with the status \(status); run it by hand to see why, or to log in again")
        case .killed(let signal):
            throw .loggedOut("\(name) was killed by the signal \(signal); run it by hand to see why")
        case .late: throw late(name)
        }
        guard let document = KeyDocument(end.output) else {
            throw .misconfigured("\(name) printed no JSON object; run it by hand to see what it prints")
        }
        guard document.version == 1 else {
            throw .misconfigured(
                "\(name) printed " + (document.version.map { "the “Version” \($0)" } ?? "no “Version”")
                    + " where submit knows 1; see that it is a program for AWS")
        }
        return try document.lease(from: name)
    }

    private func late(_ name: String) -> AccessKeyFailure {
        .unavailable("\(name) did not end within a minute; run it by hand to see what it waits for")
    }

    private func end(of program: String, _ arguments: [String]) async -> End {
        await withTaskGroup(of: End.self) { group in
            group.addTask { await run(program, arguments) }
            group.addTask {
                await deadline()
                return .late
            }
            defer { group.cancelAll() }
            return await group.next() ?? .late
        }
    }

    /// What programs need, and what AWS's tools are told by their environment but for the keys themselves.
    private func given(to program: String) -> [String: String] {
        let secrets = ["KEY", "KEY_ID", "TOKEN", "SECRET", "PASSWORD", "PASSPHRASE"]
        let told = environment.keys.filter { name in
            name.hasPrefix("AWS_") && !secrets.contains(where: name.hasSuffix)
        }
        let file = String(program.split(separator: "/").last ?? "")
        return InheritedEnvironment(environment, passing: [file: Set(told)]).given(to: program)
    }

    private func run(_ program: String, _ arguments: [String]) async -> End {
        var call = ProgramCall(
            program, arguments, environment: given(to: program), longestOutput: Self.longestOutput)
        call.mayPrintMore = false
        call.patience = .seconds(1)
        do throws(ProgramFailure) {
            return .ended(try await call.end())
        } catch {
            return .failed(error)
        }
    }
}
