extension MappingGrammar {
    static let request = MappingGrammar(
        "a request",
        [
            Key(
                "method", .word(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "MKCOL", "MOVE", "PROPFIND"]),
                required: true, "the method"),
            Key("url", .template, required: true, "the address: from / on at the first host, or in full"),
            Key("query", .named(.any, .template), "what is put behind the address, with ?"),
            Key("headers", .named(.token, .template), "headers"),
            Key("headers_json", .named(.token, .json), "headers whose value is JSON in one line of ASCII"),
            Key("auth", .text(.identifier), "default, none, or the name of a secret that after_login captured"),
            Key("body", .either(.word(["none"]), body), "what is sent"),
            Key("expect", .statuses, "the statuses of right answers; any of 200 to 299 where it is absent"),
            Key("continue", .boolean, "asks with Expect: 100-continue before the body is sent"),
            Key("timeout", .time, "how long the answer may take after the body"),
        ])

    static let body = MappingGrammar(
        "a body", oneOf: ["json", "form", "raw", "multipart", "template"],
        [
            Key("json", .json, "JSON; its texts are templates"),
            Key("form", .named(.any, .template), "form-encoded fields"),
            Key("raw", .template, "“file”, “range” (the piece of a chunk loop), or a text"),
            Key("multipart", .list(.mapping(part), least: 1), "parts of multipart/form-data, in their order"),
            Key("template", .template, "text with {{ file.base64 }} in it"),
            Key("type", .template, "the Content-Type"),
        ])

    static let part = MappingGrammar(
        "a part", oneOf: ["text", "json", "file", "range"],
        [
            Key("name", .template, required: true, "the part's name"),
            Key("text", .template, "a text"),
            Key("json", .json, "JSON; its texts are templates"),
            Key("file", .boolean, "the whole file"),
            Key("range", .boolean, "the piece of a chunk loop"),
            Key("filename", .template, "the file's name; file.name where it is absent"),
            Key("type", .template, "the part's Content-Type"),
        ])

    static let capture = MappingGrammar(
        "a capture", oneOf: ["json", "xml", "header", "text", "form"],
        [
            Key("json", .text(.jsonPointer), "a place in a JSON answer"),
            Key("xml", .text(.xmlPath), "a place in an XML answer"),
            Key("header", .text(.token), "a header of the answer"),
            Key("text", .boolean, "the whole answer"),
            Key("form", .text(.any), "a field of a form-encoded answer"),
            Key("optional", .boolean, "an answer may lack it"),
            Key("secret", .boolean, "it opens something: it is encrypted where it is kept, and never shown"),
            Key("default", .template, "what it is where the answer lacks it"),
        ])

    static let statusRule = MappingGrammar(
        "a rule",
        [
            Key("status", .statuses, required: true, "the statuses it is about"),
            Key("when", .formula, "what else must hold"),
        ])

    static let step = MappingGrammar(
        "a step",
        [
            Key("id", .text(.identifier), required: true, "its name: later steps say ID.CAPTURE"),
            Key("when", .formula, "whether it is done at all"),
            Key("lock", .word(["account", "none"]), "“account”: at most one such step at once per destination"),
            Key("request", .mapping(request), required: true, "what is sent"),
            Key("chunks", .mapping(chunks), "the request is repeated for each piece of the file"),
            Key("poll", .mapping(poll), "the request is repeated until the service is ready"),
            Key(
                "tries", .wholeNumber(1...20),
                "how often it is tried when the service is in trouble; after that, the upload continues without it"),
            Key("resume", .mapping(resume), "from where a broken chunk loop goes on"),
            Key("capture", captures, "what is kept of the answer"),
            Key("ok_when", .formula, "whether an answer is a right one"),
            Key("treat_as_ok", .list(.mapping(statusRule), least: 1), "answers that are right against their status"),
            Key(
                "repeat", .word(Recipe.Repetition.allCases.map(\.rawValue)),
                "what to do when the answer was lost: safe (send it again), key (the same: it holds a key made of job.id), "
                    + "look (see “look”), never"),
            Key("key_lasts", .time, "how long the service knows the key; for ever by default"),
            Key("look", .mapping(look), "finds out whether it was done"),
            Key("say", .template, "what to look at where nobody knows whether it was done"),
        ])

    static let chunks = MappingGrammar(
        "a chunk loop",
        [
            Key("size", .formula, required: true, "bytes of a piece"),
            Key("multiple_of", .formula, "pieces but the last are cut down to a multiple of this"),
            Key(
                "most", .wholeNumber(1...100_000), required: true,
                "how many pieces at most; they grow where it is too few"),
        ])

    static let poll = MappingGrammar(
        "a poll",
        [
            Key("until", .formula, required: true, "the service is ready"),
            Key("fail_when", .formula, "it never will be"),
            Key("every", .formula, required: true, "seconds between two requests"),
            Key("most", .formula, required: true, "seconds in all"),
        ])

    static let resume = MappingGrammar(
        "a way to go on", oneOf: ["ask", "from_error", "saved"],
        [
            Key("ask", .mapping(resumeQuestion), "the service says where it stands"),
            Key("offset", .formula, "where it stands, in bytes, from what “ask” captured"),
            Key("done_when", .formula, "it has everything, and no piece is sent again"),
            Key("restart_when", .formula, "what was begun is of no use any more, and the upload begins again"),
            Key("from_error", .mapping(resumeError), "an answer to a wrong piece says where it stands"),
            Key("saved", .boolean, "from where we know that it stands"),
        ])

    static let resumeQuestion = MappingGrammar(
        "a question where it stands",
        [
            Key("request", .mapping(request), required: true, "the request"),
            Key("capture", captures, "what is kept of the answer, as captures of the step"),
        ])

    static let resumeError = MappingGrammar(
        "an error with an offset",
        [
            Key("status", .wholeNumber(400...599), required: true, "its status"),
            Key(
                "offset", .list(.text(.jsonPointer), least: 1), required: true,
                "where the answer may say the offset; the first that is there counts"),
        ])

    static let look = MappingGrammar(
        "a look",
        [
            Key("request", .mapping(request), required: true, "the request"),
            Key("items", .text(.jsonPointer), "a list in the answer; “found” and “capture” are of each element of it"),
            Key("capture", captures, "what is kept of the answer, as captures of the step"),
            Key("found", .formula, required: true, "it was done; with “items”, item['/pointer'] is of the element"),
            Key(
                "settles", .time,
                "how long the service may take to show what it has taken: till then it is looked again"),
        ])

    static var captures: RecipeGrammar { .named(.identifier, .mapping(capture)) }
}
