public import ArgumentParser
internal import Foundation
internal import Submit
internal import SubmitConfiguration
internal import SubmitEngine
internal import SubmitPluginHost
public import SubmitScaffold
internal import SystemPackage

/// `submit new-submitter NAME`
struct NewSubmitter: ParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "new-submitter", abstract: "Make a project for a new kind of destination.",
        discussion: """
            Makes the folder submit-to-NAME with a program that works at once, on a folder that plays the service, with \
            its tests, and with marked holes where the service's own calls go. Nothing is ever overwritten.
            """)

    @Argument(help: "What to call it: letters, digits and “-”.")
    var name: String

    @Option(
        help: "What to write it in: \(StandAloneProject.Language.allCases.map(\.rawValue).joined(separator: ", ")).")
    var language: StandAloneProject.Language

    @Option(
        name: .customLong("in"),
        help: "The folder to make the project in, made where it is not there. Without: the current one.")
    var folder: String?

    @Option(help: "For Swift: the path or URL of the package of submit. Without: the one this program was built from.")
    var submit: String?

    @Flag(help: "One JSON object instead of text.")
    var json = false

    @OptionGroup(title: "Log") var log: LogOptions

    func run() throws {
        let name = try SubmitterName(name)
        if try Session.catalog().types.builtIn.contains(where: { ([$0.name] + $0.aliases).contains(name.type) }) {
            throw SubmitFailure.usage("“\(name.type)” is a type already, as `submit types` shows: choose another name.")
        }
        if let program = try Session.catalog().types.external.first(where: { $0.name == name.type }) {
            throw SubmitFailure.usage(
                "“\(name.type)” is a type already, which \(program.path) is: choose another name, or remove that.")
        }
        let parent = URL(filePath: folder ?? FileManager.default.currentDirectoryPath).standardizedFileURL.path
        let package = submit.map { SubmitPackage($0) } ?? SubmitPackage.ownCheckout()
        let project = try StandAloneProject(name, in: language, at: parent, with: package)
        if json {
            JSONOutput.print([
                "type": name.type, "language": language.rawValue, "folder": project.folder, "files": project.files,
            ])
        } else {
            Output.line(
                """
                Made \(Printable.line(project.folder)), which works at once, on a folder that plays \(name.swift):
                  cd \(Printable.line(project.folder)) && ./test
                Fill the six holes, in any order, and run ./test after each:
                  grep -rn HOLE .
                README.md says how to put it to use.
                """)
        }
    }
}

extension StandAloneProject.Language: ExpressibleByArgument {}
