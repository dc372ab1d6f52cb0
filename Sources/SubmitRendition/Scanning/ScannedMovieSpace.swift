/// How a film surrounds whoever sees it, or has a picture for each eye: boxes of numbers within boxes (Spherical Video V2;
/// Apple, “Stereo Video ISOBMFF Extensions”).
enum ScannedMovieSpace {
    /// How long each is, by the boxes that it is in.
    private static let sizes: [String: Int] = [
        "st3d": 5, "sv3d/proj/prhd": 16, "sv3d/proj/equi": 20, "sv3d/proj/cbmp": 12, "hfov": 4, "vexu/eyes/stri": 5,
        "vexu/eyes/hero": 5, "vexu/eyes/cams/blin": 8, "vexu/eyes/cmfy/dadj": 8, "vexu/proj/prji": 8,
        "vexu/pack/pkin": 8,
    ]
    private static let lists: Set<String> = [
        "sv3d", "sv3d/proj", "vexu", "vexu/eyes", "vexu/eyes/cams", "vexu/eyes/cmfy", "vexu/proj", "vexu/pack",
    ]

    /// Whether it is one of them, or else is `false`; what is wrong with it is a trace.
    static func isKnown(_ box: ScannedBox, in path: String = "", _ found: inout FoundTraces) -> Bool {
        let name = path + box.type
        if let size = sizes[name] {
            // All have a version but how wide the picture is.
            if !box.fits(size) || box.type != "hfov" && !box.isZero(to: 4) { found.add(box.unreadable, at: box.offset) }
            return true
        }
        guard lists.contains(name) else { return false }
        var seen: Set<String> = []
        for child in box.children(&found) {
            if !seen.insert(child.type).inserted || !isKnown(child, in: name + "/", &found) {
                found.add(child.unknown, at: child.offset)
            }
        }
        return true
    }
}
