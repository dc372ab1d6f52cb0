internal import Submit

/// A picture, a part of one, or what is said of it.
struct ScannedHEIFItem {
    let id: Int
    let type: String
    /// Where in the file its bytes are.
    var part: Range<Int64>?
    /// Those of its properties, counted from one.
    var properties: [Int] = []
}

/// What `meta` says of the items (ISO/IEC 14496-12, 8.11; 23008-12, 9).
struct ScannedHEIFItems {
    static let types: Set<String> = ["hvc1", "avc1", "av01", "grid", "iden", "iovl", "Exif"]
    private static let references: Set<String> = ["dimg", "auxl", "cdsc", "prem"]

    /// Bytes of items that stand in `meta` itself.
    private(set) var data: Range<Int64>?
    private var items: [Int: ScannedHEIFItem] = [:]
    private var tiles: [Int: [Int]] = [:]
    private var properties = ScannedHEIFProperties()

    init(_ meta: ScannedBox, allowing allowed: Set<KeptFact>, _ found: inout FoundTraces) {
        guard meta.isZero(to: 4) else {
            found.add(meta.unreadable, at: meta.offset)
            return
        }
        var boxes: [String: ScannedBox] = [:]
        for box in meta.children(from: 4, &found) {
            guard ["hdlr", "dinf", "pitm", "iinf", "iloc", "iprp", "iref", "idat"].contains(box.type) else {
                found.add(box.unknown, at: box.offset)
                continue
            }
            if boxes.updateValue(box, forKey: box.type) != nil {
                found.add("a part that is there twice (\(box.type))", at: box.offset)
            }
        }
        guard let handler = boxes["hdlr"], let pitm = boxes["pitm"], let iinf = boxes["iinf"],
            let iloc = boxes["iloc"], let iprp = boxes["iprp"]
        else {
            found.add("no picture at all", at: meta.offset)
            return
        }
        _ = handler.checkHandler(["pict"], &found)
        boxes["dinf"]?.checkDataReferences(&found)
        if let idat = boxes["idat"] { data = idat.start..<idat.end }
        readItems(iinf, &found)
        readPlaces(iloc, &found)
        properties.read(iprp, allowing: allowed, &found)
        for (id, list) in properties.lists {
            if items[id] == nil { found.add("a property of nothing", at: iprp.offset) }
            items[id]?.properties = list
        }
        let width = pitm.version == 0 ? 2 : 4
        guard pitm.version <= 1, pitm.flags == 0, pitm.count == 4 + width,
            let primary = pitm.number(at: 4, width: width), items[primary] != nil, items[primary]?.type != "Exif"
        else {
            found.add(pitm.unreadable, at: pitm.offset)
            return
        }
        checkReach(of: primary, boxes["iref"], meta, &found)
    }

    /// Those with bytes, by their place in the file.
    func inOrder() -> [ScannedHEIFItem] {
        items.values.filter { $0.part?.isEmpty == false }
            .sorted { ($0.part?.lowerBound ?? 0, $0.id) < ($1.part?.lowerBound ?? 0, $1.id) }
    }

    func tileCount(of id: Int) -> Int { tiles[id]?.count ?? 0 }

    /// Whether both are packed alike.
    func hasSameSetup(_ item: ScannedHEIFItem, _ other: ScannedHEIFItem) -> Bool {
        func size(_ item: ScannedHEIFItem) -> Int? {
            item.properties.compactMap { properties.units[$0]?.lengthSize }.first
        }
        return size(item) == size(other)
    }

    mutating func checkUnits(
        _ item: ScannedHEIFItem, _ part: Range<Int64>, in data: inout ScannedCodedData
    ) throws(SubmitFailure) {
        guard let setup = item.properties.first(where: { properties.units[$0] != nil }),
            var units = properties.units[setup], units.isHEVC == (item.type == "hvc1")
        else { return data.found.add("a picture that cannot be read", at: part.lowerBound) }
        try units.check(part, in: &data)
        properties.units[setup] = units
    }

    private mutating func readItems(_ iinf: ScannedBox, _ found: inout FoundTraces) {
        let width = iinf.version == 0 ? 2 : 4
        let boxes = iinf.children(from: 4 + width, &found)
        if iinf.version > 1 || iinf.flags != 0 || iinf.number(at: 4, width: width) != boxes.count {
            found.add(iinf.unreadable, at: iinf.offset)
        }
        for box in boxes {
            let width = box.version == 2 ? 2 : 4
            guard box.type == "infe", 2...3 ~= box.version, box.flags <= 1, let id = box.number(at: 4, width: width),
                box.number(at: 4 + width, width: 2) == 0, box.count > 10 + width, items[id] == nil
            else {
                found.add("a picture or other item that cannot be read", at: box.offset)
                continue
            }
            let type = String(decoding: box.content.dropFirst(6 + width).prefix(4), as: UTF8.self)
            if !Self.types.contains(type) {
                found.add(
                    "an item that is not known to tell nothing (\(ScannedBoxHead.printable(type)))", at: box.offset)
            }
            if type == "Exif", items.values.contains(where: { $0.type == "Exif" }) {
                found.add("a second EXIF block", at: box.offset)
            }
            if !box.isZero(from: 10 + width) { found.add("the name of a picture or other item", at: box.offset) }
            items[id] = ScannedHEIFItem(id: id, type: type)
        }
    }

    /// 14496-12, 8.11.3: each item in one piece, within the file or within `idat`.
    private mutating func readPlaces(_ iloc: ScannedBox, _ found: inout FoundTraces) {
        var (place, isRight) = (4, true)
        func next(_ width: Int) -> Int {
            place += width
            guard let number = iloc.number(at: place - width, width: width) else {
                isRight = false
                return 0
            }
            return number
        }
        let sizes = next(2)
        let (offsetSize, lengthSize, baseSize) = (sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15)
        let indexSize = iloc.version == 0 ? 0 : sizes & 15
        let count = next(iloc.version < 2 ? 2 : 4)
        guard isRight, iloc.version <= 2, iloc.flags == 0, [4, 8].contains(lengthSize), sizes & 15 == indexSize,
            [offsetSize, baseSize, indexSize].allSatisfy({ [0, 4, 8].contains($0) })
        else { return found.add(iloc.unreadable, at: iloc.offset) }
        for _ in 0..<count {
            guard isRight, !found.isFull else { break }
            let head = iloc.start + Int64(place)
            let id = next(iloc.version < 2 ? 2 : 4)
            let method = iloc.version == 0 ? 0 : next(2)
            let reference = next(2)
            let base = next(baseSize)
            let extents = next(2)
            let isEmpty = extents == 0 && items[id]?.type == "iden"
            guard method <= 1, reference == 0, items[id]?.part == nil, items[id] != nil, extents == 1 || isEmpty else {
                isRight = false
                return found.add("a picture or other item in a place that cannot be read", at: head)
            }
            if isEmpty { continue }
            if next(indexSize) != 0 { isRight = false }
            let (offset, length) = (next(offsetSize), next(lengthSize))
            let origin = method == 1 ? Int(data?.lowerBound ?? 0) : 0
            let (start, first) = base.addingReportingOverflow(offset)
            let (moved, second) = start.addingReportingOverflow(origin)
            let (end, third) = moved.addingReportingOverflow(length)
            let isOutside = method == 1 && !(data.map { end <= $0.upperBound } ?? false)
            guard isRight, !first, !second, !third, !isOutside, length > 0 else {
                return found.add("a picture or other item in a place that cannot be read", at: head)
            }
            items[id]?.part = Int64(moved)..<Int64(end)
        }
        if !isRight || !iloc.isZero(from: place) || place != iloc.count {
            found.add(iloc.unreadable, at: iloc.offset)
        }
    }

    /// Whoever looks at the picture sees all items, or they are about it.
    private mutating func checkReach(
        of primary: Int, _ iref: ScannedBox?, _ meta: ScannedBox, _ found: inout FoundTraces
    ) {
        var nexts: [Int: [Int]] = [:]
        var helpers: Set<Int> = []
        if let iref {
            if iref.version > 1 || iref.flags != 0 { found.add(iref.unreadable, at: iref.offset) }
            let width = iref.version == 0 ? 2 : 4
            for box in iref.children(from: 4, &found) {
                let targets = (box.count - width - 2) / width
                guard let from = box.number(at: 0, width: width), box.number(at: width, width: 2) == targets,
                    box.count == width * (targets + 1) + 2, targets > 0, items[from] != nil
                else {
                    found.add(box.unreadable, at: box.offset)
                    continue
                }
                if box.type == "thmb" { found.add("a thumbnail", at: box.offset) }
                guard Self.references.contains(box.type) else {
                    found.add(box.unknown, at: box.offset)
                    continue
                }
                let ids = (0..<targets).compactMap { box.number(at: width * (1 + $0) + 2, width: width) }
                if ids.contains(where: { items[$0] == nil }) { found.add(box.unreadable, at: box.offset) }
                switch box.type {
                case "dimg":
                    if tiles.updateValue(ids, forKey: from) != nil
                        || !["grid", "iden", "iovl"].contains(items[from]?.type)
                    {
                        found.add(box.unreadable, at: box.offset)
                    }
                    nexts[from, default: []] += ids
                case "auxl", "cdsc":
                    let isEXIF = items[from]?.type == "Exif"
                    let isAlpha = items[from]?.properties.contains { properties.alphas.contains($0) } == true
                    guard box.type == "cdsc" ? isEXIF : isAlpha && !isEXIF else {
                        found.add("a picture beside the picture", at: box.offset)
                        continue
                    }
                    if !isEXIF { helpers.insert(from) }
                    for id in ids { nexts[id, default: []].append(from) }
                default: break
                }
            }
        }
        var reached: Set<Int> = [primary]
        var queue = [primary]
        while let id = queue.popLast() {
            for next in nexts[id] ?? [] where reached.insert(next).inserted { queue.append(next) }
        }
        for item in items.values.sorted(by: { $0.id < $1.id }) {
            if !reached.contains(item.id) {
                found.add("a picture or other item that is not shown", at: meta.offset)
            }
            if item.type != "iden", item.part == nil { found.add("an item without its data", at: meta.offset) }
            let isAlpha = item.properties.contains { properties.alphas.contains($0) }
            if isAlpha, item.id == primary { found.add("a picture beside the picture", at: meta.offset) }
        }
    }
}
