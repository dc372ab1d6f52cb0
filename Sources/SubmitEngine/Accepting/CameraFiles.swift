internal import SystemPackage

/// The files by which cameras find their own pictures again, by name: catalogues, indexes and play lists, and no pictures.
enum CameraFiles {
    // AVCHD and Blu-ray (BDM, CPI, MPL, TDT, TID), Canon (CTG), DPOF (MRK), Panasonic (PPN), Sony (BNP, IND, INP, INT, BIN).
    private static let extensions: Set<String> = [
        "BDM", "CPI", "MPL", "TDT", "TID", "CTG", "MRK", "PPN", "BNP", "IND", "INP", "INT",
    ]
    private static let names: Set<String> = ["MEDIAPRO.XML", "STATUS.BIN", "MEDIAPRO.BUP"]

    static func contains(_ path: FilePath) -> Bool {
        let name = path.lastComponent?.string.uppercased() ?? ""
        return names.contains(name) || extensions.contains(path.extension?.uppercased() ?? "")
    }
}
