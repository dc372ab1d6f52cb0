internal import Submit
internal import SubmitDigest
internal import SubmitRecipes

/// What the names in a recipe's expressions stand for.
struct RecipeNames: Sendable {
    let recipe: Recipe
    private let values: [String: RecipeValue]
    private let account: @Sendable (String) -> RecipeValue

    init(_ recipe: Recipe, _ settings: DestinationSettings) {
        self.recipe = recipe
        values = recipe.values(settings)
        account = { RecipeValue(settings[Self.setting(ofAccount: $0)]) }
    }

    /// Under which setting what a login kept as `account.NAME` is found.
    static func setting(ofAccount name: String) -> String { "account_" + name }

    /// Names that stand for something everywhere.
    var base: ExpressionScope {
        var scope = ExpressionScope()
        scope["settings"] = .map(values)
        scope.setLookup("account", account)
        scope["now"] = .integer(Timestamp.now.seconds)
        scope["ask"] = .map([:])
        scope["album"] = .map([:])
        return scope
    }

    /// With those of an item, and of a submission of it.
    ///
    /// - Parameter dropboxHash: of the item, where the recipe speaks of it.
    func scope(for item: MediaItem, job: (id: String, attempt: Int), dropboxHash: String?) -> ExpressionScope {
        var scope = base
        let dot = item.name.lastIndex(of: ".").flatMap { $0 > item.name.startIndex ? $0 : nil }
        let stem = dot.map { String(item.name[..<$0]) } ?? item.name
        var file: [String: RecipeValue] = [
            "name": .text(item.name), "stem": .text(stem),
            "ext": .text(dot.map { String(item.name[item.name.index(after: $0)...]) } ?? item.type.filenameExtension),
            "size": .integer(item.size), "mime": .text(item.type.mime), "kind": .text(item.type.kind.rawValue),
            "modified": .integer(item.modified.seconds), "dropbox_hash": RecipeValue(dropboxHash),
        ]
        for algorithm in DigestAlgorithm.allCases {
            file[algorithm.rawValue] = RecipeValue(item.digests.hexadecimal(algorithm))
        }
        scope["file"] = .map(file)
        scope["meta"] = .map([
            "title": .text(stem), "caption": RecipeValue(item.caption), "tags": .list(item.tags.map(RecipeValue.text)),
            "taken": RecipeValue(item.captured?.description),
        ])
        scope["job"] = .map(["id": .text(job.id), "attempt": .integer(Int64(job.attempt))])
        // A step that was left out has nothing.
        for step in recipe.upload { scope[step.id] = .map([:]) }
        return scope
    }

    /// The digest by which Dropbox knows files: SHA-256 of the SHA-256 of each 4 MiB
    /// (https://www.dropbox.com/developers/reference/content-hash), in hexadecimal.
    static func dropboxHash(of bytes: any MediaBytes) async throws(SubmitFailure) -> String {
        let block: Int64 = 4 << 20
        var digests: [UInt8] = []
        var offset: Int64 = 0
        while offset < bytes.size {
            let end = min(offset + block, bytes.size)
            digests += try await Digests.computed([.sha256], of: bytes, in: offset..<end)[.sha256] ?? []
            offset = end
        }
        var pass = DigestPass([.sha256])
        digests.withUnsafeBytes { pass.update($0) }
        return pass.finalize().hexadecimal(.sha256) ?? ""
    }
}
