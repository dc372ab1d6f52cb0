import Foundation
import Submit
import SubmitHTTP
import SubmitTesting
import SubmitXML

@testable import WebDAVSubmitter

extension FakeDAV {
    func names(_ path: String) -> [String] { DAVPath(href: path)?.segments ?? [] }

    /// The form in which a name is kept.
    func kept(_ name: String) -> String {
        manners.contains(.normalises) ? name.precomposedStringWithCanonicalMapping : name
    }

    /// The form in which names are compared: byte by byte, as Swift does not.
    func folded(_ path: [String]) -> [String] { path.map(key) }

    func key(_ name: String) -> String {
        let name = manners.contains(.foldsCase) ? kept(name).lowercased() : kept(name)
        return name.utf8.allSatisfy { $0 < 128 } ? name : name.utf8.map { String($0, radix: 16) }.joined(separator: ".")
    }

    func node(_ path: [String], _ state: State) -> Node? {
        folded(path).reduce(Optional(state.root)) { $0?.children[$1] }
    }

    /// The same as far as it is told of.
    func seen(_ path: [String], _ state: State) -> Node? {
        state.unseen[folded(path), default: 0] > state.now ? nil : node(path, state)
    }

    func set(_ node: Node?, at path: [String], _ state: inout State) {
        func put(_ path: ArraySlice<String>, _ parent: inout Node) {
            guard let first = path.first else { return }
            if path.count == 1 {
                parent.children[first] = node
            } else if var child = parent.children[first] {
                put(path.dropFirst(), &child)
                parent.children[first] = child
            }
        }
        put(folded(path)[...], &state.root)
    }
}
