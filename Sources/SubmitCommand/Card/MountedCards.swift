internal import Foundation
internal import Submit
internal import SystemPackage

/// The camera cards, and cameras that show as disks, that are mounted now.
///
/// A card is a mounted disk with a folder that cameras make: `DCIM` (DCF, CIPA DC-009), or those of AVCHD, XAVC, XDCAM and
/// P2. What is mounted by no path, as cameras by MTP, is none.
enum MountedCards {
    private static let folders: Set<String> = [
        "DCIM", "PRIVATE/AVCHD", "PRIVATE/M4ROOT", "AVCHD", "M4ROOT", "XDROOT", "BPAV", "CONTENTS/CLIP", "MP_ROOT",
    ]

    /// What cards are formatted with, and what disks are that stand for one.
    private static let types: Set<String> = [
        "vfat", "msdos", "exfat", "fuseblk", "ntfs", "ntfs3", "udf", "hfsplus", "ext2", "ext3", "ext4", "xfs", "btrfs",
        "f2fs", "iso9660",
    ]

    /// - Parameter table: as `/proc/self/mountinfo` is (proc(5)).
    static func all(
        _ table: String? = try? String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8)
    ) -> [FilePath] {
        var found: [FilePath] = []
        // A share that does not answer must not be looked at.
        for mount in MountTable(table).mounts where types.contains(mount.type) {
            if mount.path != "/", !found.contains(mount.path), isCard(mount.path) { found.append(mount.path) }
        }
        return found.sorted { $0.string < $1.string }
    }

    private static func isCard(_ path: FilePath) -> Bool {
        // Names on a card are of any case.
        func has(_ folder: FilePath, _ names: ArraySlice<Substring>) -> Bool {
            guard let name = names.first else { return true }
            let children = (try? FileManager.default.contentsOfDirectory(atPath: folder.string)) ?? []
            return children.contains { child in
                child.uppercased() == name && has(folder.appending(child), names.dropFirst())
            }
        }
        return folders.contains { has(path, $0.split(separator: "/")[...]) }
    }

    /// The one card that is there.
    ///
    /// - Throws: where there is none, or where there are several, with what to do.
    static func only(_ cards: [FilePath] = all()) throws(SubmitFailure) -> FilePath {
        guard let card = cards.first else {
            throw .usage(
                "No mounted card was found (a disk with a folder DCIM, or what video cameras make): name its folder, "
                    + "as `submit card /media/me/CARD`.")
        }
        if cards.count > 1 {
            throw .usage(
                "Several cards are mounted: name the one that is meant, of "
                    + "\(cards.map { "“\($0)”" }.joined(separator: ", ")).")
        }
        return card
    }
}
