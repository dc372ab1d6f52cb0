import Foundation
import Submit
import SubmitEngine
import SubmitStore
import SubmitTesting
import SystemPackage
import TestServers
import Testing

@testable import SubmitReceiving

/// Files that are sent by whatever order of appends, breaks, wrong offsets, damage, cuts and ends of processes, beside an oracle
/// that knows what may be there.
@Suite(.timeLimit(.minutes(5))) struct `Whatever the order` {
    private struct Sent {
        let file: IncomingFile
        let bytes: [UInt8]
        /// What was told to be there.
        var told = 0
        var hasArrived = false
    }

    @Test(arguments: 0..<12)
    func `every file arrives as it is, once, and none by half`(seed: UInt64) async throws {
        var numbers = SeededNumbers(seed: seed)
        let desk = FrontDesk()
        var reception = try desk.open()
        let session = try await reception.enter()
        var all: [Sent] = []
        for index in 0..<4 {
            let bytes = jpeg(Int.random(in: 5...1_500_000, using: &numbers), seed &* 31 &+ UInt64(index))
            let file = try await reception.begin(
                FileOffer(name: "\(index).jpg", length: Int64(bytes.count), sha256: sha256(bytes)), session: session)
            all.append(Sent(file: file, bytes: bytes))
        }
        var steps = 0
        while let index = all.indices.filter({ !all[$0].hasArrived }).randomElement(using: &numbers) {
            steps += 1
            let isCalm = steps > 200
            let (id, bytes) = (all[index].file.id, all[index].bytes)
            let offset = Int(try await reception.file(id, session: session).offset)
            #expect(offset >= all[index].told, "what was told to be there is there")
            let count = isCalm ? bytes.count - offset : Int.random(in: 0...(bytes.count - offset), using: &numbers)
            let next = Array(bytes[offset..<(offset + count)])
            let size = Int.random(in: 1000...400_000, using: &numbers)
            switch isCalm ? 0 : Int.random(in: 0..<10, using: &numbers) {
            case 0...2:
                let end = try await reception.append(
                    to: id, session: session, at: Int64(offset), Pieces(next, of: size))
                #expect(end == Int64(offset + count))
                all[index].told = Int(end)
            case 3:
                let refused = await refusal {
                    _ = try await reception.append(
                        to: id, session: session, at: Int64(offset), Pieces(next, of: size, breaks: true))
                }
                #expect(refused?.kind == .brokenOff(offset: Int64(offset + count)))
                all[index].told = offset + count
            case 4:
                let wrong = Int64.random(in: 0...Int64(bytes.count), using: &numbers)
                let refused = await refusal {
                    _ = try await reception.append(to: id, session: session, at: wrong, Pieces(next, of: size))
                }
                #expect(wrong == Int64(offset) || refused?.kind == .conflict(offset: Int64(offset)))
                if wrong == Int64(offset) { all[index].told = offset + count }
            case 5 where count > 0:
                var damaged = next
                damaged[count / 2] ^= 1
                let refused = await refusal {
                    _ = try await reception.append(
                        to: id, session: session, at: Int64(offset), Pieces(damaged, of: size),
                        checksum: PromisedDigest(.sha256, sha256(next)))
                }
                #expect(refused?.kind == .checksum(offset: Int64(offset)))
            case 6 where count > 0:
                // Damage that nobody looks for until the end.
                var damaged = next
                damaged[count / 2] ^= 1
                _ = try await reception.append(
                    to: id, session: session, at: Int64(offset), Pieces(damaged, of: size))
                let rest = Array(bytes[(offset + count)...])
                _ = try await reception.append(
                    to: id, session: session, at: Int64(offset + count), Pieces(rest, of: size))
                let refused = await refusal { _ = try await reception.finish(id, session: session) }
                #expect(refused?.kind == .checksum(offset: 0))
                all[index].told = 0
            case 7:
                reception = try desk.open()
                if Bool.random(using: &numbers) { try await reception.tidy() }
                // The offset of the end is written down with the arrival.
                if all[index].told == bytes.count { all[index].told = 0 }
                for other in all.indices where all[other].told == all[other].bytes.count { all[other].told = 0 }
            case 8:
                let path = desk.spool.appending(id.rawValue).string
                let cut = Int.random(in: 0...offset, using: &numbers)
                truncate(path, off_t(cut))
                reception = try desk.open()
                for other in all.indices where all[other].told == all[other].bytes.count { all[other].told = 0 }
                all[index].told = min(all[index].told, cut)
            default: break
            }
            let now = Int(try await reception.file(id, session: session).offset)
            guard now == bytes.count else {
                let early = await refusal { _ = try await reception.finish(id, session: session) }
                #expect(early?.kind == .conflict(offset: Int64(now)))
                continue
            }
            let arrived = try await reception.finish(id, session: session)
            #expect(arrived.digest == sha256(bytes))
            all[index].hasArrived = true
        }
        try await desk.pay(reception)
        for sent in all {
            for place in desk.places.values { #expect(place.contents[sent.file.name] == sent.bytes) }
            #expect(try await reception.manager.submissions(ofKey: sent.file.id.rawValue).count == 2)
        }
        #expect(desk.places["a"]?.contents.count == all.count)
    }
}
