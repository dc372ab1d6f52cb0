internal import SubmitCatalogue

/// Reads a table of what is to be said of pictures, and one that we write of a picture which has these words.
func fuzzTables(_ bytes: [UInt8]) {
    if let table = read(bytes) {
        for (row, picture) in zip(table.rows, FuzzedStore.pictures + FuzzedStore.pictures) {
            precondition(row.number > 1)
            check(row, of: picture)
        }
    }
    // Long ones take long, and tell no more.
    let lines = String(decoding: bytes.prefix(512), as: UTF8.self).unicodeScalars.split(
        separator: "\u{1E}", omittingEmptySubsequences: false)
    writeAndRead(lines.map { String($0) })
}

/// Where it can be said at all, it is within what a picture may have.
private func check(_ row: PictureTable.Row, of picture: CataloguePicture) {
    guard let change = try? row.change(of: picture) else { return }
    precondition((try? change.check()) != nil)
    let changed = change.applied(to: picture)
    precondition(change.applied(to: changed) == changed)
    precondition(changed.tags.count <= CatalogueLimits.names && !changed.owner.isEmpty)
}

/// What we wrote and nobody touched changes nothing.
private func writeAndRead(_ words: [String]) {
    func word(_ number: Int) -> String { number < words.count ? words[number] : "" }
    var said = PictureChange()
    (said.title, said.caption, said.place) = (.replaced(word(0)), .replaced(word(1)), .replaced(word(2)))
    (said.tags.replaced, said.albums.replaced) = ([word(3), "b"], word(4).isEmpty ? [] : [word(4)])
    if !word(5).isEmpty { said.owner = word(5) }
    if word(3).isEmpty { said.tags.replaced = [] }
    guard (try? said.check()) != nil else { return }
    let picture = said.applied(to: FuzzedStore.pictures[0])
    let fields = ["item", "title", "caption", "place", "tags", "albums", "owner", "placeShown"]
    var printer = RecordPrinter(.csv, fields: fields)
    let written = printer.beginning() + printer.text(of: picture.record(revealsPlace: true)) + printer.end()
    guard let table = read(Array(written.utf8)) else { preconditionFailure("What was written is read: \(written)") }
    precondition(table.rows.count == 1 && (try? table.rows[0].change(of: picture))?.isEmpty ?? false)
}

private func read(_ bytes: [UInt8]) -> PictureTable? {
    FuzzedFile.hold(bytes) ? try? PictureTable("/proc/self/fd/\(FuzzedFile.descriptor)") : nil
}
