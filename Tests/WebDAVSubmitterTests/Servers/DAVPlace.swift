import Foundation
import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitTesting
import TestServers

@testable import WebDAVSubmitter

/// A folder of its own on a real server, seen on its disk.
struct DAVPlace: HTTPContractPlace {
    let access: DAVFront.Access
    let name = "contract-\(UUID().uuidString.lowercased())"
    let notes: any DestinationNotes
    /// Large items in small parts.
    let inParts: Bool
    let permits: AsyncSemaphore?
    let wire: FaultyTransport

    init(access: DAVFront.Access, notes: any DestinationNotes, inParts: Bool = false, permits: AsyncSemaphore? = nil) {
        (self.access, self.notes, self.inParts, self.permits) = (access, notes, inParts, permits)
        wire = FaultyTransport(access.transport)
    }

    var settings: [String: String] {
        ["folder": name].merging(inParts ? ["parts_above": "64KiB", "part_size": "96KiB"] : [:]) { $1 }
    }

    private var folder: String { "\(access.data)/\(name)" }

    func makeSubmitter() throws(SubmitFailure) -> any Submitter {
        try access.submitter(settings, notes: notes, transport: wire)
    }

    func contents() async throws -> [String: [UInt8]] {
        // mod_dav has temporaries of its own.
        try await files().filter {
            let name = ($0.key as NSString).lastPathComponent
            return !TemporaryName.isOne(name) && !name.hasPrefix(".davfs.tmp")
        }
    }

    func leftovers() async throws -> [String] {
        try await files().keys.filter { TemporaryName.isOne(($0 as NSString).lastPathComponent) }.sorted()
    }

    /// By path, read as bytes: names need not be UTF-8 in one form.
    private func files() async throws -> [String: [UInt8]] {
        guard let subversion = access.server as? SubversionDAVServer else { return try files(in: folder) }
        let copy = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: copy) }
        return try await subversion.export(name, to: copy.path) ? try files(in: copy.path) : [:]
    }

    private func files(in folder: String) throws -> [String: [UInt8]] {
        guard let walk = FileManager.default.enumerator(atPath: folder) else { return [:] }
        var files: [String: [UInt8]] = [:]
        for case let path as String in walk {
            // mod_dav and SabreDAV keep properties there, and mod_dav what it is still being sent.
            let isServers = path.split(separator: "/").contains {
                $0 == ".DAV" || $0 == ".sabredav" || $0.hasPrefix(".davfs.tmp")
            }
            if isServers { continue }
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: "\(folder)/\(path)", isDirectory: &isFolder),
                !isFolder.boolValue
            else { continue }
            files[path] = Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(path)")))
        }
        return files
    }

    func put(_ bytes: [UInt8], named name: String) async throws {
        if access.server is SubversionDAVServer { return try await commit(bytes, named: name) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // The server may be another user's.
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
        try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
    }

    private func commit(_ bytes: [UInt8], named name: String) async throws {
        let login = "\(access.values["user"] ?? ""):\(access.secrets["password"] ?? "")"
        let headers = [(name: "Authorization", value: "Basic " + Data(login.utf8).base64EncodedString())]
        var path = access.url + self.name
        _ = try await access.transport.send(HTTPRequest(method: "MKCOL", url: path + "/", headers: headers))
        for part in name.split(separator: "/") { path += "/" + PercentEncoding.encode(String(part)) }
        let answer = try await access.transport.send(
            HTTPRequest(method: "PUT", url: path, headers: headers, body: .bytes(bytes)))
        guard answer.status < 300 else { throw CocoaError(.fileWriteUnknown) }
    }

    var checksDigests: Bool { false }
    var partSize: Int64? { inParts ? 96 << 10 : nil }

    var secrets: [String] { Array(access.secrets.values.filter { $0 != "secret" }) }

    func submitter(meeting fault: ContractFault) async throws -> (any Submitter)? {
        switch fault {
        case .unreachable: try access.submitter(settings.merging(["url": "http://127.0.0.1:1/dav/"]) { $1 })
        case .refusesCredentials:
            // chezdav 3.0 lets everybody in, whatever the password.
            access.server is ChezdavServer
                ? try await submitter(byWire: fault)
                : try access.submitter(settings, secrets: access.secrets.mapValues { _ in "another-secret" })
        case .full, .throttled, .misconfigured, .losesReply: try await submitter(byWire: fault)
        }
    }

    func remove() async {
        try? FileManager.default.removeItem(atPath: folder)
        permits?.release()
    }
}

struct DAVHarness: ContractHarness {
    let front: DAVFront
    var inParts = false

    /// A server that a few dozen cases use at once closes connections that it has no worker for.
    private static let permits = Locked<[DAVFront: AsyncSemaphore]>([:])

    func makePlace() async throws -> any ContractPlace {
        let permits = Self.permits.withLock { all in
            let permits = all[front] ?? AsyncSemaphore(3)
            all[front] = permits
            return permits
        }
        guard await permits.acquire() else { throw CancellationError() }
        do {
            return DAVPlace(
                access: try await front.access().alone(), notes: NotesOfNeighbours(kind: front.rawValue),
                inParts: inParts, permits: permits)
        } catch {
            permits.release()
            throw error
        }
    }
}
