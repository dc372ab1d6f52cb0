import Foundation
import LocalFileSubmitter
import Submit
import SubmitDigest
import SubmitPluginHost
import SubmitTesting
import SystemPackage
import ObjectStorageSubmitter
import WebDAVSubmitter
import SubmitCurl

final class FileBytes: MediaBytes {
    let size: Int64
    let fileDescriptor: CInt?
    let d: CInt
    init(_ path: String, fd: Bool) { d = open(path, O_RDONLY | O_CLOEXEC); var s = stat(); fstat(d, &s); size = Int64(s.st_size); fileDescriptor = fd ? d : nil }
    deinit { close(d) }
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SubmitFailure) -> Int { pread(d, buffer.baseAddress, buffer.count, Int(offset)) }
    func verifyUnchanged() throws(SubmitFailure) { var s = stat(); fstat(d, &s) }
}
let root = FileManager.default.temporaryDirectory.path + "/outside-bench-\(getpid())"
try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
let count = 400
var items: [MediaItem] = []
for n in 0..<count {
    let b = ScriptedBytes(ScriptedBytes.content(count: 100_000, seed: UInt64(n + 1)))
    let path = root + "/IMG_\(n).jpg"
    try Data(b.content).write(to: URL(fileURLWithPath: path))
    var item = b.item(named: "IMG_\(n).jpg"); item.source = FilePath(path); items.append(item)
}
sync()
let self_ = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent().path
func outside(_ kind: String, _ values: [String: String], secrets: [String: String] = [:]) throws -> any Submitter {
    let link = root + "/submit-to-outside-\(kind)"
    if !FileManager.default.fileExists(atPath: link) { try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: self_ + "/OutsideSubmitter") }
    let t0 = ContinuousClock.now
    let type = try ExternalProgram(name: "outside-\(kind)", path: FilePath(link)).submitterType(ProgramSurroundings(host: "bench", environment: ProcessInfo.processInfo.environment))
    let s = try type.make(Settings(destination: "b", values: values, secrets: secrets))
    print("   start of \(kind): \(ContinuousClock.now - t0)")
    return s
}
func measure(_ label: String, _ s: any Submitter, fd: Bool, width: Int = 1) async throws {
    var times: [Double] = []
    let all = ContinuousClock.now
    if width == 1 {
        for item in items {
            let bytes = FileBytes(item.source.string, fd: fd)
            let t = ContinuousClock.now
            _ = try await s.submit(item, bytes: bytes, context: SubmissionContext(submission: "b-\(UInt64.random(in: 0...UInt64.max))"))
            let e = (ContinuousClock.now - t).components
            times.append(Double(e.attoseconds) / 1e12 + Double(e.seconds) * 1e6)
        }
    } else {
        try await withThrowingTaskGroup(of: Void.self) { g in
            var next = 0
            for _ in 0..<width { let i = items[next]; next += 1; g.addTask { _ = try await s.submit(i, bytes: FileBytes(i.source.string, fd: fd), context: SubmissionContext(submission: "b-\(UInt64.random(in: 0...UInt64.max))")) } }
            while try await g.next() != nil { if next < items.count { let i = items[next]; next += 1; g.addTask { _ = try await s.submit(i, bytes: FileBytes(i.source.string, fd: fd), context: SubmissionContext(submission: "b-\(UInt64.random(in: 0...UInt64.max))")) } } }
        }
    }
    let e = (ContinuousClock.now - all).components
    let wall = (Double(e.attoseconds) / 1e18 + Double(e.seconds)) * 1e6 / Double(count)
    times.sort()
    print("\(label): median \(times.isEmpty ? 0 : Int(times[count / 2])) us, mean wall per submission \(Int(wall)) us")
}
func folder(_ n: String) throws -> String { let p = root + "/" + n; try FileManager.default.createDirectory(atPath: p, withIntermediateDirectories: true); return p }
for round in 1...2 {
    print("round \(round)")
    try await measure("file inside ", LocalFileSubmitter.submitterType().make(Settings(destination: "b", values: ["path": try folder("in\(round)")])), fd: true)
    try await measure("file outside", try outside("file", ["path": try folder("out\(round)")]), fd: true)
    try await measure("file outside by message", try outside("file", ["path": try folder("msg\(round)")]), fd: false)
    try await measure("file inside  width 16", LocalFileSubmitter.submitterType().make(Settings(destination: "b", values: ["path": try folder("in16\(round)")])), fd: true, width: 16)
    try await measure("file outside width 16", try outside("file", ["path": try folder("out16\(round)")]), fd: true, width: 16)
    if let url = ProcessInfo.processInfo.environment["BENCH_DAV"] {
        let t = try CurlTransport(CurlConfiguration(userAgent: "submit/test", proxy: ""))
        try await measure("webdav inside ", WebDAVSubmitter.submitterType(transport: t).make(Settings(destination: "b", values: ["url": url + "/in\(round)"])), fd: true)
        try await measure("webdav outside", try outside("webdav", ["url": url + "/out\(round)"]), fd: true)
        try await measure("webdav inside width 4", WebDAVSubmitter.submitterType(transport: t).make(Settings(destination: "b", values: ["url": url + "/in4\(round)"])), fd: true, width: 4)
        try await measure("webdav outside width 4", try outside("webdav", ["url": url + "/out4\(round)"]), fd: true, width: 4)
    }
}
try? FileManager.default.removeItem(atPath: root)
