import Foundation
import Submit
import SubmitCurl
import SubmitHTTP
import SubmitTesting
import Testing

/// A container of its own, seen through Swift's API.
struct FrontPlace: HTTPContractPlace {
    let front: Front
    let access: FrontAccess
    let name: String
    /// Large objects in small parts, where the front takes such.
    let settings: [String: String]
    let wire: FaultyTransport

    init(_ front: Front, inParts: Bool = false, isMade: Bool = true) async throws {
        self.front = front
        access = try await front.access()
        wire = FaultyTransport(access.transport)
        name = "contract-\(UUID().uuidString.lowercased())"
        settings = inParts ? ["parts_above": "64KiB", "part_size": "96KiB"] : [:]
        if isMade { try await send("PUT") }
    }

    @discardableResult
    func send(
        _ method: String, _ path: String = "", headers: [(name: String, value: String)] = [], body: HTTPBody = .none,
        container: String? = nil
    ) async throws -> HTTPResponse {
        try await access.outside.transport.send(
            HTTPRequest(
                method: method,
                url: "\(access.outside.storageURL)/\(PercentEncoding.encode(container ?? name))\(path)",
                headers: [("X-Auth-Token", access.outside.token)] + headers,
                body: body.length == nil && method == "PUT" ? .bytes([]) : body, responseLimit: 64 << 20))
    }

    func keys(of container: String? = nil) async throws -> [String] {
        struct Entry: Decodable { var name: String }
        let answer = try await send("GET", "?format=json", container: container)
        return answer.status == 404 ? [] : try JSONDecoder().decode([Entry].self, from: Data(answer.body)).map(\.name)
    }

    func makeSubmitter() throws(SubmitFailure) -> any Submitter {
        try access.submitter(bucket: name, settings, transport: wire)
    }

    func contents() async throws -> [String: [UInt8]] {
        var contents: [String: [UInt8]] = [:]
        for key in try await keys() {
            contents[key] = try await send("GET", "/" + PercentEncoding.encodePath(key)).body
        }
        return contents
    }

    /// Parts that no object is made of.
    func leftovers() async throws -> [String] {
        let parts = front.partsContainer(of: name)
        var left = Set(try await keys(of: parts))
        for key in try await keys() {
            struct Segment: Decodable { var name: String }
            let manifest = try await send("GET", "/\(PercentEncoding.encodePath(key))?multipart-manifest=get")
            guard manifest["X-Static-Large-Object"] != nil else { continue }
            for segment in try JSONDecoder().decode([Segment].self, from: Data(manifest.body)) {
                left.remove(String(segment.name.dropFirst(parts.count + 2)))
            }
        }
        // What was removed may stay listed for a while (obj/server.py, `container_update`).
        var there: [String] = []
        for key in left.sorted() {
            let head = try await send("HEAD", "/" + PercentEncoding.encodePath(key), container: parts)
            if head.status != 404 { there.append(key) }
        }
        return there
    }

    func put(_ bytes: [UInt8], named name: String) async throws {
        try await send("PUT", "/" + PercentEncoding.encodePath(name), body: .bytes(bytes))
    }

    var checksDigests: Bool { true }
    var partSize: Int64? { settings.isEmpty ? nil : 96 << 10 }
    // tempauth's “testing” may be part of any path, and the key's id is part of every request.
    var secrets: [String] {
        access.secrets.filter { $0.key != "access_key_id" && $0.value != "testing" }.map(\.value)
    }

    func submitter(meeting fault: ContractFault) async throws -> (any Submitter)? {
        switch fault {
        case .unreachable:
            try access.submitter(
                bucket: name,
                front.takesSmallParts ? ["auth_url": "http://127.0.0.1:1"] : ["endpoint": "http://127.0.0.1:1"])
        case .refusesCredentials: try access.submitter(bucket: name, secrets: access.wrong)
        // A quota answers as a file that is too large does.
        case .misconfigured: try access.submitter(bucket: "no-such-\(name)")
        case .full, .throttled, .losesReply: try await submitter(byWire: fault)
        }
    }

    func remove() async {
        for container in [name, front.partsContainer(of: name)] {
            for key in (try? await keys(of: container)) ?? [] {
                _ = try? await send("DELETE", "/" + PercentEncoding.encodePath(key), container: container)
            }
            _ = try? await send("DELETE", container: container)
        }
    }
}
