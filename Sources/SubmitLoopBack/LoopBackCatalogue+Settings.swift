public import Submit
internal import SubmitCatalogue
public import SubmitHTTP

extension LoopBackCatalogue {
    /// What can be configured of a service.
    public static let settings = [
        SettingKey(
            "url", .url, summary: "where its records are, such as https://shop.example/api/Products", isRequired: true),
        SettingKey("token", .secret, summary: "a token that says who asks"),
        SettingKey(
            "token_header", summary: "the header for the token; Authorization, after the word Bearer, if not set"),
        SettingKey("user", summary: "who asks, with a password"),
        SettingKey("password", .secret, summary: "the user's password"),
        SettingKey("insecure", .boolean, summary: "whether secrets may go over http to other machines"),
        SettingKey("fields", summary: "what it has: name: text, price: number, tags: texts; any field if not set"),
        SettingKey("where", summary: "a filter that always holds, as JSON"),
        SettingKey("search", summary: "the fields in which words are looked for: name, text"),
        SettingKey("id", summary: "the field that tells records apart; id if not set"),
        SettingKey("image", summary: "the field with a picture's URL or path"),
        SettingKey("image_base", .url, summary: "what pictures' paths are relative to; the url if not set"),
        SettingKey("distinct_path", summary: "a path below the url that answers with a field's values"),
    ]

    /// A service as it is configured.
    ///
    /// - Parameter transport: one that follows no redirects itself.
    /// - Throws: a failure that names the setting which cannot be used.
    public init(_ settings: DestinationSettings, transport: any HTTPTransport) throws(SubmitFailure) {
        guard let endpoint = try settings.endpoint("url") else {
            throw settings.invalid("url", "is not set: give it the address of the records")
        }
        var read = LoopBackSettings(endpoint, access: try settings.access())
        read.allowsPlain = try settings.boolean("insecure") ?? false
        if read.access != .anyone { try settings.check(endpoint, of: "url", allowsPlain: read.allowsPlain) }
        read.fields = try settings.fields()
        if let json = settings["where"] {
            do throws(CatalogueFault) {
                read.base = try QuestionReader(read.fields).filter(json: json)
            } catch {
                throw settings.invalid("where", "is no filter: \(error.description.dropLast())")
            }
        }
        read.searchable = settings.list("search")
        read.identity = settings["id"] ?? "id"
        read.imageField = settings["image"]
        read.imageBase = try settings.endpoint("image_base").map { $0.url("/") }
        if let path = settings["distinct_path"] {
            guard path.hasPrefix("/"), !path.contains("?"), !path.contains("#") else {
                throw settings.invalid("distinct_path", "must begin with / and have no ? and #")
            }
            read.distinctPath = PercentEncoding.encode(path.utf8, keeping: Set("/%!$&'()*+,;=:@".utf8))
        }
        self.init(read, transport: transport)
    }
}

extension DestinationSettings {
    fileprivate func list(_ name: String) -> [String] {
        (self[name] ?? "").split(separator: ",").map { $0.trimmingBlanks }.filter { !$0.isEmpty }
    }

    fileprivate func fields() throws(SubmitFailure) -> DatasourceFields {
        guard self["fields"] != nil else { return .any }
        var kinds: [String: String] = [:]
        for part in list("fields") {
            let halves = part.split(separator: ":").map { $0.trimmingBlanks }
            guard halves.count == 2, kinds.updateValue(halves[1], forKey: halves[0]) == nil else {
                throw invalid("fields", "must be a list such as name: text, price: number")
            }
        }
        do throws(CatalogueFault) {
            return try DatasourceFields(written: kinds)
        } catch {
            throw invalid("fields", "cannot be used: \(error.description.dropLast())")
        }
    }

    fileprivate func access() throws(SubmitFailure) -> LoopBackAccess {
        switch (secret("token"), secret("password")) {
        case (_?, _?): throw invalid("token", "is set, and “password” too: set one of them")
        case (let token?, nil):
            guard let header = self["token_header"] else { return .credentials(.bearer(token: token)) }
            let isName = header.utf8.allSatisfy { byte in
                Character(Unicode.Scalar(byte)).isLetter || Character(Unicode.Scalar(byte)).isNumber || byte == 0x2D
            }
            guard isName else { throw invalid("token_header", "must be the name of a header, such as X-Access-Token") }
            return .header(name: header, secret: token)
        case (nil, let password?):
            return .credentials(.basic(user: try required("user"), password: password))
        case (nil, nil): return .anyone
        }
    }
}

extension Substring {
    fileprivate var trimmingBlanks: String {
        var text = self
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
