internal import Submit
internal import SubmitConcurrency
internal import SubmitHTTP

/// Tries which names a server carries: as they are made, by MOVE where it moves files, since some read a `Destination`
/// otherwise than the address of a request. A name counts as carried when it is listed as it is.
///
/// All of it happens in a collection of its own, so that what comes to another name is found and harms nobody. Who has the
/// names tried removes it.
struct DAVNameProbe {
    let server: DAVServer
    let folder: DAVPath
    let profile: ServerProfile

    /// No two names that were tried begin alike: what was cut off one must not stand in another's way.
    private let count = Locked(0)

    private static let content = Array("a name".utf8)

    /// - Parameter stem: a name that nobody else has.
    static func folder(_ stem: String, in base: DAVPath) -> DAVPath {
        base.appending(stem + "-names", isCollection: true)
    }

    func rules() async throws(SubmitFailure) -> DAVNameRules {
        let made = try told(try await server.send(DAVRequest("MKCOL", folder.encoded)), folder)
        // Then what is given a name might come to anyone's.
        guard made.isSuccess else { return DAVNameRules.careful }
        // A name may spoil the listing of those beside it, and one that the server dies of what is tried at the same time.
        var rules = DAVNameRules()
        guard let some = try await within("all").refused(NameTrait.all),
            let others = try await within("single").singles(), let longest = try await within("long").longest()
        else { return DAVNameRules.careful }
        for trait in some + others { trait.refuse(in: &rules) }
        rules.longest = longest
        return rules
    }

    /// The same in a collection of its own.
    private func within(_ name: String) -> DAVNameProbe {
        DAVNameProbe(server: server, folder: folder.appending(name, isCollection: true), profile: profile)
    }

    private func makeFolder() async throws(SubmitFailure) -> Bool {
        try told(try await server.send(DAVRequest("MKCOL", folder.encoded)), folder).isSuccess
    }

    /// Of the traits that a name can have once only, those that are refused; `nil` where nothing can be tried.
    private func singles() async throws(SubmitFailure) -> [NameTrait]? {
        guard try await makeFolder() else { return nil }
        var source: DAVPath?
        var refused: [NameTrait] = []
        for trait in NameTrait.single where try await !carries(NameTrait.name([trait], next()), &source) {
            refused.append(trait)
        }
        return refused
    }

    /// `nil` where nothing can be tried.
    private func refused(_ traits: [NameTrait]) async throws(SubmitFailure) -> [NameTrait]? {
        guard try await makeFolder() else { return nil }
        var source: DAVPath?
        return try await refused(traits, &source)
    }

    /// How long a name may be, in bytes; `nil` where nothing can be tried.
    private func longest() async throws(SubmitFailure) -> Int? {
        guard try await makeFolder() else { return nil }
        var source: DAVPath?
        for length in DAVNameRules.lengths {
            let number = next()
            if try await carries(number + String(repeating: "n", count: length - number.utf8.count), &source) {
                return length
            }
        }
        return DAVNameRules.lengths.last
    }

    private func next() -> String {
        count.withLock { count in
            count += 1
            return "n\(count)"
        }
    }

    /// Those that are not carried, found by halves.
    private func refused(
        _ traits: [NameTrait], _ source: inout DAVPath?
    ) async throws(SubmitFailure) -> [NameTrait] {
        if try await carries(NameTrait.name(traits, next()), &source) { return [] }
        // Once may be by chance, at a server that is busy.
        if traits.count == 1 { return try await carries(NameTrait.name(traits, next()), &source) ? [] : traits }
        let middle = traits.count / 2
        return try await refused(Array(traits[..<middle]), &source) + refused(Array(traits[middle...]), &source)
    }

    /// A name at which nothing comes through is not carried where a plain one is: a wall on the way may look into names.
    ///
    /// - Parameter source: where the last name led; `nil` where it led nowhere.
    private func carries(_ name: String, _ source: inout DAVPath?) async throws(SubmitFailure) -> Bool {
        do throws(SubmitFailure) {
            return try await isCarried(name, &source)
        } catch {
            guard ["broken", "unavailable", "redirected"].contains(error.code) else { throw error }
            source = nil
            guard try await isCarried(next(), &source) else { throw error }
            return false
        }
    }

    private func isCarried(_ name: String, _ source: inout DAVPath?) async throws(SubmitFailure) -> Bool {
        let path = folder.appending(name)
        let answer: HTTPResponse
        if profile.moves {
            let from = source ?? folder.appending("probe")
            if source == nil { guard try await put(from).isSuccess else { return false } }
            answer = try await move(from, path)
            // What was refused is where it was.
            source = answer.isSuccess ? nil : from
        } else {
            answer = try await put(path)
        }
        guard answer.isSuccess, try await isThere(path, name) else {
            if answer.isSuccess {
                source = nil
                // A name that makes no document of a listing would hide all the others.
                _ = try await server.send(DAVRequest("DELETE", path.encoded))
            }
            return false
        }
        if profile.moves { source = path } else { try await server.delete(path) }
        return true
    }

    private func isThere(_ path: DAVPath, _ name: String) async throws(SubmitFailure) -> Bool {
        do throws(SubmitFailure) {
            // Some list nothing that is hidden. Its Unicode form is another question.
            if profile.lists, !name.hasPrefix("."),
                let listing = try await server.list(folder, properties: [.dav("resourcetype")])
            {
                guard listing.members.contains(where: { $0.path.name == name }) else { return false }
            }
            return try await server.settled(path, lists: false) != nil
        } catch {
            // A name may make of a listing what is no document, and of an address what is none.
            guard ["bad-answer", "refused", "denied", "name-too-long", "server-error"].contains(error.code) else {
                throw error
            }
            return false
        }
    }

    private func put(_ path: DAVPath) async throws(SubmitFailure) -> HTTPResponse {
        try told(try await server.send(DAVRequest("PUT", path.encoded, body: .bytes(Self.content))), path)
    }

    private func move(_ from: DAVPath, _ to: DAVPath) async throws(SubmitFailure) -> HTTPResponse {
        let answer: HTTPResponse
        do throws(HTTPFailure) {
            answer = try await server.move(from, to: to, replaces: false)
        } catch {
            throw error.submitFailure(host: server.host, file: nil)
        }
        return try told(answer, to)
    }

    /// The answer, unless it says something of the destination and not of the name.
    private func told(_ answer: HTTPResponse, _ path: DAVPath) throws(SubmitFailure) -> HTTPResponse {
        if answer.isOfDestination { throw server.failure(answer, at: path.description, file: nil) }
        return answer
    }
}

extension HTTPResponse {
    /// It says something of the destination and not of what was tried there.
    var isOfDestination: Bool { [401, 429, 502, 503, 504, 507].contains(status) || isLoginPage }
}
