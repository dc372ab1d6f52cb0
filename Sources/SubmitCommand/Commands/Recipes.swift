internal import ArgumentParser
internal import Foundation
internal import Submit
internal import SubmitRecipes
internal import SystemPackage

/// `submit recipes`: services described in YAML.
struct Recipes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recipes", abstract: "List, show and check recipes: services described in YAML.",
        discussion: """
            A recipe tells how to sign in at a service, what to send to it, and what its answers mean. Anyone can write one; \
            Recipes.md in the documentation says how.
            """,
        subcommands: [ListRecipes.self, ShowRecipe.self, LintRecipes.self, TryRecipe.self, RecipeSchema.self],
        defaultSubcommand: ListRecipes.self)
}

struct ListRecipes: ParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the recipes that come with submit, and when their facts were checked.")

    @Flag(help: "One JSON object a line instead of text.")
    var json = false

    @OptionGroup(title: "Log") var log: LogOptions

    func run() throws {
        for name in Recipe.shipped {
            let recipe = try RecipeFile.named(name).read()
            if json {
                JSONOutput.print([
                    "recipe": name, "service": recipe.service, "title": recipe.title, "summary": recipe.summary,
                    "checked": recipe.facts.checked, "sources": recipe.facts.sources, "tested": recipe.facts.tested,
                ])
            } else {
                Output.line(
                    Printable.line(
                        "\(Terminal.styled(name, .strong)): \(recipe.summary) [checked \(recipe.facts.checked), tested "
                            + "\(recipe.facts.tested)]"))
            }
        }
    }
}

struct ShowRecipe: ParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print a recipe that comes with submit, to read or to begin one's own with.")

    @Argument(help: "Its name, as `submit recipes list` shows it.", completion: Completed.recipe)
    var name: String

    @OptionGroup(title: "Log") var log: LogOptions

    func run() throws {
        Output.raw(try RecipeFile.named(name).text)
    }
}

struct LintRecipes: ParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint", abstract: "Say all that is wrong with recipes: file, line, column, the key and the cure.",
        discussion: "Exit status 0 if nothing is, 1 if something is, 2 if a file cannot be read.")

    @Flag(help: "One JSON object a line instead of text.")
    var json = false

    @Argument(help: "Files, or names of recipes that come with submit.")
    var files: [String]

    @OptionGroup(title: "Log") var log: LogOptions

    func run() throws {
        var isFine = true
        for name in files {
            let file = try RecipeFile.found(name)
            do throws(RecipeFaults) {
                let recipe = try Recipe(text: file.text, path: file.name)
                if json {
                    JSONOutput.print(["event": "fine", "file": file.name, "service": recipe.service])
                } else {
                    Output.line(Printable.line("\(file.name): \(recipe.title), nothing is wrong."))
                }
            } catch {
                isFine = false
                for fault in error.faults { tell(fault) }
            }
        }
        if !isFine { throw ExitStatus.failed }
    }

    private func tell(_ fault: RecipeFault) {
        if json {
            JSONOutput.print([
                "event": "fault", "file": fault.place.path, "line": fault.place.line, "column": fault.place.column,
                "message": fault.message,
            ])
        } else {
            // As compilers do it: editors and CI know the form.
            Output.line(Printable.line(fault.description))
        }
    }
}

struct RecipeSchema: ParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Print the JSON Schema of recipes, by which editors complete and check them.",
        discussion: """
            submit recipes schema > recipe.schema.json, and at the top of a recipe:
            # yaml-language-server: $schema=recipe.schema.json
            """)

    @OptionGroup(title: "Log") var log: LogOptions

    func run() throws {
        Output.raw(Recipe.schema)
    }
}

/// A recipe's text with what to call it.
struct RecipeFile {
    let name: String
    let text: String
    /// What the setting `recipe` of a destination calls it.
    let setting: String

    /// The largest file that is looked into; no recipe is as large.
    private static let most = 256 << 10

    /// One that comes with the program.
    static func named(_ name: String) throws(SubmitFailure) -> RecipeFile {
        guard let text = Recipe.shippedText(name) else {
            let hint = NearestNames.hint(for: name, among: Recipe.shipped)
            throw .usage("There is no recipe “\(name)”\(hint); `submit recipes list` lists them.")
        }
        return RecipeFile(name: "\(name).yaml", text: text, setting: name)
    }

    /// A file, or else one that comes with the program.
    static func found(_ name: String) throws(SubmitFailure) -> RecipeFile {
        guard let file = try? FileDescriptor.open(FilePath(name), .readOnly, options: [.closeOnExec]) else {
            if !name.contains("/"), !name.contains(".") { return try named(name) }
            throw .usage("\(name) cannot be read: check the path and its permissions.")
        }
        defer { try? file.close() }
        let bytes: [UInt8]?
        do throws(Errno) {
            bytes = try WholeFile.bytes(of: file, most: most)
        } catch {
            throw .usage("\(name) cannot be read: it is no file.")
        }
        guard let bytes else { throw .usage("\(name) has more than \(most >> 10) KiB: no recipe is as long.") }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .usage("\(name) is not UTF-8.") }
        let folder = FilePath(FileManager.default.currentDirectoryPath)
        return RecipeFile(name: name, text: text, setting: folder.pushing(FilePath(name)).string)
    }

    func read() throws(SubmitFailure) -> Recipe {
        do throws(RecipeFaults) {
            return try Recipe(text: text, path: name)
        } catch {
            throw SubmitFailure(.giveUp, code: "recipe", message: error.description)
        }
    }
}
