internal import Submit
internal import SubmitHTTP
internal import SubmitXML

/// The verbs of HTTP and WebDAV, each sent once (RFC 4918, section 9; RFC 9110, section 9.3).
extension DAVServer {
    /// Looks at something.
    ///
    /// - Parameter lists: by PROPFIND, which tells more, and not by HEAD. Its size is told by the way that was found true.
    /// - Returns: `nil` where nothing is.
    func file(_ path: DAVPath, lists: Bool, about name: String?) async throws(SubmitFailure) -> StoredFile? {
        guard var file = try await said(of: path, lists: lists || sizes == .listings, about: name) else { return nil }
        if lists, sizes == .heads, !file.isCollection {
            file.size = try await said(of: path, lists: false, about: name)?.size
        }
        return file
    }

    private func said(of path: DAVPath, lists: Bool, about name: String?) async throws(SubmitFailure) -> StoredFile? {
        if lists {
            guard let resource = try await properties(path, DAVResource.properties, about: name) else { return nil }
            // Of what the server still works on it says nothing that could be believed.
            if resource.isProcessing {
                throw failure(HTTPResponse(status: 425), at: path.description, file: name)
            }
            return StoredFile(resource)
        }
        let answer = try await send(DAVRequest("HEAD", path.encoded, file: name))
        switch answer.status {
        case 200, 204:
            if answer.announcesLoginPage, !path.encoded.lowercased().hasSuffix(".html") {
                throw failure(answer, at: path.description, file: name)
            }
            let file = StoredFile(answer)
            // Some servers do not tell by HEAD how much they would send, and some have nothing else.
            do throws(SubmitFailure) {
                return file.size == nil ? try await said(of: path, lists: true, about: name) ?? file : file
            } catch {
                guard error.code == "not-webdav" else { throw error }
                return file
            }
        case 301, 302, 308: return StoredFile(answer)
        case 404, 410: return nil
        case 405: return try await said(of: path, lists: true, about: name)
        // WsgiDAV says so of a collection.
        case 403:
            do throws(SubmitFailure) {
                if let file = try await said(of: path, lists: true, about: name), file.isCollection { return file }
            } catch {
                guard ["denied", "not-webdav"].contains(error.code) else { throw error }
            }
            throw failure(answer, at: path.description, file: name)
        default: throw failure(answer, at: path.description, file: name)
        }
    }

    /// The same, also when the task is cancelled: where something was done it is to be known what came of it.
    func fileForSure(_ path: DAVPath, lists: Bool, about name: String?) async throws(SubmitFailure) -> StoredFile? {
        let look = Task { () async -> Result<StoredFile?, SubmitFailure> in
            do throws(SubmitFailure) {
                return .success(try await file(path, lists: lists, about: name))
            } catch {
                return .failure(error)
            }
        }
        return try await look.value.get()
    }

    /// - Returns: `nil` where nothing is.
    func properties(
        _ path: DAVPath, _ names: [XMLName], about name: String? = nil
    ) async throws(SubmitFailure) -> DAVResource? {
        let answer = try await propfind(path, names, depth: "0", about: name)
        return try responses(answer, at: path, about: name)?.lazy
            .filter { $0.status.map { (200..<300).contains($0) } ?? true }
            .map { response in
                var response = response
                // An empty reference is the address that was asked (RFC 3986, section 4.4).
                if response.href.isEmpty { response.href = path.encoded }
                return response
            }
            .compactMap { DAVResource($0, now: self.time) }.first
    }

    /// What is in a collection; `nil` where there is none.
    ///
    /// - Parameter wanted: only members that the server spells as these are told of, which costs less; `nil`: all.
    func list(
        _ path: DAVPath, properties: [XMLName] = DAVResource.properties, only wanted: [DAVPath]? = nil,
        about name: String? = nil
    ) async throws(SubmitFailure) -> DAVListing? {
        let answer = try await propfind(path, properties, depth: "1", about: name)
        // By the collection itself it is told where all the others lie.
        let ends = wanted.map { Set(($0 + [path]).compactMap(\.encodedName)) }
        var ignored = 0
        guard
            let responses = try responses(
                answer, at: path, about: name,
                where: { href in
                    guard let ends else { return true }
                    let end = href.utf8.split(separator: UInt8(ascii: "/")).last.flatMap { String($0) }
                    let isWanted = end.map(ends.contains) ?? true
                    if !isWanted { ignored += 1 }
                    return isWanted
                })
        else { return nil }
        var listing = DAVListing(responses, of: path, now: time)
        listing.ignored = ignored
        return listing
    }

    func propfind(
        _ path: DAVPath, _ names: [XMLName], depth: String, about name: String?
    ) async throws(SubmitFailure) -> HTTPResponse {
        var request = DAVRequest(
            "PROPFIND", path.encoded,
            headers: [("Depth", depth), ("Content-Type", "application/xml; charset=utf-8")],
            body: .bytes(PropfindBody(properties: names).bytes), file: name)
        request.responseLimit = XMLLimits().bytes
        let answer = try await send(request)
        guard (300..<400).contains(answer.status), !path.isCollection else { return answer }
        // What is sent on to its name with a slash is a collection.
        var folder = path
        folder.isCollection = true
        return try await propfind(folder, names, depth: depth, about: name)
    }

    /// - Returns: `nil` where the answer says that nothing is there.
    private func responses(
        _ answer: HTTPResponse, at path: DAVPath, about name: String?, where isWanted: (String) -> Bool = { _ in true }
    ) throws(SubmitFailure) -> [Multistatus.Response]? {
        if answer.status == 404 || answer.status == 410 { return nil }
        // Some servers say 200.
        guard answer.status == 207 || answer.status == 200, !answer.isLoginPage else {
            throw failure(answer, at: path.description, file: name)
        }
        do throws(XMLFailure) {
            let responses = try Multistatus.parse(answer.body, where: isWanted)
            hasShownItself = true
            return responses
        } catch {
            // Nextcloud 33.0.7 begins to answer before it looks.
            if DAVErrorDocument(answer.body)?.isAbsence ?? false { return nil }
            throw nonsense("\(error)", at: path, about: name)
        }
    }

    /// The SHA-256 of what a file holds, as the server computes it now, and keeps (Nextcloud's `X-Recalculate-Hash`).
    ///
    /// - Returns: in lower-case hexadecimal; `nil` where it did not.
    func computedDigest(of path: DAVPath, about name: String? = nil) async throws(SubmitFailure) -> [UInt8]? {
        let answer = try await send(
            DAVRequest("PATCH", path.encoded, headers: [("X-Recalculate-Hash", "sha256")], file: name))
        guard answer.isSuccess, let checksum = answer["OC-Checksum"]?.lowercased(), checksum.hasPrefix("sha256:") else {
            return nil
        }
        return Hexadecimal.bytes(of: checksum.dropFirst("sha256:".utf8.count))
    }

    private func nonsense(_ what: String, at path: DAVPath, about name: String?) -> SubmitFailure {
        guard hasShownItself else {
            return SubmitFailure(
                .hold(.misconfigured, after: nil), code: "bad-answer",
                message: "“\(host)” does not answer as a WebDAV server does for “\(path)” (\(what)): check the URL of "
                    + "“\(destination)”.")
        }
        let about = name.map { "“\($0)” was not stored at “\(destination)”" } ?? "“\(destination)” cannot be used now"
        return SubmitFailure(
            .retry(after: nil), code: "bad-answer",
            message:
                "\(about): “\(host)” answered for “\(path)” as no WebDAV server does (\(what)), and did before; try again."
        )
    }

    /// Stores something whole.
    func put(
        _ path: DAVPath, _ body: HTTPBody, headers: [(name: String, value: String)] = [], about name: String? = nil,
        sent: (@Sendable (Int64) -> Void)? = nil
    ) async throws(HTTPFailure) -> HTTPResponse {
        var request = DAVRequest("PUT", path.encoded, headers: headers, body: body, file: name)
        request.sent = sent
        return try await answer(request)
    }

    /// Removes something, or finds that it is not there.
    ///
    /// - Parameter etag: it is removed only while it has that, where the server heeds conditions and the ETag is strong.
    func delete(_ path: DAVPath, ifItIs etag: String? = nil, about name: String? = nil) async throws(SubmitFailure) {
        let condition = etag.flatMap { $0.hasPrefix("W/") ? nil : ("If-Match", $0) }
        let request = DAVRequest("DELETE", path.encoded, headers: condition.map { [$0] } ?? [], file: name)
        var answer = try await send(request)
        // Behind some gateways no condition is ever met: then it is looked at once more, as where none is heeded.
        if answer.status == 412, let etag, try await file(path, lists: false, about: name)?.etag == etag {
            answer = try await send(DAVRequest("DELETE", path.encoded, file: name))
        }
        guard answer.isSuccess && answer.status != 207 || answer.status == 404 || answer.status == 410 else {
            throw failure(answer, at: path.description, file: name)
        }
    }

    /// The same for what a broken upload may have left: a server may store what it got of it when it notices that no more
    /// comes, after it was asked to remove it. It is asked until it has nothing three times.
    ///
    /// A lock ends with what it is on, so that each time has one of its own, where the server demands any.
    func deleteForGood(_ scope: LockScope, about name: String?) async throws(SubmitFailure) {
        for _ in 0..<3 { try await deleteOnceFree(scope, about: name) }
    }

    /// rclone locks what it still stores, until it notices that no more comes.
    private func deleteOnceFree(_ scope: LockScope, about name: String?) async throws(SubmitFailure) {
        for isLast in (1...Self.mostLooks).map({ $0 == Self.mostLooks }) {
            do throws(SubmitFailure) {
                return try await locking(scope, about: name) { () async throws(SubmitFailure) in
                    try await delete(scope.path, about: name)
                }
            } catch {
                guard error.code == "locked", !isLast, (try? await locks(on: scope.path, about: name))?.isEmpty ?? false
                else { throw error }
            }
        }
    }

    /// Asks to move something to where `replaces` says whether another resource may be.
    func move(
        _ path: DAVPath, to destination: DAVPath, replaces: Bool, headers: [(name: String, value: String)] = [],
        workload: Int64? = nil, about name: String? = nil
    ) async throws(HTTPFailure) -> HTTPResponse {
        var request = DAVRequest(
            "MOVE", path.encoded,
            headers: [("Destination", url(destination.encoded)), ("Overwrite", replaces ? "T" : "F")] + headers,
            file: name)
        request.workload = workload
        return try await answer(request)
    }

    /// A header under which something is moved only where the other resource has that ETag (RFC 4918, section 10.4).
    func condition(_ etag: String, on path: DAVPath) -> (name: String, value: String) {
        ("If", "<\(url(path.encoded))> ([\(etag)])")
    }
}
