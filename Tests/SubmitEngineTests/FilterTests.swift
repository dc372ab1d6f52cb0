import Foundation
import Submit
import SubmitStore
import SubmitTesting
import SystemPackage
import Testing

@testable import SubmitEngine

/// Which files are meant: git itself says what its rules leave out.
@Suite struct FilterTests {
    /// The examples of gitignore(5), each with what it takes of these.
    @Test(arguments: [
        (["hello.*"], ["hello.txt", "hello.c", "a/hello.java"], ["say-hello.c"]),
        (["/hello.*"], ["hello.txt"], ["a/hello.java"]),
        (["foo/"], ["foo/a", "x/foo/a"], ["x/bar/foo"]),
        (["doc/frotz"], ["doc/frotz"], ["a/doc/frotz"]),
        (["/doc/frotz"], ["doc/frotz"], ["a/doc/frotz"]),
        (["foo/*"], ["foo/test.json", "foo/bar/hello.c"], ["a/foo/test.json"]),
        (["**/foo"], ["foo", "a/foo", "a/b/foo"], ["afoo"]),
        (["**/foo/bar"], ["foo/bar", "a/foo/bar"], ["bar"]),
        (["abc/**"], ["abc/a", "abc/b/c"], ["a/abc/c"]),
        (["a/**/b"], ["a/b", "a/x/b", "a/x/y/b"], ["ab"]),
        (["*.[oa]", "!lib.a"], ["x.o", "y.a"], ["lib.a", "x.c"]),
        (["/*", "!/foo", "/foo/*", "!/foo/bar"], ["x", "foo/a", "y/b"], ["foo/bar", "foo/bar/c"]),
        (["vmlinux*", "!arch/foo/vmlinux*"], ["vmlinux.lds"], ["arch/foo/vmlinux.lds"]),
        (["a", "!a/b"], ["a/b"], ["c"]),
        (["\\#a", "\\!b", "c\\ "], ["#a", "!b", "c "], ["a", "b", "c"]),
        (["# a comment", "", "x  "], ["x"], ["# a comment"]),
    ])
    func `rules say what the manual of git says`(_ lines: [String], _ leftOut: [String], _ taken: [String]) throws {
        for (paths, isTaken) in [(leftOut, false), (taken, true)] {
            for path in paths {
                let folder = try Tree()
                let name = FilePath(path)
                try FileManager.default.createDirectory(
                    atPath: folder.path.pushing(name.removingLastComponent()).string, withIntermediateDirectories: true)
                try Data("x".utf8).write(to: URL(fileURLWithPath: folder.path.pushing(name).string))
                #expect(Self.taken(below: folder.path, lines).contains(path) == isTaken, "\(path) by \(lines)")
            }
        }
    }

    @Test func `of drawn trees just those files are taken that git would not ignore`() async throws {
        let folder = try Tree()
        var random = DrawnNumbers(seed: 24)
        var mine: Set<String> = []
        var asked = Data()
        var all: [String] = []
        for tree in 0..<Self.trees {
            let root = folder.path.appending("t\(tree)")
            // A first rule that takes would leave out all else, which git has no word for.
            let lines = ["none of them"] + Self.rules(&random)
            let names = try Self.makeTree(at: root, &random)
            try Data(lines.joined(separator: "\n").utf8).write(
                to: URL(fileURLWithPath: root.appending(".gitignore").string))
            mine.formUnion(Self.taken(below: root, lines).map { "t\(tree)/\($0)" })
            for name in names + [".gitignore"] {
                all.append("t\(tree)/\(name)")
                asked.append(Data("t\(tree)/\(name)\0".utf8))
            }
        }
        let git = Process()
        git.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        git.arguments = [
            "sh", "-c",
            "git init -q . && git check-ignore --no-index -v -n -z --stdin < \"$1\" > \"$2\"", "sh",
            folder.path.appending("asked").string, folder.path.appending("told").string,
        ]
        git.currentDirectoryURL = URL(fileURLWithPath: folder.path.string)
        // Nobody's own rules, which would be heeded besides.
        git.environment = [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "HOME": folder.path.string,
            "XDG_CONFIG_HOME": folder.path.string, "GIT_CONFIG_NOSYSTEM": "1",
        ]
        try asked.write(to: URL(fileURLWithPath: folder.path.appending("asked").string))
        try git.run()
        await withCheckedContinuation { ended in
            DispatchQueue.global().async {
                git.waitUntilExit()
                ended.resume()
            }
        }
        let told = try Data(contentsOf: URL(fileURLWithPath: folder.path.appending("told").string))
        // Source, line, pattern and path of each.
        let fields = told.split(separator: 0, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        #expect(fields.count == 4 * all.count + 1)
        var differing = 0
        var ignored = 0
        for index in 0..<min(all.count, fields.count / 4) {
            let (pattern, path) = (fields[4 * index + 2], fields[4 * index + 3])
            let isIgnored = !pattern.isEmpty && !pattern.hasPrefix("!")
            if isIgnored { ignored += 1 }
            if isIgnored == mine.contains(path) {
                differing += 1
                if differing < 20 { Issue.record("git \(isIgnored ? "ignores" : "takes") “\(path)” by “\(pattern)”") }
            }
        }
        #expect(differing == 0)
        #expect(ignored > all.count / 10 && ignored < all.count * 9 / 10, "drawn so that it means something")
    }

    @Test func `what is taken first is all that is taken`() throws {
        let folder = try Tree()
        for name in ["a.jpg", "b.png", "sub/c.jpg", "sub/d.png", "keep/e.png", "keep/old/f.png"] {
            let path = folder.path.pushing(FilePath(name))
            try FileManager.default.createDirectory(
                atPath: path.removingLastComponent().string, withIntermediateDirectories: true)
            try Data("x".utf8).write(to: URL(fileURLWithPath: path.string))
        }
        #expect(Self.taken(below: folder.path, ["!*.jpg"]) == ["a.jpg", "sub/c.jpg"])
        #expect(Self.taken(below: folder.path, ["!keep/", "old/"]) == ["keep/e.png"])
        #expect(Self.taken(below: folder.path, ["!*.jpg", "sub/"]) == ["a.jpg"])
        // A file that was named itself is one of them as any other.
        let named = FileWalk([folder.path.appending("b.png")], FileWalk.Reach(), Self.filter(["!*.jpg"]))
        for entry in named { #expect(Self.isExcluded(entry)) }
    }

    @Test func `sizes and times bound what is taken, and what is left out is told`() throws {
        let folder = try Tree()
        for (name, size, age) in [("small", 10, 1.0), ("middle", 1000, 100), ("large", 5000, 10_000)] {
            let path = folder.path.appending(name).string
            try Data(repeating: 7, count: size).write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000 - age)], ofItemAtPath: path)
        }
        func time(_ age: Int64) -> Timestamp { Timestamp(nanoseconds: (1_700_000_000 - age) * 1_000_000_000) }
        func taken(_ filter: SourceFilter) -> [String] {
            var taken: [String] = []
            var count = 0
            for entry in FileWalk([folder.path], FileWalk.Reach(), filter) {
                count += 1
                if case .file(let path, _, _) = entry { taken.append(path.lastComponent?.string ?? "") }
            }
            #expect(count == 3)
            return taken
        }
        #expect(taken(SourceFilter(minSize: 1000)) == ["large", "middle"])
        #expect(taken(SourceFilter(maxSize: 1000)) == ["middle", "small"])
        #expect(taken(SourceFilter(changedSince: time(100))) == ["middle", "small"])
        #expect(taken(SourceFilter(changedBefore: time(100))) == ["large"])
        #expect(taken(SourceFilter(changedSince: time(200), changedBefore: time(1), minSize: 500)) == ["middle"])
    }

    @Test(arguments: [
        (SourceOrder.new, ["c", "a", "b"]), (.old, ["b", "a", "c"]), (.small, ["b", "c", "a"]),
        (.large, ["a", "c", "b"]),
        (.name, ["a", "b", "c"]),
    ])
    func `files go in the order that was asked for`(_ order: SourceOrder, _ names: [String]) throws {
        let folder = try Tree()
        for (name, size, age) in [("a", 30, 20.0), ("b", 10, 30), ("c", 20, 10)] {
            let path = folder.path.appending(name).string
            try Data(repeating: 7, count: size).write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000 - age)], ofItemAtPath: path)
        }
        let walk = FileWalk([folder.path])
        let told = OrderedWalk(walk, order).compactMap { entry -> String? in
            guard case .file(let path, _, _) = entry else { return nil }
            return path.lastComponent?.string
        }
        #expect(told == names)
    }

    @Test func `numbers in names count by their value in the order of a walk`() throws {
        let folder = try Tree()
        let names = [
            "1.jpg", "02.jpg", "2.jpg", "10.jpg", "IMG_", "IMG_1", "IMG_1.jpg", "IMG_2.jpg", "IMG_010.jpg",
            "IMG_10.jpg", "IMG_10a.jpg", "IMG_99999999999999999999.jpg", "IMG_100000000000000000000.jpg", "a", "a0",
            "a00", "b",
        ]
        for name in names.shuffled() {
            try Data().write(to: URL(fileURLWithPath: folder.path.appending(name).string))
        }
        let walked = FileWalk([folder.path]).compactMap { entry -> String? in
            guard case .file(let path, _, _) = entry else { return nil }
            return path.lastComponent?.string
        }
        #expect(walked == names)
    }

    @Test func `what was asked for stays asked for where the acceptance is cut off`() throws {
        var request = SubmitRequest(paths: ["/a"], destinations: ["b"])
        request.filter = SourceFilter(
            rules: IgnoreRules(lines: ["*.tmp", "!keep.tmp"]), changedSince: Timestamp(nanoseconds: 5), minSize: 3,
            kinds: [.photo, .video])
        request.order = .new
        let read = try #require(SubmitRequest(text: request.text))
        #expect(read.filter == request.filter && read.order == .new)
        #expect(SubmitRequest(text: SubmitRequest(destinations: ["b"]).text)?.filter.isEmpty == true)
    }

    // MARK: -

    /// Thousands by hand, as of the other drawn worlds.
    private static let trees = ProcessInfo.processInfo.environment["SUBMIT_WORLDS"].flatMap { Int($0) } ?? 200

    /// A folder that goes with this value.
    private final class Tree {
        let path = FilePath(NSTemporaryDirectory()).appending("submit-filter-\(UUID().uuidString)")

        init() throws {
            try FileManager.default.createDirectory(atPath: path.string, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(atPath: path.string) }
    }

    private static func filter(_ lines: [String]) -> SourceFilter { SourceFilter(rules: IgnoreRules(lines: lines)) }

    private static func isExcluded(_ entry: FileWalk.Entry) -> Bool {
        if case .leftBehind(let left) = entry { left.reason == .excluded } else { false }
    }

    /// Relative to the folder.
    private static func taken(below folder: FilePath, _ lines: [String]) -> [String] {
        FileWalk([folder], FileWalk.Reach(takesHidden: true), filter(lines)).compactMap { entry in
            guard case .file(let path, _, _) = entry else { return nil }
            return String(path.string.dropFirst(folder.string.count + 1))
        }
    }

    private static let words = [
        "a", "b", "ab", "a.b", "b.jpg", "é", "-", "a]b", "[a", "x y", "!a", "#b", "a\\b", "**", "A",
    ]

    /// - Returns: all there is but folders, and folders that are empty.
    private static func makeTree(at root: FilePath, _ random: inout DrawnNumbers) throws -> [String] {
        var names: [String] = []
        try FileManager.default.createDirectory(atPath: root.string, withIntermediateDirectories: true)
        var folders = [""]
        for _ in 0..<Int.random(in: 3...10, using: &random) {
            let parent = folders.randomElement(using: &random) ?? ""
            let name = parent + (words.randomElement(using: &random) ?? "a")
            let path = root.pushing(FilePath(name)).string
            if FileManager.default.fileExists(atPath: path) { continue }
            if Int.random(in: 0..<3, using: &random) == 0, parent.count < 12 {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
                folders.append(name + "/")
            } else {
                try Data().write(to: URL(fileURLWithPath: path))
                names.append(name)
            }
        }
        return names
    }

    private static let tokens = [
        "a", "b", "ab", ".", "é", "-", "]", "x y", "*", "**", "?", "/", "/", "[ab]", "[!a]", "[^b]", "[a-c]", "[]a]",
        "[",
        "[[:alpha:]]", "[[:nonsense:]]", "[[:digit:]-z]", "[b-a]", "[\\]]", "\\", "\\*", "\\!", " ", "**/", "/**",
        ".jpg",
        "[a/b]", "[^/]", "\\a", "A",
    ]

    private static func rules(_ random: inout DrawnNumbers) -> [String] {
        (0..<Int.random(in: 1...4, using: &random)).map { _ in
            var line = Int.random(in: 0..<4, using: &random) == 0 ? "!" : ""
            if Int.random(in: 0..<12, using: &random) == 0 { line = "#" }
            if Int.random(in: 0..<2, using: &random) == 0 {
                line += words.randomElement(using: &random) ?? ""
                if Int.random(in: 0..<3, using: &random) == 0 { line += "/" }
                return line
            }
            for _ in 0..<Int.random(in: 1...5, using: &random) { line += tokens.randomElement(using: &random) ?? "" }
            return line
        }
    }
}
