internal import ArgumentParser
internal import Foundation
internal import Submit
internal import SubmitEngine
internal import SystemPackage

/// `submit preview`
struct PreviewVerb: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview", abstract: "Show what a destination would get of a photo, and send nothing.",
        discussion: """
            What is public gets photos without the place where they were taken, unless its configuration or --original says \
            otherwise. The original is never touched.
            """)

    @Argument(help: "The destination.", completion: Completed.destination)
    var name: String

    @Argument(help: "The photo.", completion: .file())
    var photo: String

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp("A file to be made of what would be sent, to look at.", valueName: "file"),
        completion: .file())
    var output: String?

    @OptionGroup var renditions: RenditionOptions

    @Option(help: ArgumentHelp("The words that would be published beside it.", valueName: "text"))
    var caption: String?

    @Option(
        help: ArgumentHelp("A keyword that would be published beside it; may be given several times.", valueName: "tag")
    )
    var tag: [String] = []

    @Flag(help: "One JSON object instead of text.")
    var json = false

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        let session = try await Session().adding(foldersOf: [name], isMeant: false, isKept: false)
        let destinations = try session.destinations([name])
        let paths = [try file(photo, "The photo")]
        guard
            (try? FileManager.default.attributesOfItem(atPath: paths[0].string)[.type]) as? FileAttributeType
                != .typeDirectory
        else { throw SubmitFailure.usage("“\(photo)” is a folder: name one photo.") }
        var request = SubmitRequest(
            paths: paths, destinations: destinations, caption: caption, tags: tag, takesAnyFile: true)
        request.rendition = renditions.asked
        let output = try output.map { try file($0, "What is to be made") }
        var count = 0
        var failure: SubmitFailure?
        try await session.manager.preview(request) { preview in
            count += 1
            guard count == 1 else { return }
            do throws(SubmitFailure) {
                switch preview {
                case .item(let item, let found):
                    for (destination, refusal) in found {
                        if let refusal { throw refusal }
                        show(
                            try await session.manager.preview(
                                rendition: item, at: destination, asked: renditions.asked, to: output), destination)
                    }
                case .refused(_, let refusal): throw refusal
                case .leftBehind, .unchanged: throw .usage("“\(photo)” is not one photo: name one.")
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        if count != 1 { throw SubmitFailure.usage("“\(photo)” is not one photo: name one.") }
    }

    private func file(_ argument: String, _ what: String) throws(SubmitFailure) -> FilePath {
        guard argument != "-", !argument.isEmpty, argument.last != "/",
            let path = try SourcePaths.resolve([argument], separator: 0x0a).first
        else { throw .usage("\(what) is a file: name it.") }
        return path
    }

    private func show(_ preview: RenditionPreview, _ destination: String) {
        let remarks = remarks(preview)
        if json {
            var object: [String: Any] = [
                "event": "preview", "destination": destination, "item": JSONOutput.object(preview.item),
                "rendition": JSONOutput.object(preview),
            ]
            object["output"] = output
            if !remarks.isEmpty { object["remarks"] = remarks }
            JSONOutput.print(object)
            return
        }
        let sizes =
            preview.policy.isOriginal
            ? Printable.bytes(preview.content.size)
            : "\(Printable.bytes(preview.content.size)) of \(Printable.bytes(preview.item.size))"
        Output.line(
            Printable.line(
                "\(preview.item.name) → \(destination): \(preview.words), \(preview.content.type.mime), \(sizes)"
            ))
        if !preview.policy.isOriginal {
            let kept = preview.policy.facts
            let facts = ["orientation", "colour"] + KeptFact.allCases.filter(kept.contains).map(\.rawValue)
            Output.line("stays, where the photo says it: \(facts.joined(separator: ", ")); all else that it says goes")
        }
        for remark in remarks { Output.line(Printable.line(remark)) }
    }

    /// What is published beside the photo, and tells what was taken out of it.
    private func remarks(_ preview: RenditionPreview) -> [String] {
        let texts =
            [("its name", preview.content.name), ("its caption", caption ?? "")] + tag.map { ("its tag", $0) }
        return texts.flatMap { what, text in
            TellingText.facts(of: text, besides: preview.policy).map {
                "mind that \(what) tells \($0), and goes with it unless you change it: “\(text)”"
            }
        }
    }
}
