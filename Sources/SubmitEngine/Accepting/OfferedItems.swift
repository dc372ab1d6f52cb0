internal import Submit
internal import SystemPackage

/// What a request offers to be accepted, one after the other: its items, and then the files that its paths mean.
struct OfferedItems {
    struct Offer: Sendable {
        let entry: FileWalk.Entry
        /// What was said of it alone; `nil` for a file that a path means.
        let item: SubmitItem?
    }

    private var items: ArraySlice<SubmitItem>
    private var walk: any IteratorProtocol<FileWalk.Entry>
    private let journal: Set<FileWalk.FileNumber>

    init(
        _ request: SubmitRequest, besides journal: Set<FileWalk.FileNumber>, leavingOut copies: CopyFolders
    ) {
        items = request.items[...]
        let walk = FileWalk(
            request.paths, request.reach, request.filter, besides: journal, takesPreviews: request.takesAnyFile,
            leavingOut: copies)
        self.walk = request.order == .name ? walk : OrderedWalk(walk, request.order)
        self.journal = journal
    }

    mutating func next() -> Offer? {
        guard let item = items.popFirst() else { return walk.next().map { Offer(entry: $0, item: nil) } }
        return Offer(entry: entry(of: item), item: item)
    }

    private func entry(of item: SubmitItem) -> FileWalk.Entry {
        let path = item.label
        if let refusal = item.nameRefusal { return .refused(path, refusal) }
        guard item.file != nil else {
            return .refused(
                path,
                SubmitFailure(
                    .giveUp, code: "not-a-file", message: "“\(path)” is no file: nothing can be told of it beforehand.")
            )
        }
        var walk = FileWalk([path], besides: journal)
        switch walk.next() {
        case .file(path, let identity, _)?: return .file(path, identity, named: true)
        case .refused(path, let failure)?: return .refused(path, failure)
        default:
            return .refused(
                path,
                SubmitFailure(
                    .giveUp, code: "not-a-file",
                    message: "“\(path)” is a folder: an item is one file, paths may be folders."))
        }
    }
}
