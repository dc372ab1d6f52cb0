internal import FoundationEssentials

/// The package `submit`, as a project outside of it depends on it.
public struct SubmitPackage: Sendable {
    /// The line of a manifest's `dependencies`.
    let dependency: String
    /// What the package manager calls it: the last part of where it is.
    let identity: String

    /// - Parameter place: a URL of a Git repository (its branch `main` is taken), or a path.
    public init(_ place: String) {
        let isURL = place.contains("://") || place.hasPrefix("git@")
        var path = isURL ? place : URL(filePath: place).standardizedFileURL.path
        while path.hasSuffix("/") { path.removeLast() }
        let literal = String(reflecting: path)
        dependency = isURL ? ".package(url: \(literal), branch: \"main\")" : ".package(path: \(literal))"
        var last = path.split(whereSeparator: { "/:".contains($0) }).last.map(String.init) ?? ""
        if last.hasSuffix(".git") { last.removeLast(4) }
        identity = last.lowercased()
    }

    /// The checkout that this program was built from; `nil` where that is gone.
    ///
    /// - Parameter file: where this source file was; for tests.
    public static func ownCheckout(_ file: String? = nil) -> SubmitPackage? {
        // Three parts stand behind it: `Sources/SubmitScaffold/SubmitPackage.swift`.
        let root = (file ?? #filePath).split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
        guard let manifest = try? String(contentsOfFile: root + "/Package.swift", encoding: .utf8),
            manifest.contains("name: \"submit\"")
        else { return nil }
        return SubmitPackage(root)
    }
}
