import Testing

@testable import SubmitEngine

@Suite struct `Deliveries since something broke on the way` {
    private func isOpen(_ arrivals: inout RecentDeliveries, _ inJournal: Int64) -> Bool {
        arrivals.broke(inJournal: inJournal)
    }

    @Test func `are none at the beginning, however many there were before`() {
        var arrivals = RecentDeliveries(inJournal: 7)
        #expect(isOpen(&arrivals, 7) == false)
    }

    @Test func `are one of this run, or of another process, once`() {
        var arrivals = RecentDeliveries(inJournal: 7)
        arrivals.add()
        #expect(isOpen(&arrivals, 8) == true)
        #expect(isOpen(&arrivals, 8) == false)
        #expect(isOpen(&arrivals, 9) == true)
        #expect(isOpen(&arrivals, 9) == false)
    }

    @Test func `are no other process's where the journal hears later of one of this run`() {
        var arrivals = RecentDeliveries(inJournal: 7)
        arrivals.add()
        arrivals.add()
        #expect(isOpen(&arrivals, 7) == true)
        #expect(isOpen(&arrivals, 8) == false)
        #expect(isOpen(&arrivals, 9) == false)
        // Both are known by now: this is another's.
        #expect(isOpen(&arrivals, 10) == true)
    }
}
