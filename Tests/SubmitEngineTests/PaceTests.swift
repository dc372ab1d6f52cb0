import Testing

@testable import SubmitEngine

@Suite struct PaceTests {
    private static func pace(windows: Int, of time: Duration) -> Pace {
        var pace = Pace(from: 4, to: 24)
        for _ in 0..<windows {
            for _ in 0..<pace.width { pace.arrived(after: time) }
        }
        return pace
    }

    @Test(arguments: [(0, 4), (1, 8), (2, 16), (3, 24), (4, 24)])
    func `doubles while answers take no longer, up to the most`(windows: Int, width: Int) {
        #expect(Self.pace(windows: windows, of: .milliseconds(100)).width == width)
    }

    @Test func `stays where answers take longer than the shortest did`() {
        var pace = Pace(from: 4, to: 24)
        pace.arrived(after: .milliseconds(100))
        for _ in 0..<100 { pace.arrived(after: .milliseconds(180)) }
        #expect(pace.width == 4)
    }

    @Test func `goes on once a long beginning is over`() {
        var pace = Pace(from: 4, to: 24)
        for _ in 0..<3 { pace.arrived(after: .milliseconds(400)) }
        pace.arrived(after: .milliseconds(100))
        #expect(pace.width == 4)
        for _ in 0..<4 { pace.arrived(after: .milliseconds(100)) }
        #expect(pace.width == 8)
    }

    @Test func `half is enough where more failed, however many failed at once`() {
        var pace = Self.pace(windows: 3, of: .milliseconds(100))
        for _ in 0..<24 { pace.failed(at: 24) }
        #expect(pace.width == 12)
        for _ in 0..<100 { pace.arrived(after: .milliseconds(100)) }
        #expect(pace.width == 12)
        pace.failed(at: 7)
        #expect(pace.width == 4, "and no less than it began with")
    }

    @Test func `a failure at the first width says nothing of more`() {
        var pace = Self.pace(windows: 0, of: .zero)
        pace.failed(at: 4)
        for _ in 0..<4 { pace.arrived(after: .milliseconds(100)) }
        #expect(pace.width == 8)
    }
}
