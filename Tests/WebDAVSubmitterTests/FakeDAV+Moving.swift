import SubmitHTTP

@testable import WebDAVSubmitter

extension FakeDAV {
    func move(
        _ path: [String], _ destination: [String], _ overwrite: String, _ state: inout State
    ) -> HTTPResponse {
        if manners.contains(.hasNoMove) { return HTTPResponse(status: 405) }
        if manners.contains(.refusesDestination) { return HTTPResponse(status: 502) }
        guard let moved = node(path, state) else { return HTTPResponse(status: 404) }
        guard let parent = parent(of: destination, &state), parent.isCollection else {
            if manners.contains(.movesNowhere204) { return HTTPResponse(status: 204) }
            if manners.contains(.movesNowhere500) { return HTTPResponse(status: 500) }
            return HTTPResponse(status: manners.contains(.movesNowhere404) ? 404 : 409)
        }
        var destination = destination
        let isInto = manners.contains(.movesIntoFolder) && node(destination, state)?.isCollection ?? false
        if isInto { destination.append(path.last!) }
        let there = node(destination, state)
        if there != nil, overwrite == "F", !manners.contains(.ignoresOverwrite) { return HTTPResponse(status: 412) }
        let content = moved.content ?? []
        if comes(.movesNothing200, at: destination, of: content, &state) { return HTTPResponse(status: 200) }
        if comes(.finishesLater504, at: destination, of: content, &state) {
            let due = state.now + Self.aWhile
            (state.closed[folded(path)], state.closed[folded(destination)]) = (due, due)
            state.later.append(Later(due: due) { [self, destination] in carry(path, to: destination, &$0) })
            return HTTPResponse(status: 504)
        }
        if there != nil, comes(.removesFirst, at: destination, of: content, &state) {
            set(nil, at: destination, &state)
            return HTTPResponse(status: 500)
        }
        if path.dropLast() != destination.dropLast(), comes(.movesInTwoSteps, at: destination, of: content, &state) {
            carry(path, to: destination.dropLast() + [path.last!], &state)
            return HTTPResponse(status: 500)
        }
        carry(path, to: destination, &state)
        if comes(.appearsLater, at: destination, of: content, &state) {
            state.unseen[folded(destination)] = state.now + Self.aWhile
        }
        if comes(.failsAfterMoving, at: destination, of: content, &state) { return HTTPResponse(status: 500) }
        return HTTPResponse(status: there == nil && !isInto ? 201 : 204)
    }

    /// What something is moved into, made where that is the manner.
    private func parent(of destination: [String], _ state: inout State) -> Node? {
        if manners.contains(.movesMakingParents) {
            for count in 1..<max(1, destination.count) where node(Array(destination[..<count]), state) == nil {
                set(Node(name: kept(destination[count - 1])), at: Array(destination[..<count]), &state)
            }
        }
        return node(Array(destination.dropLast()), state)
    }

    private func carry(_ path: [String], to destination: [String], _ state: inout State) {
        guard var moved = node(path, state) else { return }
        if !manners.contains(.moveKeepsSource) { set(nil, at: path, &state) }
        state.locks.removeAll { $0.path == folded(path) }
        moved.name = kept(destination.last!)
        if manners.contains(.copiesToMove), path.dropLast() != destination.dropLast() {
            state.version += 1
            (moved.version, moved.stored) = (state.version, state.now)
        }
        set(moved, at: destination, &state)
    }

    // MARK: What breaks off

    /// Hears what came of an upload that broke off.
    struct Torsos: HTTPTransport {
        let server: FakeDAV

        func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
            try await server.breakOff(request)
        }
    }

    /// - Returns: `nil` where nothing comes of what breaks off.
    var torsos: Torsos? {
        let all: Set<Manner> = [
            .keepsWhatBrokeOff, .writesInPlace, .deletesWhatBrokeOff, .staleAfterBreak, .staysLocked,
        ]
        return manners.isDisjoint(with: all) ? nil : Torsos(server: self)
    }

    private func breakOff(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        let path = names(String(request.url.dropFirst(Self.origin.utf8.count)))
        let header = { (name: String) in request.headers.first { $0.name.lowercased() == name.lowercased() }?.value }
        var isRefused = false
        change { isRefused = refusal(toPut: path, header, $0) != nil }
        if isRefused { return HTTPResponse(status: 412) }
        if manners.contains(.keepsWhatBrokeOff) || manners.contains(.writesInPlace) { _ = try await send(request) }
        change { state in
            if manners.contains(.deletesWhatBrokeOff) { set(nil, at: path, &state) }
            if manners.contains(.staleAfterBreak), var old = node(path, state) {
                old.stale = Node.Stale(size: old.size, version: old.version)
                old.content = []
                set(old, at: path, &state)
            }
            if manners.contains(.staysLocked) { state.closed[folded(path)] = state.now + Self.aWhile }
        }
        return HTTPResponse(status: 500)
    }
}
