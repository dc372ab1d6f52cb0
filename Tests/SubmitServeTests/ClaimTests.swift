import Submit
import SubmitStore
import Foundation
import HTTPTypes
import SubmitConcurrency
import SubmitReceiving
import Testing

@testable import SubmitServe

@Suite struct `A secret` {
    private let house: House
    private let json: HTTPFields = [.contentType: "application/json"]

    init() throws { house = try House() }

    @Test func `that too many guessed at is told to whoever shows its code, as another one is needed`() async throws {
        let invite = try await house.reception.invite(InviteTerms(destinations: ["a"]))
        for number in 0..<20 {
            #expect(house.locked.withLock { $0.isEmpty })
            // Each from another address: one of them is heard five times a minute.
            let body = Array(#"{"secret": "AAAAAAAAAAAAAAAAAAAAAA"}"#.utf8)
            _ = try await house.ask(.post, "/r/\(invite.id)/claim", json, body, from: "10.0.0.\(number)")
        }
        #expect(house.locked.withLock { $0 } == [invite.id])
    }

    @Test func `is exchanged once, for a cookie that scripts do not see`() async throws {
        let invite = try await house.reception.invite(InviteTerms(destinations: ["a"]))
        let body = Array(#"{"secret": "\#(invite.secret)", "device": "Pixel"}"#.utf8)
        let answer = try await house.ask(.post, "/r/\(invite.id)/claim", json, body)
        #expect(answer.status == 200 && !answer.text.contains("\"token\":\""))
        let cookie = try #require(answer.fields[.setCookie])
        #expect(cookie.hasPrefix("__Host-submit=") && cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"))
        let pair = String(cookie.prefix { $0 != ";" })
        #expect(try await house.ask(.get, "/status", [.cookie: pair]).status == 200)
        #expect(try await house.ask(.post, "/r/\(invite.id)/claim", json, body).status == 403)
    }

    @Test func `that is wrong lets nobody in, and soon nobody is listened to`() async throws {
        let invite = try await house.reception.invite(InviteTerms(destinations: ["a"]))
        let wrong = Array(#"{"secret": "AAAAAAAAAAAAAAAAAAAAAA"}"#.utf8)
        var statuses: [Int] = []
        for _ in 0..<7 { statuses.append(try await house.ask(.post, "/r/\(invite.id)/claim", json, wrong).status) }
        #expect(statuses.prefix(5).allSatisfy { $0 == 404 } && statuses.last == 429)
    }

    @Test func `may be typed where no script runs`() async throws {
        let invite = try await house.reception.invite(InviteTerms(destinations: ["a"]))
        let answer = try await house.ask(
            .post, "/r/\(invite.id)/claim", [.contentType: "application/x-www-form-urlencoded"],
            Array("secret=\(invite.secret)".utf8))
        #expect(answer.status == 303 && answer.fields[.location] == "/form" && answer.fields[.setCookie] != nil)
    }

    @Test func `stands in no line of the log`() async throws {
        let invite = try await house.reception.invite(InviteTerms(destinations: ["a"]))
        _ = try await house.ask(.get, "/r/\(invite.id)%23\(invite.secret)")
        _ = try await house.ask(.get, "/r/\(invite.id)?\(invite.secret)")
        _ = try await house.ask(.post, "/r/\(invite.id)/claim", json, Array(#"{"secret": "\#(invite.secret)"}"#.utf8))
        let log = house.lines.withLock { $0.map(\.description).joined(separator: "\n") }
        #expect(log.split(separator: "\n").count == 3)
        #expect(!log.contains(invite.secret) && !log.contains(invite.id.rawValue))
    }

    @Test func `is not enough where words are compared`() async throws {
        let token = try await house.enter(InviteTerms(destinations: ["a"], confirms: true))
        let status = try await house.ask(.get, "/status", token: token)
        #expect(status.status == 200 && status.text.contains(#""state":"unconfirmed""#))
        #expect(try await house.ask(.put, "/put/a.jpg", [.contentLength: "700"], jpeg(700), token: token).status == 403)
        let session = try #require(try await house.reception.invites().first?.sessions.first)
        try await house.reception.confirm(session.id)
        #expect(try await house.ask(.put, "/put/a.jpg", [.contentLength: "700"], jpeg(700), token: token).status == 201)
    }
}

@Suite struct `Every answer` {
    @Test func `is strict, whatever was asked`() async throws {
        let house = try House()
        for (method, path) in [
            (HTTPRequest.Method.get, "/r/abc"), (.get, "/nothing"), (.put, "/r/abc"), (.get, "/status"),
            (.patch, "/files/x"),
        ] {
            let answer = try await house.ask(method, path)
            #expect(answer.fields[.contentSecurityPolicy] == StrictHeaders.policy)
            #expect(answer.fields[.xContentTypeOptions] == "nosniff")
            #expect(answer.fields[.cacheControl] == "no-store")
        }
        #expect(try await house.ask(.get, "/r/abc", host: "evil.example").status == 421)
    }

    @Test func `of the page leads to what is there`() async throws {
        let house = try House()
        let page = try await house.ask(.get, "/r/abc")
        #expect(page.status == 200 && !page.text.contains("{{"))
        let links = page.text.matches(of: /(?:href|src)="([^"]+)"/).map { String($0.output.1) }
        #expect(links.count >= 3)
        for link in links {
            let asset = try await house.ask(.get, link)
            #expect(asset.status == 200 && asset.fields[.cacheControl]?.contains("immutable") == true, "\(link)")
        }
        #expect(try await house.ask(.get, "/assets/other/main.js").status == 404)
    }

    /// Each row of the table with no token, and with one that is none: whoever adds a route finds it here.
    @Test func `without a session is what the table says`() async throws {
        let house = try House()
        for row in RouteRow.table where row.role != .anyone {
            let path = "/" + row.pattern.map { $0 == "*" || $0 == "**" ? "x" : String($0) }.joined(separator: "/")
            for token in [nil, "AAAA"] {
                let answer = try await house.ask(row.method, path, [.tusResumable: "1.0.0"], token: token)
                #expect(answer.status == 401, "\(row.method) \(path)")
            }
        }
    }
}
