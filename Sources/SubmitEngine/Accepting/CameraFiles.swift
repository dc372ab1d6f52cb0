internal import SystemPackage

/// The files that cameras keep for themselves, by name: catalogues, indexes, play lists and settings, and no pictures.
enum CameraFiles {
    // AVCHD and Blu-ray (BDM, CPI, MPL, TDT, TID), Canon (CTG), DPOF (MRK), Panasonic (PPN), Sony (BNP, IND, INP, INT),
    // DJI (IDX, SCR).
    private static let extensions: Set<String> = [
        "BDM", "CPI", "MPL", "TDT", "TID", "CTG", "MRK", "PPN", "BNP", "IND", "INP", "INT", "IDX", "SCR",
    ]
    // Sony (MEDIAPRO, STATUS, DATABASE), Nikon (NC…, NIKON001), Samsung (ASSISTME), Insta360 (FILEINFO_LIST).
    private static let names: Set<String> = [
        "MEDIAPRO.XML", "STATUS.BIN", "MEDIAPRO.BUP", "DATABASE.BIN", "ASSISTME.DAT", "NIKON001.DSC", "NC_FLLST.DAT",
        "NCSETUP1.BIN", "FILEINFO_LIST.LIST",
    ]

    static func contains(_ path: FilePath) -> Bool {
        let name = path.lastComponent?.string.uppercased() ?? ""
        if names.contains(name) || extensions.contains(path.extension?.uppercased() ?? "") { return true }
        let folder = path.removingLastComponent()
        switch path.extension?.uppercased() {
        case "BIN": return folder.lastComponent?.string.uppercased() == "AVF_INFO"
        // Facts about a clip of Sony's that stand in the clip, too: C0001M01.XML.
        case "XML":
            let root = folder.removingLastComponent().lastComponent?.string.uppercased()
            let ending = name.dropLast(4).suffix(3)
            return folder.lastComponent?.string.uppercased() == "CLIP" && (root == "M4ROOT" || root == "XDROOT")
                && ending.first == "M" && ending.dropFirst().allSatisfy(\.isNumber)
        default: return false
        }
    }
}
