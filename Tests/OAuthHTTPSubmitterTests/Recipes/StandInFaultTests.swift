import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitTesting
import TestServers
import Testing

@testable import OAuthHTTPSubmitter

/// The recipes that come with the program, each with each fault at each of its requests.
@Suite struct `A recipe at a stand-in that fails` {
    @Test(arguments: FaultRun.all)
    func `leaves at most one item, and says what is known of it`(run: FaultRun) async throws {
        var stage = try await FaultStage(run)
        let rehearsal = try await stage.begin(run)
        let learnt = BadWire(stage.wire, kill: {})
        let receipt = try await rehearsal.run(over: learnt).get()
        #expect(try await stage.outcome().seen == [rehearsal.digest])
        #expect(try await stage.presence(of: rehearsal.item, receipt).isPresent)
        try #require(!learnt.sent.isEmpty)
        for (number, request) in learnt.sent.enumerated() {
            for fault in StandInFault.all(run) where request.bodyBytes >= fault.leastBody {
                let about: Comment = "\(fault.name), at request \(number): \(request.method) \(request.url)"
                // HTTP says that these may be sent twice.
                let isMended = fault.breaks && request.method != "POST"
                try await strike(run, fault, number, on: &stage, isMended, about)
            }
        }
        // The process was killed when all was done, and before anyone knew.
        let last = try await stage.begin(run)
        let first = try await last.run(over: BadWire(stage.wire, kill: {})).get()
        #expect(try await last.run(over: BadWire(stage.wire, kill: {})).get().remoteID == first.remoteID)
        #expect(try await stage.outcome().seen == [last.digest])
    }

    private func strike(
        _ run: FaultRun, _ fault: StandInFault, _ number: Int, on stage: inout FaultStage, _ isMended: Bool,
        _ about: Comment
    ) async throws {
        var planned: [CloudFault] = []
        var local: WireFault?
        switch fault.cause {
        case .service(let fault): planned = [fault.on("*", skip: number)]
        case .wire(let fault): local = fault
        }
        let endeavour = try await stage.begin(run, planned)
        let wire = BadWire(stage.wire, at: number, local) { endeavour.kill() }
        let end = await endeavour.run(over: wire, signsIn: true)
        let outcome = try await stage.outcome()
        #expect(outcome.openFaults == 0, about)
        #expect(outcome.seen.count <= 1, about)
        if local == .stalledAfterAll, run.cargo != .video {
            // The service was only slow: at most one more upload.
            #expect(wire.sent.count { $0.bodyBytes >= endeavour.item.size } <= 2, about)
        }
        switch end {
        case .success(let receipt):
            #expect(outcome.seen == [endeavour.digest], about)
            #expect(try await stage.presence(of: endeavour.item, receipt).isPresent, about)
            if run.cargo == .album {
                let albums = outcome.albums.filter { $0.title == "Harbour" }
                #expect(albums.count == 1 && albums.allSatisfy { $0.items == nil || $0.items?.count == 1 }, about)
            }
        case .failure(let failure):
            #expect(failure.remedy == .outcomeUnknown && fault.leavesDoubt && run.mayEndUnknown, "\(about): \(failure)")
            #expect(!fault.isDone || outcome.seen == [endeavour.digest], about)
            #expect(failure.message.contains("is not known") && failure.message.contains("look at "), "\(failure)")
        }
        judge(endeavour, fault, isMended, about)
    }

    /// The remedies and the sentences of what went wrong on the way.
    private func judge(_ endeavour: StandInEndeavour, _ fault: StandInFault, _ isMended: Bool, _ about: Comment) {
        let failures = endeavour.failures.withLock { $0 }
        for failure in failures {
            let (sentence, name) = (failure.message, endeavour.item.name)
            // What is asked for all items names the destination's part.
            #expect([name, "localhost", "127.0.0.1"].contains { sentence.contains($0) }, "\(about): \(failure)")
            #expect(sentence.hasSuffix(".") || sentence.hasSuffix(".)"), "\(about): \(failure)")
            #expect(!failure.message.contains("at-") && !failure.message.contains("EAApage"), "\(about): \(failure)")
        }
        // What is still being looked at is no trouble.
        let troubles = failures.filter { failure in
            if case .wait = failure.remedy { return false }
            // Google's token is lost with the answer to the last piece.
            if failure.message.contains("it begins again from the start") { return false }
            return failure.remedy != .outcomeUnknown
        }
        let isUnknown = failures.contains { $0.remedy == .outcomeUnknown }
        switch fault.expectation {
        case .remedies(let remedies): #expect(troubles.map(\.remedy) == remedies, "\(about): \(troubles)")
        case .retry:
            #expect(troubles.count == 1 || troubles.isEmpty && (isUnknown || isMended), "\(about): \(troubles)")
            fallthrough
        case .anything: #expect(troubles.allSatisfy { $0.isRetried }, "\(about): \(troubles.map(\.remedy)) \(troubles)")
        }
    }
}

extension SubmitFailure {
    fileprivate var isRetried: Bool {
        switch remedy {
        case .retry, .tryAnother: true
        default: false
        }
    }
}

extension Presence {
    /// It is there.
    var isPresent: Bool {
        if case .present = self { true } else { false }
    }
}
