import Foundation
import Submit
import SubmitStore
import Testing

@testable import SubmitReceiving

@Suite(.timeLimit(.minutes(2))) struct `An invite` {
    let desk = FrontDesk()

    @Test func `has a secret of 128 bits that is written down nowhere, and a token likewise`() async throws {
        let reception = try desk.open()
        let invite = try await reception.invite(.both)
        #expect(invite.secret.count == 22 && invite.id.rawValue.count == 6)
        let claimed = try await reception.claim(invite.id, secret: invite.secret, address: "x", device: "Phone")
        #expect(claimed.token.count == 43)
        #expect(try await reception.session(token: claimed.token) == claimed.session)
        let all = try desk.everything()
        for secret in [invite.secret, claimed.token] {
            #expect(all.firstRange(of: Array(secret.utf8)) == nil)
        }
    }

    @Test func `lets one in, and tells a second claimant, and a replay, that another has it`() async throws {
        let reception = try desk.open()
        let invite = try await reception.invite(.both)
        _ = try await reception.claim(
            invite.id, secret: invite.secret, address: "x", device: "Phone", attempt: String(repeating: "a", count: 16))
        for (address, attempt) in [("y", nil), ("x", nil), ("y", String(repeating: "b", count: 16)), ("x", "short")] {
            let refused = await refusal {
                _ = try await reception.claim(
                    invite.id, secret: invite.secret, address: address, device: "Other", attempt: attempt)
            }
            #expect(refused?.kind == .claimed && refused?.code == "invite-claimed")
        }
    }

    @Test func `gives whoever comes again by the same attempt the session, and another token`() async throws {
        let reception = try desk.open()
        let invite = try await reception.invite(.both)
        let attempt = String(repeating: "a", count: 20)
        let first = try await reception.claim(
            invite.id, secret: invite.secret, address: "x", device: "Phone", attempt: attempt)
        let again = try await desk.open().claim(
            invite.id, secret: invite.secret, address: "x", device: "Phone", attempt: attempt)
        #expect(first.session.id == again.session.id && first.token != again.token)
        #expect(await refusal { _ = try await reception.session(token: first.token) }?.kind == .unknown)
        #expect(try await reception.session(token: again.token).id == first.session.id)
    }

    @Test func `lets any number in where it is not for one`() async throws {
        let reception = try desk.open()
        let invite = try await reception.invite(InviteTerms(destinations: ["a"], isOnce: false))
        var sessions: Set<SessionID> = []
        for _ in 0..<3 {
            sessions.insert(
                try await reception.claim(invite.id, secret: invite.secret, address: "x", device: "P").session.id)
        }
        #expect(sessions.count == 3)
    }

    @Test func `takes five wrong secrets a minute from an address, and then has it wait`() async throws {
        let reception = try desk.open()
        let invite = try await reception.invite(.both)
        for _ in 0..<5 {
            let refused = await refusal {
                _ = try await reception.claim(invite.id, secret: "no", address: "x", device: "P")
            }
            #expect(refused?.kind == .unknown)
        }
        desk.pass(.seconds(20))
        let refused = await refusal {
            _ = try await reception.claim(invite.id, secret: invite.secret, address: "x", device: "P")
        }
        #expect(refused?.kind == .tooOften(after: .seconds(40)))
        #expect(refused?.message.contains("wait 40 s") ?? false)
        desk.pass(.seconds(41))
        _ = try await reception.claim(invite.id, secret: invite.secret, address: "x", device: "P")
    }

    @Test func `lets others in meanwhile, and counts what is asked of invites that there are not`() async throws {
        let reception = try desk.open()
        let invite = try await reception.invite(.both)
        for _ in 0..<5 {
            _ = await refusal {
                _ = try await reception.claim(InviteID(rawValue: "nobody"), secret: "no", address: "x", device: "P")
            }
        }
        let refused = await refusal {
            _ = try await reception.claim(invite.id, secret: invite.secret, address: "x", device: "P")
        }
        #expect(refused?.code == "too-often")
        _ = try await reception.claim(invite.id, secret: invite.secret, address: "y", device: "P")
    }

    @Test func `is locked after 20 wrong secrets, from wherever, and stays so`() async throws {
        let reception = try desk.open()
        let invite = try await reception.invite(.both)
        for number in 0..<20 {
            let refused = await refusal {
                _ = try await reception.claim(invite.id, secret: "no", address: "\(number)", device: "P")
            }
            #expect(refused?.kind == (number < 19 ? .unknown : .locked))
        }
        let refused = await refusal {
            _ = try await desk.open().claim(invite.id, secret: invite.secret, address: "x", device: "P")
        }
        #expect(refused?.kind == .locked)
        #expect(try await reception.invites().map(\.isLocked) == [true])
    }

    @Test func `tells that it is over from that it was withdrawn`() async throws {
        let reception = try desk.open()
        let (old, gone) = (try await reception.invite(.both), try await reception.invite(.both))
        let session = try await reception.claim(gone.id, secret: gone.secret, address: "x", device: "P")
        try await reception.revoke(gone.id)
        try await reception.revoke(gone.id)
        desk.pass(.seconds(601))
        let expired = await refusal {
            _ = try await reception.claim(old.id, secret: old.secret, address: "x", device: "P")
        }
        let revoked = await refusal {
            _ = try await reception.claim(gone.id, secret: gone.secret, address: "x", device: "P")
        }
        #expect(expired?.kind == .expired && revoked?.kind == .revoked)
        #expect(await refusal { _ = try await reception.session(token: session.token) }?.kind == .revoked)
        #expect(await refusal { try await reception.revoke(InviteID(rawValue: "none")) }?.kind == .unknown)
    }

    @Test func `waits for its owner who compares words, and can be had again where he declines`() async throws {
        let reception = try desk.open()
        let invite = try await reception.invite(InviteTerms(destinations: ["a"], confirms: true))
        let thief = try await reception.claim(invite.id, secret: invite.secret, address: "x", device: "Thief")
        #expect(thief.session.words.count == 4 && thief.session.state == .unconfirmed)
        let early = await refusal {
            _ = try await reception.begin(FileOffer(name: "a.jpg", length: 3), session: thief.session)
        }
        #expect(early?.kind == .unconfirmed)
        try await reception.decline(thief.session.id)
        #expect(await refusal { _ = try await reception.session(token: thief.token) }?.kind == .declined)
        let owner = try await reception.claim(invite.id, secret: invite.secret, address: "y", device: "Phone")
        try await reception.confirm(owner.session.id)
        #expect(try await reception.session(token: owner.token).state == .open)
    }

    @Test func `is there with its sessions after a restart, and a session ends in its time`() async throws {
        var reception: Reception? = try desk.open()
        let invite = try #require(try await reception?.invite(.both))
        let claimed = try #require(
            try await reception?.claim(invite.id, secret: invite.secret, address: "x", device: "\u{202e}Phone\n"))
        reception = nil
        let next = try desk.open()
        let session = try await next.session(token: claimed.token)
        #expect(session.device == "Phone" && session.id == claimed.session.id)
        #expect(try await next.invites().first?.sessions.map(\.id) == [session.id])
        #expect(try await next.terms(of: session) == .both)
        desk.pass(.seconds(86_401))
        #expect(await refusal { _ = try await next.session(token: claimed.token) }?.kind == .expired)
    }

    @Test func `is not made of terms that make no sense`() async throws {
        let reception = try desk.open()
        for terms in [
            InviteTerms(destinations: []), InviteTerms(destinations: ["c"]),
            InviteTerms(destinations: ["a"], album: "../x"), InviteTerms(destinations: ["a"], keep: "here"),
        ] {
            #expect(await refusal { _ = try await reception.invite(terms) }?.kind == .unwanted)
        }
    }

    @Test func `has words of which there are 256`() {
        #expect(Set(ConfirmationWords.all).count == 256)
        #expect(ConfirmationWords.all.allSatisfy { $0.allSatisfy { $0.isASCII && $0.isLowercase } })
    }

    @Test func `has a secret in base64url without padding`() {
        #expect(RandomSecret.base64url(Array("any carnal pleas".utf8)) == "YW55IGNhcm5hbCBwbGVhcw")
        #expect(RandomSecret.base64url([0xfb, 0xff]) == "-_8")
        #expect(RandomSecret.base64url([]) == "")
    }

    @Test func `is forgotten a day after its time where nothing arrived, and stays where something did`() async throws {
        let reception = try desk.open()
        for _ in 0..<3 { _ = try await reception.invite(.both) }
        let (idle, useful) = (try await reception.enter(), try await reception.enter())
        _ = try await reception.begin(FileOffer(name: "half.jpg", length: 10), session: idle)
        try await reception.send(jpeg(2000), useful)
        desk.pass(.seconds(23 * 3600))
        try await reception.expire()
        #expect(try await reception.invites().count == 5)
        desk.pass(.seconds(2 * 3600))
        try await reception.expire()
        // The sessions have a day of their own from when they began.
        #expect(Set(try await reception.invites().map(\.record.id)) == [idle.invite, useful.invite])
        desk.pass(.seconds(24 * 3600))
        try await reception.expire()
        #expect(try await reception.invites().map(\.record.id) == [useful.invite])
        #expect(try await reception.store.incomingFiles(of: idle.id).isEmpty)
        #expect(try await reception.store.incomingFiles(of: useful.id).count == 1)
    }
}
