internal import Submit
internal import SubmitEngine
internal import Foundation
package import SystemPackage

/// The path of a folder that was named where a destination is expected.
package struct FolderPath {
    /// Absolute, without `.` and `..`.
    package let path: FilePath

    /// - Returns: `nil` for the name of a destination or a type, and for the path of a program that is a submitter.
    package init?(named name: String, _ places: AppPaths) {
        guard name.contains("/") || ["~", ".", ".."].contains(name) else { return nil }
        let path = FilePath(FileManager.default.currentDirectoryPath).pushing(FilePath(places.expanded(name)))
            .lexicallyNormalized()
        if path.lastComponent?.string.hasPrefix("submit-to-") == true { return nil }
        self.path = path
    }
}

extension FolderPath: CustomStringConvertible {
    package var description: String { path.string }
}

extension DestinationCatalog {
    /// The destination that stores its copies in this folder.
    package func destination(at folder: FolderPath) -> String? {
        (file.destinations.keys.sorted() + ["file"]).first { name in
            guard (try? types.canonicalName(file.destinations[name]?.type.text ?? name)) == "file",
                let type = try? types.registry.type(named: "file"),
                let path = try? settings(name, type)["path"]
            else { return false }
            return FilePath(path).lexicallyNormalized() == folder.path
        }
    }

    /// What a new destination for a folder may be called: by the folder, and with a number if that name is taken.
    package func newName(for folder: FolderPath) -> String {
        let letters = (folder.path.lastComponent?.string ?? "").map { character in
            character.isASCII && (character.isLetter || character.isNumber || "_.".contains(character))
                ? character : "-"
        }
        let name = String(letters.drop { $0 == "-" || $0 == "." }.prefix(60))
        let wish = name.isEmpty ? "folder" : name
        return ([wish] + (2...999).map { "\(wish)\($0)" }).first {
            complaint(aboutNew: $0) == nil && (try? types.canonicalName($0)) == nil
        } ?? wish
    }
}
