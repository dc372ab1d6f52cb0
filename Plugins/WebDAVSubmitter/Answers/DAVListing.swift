internal import Submit

/// What an answer on PROPFIND with `Depth: 1` says of a collection and of what is in it.
struct DAVListing: Sendable, Hashable {
    /// The collection; `nil` where the server left it out.
    var itself: DAVResource?
    /// What is in it. The paths lie below the one asked about, whatever a proxy makes of them.
    var members: [DAVResource] = []
    /// Names of which the server only says with which status it says nothing: they may be there.
    var refused: [String: Int] = [:]
    /// How many more there are, of which nobody wants to know.
    var ignored = 0
    /// The server says where each of them is. Others may be there whose address it lost (phodav's, where a folder's has `&`).
    let isWhole: Bool

    init(_ responses: [Multistatus.Response], of asked: DAVPath, now: Timestamp) {
        let found = responses.compactMap { response in
            DAVResource(response, now: now).map { (response: response, resource: $0) }
        }
        isWhole = responses.allSatisfy { !$0.href.isEmpty }
        let top = Self.top(found.map(\.resource.path))
        for (response, resource) in found {
            switch resource.path.relation(to: top ?? asked) {
            case .itself: if response.isSuccess { itself = itself ?? resource }
            case .member(let name):
                guard response.isSuccess else {
                    refused[name] = response.status == 404 ? nil : response.status
                    continue
                }
                var member = resource
                member.path = asked.appending(name, isCollection: resource.isCollection)
                members.append(member)
            case .elsewhere: break
            }
        }
    }

    /// The collection's path by the server's account, where the answer shows it: everything else is in it.
    private static func top(_ paths: [DAVPath]) -> DAVPath? {
        guard paths.count > 1, let top = paths.min(by: { $0.depth < $1.depth }) else { return nil }
        var hasMembers = false
        for path in paths {
            switch path.relation(to: top) {
            case .itself where path.depth == top.depth: break
            case .member where path.depth == top.depth + 1: hasMembers = true
            default: return nil
            }
        }
        return hasMembers ? top : nil
    }
}
