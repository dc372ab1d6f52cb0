/// All revisions of one document that are known, of whomever: what a replica keeps of it.
///
/// A path is merged in from its newest revision to its oldest, however much of its beginning is left out: what is known of it
/// already is where it is joined.
struct RevisionTree: Sendable, Hashable {
    private struct Node: Sendable, Hashable {
        var parent: Revision?
        var isDeleted = false
    }

    /// A revision that none follows.
    struct Leaf: Sendable, Hashable, Comparable {
        let revision: Revision
        let isDeleted: Bool

        /// The greatest leaf is the winner: what is there goes before what is deleted, whatever their histories.
        static func < (a: Leaf, b: Leaf) -> Bool {
            if a.isDeleted != b.isDeleted { return a.isDeleted }
            return a.revision < b.revision
        }
    }

    private var nodes: [Revision: Node] = [:]
    private var followed: Set<Revision> = []

    var isEmpty: Bool { nodes.isEmpty }

    func contains(_ revision: Revision) -> Bool { nodes[revision] != nil }

    /// Takes in a revision with as much of its history as came with it. Of one that is known nothing changes, also where it
    /// comes with another content.
    ///
    /// - Parameter path: newest first, each a generation before the last.
    /// - Returns: whether it was not known.
    @discardableResult
    mutating func merge(_ path: [Revision], isDeleted: Bool) -> Bool {
        guard let newest = path.first, !contains(newest) else { return false }
        for (index, revision) in path.enumerated() {
            let parent = index + 1 < path.count ? path[index + 1] : nil
            if var known = nodes[revision] {
                // It was the oldest of a path before.
                guard known.parent == nil, let parent else { break }
                known.parent = parent
                nodes[revision] = known
            } else {
                nodes[revision] = Node(parent: parent, isDeleted: index == 0 && isDeleted)
            }
            if let parent { followed.insert(parent) }
        }
        return true
    }

    /// Those that none follows, in no order: more than one that is not deleted is a conflict.
    var leaves: [Leaf] {
        nodes.filter { !followed.contains($0.key) }.map { Leaf(revision: $0.key, isDeleted: $0.value.isDeleted) }
    }

    /// The one that everybody shows who has the same leaves.
    var winner: Leaf? { leaves.max() }

    /// Those that are there and lose, greatest first. None is ever dropped without being merged.
    var conflicts: [Revision] {
        leaves.filter { !$0.isDeleted && $0 != winner }.map(\.revision).sorted(by: >)
    }

    /// A revision and all that it follows as far as that is known, newest first.
    func path(to revision: Revision) -> [Revision] {
        var path: [Revision] = []
        var next: Revision? = contains(revision) ? revision : nil
        while let current = next {
            path.append(current)
            next = nodes[current]?.parent
        }
        return path
    }
}
