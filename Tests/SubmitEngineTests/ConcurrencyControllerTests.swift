import Testing

@testable import SubmitEngine

@Suite struct ConcurrencyControllerTests {
    private var controller = ConcurrencyController(from: 4, to: 24)

    /// As many items at once as there may be, of so many bytes, which end together.
    private mutating func send(_ rounds: Int, bytes: Int64 = 100_000, _ milliseconds: Int) {
        for _ in 0..<rounds {
            let tickets = (0..<controller.width).map { _ in controller.begin() }
            for ticket in tickets { controller.end(ticket, .arrived(bytes: bytes, .milliseconds(milliseconds))) }
        }
    }

    // Each width takes two rounds: what begins a round does not find the others there.
    @Test(arguments: [(0, 4), (2, 8), (4, 16), (6, 24), (20, 24)])
    mutating func `doubles while answers take no longer, up to the most`(rounds: Int, width: Int) {
        send(rounds, 100)
        #expect(controller.width == width)
    }

    @Test mutating func `stays where answers take longer than the shortest did`() {
        send(1, 100)
        send(50, 250)
        #expect(controller.width == 4)
    }

    @Test mutating func `goes back where they take much longer, to what it began with`() {
        send(20, 100)
        send(20, 400)
        #expect(controller.width == 4)
    }

    @Test mutating func `goes on once a long beginning is over`() {
        send(1, 400)
        send(1, 100)
        #expect(controller.width == 4)
        send(3, 100)
        #expect(controller.width > 4)
    }

    @Test mutating func `larger items take their time without being in each other's way`() {
        for _ in 0..<20 {
            for (bytes, time) in [(5_000, 100), (900_000, 500)] as [(Int64, Int)] { send(1, bytes: bytes, time) }
        }
        #expect(controller.width == 24)
    }

    @Test mutating func `does not grow where so many never were under way`() {
        for _ in 0..<1000 {
            let ticket = controller.begin()
            controller.end(ticket, .arrived(bytes: 1, .milliseconds(100)))
        }
        #expect(controller.width == 4)
    }

    @Test mutating func `what began before it grew says nothing of more`() {
        let old = (0..<100).map { _ in controller.begin() }
        send(1, 100)
        #expect(controller.width == 8)
        for ticket in old { controller.end(ticket, .arrived(bytes: 100_000, .milliseconds(100))) }
        #expect(controller.width == 8)
    }

    /// As many as there may be, of which none arrives.
    private mutating func lose(_ rounds: Int = 1, _ outcome: ConcurrencyController.Outcome = .failed) {
        for _ in 0..<rounds {
            let tickets = (0..<controller.width).map { _ in controller.begin() }
            for ticket in tickets { controller.end(ticket, outcome) }
        }
    }

    @Test mutating func `half is enough where more failed once more, and more is tried later`() {
        send(20, 100)
        lose()
        #expect(controller.width == 12)
        send(2, 100)
        #expect(controller.width == 24)
        lose()
        #expect(controller.width == 12)
        send(100, 100)
        #expect(controller.width == 12)
        send(500, 100)
        #expect(controller.width == 24)
    }

    @Test mutating func `half is enough at once where the destination says that it was asked for too much`() {
        send(20, 100)
        lose(1, .throttled)
        send(100, 100)
        #expect(controller.width == 12)
    }

    // What fails while a place is down, or comes to be, is what was under way: width after width.
    @Test(arguments: [1, 2, 5, 50], [1, 3])
    mutating func `an outage takes nothing of what was learnt, however long it is and however often it comes`(
        rounds: Int, outages: Int
    ) {
        send(20, 100)
        for _ in 0..<outages {
            lose(rounds)
            #expect(controller.width < 24, "it is asked with care while it may be too much")
            send(20, 100)
            #expect(controller.width == 24)
        }
    }

    @Test mutating func `a place that takes fewer than were tried is found to, round after round`() {
        let limit = 10
        var refused = 0
        for _ in 0..<40 {
            let tickets = (0..<controller.width).map { _ in controller.begin() }
            for (index, ticket) in tickets.enumerated() {
                let isTaken = index < limit
                if !isTaken { refused += 1 }
                controller.end(ticket, isTaken ? .arrived(bytes: 1, .milliseconds(100)) : .failed)
            }
        }
        #expect(controller.width == 8)
        #expect(refused <= 12, "twice what was too much, and no more: \(refused)")
    }

    @Test mutating func `a failure at the first width, or of one alone, says nothing of many`() {
        let tickets = (0..<4).map { _ in controller.begin() }
        for ticket in tickets { controller.end(ticket, .failed) }
        send(20, 100)
        #expect(controller.width == 24)
        let alone = controller.begin()
        controller.end(alone, .failed)
        #expect(controller.width == 24)
    }

    @Test mutating func `what went another way says nothing`() {
        send(1, 100)
        for _ in 0..<50 {
            let tickets = (0..<4).map { _ in controller.begin() }
            for ticket in tickets { controller.end(ticket, .other) }
        }
        #expect(controller.width == 4)
    }
}
