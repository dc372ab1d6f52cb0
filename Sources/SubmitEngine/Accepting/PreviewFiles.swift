internal import SubmitPlatform
package import SystemPackage

/// Small versions of photos and films that cameras and programs make for themselves, by name and folder.
///
/// A file of a camera counts only if the film that it was made from is there: otherwise it may be all that is left of it.
package enum PreviewFiles {
    /// Whether a program keeps nothing but previews in a folder: Lightroom, Photos, iPhoto or Aperture.
    ///
    /// Picasa's `.picasaoriginals` is none: it holds the photos as they were before they were edited.
    package static func isCache(_ folder: FilePath) -> Bool {
        guard let name = folder.lastComponent?.string.lowercased() else { return false }
        let isCalledSo =
            name.hasSuffix(".lrdata") || name == "derivatives" && isOfPhotos(folder)
            || name == "thumbnails" && isOfOldLibrary(folder)
        return isCalledSo && ((try? FileStatus.of(folder))?.isFolder ?? false)
    }

    /// `NAME.photoslibrary/resources/derivatives`, and `…/resources/proxies/derivatives` of older versions.
    private static func isOfPhotos(_ folder: FilePath) -> Bool {
        var outer = folder.removingLastComponent()
        if outer.lastComponent == "proxies" { outer.removeLastComponent() }
        guard outer.lastComponent == "resources" else { return false }
        outer.removeLastComponent()
        return outer.lastComponent?.extension?.lowercased() == "photoslibrary"
    }

    /// Whether a folder belongs to a library of iPhoto or Aperture. The folder `Previews` there holds edited photos in full size.
    ///
    /// Photos renames such a library when it takes it over.
    private static func isOfOldLibrary(_ folder: FilePath) -> Bool {
        guard let ending = folder.removingLastComponent().lastComponent?.extension?.lowercased() else { return false }
        return ["photolibrary", "aplibrary", "migratedphotolibrary", "migratedaplibrary"].contains(ending)
    }

    /// Whether a file is a camera's small version of a film: of GoPro, Insta360, DJI or Sony.
    ///
    /// - Parameter isArriving: the film may come later, and is not looked for.
    package static func contains(_ path: FilePath, isArriving: Bool = false) -> Bool {
        guard let stem = path.stem, let fileExtension = path.extension?.uppercased() else { return false }
        let folder = path.removingLastComponent()
        if ["LRV", "MP4", "INSV"].contains(fileExtension), let name = Insta360Name(stem) {
            return isArriving || name.films.contains { isFilm($0, in: folder) }
        }
        switch fileExtension {
        case "LRV", "LRF":
            return isArriving || films(ofProxy: stem).contains { isFilm($0, in: folder) }
        case "SCR", "THM":
            if isOfDJI(folder) { return true }
            return fileExtension == "THM" && isOfGoPro(stem) && (isArriving || isFilm(stem, in: folder))
        case "MP4", "MXF", "JPG":
            return isOfSony(folder, stem, isArriving)
        default: return false
        }
    }

    /// The names of the films that a proxy may be made from.
    private static func films(ofProxy stem: String) -> [String] {
        guard stem.prefix(2).uppercased() == "GL" else { return [stem] }
        let rest = stem.dropFirst(2)
        return [stem, "GX\(rest)", "GH\(rest)", "GS\(rest)"]
    }

    /// A proxy of Insta360, such as `LRV_20220110_121609_11_657`.
    ///
    /// The fourth part is 01 or 11 there, and 00 or 10 in the names of the films: one for each lens.
    private struct Insta360Name {
        let films: [String]

        init?(_ stem: String) {
            let parts = stem.split(separator: "_", omittingEmptySubsequences: false)
            guard let kind = parts.firstIndex(of: "LRV"), kind == 0 || parts[..<kind] == ["PRO"],
                parts.count == kind + 5,
                ["01", "11"].contains(parts[kind + 3])
            else { return nil }
            films = ["00", "10"].map { lens in
                var film = parts
                film[kind] = "VID"
                film[kind + 3] = Substring(lens)
                return film.joined(separator: "_")
            }
        }
    }

    private static func isFilm(_ stem: String, in folder: FilePath) -> Bool {
        ["MP4", "MOV", "mp4", "mov", "360", "insv", "MXF", "mxf"].contains { isThere(folder, "\(stem).\($0)") }
    }

    private static func isThere(_ folder: FilePath, _ name: String) -> Bool {
        FilePath.Component(name).map { FileStatus.exists(folder.appending($0)) } ?? false
    }

    /// GOPR0001, GP010001, GX010001: other cameras keep facts of a film in such a file, and a GoPro keeps a picture only.
    private static func isOfGoPro(_ stem: String) -> Bool {
        stem.utf8.count == 8 && stem.first?.uppercased() == "G" && stem.suffix(4).allSatisfy(\.isNumber)
    }

    /// `MISC/THM/100/DJI_0001.SCR`.
    private static func isOfDJI(_ folder: FilePath) -> Bool {
        let names = folder.components.suffix(3).map { $0.string.uppercased() }
        return names.suffix(2) == ["MISC", "THM"] || names.prefix(2) == ["MISC", "THM"]
    }

    /// `M4ROOT/SUB/C0001S03.MP4` and `M4ROOT/THMBNL/C0001T01.JPG`, of `M4ROOT/CLIP/C0001.MP4`.
    private static func isOfSony(_ folder: FilePath, _ stem: String, _ isArriving: Bool) -> Bool {
        guard let name = folder.lastComponent?.string.uppercased(), name == "SUB" || name == "THMBNL",
            let root = folder.removingLastComponent().lastComponent?.string.uppercased(),
            root == "M4ROOT" || root == "XDROOT"
        else { return false }
        let ending = stem.suffix(3)
        guard ending.first == (name == "SUB" ? "S" : "T"), ending.dropFirst().allSatisfy(\.isNumber) else {
            return false
        }
        return isArriving
            || ["CLIP", "Clip"].contains {
                isFilm(String(stem.dropLast(3)), in: folder.removingLastComponent().appending($0))
            }
    }
}
