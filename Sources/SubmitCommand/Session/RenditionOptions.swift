internal import ArgumentParser
internal import Submit
internal import SubmitEngine

/// Options of verbs that say what destinations get instead of originals.
struct RenditionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "What destinations get instead of the originals, such as strip=gps, or “strip=all keep=date,copyright”.",
            valueName: "recipe"),
        transform: { text in
            do throws(SubmitFailure) {
                return try RenditionPolicy(text)
            } catch {
                throw ValidationError(error.message)
            }
        })
    var rendition: RenditionPolicy?

    @Flag(help: "Send the originals, bit for bit, also where they tell anybody the place.")
    var original = false

    /// What was asked for; `nil`: what each destination says.
    var asked: RenditionPolicy? { original ? .original : rendition }

    func validate() throws {
        if original, rendition != nil { throw ValidationError("Take --original or --rendition.") }
    }
}
