internal import Submit
internal import SubmitHTTP
internal import SubmitXML

/// What is known of an item besides its bytes, as properties of its file (RFC 4918, section 4).
struct ItemProperties: Sendable {
    let server: DAVServer
    let load: UploadJob

    private var item: MediaItem { load.item }

    /// Whether there are any to be set, by which a server may mark the file anew.
    var areAny: Bool { isDated || !dates.isEmpty || !words.isEmpty }

    private var isDated: Bool { load.wishes.dates != .none && load.profile.dating == .property }

    /// Gives a resource what is configured to go there. What the server does not keep fails nothing.
    ///
    /// - Returns: what it does not keep that was asked for, as a sentence.
    func set(at path: DAVPath) async throws(SubmitFailure) -> String? {
        if isDated {
            _ = try await server.set(
                [ProppatchBody.Value(name: .dav("getlastmodified"), text: HTTPDate.format(item.modified))], of: path,
                about: item.name)
        }
        if dates.isEmpty && words.isEmpty { return nil }
        if load.profile.keepsProperties, try await server.set(dates + words, of: path, about: item.name) { return nil }
        let what = words.isEmpty ? "date" : dates.isEmpty ? "caption and tags" : "date, caption and tags"
        return "“\(server.host)” does not keep the \(what) of “\(item.name)” as properties."
    }

    /// What Windows calls it, who finds it where a server itself has only the time of upload.
    private var dates: [ProppatchBody.Value] {
        guard load.wishes.dates == .properties, load.profile.dating == nil else { return [] }
        let name = XMLName("Win32LastModifiedTime", namespace: "urn:schemas-microsoft-com:")
        return [ProppatchBody.Value(name: name, text: HTTPDate.format(item.modified))]
    }

    /// Dublin Core's elements.
    private var words: [ProppatchBody.Value] {
        guard load.wishes.captions == .properties else { return [] }
        var values: [ProppatchBody.Value] = []
        if let caption = item.caption {
            values.append(ProppatchBody.Value(name: .dublinCore("description"), text: caption))
        }
        let tags = item.tags.filter { !$0.isEmpty }
        if !tags.isEmpty {
            values.append(ProppatchBody.Value(name: .dublinCore("subject"), text: tags.joined(separator: "; ")))
        }
        return values
    }
}
