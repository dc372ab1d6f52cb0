extension MappingGrammar {
    /// The whole language: every key that a recipe may have.
    static let recipe = MappingGrammar(
        "a recipe",
        [
            Key("recipe", .word(["1"]), required: true, "the version of the language: 1"),
            Key("service", .text(.service), required: true, "the name of the type of destinations, such as mastodon"),
            Key("title", .text(.any), required: true, "the service's name for people"),
            Key("summary", .text(.any), required: true, "one line on what it is"),
            Key("facts", .mapping(facts), required: true, "where its knowledge comes from"),
            Key("settings", .named(.identifier, .mapping(setting)), "what is configured of a destination"),
            Key(
                "hosts", .list(.host, least: 1), required: true,
                "the origins that requests may go to; the first is the base of URLs that begin with /"),
            Key("auth", authorization, required: true, "how to sign in"),
            Key(
                "public", .boolean,
                "anybody may see what is sent there: photos go there without the place where they were taken"),
            Key("private_when", .formula, "by which settings nobody else sees it all the same"),
            Key("limits", .mapping(limits), "what the service takes"),
            Key("identity", .mapping(identity), "who is signed in"),
            Key("upload", .list(.mapping(step), least: 1), required: true, "the steps that bring an item there"),
            Key("receipt", .mapping(receipt), required: true, "what is kept of an item that was brought there"),
            Key("presence", .mapping(presence), "asks whether an item is there"),
            Key("remove", .mapping(removal), "removes an item"),
            Key("albums", .mapping(albums), "albums of the service; {} where their name is all one needs"),
            Key("errors", .list(.mapping(errorRule), least: 0), "what answers mean; the first that matches counts"),
        ])

    static let facts = MappingGrammar(
        "the facts",
        [
            Key("checked", .text(.date), required: true, "the day on which they were checked"),
            Key("sources", .list(.text(.any), least: 1), required: true, "the pages or files that they come from"),
            Key("tested", .text(.any), required: true, "with what the recipe was tried, such as “against a stand-in”"),
        ])

    static let setting = MappingGrammar(
        "a setting",
        [
            Key(
                "kind", .word(["text", "integer", "boolean", "url", "choice", "secret"]), required: true, "what it is"),
            Key("summary", .text(.any), required: true, "one line on what it is"),
            Key("of", .list(.text(.any), least: 1), "the words of a choice"),
            Key("required", .boolean, "it must be set"),
            Key("default", .text(.any), "what it is where nobody sets it"),
        ])

    static let limits = MappingGrammar(
        "the limits",
        [
            Key(
                "kinds", .list(.word(["photo", "video", "other"]), least: 1),
                "what it takes; photos and videos by default"),
            Key("photo", .mapping(itemLimit), "limits of photos"),
            Key("video", .mapping(itemLimit), "limits of videos"),
            Key("other", .mapping(itemLimit), "limits of other files"),
            Key("caption_max", .wholeNumber(0...1_000_000), "the longest caption in characters; 0 for none"),
            Key("parallel", .wholeNumber(1...64), "how many at once; 1 for one after the other; 4 by default"),
            Key("gap", .time, "the least time between the starts of two"),
            Key("ask", .mapping(limitQuestion), "what the service says of its limits; never more than the literals"),
        ])

    static let itemLimit = MappingGrammar(
        "limits of a kind",
        [
            Key("max_bytes", .size, "the largest"),
            Key("mimes", .list(.text(.mime), least: 1), "the MIME types"),
        ])

    static let limitQuestion = MappingGrammar(
        "a question of limits",
        [
            Key("request", .mapping(request), required: true, "the request"),
            Key("capture", captures, required: true, "what is kept of the answer, as ask.NAME"),
            Key("photo", .mapping(askedLimit), "limits of photos"),
            Key("video", .mapping(askedLimit), "limits of videos"),
            Key("other", .mapping(askedLimit), "limits of other files"),
            Key("caption_max", .formula, "the longest caption in characters"),
        ])

    static let askedLimit = MappingGrammar(
        "limits that the service tells",
        [
            Key("max_bytes", .formula, "the largest"),
            Key("max_pixels", .formula, "the most pixels of a photo: width times height"),
            Key("mimes", .formula, "the MIME types, as a list"),
        ])

    static let identity = MappingGrammar(
        "an identity",
        [
            Key("request", .mapping(request), required: true, "the request"),
            Key("capture", captures, required: true, "id, and name, which is shown"),
            Key("ok_when", .formula, "whether an answer is a right one"),
        ])

    static let evidence: [Key] = [
        Key("verified_when", .formula, "the service computed a digest, and it is ours"),
        Key("echoed_when", .formula, "the service tells the digest that we sent"),
        Key("size_when", .formula, "the service tells the size, and it is ours"),
        Key("accepted_when", .formula, "the service took it, and works on it"),
    ]

    static let receipt = MappingGrammar(
        "a receipt",
        [
            Key("id", .template, required: true, "by what the service knows the item"),
            Key("url", .template, "where people see it"),
            Key("was_there", .formula, "the service had it before"),
            Key(
                "holds_when", .formula,
                "the post names the item; otherwise it was made without the item, and the submission fails"),
            Key("note", .template, "a sentence about the copy for people; none where it is nothing"),
        ] + evidence)

    static let presence = MappingGrammar(
        "a presence rule",
        [
            Key("request", .mapping(request), required: true, "the request; receipt.id and receipt.url are known"),
            Key("capture", captures, "what is kept of the answer, as presence.NAME"),
            Key("ok_when", .formula, "whether an answer is a right one"),
            Key("there_when", .formula, "whether a right answer says that it is there; otherwise it always does"),
            Key("gone", gone, "answers that say that it is not there: statuses, or rules with “when”"),
        ] + evidence)

    static let removal = MappingGrammar(
        "a removal",
        [
            Key("request", .mapping(request), required: true, "the request; receipt.id and receipt.url are known"),
            Key("ok_when", .formula, "whether an answer is a right one"),
            Key("gone", gone, "answers that say that it was not there: statuses, or rules with “when”"),
        ])

    private static var gone: RecipeGrammar { .list(.either(.statuses, statusRule), least: 1) }

    static let albums = MappingGrammar(
        "albums",
        [
            Key("list", .mapping(albumList), "lists them"),
            Key("create", .mapping(albumCreation), "makes one, named album.name; captures id"),
            Key("add", .mapping(albumAddition), "puts an uploaded item into one; absent where the upload names it"),
        ])

    static let albumList = MappingGrammar(
        "a listing",
        [
            Key("request", .mapping(request), required: true, "the request; page.token and page.number are known"),
            Key("items", .text(.jsonPointer), required: true, "the list in the answer"),
            Key("id", .text(.jsonPointer), required: true, "the id in an element of the list"),
            Key("title", .text(.jsonPointer), required: true, "the title in an element of the list"),
            Key("only", .formula, "which elements are albums one may add to, such as item['/writable']"),
            Key("created", .text(.jsonPointer), "when an element was created: the oldest of one title is used"),
            Key("next", .either(.word(["none", "link"]), paging), "how the next page is asked for"),
        ])

    static let paging = MappingGrammar(
        "a way to the next page", oneOf: ["token", "page"],
        [
            Key("token", .text(.jsonPointer), "where the answer says the token of the next page"),
            Key("page", .wholeNumber(0...1000), "the number of the first page"),
            Key("as", .text(.any), "the name in the query of the next request"),
            Key("request", .mapping(request), "the next request, where it is another one; it says page.token"),
            Key("more", .formula, "whether there is another page"),
        ])

    static let albumCreation = MappingGrammar(
        "a creation",
        [
            Key("request", .mapping(request), required: true, "the request"),
            Key("capture", captures, required: true, "id"),
            Key("ok_when", .formula, "whether an answer is a right one"),
            Key("treat_as_ok", .list(.mapping(statusRule), least: 1), "answers that are right against their status"),
            Key("needs_item", .boolean, "it is made after its first item was uploaded"),
        ])

    static let albumAddition = MappingGrammar(
        "an addition",
        [
            Key("request", .mapping(request), required: true, "the request"),
            Key("ok_when", .formula, "whether an answer is a right one"),
            Key("treat_as_ok", .list(.mapping(statusRule), least: 1), "answers that are right against their status"),
        ])

    static let errorRule = MappingGrammar(
        "an error rule",
        [
            Key("status", .statuses, "the statuses it is about; any where it is absent"),
            Key("when", .formula, "what else must hold"),
            Key(
                "class", .word(Recipe.ErrorRule.Class.allCases.map(\.rawValue)), required: true,
                "what it means"),
            Key("wait", .formula, "for how many seconds to wait"),
            Key("say", .template, "what to tell people"),
        ])
}
