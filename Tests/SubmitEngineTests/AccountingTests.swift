import Foundation
import Submit
import SubmitConcurrency
import SubmitEngine
import SubmitJournal
import SubmitTesting
import SystemPackage
import Testing

/// Whoever formats a card must know of everything on it: trees are drawn, and another walker knows what is in them.
@Suite struct AccountingTests {
    @Test(arguments: 1...40)
    func `everything below a named folder is accepted, refused or left behind, once`(seed: UInt64) async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let tree = shop.folder.appending("card")
        try DrawnTree(seed: seed).make(at: tree)
        let oracle = FileManager.default.enumerator(atPath: tree.string)
        var there: [String] = []
        while let name = oracle?.nextObject() as? String {
            if oracle?.fileAttributes?[.type] as? FileAttributeType != .typeDirectory {
                there.append(tree.pushing(FilePath(name)).string)
            }
        }
        for reach in [
            FileWalk.Reach(), FileWalk.Reach(takesHidden: true), FileWalk.Reach(followsLinks: true, takesHidden: true),
        ] {
            let told = Locked<[String]>([])
            let listening = shop.manager.listen { event in
                let path: FilePath
                switch event {
                case .accepted(let item, _, _): path = item.source
                case .refused(let refused, _, _): path = refused
                case .leftBehind(let left, _): path = left.path
                default: return
                }
                told.withLock { $0.append(path.string) }
            }
            defer { listening.cancel() }
            let acceptance = try await shop.manager.accept(
                SubmitRequest(paths: [tree], destinations: ["a"], reach: reach))
            let names = told.withLock { $0 }
            #expect(
                acceptance.accepted + acceptance.refusals.count + acceptance.leftBehind.count == names.count)
            if reach.followsLinks {
                // What is in a linked folder is told of by the name by which it was walked first, and the link is no file.
                #expect(Set(names).count == names.count)
                let told = Set(names.map(Self.canonical))
                let links = Set(there.filter { Self.isFolder($0) })
                #expect(Set(there.filter { !links.contains($0) }.map(Self.canonical)).subtracting(told).isEmpty)
                #expect(!acceptance.leftBehind.lines.contains { $0.reason == .linkedFolder })
            } else {
                #expect(names.sorted() == there.sorted())
            }
        }
    }

    /// By the folder it is really in: it may have been walked by a link first.
    private static func canonical(_ path: String) -> String {
        let path = FilePath(path)
        guard let folder = realpath(path.removingLastComponent().string, nil) else { return path.string }
        defer { free(folder) }
        return String(cString: folder) + "/" + (path.lastComponent?.string ?? "")
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    @Test func `what fsck saved, and folders that are called as a system's files are, are walked`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let card = shop.folder.appending("photos")
        for folder in ["lost+found", "desktop.ini"] {
            try FileManager.default.createDirectory(
                atPath: card.string + "/" + folder, withIntermediateDirectories: true)
        }
        for name in ["lost+found/one.jpg", "desktop.ini/two.jpg", "Thumbs.db", "@eaDir"] { try shop.photo(name) }
        let acceptance = try await shop.manager.accept(SubmitRequest(paths: [card], destinations: ["a"]))
        #expect(acceptance.accepted == 3)
        #expect(acceptance.leftBehind.lines.map { "\($0.reason) \($0.count)" } == ["system 1"])
    }

    @Test func `what is hidden and named itself is taken, and not left behind`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let card = shop.folder.appending("photos")
        try FileManager.default.createDirectory(atPath: card.string + "/.raw", withIntermediateDirectories: true)
        for name in [".raw/one.jpg", ".two.jpg", "three.jpg"] { try shop.photo(name) }
        let acceptance = try await shop.manager.accept(
            SubmitRequest(paths: [card, card.appending(".raw"), card.appending(".two.jpg")], destinations: ["a"]))
        #expect(acceptance.accepted == 3 && acceptance.leftBehind.lines.isEmpty, "\(acceptance)")
    }

    @Test func `what lies in a hidden folder is told of by that folder, and by its reason`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let card = shop.folder.appending("photos")
        for folder in [".cache/.deep/er", ".Trashes/501", "DCIM"] {
            try FileManager.default.createDirectory(
                atPath: card.string + "/" + folder, withIntermediateDirectories: true)
        }
        for name in [
            ".cache/one.jpg", ".cache/.deep/two.jpg", ".cache/.deep/er/three.jpg", ".Trashes/501/four.jpg",
            "DCIM/.five.jpg", "DCIM/six.jpg",
        ] { try shop.photo(name) }
        try Data([0, 5, 0x16, 7, 0, 2, 0, 0]).write(to: URL(fileURLWithPath: card.string + "/DCIM/._six.jpg"))
        let acceptance = try await shop.manager.accept(SubmitRequest(paths: [card], destinations: ["a"]))
        #expect(acceptance.accepted == 1)
        #expect(
            Set(acceptance.leftBehind.lines.map { "\($0.folder.lastComponent?.string ?? "") \($0.reason) \($0.count)" })
                == [".cache hidden 3", ".Trashes system 1", "DCIM hidden 1", "DCIM system 1"])
        let all = try await shop.manager.accept(
            SubmitRequest(paths: [card], destinations: ["a"], reach: FileWalk.Reach(takesHidden: true)))
        #expect(all.accepted == 5 && all.leftBehind.lines.allSatisfy { $0.reason == .system })
    }

    @Test func `sidecars, and files of a camera's own, are told from files of unknown type`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let card = shop.folder.appending("photos")
        try shop.photo("IMG_1.jpg")
        try shop.photo("MVI_2.THM")
        for (name, text) in [
            ("IMG_1.xmp", "<x:xmpmeta xmlns:x='adobe:ns:meta/'/>"), ("INDEX.BDM", "INDX0200"), ("notes.txt", "a text"),
        ] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: card.appending(name).string))
        }
        let acceptance = try await shop.manager.accept(SubmitRequest(paths: [card], destinations: ["a"]))
        #expect(acceptance.accepted == 1)
        #expect(
            Set(acceptance.leftBehind.lines.map { "\($0.reason) \($0.count)" }) == [
                "sidecar 2", "camera 1", "unknownType 1",
            ])
        var any = SubmitRequest(paths: [card], destinations: ["a"])
        any.takesAnyFile = true
        #expect(try await shop.manager.accept(any).accepted == 5)
    }

    @Test func `links to folders are followed where that is asked for, and circles are walked once`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let card = shop.folder.appending("photos")
        let other = shop.folder.appending("other")
        for folder in [card.appending("in"), other] {
            try FileManager.default.createDirectory(atPath: folder.string, withIntermediateDirectories: true)
        }
        try shop.photo("in/one.jpg")
        try Data(Workshop.jpeg(400, seed: 7)).write(to: URL(fileURLWithPath: other.appending("two.jpg").string))
        symlink("..", card.appending("in/up").string)
        symlink(other.string, card.appending("outside").string)
        symlink(other.string, card.appending("outside too").string)
        let without = try await shop.manager.accept(SubmitRequest(paths: [card], destinations: ["a"]))
        #expect(without.accepted == 1 && without.leftBehind.lines.map(\.reason) == [.linkedFolder, .linkedFolder])
        let with = try await shop.manager.accept(
            SubmitRequest(paths: [card], destinations: ["a"], reach: FileWalk.Reach(followsLinks: true)))
        #expect(with.accepted == 2 && with.leftBehind.lines.isEmpty)
    }
}

/// A folder with a bit of everything that people, cameras and systems leave in one.
struct DrawnTree {
    private var random: DrawnNumbers

    init(seed: UInt64) {
        random = DrawnNumbers(seed: seed)
    }

    func make(at root: FilePath) throws {
        var tree = self
        try tree.fill(root, depth: 0)
    }

    private mutating func fill(_ folder: FilePath, depth: Int) throws {
        try FileManager.default.createDirectory(atPath: folder.string, withIntermediateDirectories: true)
        for number in 0..<Int(random.next() % 9) {
            try add(number, to: folder, depth)
        }
    }

    private mutating func add(_ number: Int, to folder: FilePath, _ depth: Int) throws {
        func path(_ name: String) -> String { folder.appending(name).string }
        func write(_ bytes: [UInt8], _ name: String) throws {
            try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
        }
        let dot = random.next() % 4 == 0 ? "." : ""
        switch random.next() % 14 {
        case 0...3: try write(Workshop.jpeg(60, seed: random.next()), "\(dot)IMG_\(number).jpg")
        case 4: try write(Array("a text".utf8), "\(dot)notes \(number).txt")
        case 5: try write([], "\(dot)empty \(number).jpg")
        case 6: mkfifo(path("\(dot)pipe \(number)"), 0o600)
        case 7: symlink("nowhere", path("\(dot)dangling \(number)"))
        case 8: symlink("..", path("\(dot)up \(number)"))
        case 9: symlink("IMG_0.jpg", path("\(dot)link \(number).jpg"))
        case 10: try write([0, 5, 0x16, 7], "._IMG_\(number).jpg")
        case 11: try write(Array("x".utf8), ["Thumbs.db", ".DS_Store", "desktop.ini"][number % 3])
        default:
            if depth < 4 {
                let name = ["\(dot)folder \(number)", ".Trashes", "@eaDir", "new\nline \(number)"][
                    Int(random.next() % 4)]
                try fill(folder.appending(name), depth: depth + 1)
            }
        }
    }
}

/// SplitMix64 (Steele, Lea and Flood, 2014).
struct DrawnNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
