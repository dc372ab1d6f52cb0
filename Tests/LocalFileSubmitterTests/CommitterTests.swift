import Dispatch
import Glibc
import Submit
import SubmitConcurrency
import SubmitTesting
import TestServers
import Testing

@testable import LocalFileSubmitter

/// Copies that become durable together.
@Suite struct `Those who wait for a disk` {
    private struct Place {
        let test = TestFolder()
        let committer = Committer()
        let folder: Folder

        init() throws { folder = try Folder.root(test.root, creates: false) }

        /// Commits so many at once; what each was answered.
        func commit(
            _ count: Int, file: CInt? = nil, name: @escaping @Sendable (Int) throws(SubmitFailure) -> Bool,
            named: @escaping @Sendable (Int) -> Void = { _ in }
        ) async -> [Result<Bool, SubmitFailure>] {
            await withTaskGroup(of: (Int, Result<Bool, SubmitFailure>).self) { group in
                for number in 0..<count {
                    let request = Committer.Request(
                        folder: folder, file: file, name: { () throws(SubmitFailure) in try name(number) },
                        named: { named(number) })
                    group.addTask { [committer] in
                        do throws(SubmitFailure) {
                            return (number, .success(try await committer.commit(request)))
                        } catch {
                            return (number, .failure(error))
                        }
                    }
                }
                var all = [Result<Bool, SubmitFailure>](repeating: .success(false), count: count)
                for await (number, result) in group { all[number] = result }
                return all
            }
        }
    }

    @Test func `are each told of their own name, and hold up nobody`() async throws {
        let place = try Place()
        let named = Locked<Set<Int>>([])
        let refused = SubmitFailure(.giveUp, code: "refused", message: "No.")
        let all = await place.commit(
            90,
            name: { (number) throws(SubmitFailure) in
                if number % 3 == 0 { throw refused }
                return number % 3 == 1
            },
            named: { number in named.withLock { _ = $0.insert(number) } })
        for (number, result) in all.enumerated() {
            switch number % 3 {
            case 0: #expect(throws: SubmitFailure.self) { try result.get() }
            case 1: #expect(try result.get())
            default: #expect(try !result.get())
            }
        }
        #expect(named.withLock { $0 } == Set((0..<90).filter { $0 % 3 == 1 }))
    }

    @Test func `give no name to a file that cannot be on the disk`() async throws {
        let place = try Place()
        let named = Locked(0)
        for count in [1, 3, 40] {
            let all = await place.commit(
                count, file: 1_000_000,
                name: { _ in
                    named.withLock { $0 += 1 }
                    return true
                })
            for result in all { #expect(throws: SubmitFailure.self) { try result.get() } }
        }
        #expect(named.withLock { $0 } == 0)
    }

    @Test func `are of different disks, and each is asked for its own`() async throws {
        let (here, there) = (try Place(), try Folder.root("/dev/shm", creates: false))
        let all = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<40 {
                let folder = number % 2 == 0 ? here.folder : there
                group.addTask { (try? await here.committer.commit(Committer.Request(folder: folder))) ?? false }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(all == Array(repeating: true, count: 40))
    }

    @Test func `are let go when they are cancelled, though the disk does not answer another`() async throws {
        let place = try Place()
        let ((began, begin), end) = (AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0))
        let stuck = Committer.Request(
            folder: place.folder,
            name: {
                begin.yield()
                end.wait()
                return true
            })
        let first = Task { try await place.committer.commit(stuck) }
        for await _ in began { break }
        let second = Task { try await place.committer.commit(Committer.Request(folder: place.folder)) }
        second.cancel()
        await #expect(throws: SubmitFailure.cancelled) { try await second.value }
        first.cancel()
        end.signal()
        #expect(try await first.value, "what has begun is finished")
    }

    /// As ext4 by `errors=remount-ro`, of which `syncfs` tells nothing.
    @Test func `are told of no name that their disk lost when it became read-only`() async throws {
        var told = 0
        for call in 1...60 {
            let disk = DrawnFileSystem(troubles: [call: .readOnly], sleeps: true)
            for number in 0..<8 { disk.put([1], "\(number).part") }
            guard let folder = try? Folder.root(disk.root, creates: false) else { continue }
            let committer = Committer()
            let named = try await committer.announcing { () async throws(SubmitFailure) in
                await withTaskGroup(of: Int?.self) { group in
                    for number in 0..<8 {
                        group.addTask {
                            let request = Committer.Request(
                                folder: folder,
                                name: {
                                    renameat(folder.descriptor, "\(number).part", folder.descriptor, "\(number)") == 0
                                })
                            return (try? await committer.commit(request)) ?? false ? number : nil
                        }
                    }
                    return await group.reduce(into: [Int]()) { all, number in number.map { all.append($0) } }
                }
            }
            told += named.count
            for number in named { #expect(disk.isDurable("\(number)"), "\(number) at call \(call)") }
        }
        #expect(told > 0)
    }

    @Test func `are many, and few threads wait with them`() async throws {
        let place = try Place()
        let (most, count) = (Locked(0), 2000)
        let all = await place.commit(
            count,
            name: { number in
                if number % 100 == 0 { most.withLock { $0 = max($0, Self.threadsAtTheDisk) } }
                return true
            })
        #expect(all.count { (try? $0.get()) ?? false } == count)
        #expect(most.withLock { $0 } < count / 4)
    }

    /// Threads of this process, those of other tests too.
    private static var threadsAtTheDisk: Int {
        guard let tasks = opendir("/proc/self/task") else { return 0 }
        defer { closedir(tasks) }
        var count = 0
        while readdir(tasks) != nil { count += 1 }
        return count
    }

    @Test func `have what they copied read once more, where that is asked for`() async throws {
        func calls(_ verification: Verification) async throws -> Int {
            let disk = DrawnFileSystem()
            let submitter = try LocalFileSubmitter.submitterType().make(
                DestinationSettings(destination: "test", values: ["path": disk.root]))
            let bytes = ScriptedBytes([1, 2, 3], isFile: true)
            var context = context()
            context.verification = verification
            let receipt = try await submitter.submit(bytes.item(named: "a.jpg"), bytes: bytes, context: context)
            #expect(receipt.evidence == .verified)
            return disk.calls
        }
        // One to have the disk write it, and one to read it.
        let (more, usual) = (try await calls(.readback), try await calls(.usual))
        #expect(more >= usual + 2)
    }

    @Test func `have what they copied compared again, and not only read`() throws {
        let place = try Place()
        let bytes = ScriptedBytes([1, 2, 3], isFile: true)
        let file = try TemporaryFile(in: place.folder, submission: "s-1")
        try [UInt8]([1, 2, 3]).withUnsafeBytes { try file.write($0.baseAddress!, 3, at: 0) }
        try file.readBack(bytes.item(named: "a.jpg"), bytes)
        // As a disk that keeps something else than it was given.
        try [UInt8]([1, 2, 4]).withUnsafeBytes { try file.write($0.baseAddress!, 3, at: 0) }
        let failure = #expect(throws: SubmitFailure.self) { try file.readBack(bytes.item(named: "a.jpg"), bytes) }
        #expect(failure?.code == "damaged")
    }
}
