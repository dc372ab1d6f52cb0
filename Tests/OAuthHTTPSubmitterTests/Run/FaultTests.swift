import Foundation
import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitTesting
import Testing

@testable import OAuthHTTPSubmitter

/// Each shape of a service, with each fault at each of its requests.
@Suite
struct FaultTests {
    @Test(arguments: Shape.all)
    func `an item arrives whole, and its receipt names it`(shape: Shape) async throws {
        let (script, items) = shape.make()
        let service = FakeService(script)
        let endeavour = try Endeavour(shape.recipe, count: shape.count, caption: "Fjord", album: shape.album)
        let receipt = try await endeavour.run(at: service).get()
        #expect(!receipt.remoteID.isEmpty)
        #expect(items().count == 1)
        #expect(service.requests.allSatisfy { $0["x-key"] == "hunter2-hunter2" })
        for failure in endeavour.failures.withLock({ $0 }) {
            guard case .wait = failure.remedy else {
                Issue.record("without a fault it failed: \(failure)")
                continue
            }
        }
    }

    @Test(arguments: Shape.all, ServiceFault.allCases)
    func `whatever fails at whichever request, at most one item results`(
        shape: Shape, fault: ServiceFault
    ) async throws {
        let (script, _) = shape.make()
        let rehearsal = FakeService(script)
        _ = try await Endeavour(shape.recipe, count: shape.count, caption: "Fjord", album: shape.album)
            .run(at: rehearsal).get()
        for number in rehearsal.requests.indices {
            let (script, items) = shape.make()
            let endeavour = try Endeavour(shape.recipe, count: shape.count, caption: "Fjord", album: shape.album)
            let service = FakeService(killed: { endeavour.kill() }, script)
            service.fail(at: number, fault)
            let outcome = await endeavour.run(at: service)
            let about = "\(shape.name), \(fault) at request \(number): \(rehearsal.requests[number].path)"
            #expect(items().count <= 1, "\(about): \(items().count) items")
            switch outcome {
            case .success(let receipt):
                #expect(items().count == 1, "\(about): done without an item")
                #expect(!receipt.remoteID.isEmpty, "\(about)")
            case .failure(let failure):
                #expect(
                    shape.mayEndUnknown && failure.remedy == .outcomeUnknown && number == rehearsal.requests.count - 1,
                    "\(about): \(failure.remedy), \(failure)")
                #expect([.lostAfter, .badGateway, .busy, .killedAfter, .killedBefore].contains(fault), "\(about)")
                #expect(failure.message.contains("look at https://service.example"), "\(failure)")
            }
            check(endeavour.failures.withLock { $0 }, fault, about)
        }
    }

    /// What looks for a lost answer may fail, too.
    @Test(arguments: Shape.all, ServiceFault.allCases)
    func `whatever fails after an answer was lost, at most one item results`(
        shape: Shape, fault: ServiceFault
    ) async throws {
        let (script, _) = shape.make()
        let rehearsal = FakeService(script)
        _ = try await Endeavour(shape.recipe, count: shape.count, caption: "Fjord", album: shape.album)
            .run(at: rehearsal).get()
        for number in rehearsal.requests.indices {
            for later in 1...2 {
                let (script, items) = shape.make()
                let endeavour = try Endeavour(shape.recipe, count: shape.count, caption: "Fjord", album: shape.album)
                let service = FakeService(killed: { endeavour.kill() }, script)
                service.fail(at: number, .lostAfter)
                service.fail(at: number + later, fault)
                let outcome = await endeavour.run(at: service)
                let about =
                    "\(shape.name), lost at \(number) and \(fault) \(later) after: \(rehearsal.requests[number].path)"
                #expect(items().count <= 1, "\(about): \(items().count) items")
                if case .failure(let failure) = outcome {
                    #expect(failure.remedy == .outcomeUnknown, "\(about): \(failure.remedy), \(failure)")
                }
            }
        }
    }

    /// One step, that must not be done twice.
    private static func recipe(_ repetition: String) -> String {
        """
        recipe: 1
        service: slow
        title: Slow
        summary: Posts what it gets
        facts: { checked: 2026-11-21, sources: [https://service.example], tested: never }
        settings: { api_key: { kind: secret, required: true, summary: A key } }
        hosts: [https://service.example]
        auth: { kind: header, name: X-Key, value: "{{ secret.api_key }}" }
        limits: { kinds: [photo] }
        upload:
          - id: post
            request: { method: POST, url: /posts, headers: { Idempotency-Key: "{{ job.id }}" }, body: { raw: file }, expect: [201] }
            capture: { id: { json: /id }, more: { json: /more, optional: true } }
            say: look at https://service.example
            \(repetition)
        receipt: { id: "{{ post.id }}", accepted_when: post.id != null }

        """
    }

    private static let look = """
        repeat: look
            look:
              request: { method: GET, url: /posts }
              capture: { id: { json: /id, optional: true } }
              found: body['/id'] != null
        """

    /// Answers after which a service may have done what it was asked.
    @Test(arguments: [
        HTTPResponse(status: 202), HTTPResponse(status: 503), HTTPResponse(status: 500),
        HTTPResponse(status: 303, headers: [("Location", "https://service.example/posts/1")]),
        json(201, #"{"id": "p1", "more": "\#(String(repeating: "x", count: 60_000))"}"#),
    ])
    func `what may have been done is not told as not sent`(answer: HTTPResponse) async throws {
        let endeavour = try Endeavour(Self.recipe("repeat: never"))
        let outcome = await endeavour.run(at: FakeService { _ in answer })
        guard case .failure(let failure) = outcome else {
            Issue.record("it was done")
            return
        }
        #expect(failure.remedy == .outcomeUnknown && failure.message.contains("is not known"), "\(failure)")
    }

    /// Between two attempts at which it showed nothing, the service shows it.
    @Test func `a look that found nothing leaves the doubt until the next one`() async throws {
        let (posts, isShown) = (Locked(0), Locked(false))
        let service = FakeService { seen in
            guard seen.method == "POST" else { return json(200, isShown.withLock { $0 } ? #"{"id": "p1"}"# : "{}") }
            return posts.withLock { posts in
                posts += 1
                return posts == 2 ? HTTPResponse(status: 429) : json(201, #"{"id": "p\#(posts)"}"#)
            }
        }
        service.fail(at: 0, .lostAfter)
        let endeavour = try Endeavour(Self.recipe(Self.look))
        for number in 1...2 { _ = await endeavour.attempt(number, at: service) }
        isShown.withLock { $0 = true }
        #expect(try await endeavour.attempt(3, at: service).get().remoteID == "p1")
        #expect(posts.withLock { $0 } == 2)
    }

    @Test(arguments: [(3599, 2), (3601, 1)] as [(Int64, Int)])
    func `a key is shown again for as long as the service knows it`(seconds: Int64, requests: Int) async throws {
        let service = FakeService { _ in json(201, #"{"id": "p1"}"#) }
        service.fail(at: 0, .lostAfter)
        let endeavour = try Endeavour(Self.recipe("repeat: key\n    key_lasts: 1h"))
        _ = await endeavour.attempt(1, at: service)
        endeavour.clock.move(.seconds(seconds))
        let outcome = await endeavour.attempt(2, at: service)
        #expect(service.requests.count == requests)
        if case .failure(let failure) = outcome {
            #expect(failure.remedy == .outcomeUnknown && requests == 1, "\(failure)")
        }
    }

    /// What was taken may not show at once.
    @Test func `nothing found is no answer until the service has settled`() async throws {
        let shown = Locked(false)
        let posts = Locked(0)
        let service = FakeService { seen in
            if seen.method == "POST" {
                posts.withLock { $0 += 1 }
                return json(201, #"{"id": "p1"}"#)
            }
            return json(200, shown.withLock { $0 } ? #"{"id": "p1"}"# : "{}")
        }
        service.fail(at: 0, .lostAfter)
        let endeavour = try Endeavour(Self.recipe(Self.look + "\n      settles: 30s"))
        guard case .failure = await endeavour.attempt(1, at: service) else {
            Issue.record("it was done")
            return
        }
        for number in 2...3 {
            guard case .failure(let failure) = await endeavour.attempt(number, at: service),
                case .wait(let wait) = failure.remedy
            else {
                Issue.record("it did not wait")
                return
            }
            #expect(wait == .seconds(10))
            endeavour.clock.move(wait)
        }
        shown.withLock { $0 = true }
        #expect(try await endeavour.attempt(4, at: service).get().remoteID == "p1")
        #expect(posts.withLock { $0 } == 1)
    }

    /// The remedy of what went wrong.
    private func check(_ failures: [SubmitFailure], _ fault: ServiceFault, _ about: String) {
        let troubles = failures.filter { if case .wait = $0.remedy { false } else { true } }
        switch fault {
        case .killedBefore, .killedAfter: #expect(troubles.allSatisfy { $0.remedy == .outcomeUnknown }, "\(about)")
        case .slowDown:
            #expect(troubles.map(\.remedy) == [.hold(.throttled, after: .seconds(7))], "\(about): \(troubles)")
        case .refused: #expect(troubles.map(\.remedy) == [.renewCredentials], "\(about): \(troubles)")
        case .lostBefore:
            #expect(troubles.map(\.remedy) == [.tryAnother(after: nil)], "\(about): \(troubles)")
        case .lostAfter, .badGateway, .busy:
            #expect(troubles.count == 1, "\(about): \(troubles)")
            #expect(
                troubles.allSatisfy { [.tryAnother(after: nil), .outcomeUnknown].contains($0.remedy) },
                "\(about)")
        }
        for failure in failures {
            #expect(!failure.message.contains("hunter2"), "\(about): a secret shows")
            #expect(failure.message.hasSuffix("."), "\(about): \(failure.message)")
        }
    }

    @Test(arguments: Shape.all)
    func `checkpoints are small and hold no secret`(shape: Shape) async throws {
        let (script, _) = shape.make()
        let service = FakeService(script)
        let endeavour = try Endeavour(shape.recipe, count: shape.count, album: shape.album)
        _ = await endeavour.run(at: service)
        let text = String(decoding: endeavour.checkpoint?.data ?? [], as: UTF8.self)
        #expect(text.utf8.count < RunState.longest)
        for secret in ["hunter2", "upload_id", "token-"] { #expect(!text.contains(secret), "\(text)") }
    }
}
