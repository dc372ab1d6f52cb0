import Submit
import SubmitHTTP
import Testing

struct HTTPDateTests {
    static let now = Timestamp(nanoseconds: 1_800_000_000_000_000_000)
    static let example = Timestamp(nanoseconds: 784_111_777_000_000_000)

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ])
    func `all three forms are read`(text: String) {
        #expect(HTTPDate.parse(text, now: Self.now) == Self.example)
    }

    @Test(arguments: [
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (951_868_799, "Tue, 29 Feb 2000 23:59:59 GMT"),
        (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
        (1_709_164_800, "Thu, 29 Feb 2024 00:00:00 GMT"), (1_735_689_599, "Tue, 31 Dec 2024 23:59:59 GMT"),
    ])
    func `a date is written and read back`(seconds: Int64, text: String) {
        let time = Timestamp(nanoseconds: seconds * 1_000_000_000)
        #expect(HTTPDate.format(time) == text)
        #expect(HTTPDate.parse(text, now: Self.now) == time)
    }

    @Test func `every day of 400 years comes back`() {
        var failures = 0
        for day in stride(from: Int64(-60_000), through: 90_000, by: 1) {
            let time = Timestamp(nanoseconds: day * 86_400_000_000_000)
            if HTTPDate.parse(HTTPDate.format(time), now: Self.now) != time { failures += 1 }
        }
        #expect(failures == 0)
    }

    @Test func `two digits of a year are at most 50 years ahead`() {
        // `now` is in 2027.
        #expect(
            HTTPDate.parse("Sunday, 06-Nov-77 08:49:37 GMT", now: Self.now).map(HTTPDate.format)
                == "Sat, 06 Nov 2077 08:49:37 GMT")
        #expect(
            HTTPDate.parse("Sunday, 06-Nov-78 08:49:37 GMT", now: Self.now).map(HTTPDate.format)
                == "Mon, 06 Nov 1978 08:49:37 GMT")
    }

    @Test(arguments: [
        "", "0", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 31 Feb 1994 08:49:37 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
        "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT", "Xxx, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sun, +6 Nov 1994 08:49:37 GMT",
        "Wed, 29 Feb 2023 00:00:00 GMT", "Sun, 06 Nov 9999 08:49:37 GMT",
    ])
    func `what is no date, or beyond what can be counted, is none`(text: String) {
        #expect(HTTPDate.parse(text, now: Self.now) == nil)
    }
}

struct RetryAfterTests {
    private func wait(_ value: String?, date: String? = nil) -> Duration? {
        var headers: [(name: String, value: String)] = []
        if let value { headers.append(("retry-after", value)) }
        if let date { headers.append(("Date", date)) }
        return HTTPResponse(status: 429, headers: headers).retryAfter(now: HTTPDateTests.example)
    }

    @Test(arguments: [
        ("0", 0), ("120", 120_000), ("86400", 86_400_000), ("86401", 86_400_000),
        ("99999999999999999999999", 86_400_000),
    ])
    func `seconds are taken up to a day`(value: String, milliseconds: Int64) {
        #expect(wait(value) == .milliseconds(milliseconds))
    }

    @Test func `a date counts from the server's clock, and from ours where it has none`() {
        #expect(wait("Sun, 06 Nov 1994 08:50:37 GMT") == .seconds(60))
        #expect(wait("Sun, 06 Nov 1994 08:50:37 GMT", date: "Sun, 06 Nov 1994 08:50:07 GMT") == .seconds(30))
        #expect(wait("Sunday, 06-Nov-94 08:50:37 GMT", date: "Sun Nov  6 08:50:36 1994") == .seconds(1))
        #expect(wait("Sun, 06 Nov 1994 08:50:37 GMT", date: "yesterday") == .seconds(60))
    }

    @Test func `the past is now, and next year is tomorrow`() {
        #expect(wait("Sun, 06 Nov 1994 08:49:36 GMT") == .zero)
        #expect(wait("Mon, 06 Nov 1995 08:49:37 GMT") == .seconds(86_400))
    }

    @Test(arguments: [nil, "", "soon", "-1", "1.5", "1 s"])
    func `what makes no sense is as good as nothing`(value: String?) {
        #expect(wait(value) == nil)
    }
}
