internal import ArgumentParser
internal import Submit
internal import SubmitCatalogue
internal import SubmitDigest
internal import SubmitEngine
internal import SubmitJournal

/// `submit catalogue populate`
struct PopulateCatalogue: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "populate", abstract: "Send the samples that come with submit, to have something to ask for.",
        discussion: """
            They are photos in the public domain, of a person called “\(SamplePhoto.owner)”. However often this is asked for, each is \
            sent to a destination once.

            Exit codes: as of `submit`.
            """)

    @OptionGroup var target: TargetOptions

    @OptionGroup var options: RunOptions

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        let session = try Session()
        session.manager.owner = SamplePhoto.owner
        let destinations = try session.destinations(target.names)
        var open: [SubmitItem] = []
        let known = try await session.journal.known(keys: SamplePhoto.all.map { $0.key(at: destinations) })
        for sample in SamplePhoto.all where known[sample.key(at: destinations)] == nil {
            open.append(sample.item(to: destinations))
        }
        if open.isEmpty {
            if !options.json, !options.quiet { Output.line("The samples were sent there before.") }
            return
        }
        let request = SubmitRequest(items: open, destinations: destinations, album: target.album)
        try await Runner(session: session, options: options).send(request)
        for sample in SamplePhoto.all {
            var change = PictureChange()
            (change.title, change.place) = (.replaced(sample.title), .replaced(sample.place))
            let isNew = try CatalogueCondition(.title, .eq, .null)
            let isIt = try CatalogueCondition(.item, .eq, .text(Hexadecimal.text(of: sample.digest)))
            try await session.manager.describe(change, where: .and([.condition(isIt), .condition(isNew)]))
        }
    }
}

/// A photo that comes with the program.
struct SamplePhoto {
    let name: String
    let title: String
    let caption: String
    let tags: [String]
    let place: String
    let bytes: [UInt8]

    static let owner = "Sample Photographer"

    static let all = [
        SamplePhoto(
            name: "leaf.webp", title: "A leaf", caption: "A leaf, seen against the light", tags: ["plant", "green"],
            place: "a garden", bytes: PackageResources.leaf_webp),
        SamplePhoto(
            name: "still.avif", title: "A still", caption: "Colours side by side", tags: ["pattern"],
            place: "a desk", bytes: PackageResources.still_avif),
        SamplePhoto(
            name: "blink.gif", title: "A blink", caption: "It goes on and off", tags: ["pattern", "moving"],
            place: "a desk", bytes: PackageResources.blink_gif),
    ]

    var digest: [UInt8] {
        var pass = DigestPass([.sha256])
        bytes.withUnsafeBytes { pass.update($0) }
        return pass.finalize()[.sha256] ?? []
    }

    /// By which it is accepted once for these destinations.
    func key(at destinations: [String]) -> String {
        "sample \(name) at \(destinations.sorted().joined(separator: ","))"
    }

    func item(to destinations: [String]) -> SubmitItem {
        SubmitItem(
            source: .bytes(MemoryBytes(bytes)), name: name, caption: caption, tags: tags,
            idempotencyKey: key(at: destinations))
    }
}
