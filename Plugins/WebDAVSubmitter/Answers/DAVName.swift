internal import SubmitXML

/// The names of elements and properties that this submitter knows, by namespace.
extension XMLName {
    /// RFC 4918.
    static func dav(_ local: String) -> XMLName { XMLName(local, namespace: "DAV:") }
    /// What ownCloud began and Nextcloud kept.
    static func ownCloud(_ local: String) -> XMLName { XMLName(local, namespace: "http://owncloud.org/ns") }
    static func nextcloud(_ local: String) -> XMLName { XMLName(local, namespace: "http://nextcloud.org/ns") }
    /// Dublin Core's elements, version 1.1.
    static func dublinCore(_ local: String) -> XMLName {
        XMLName(local, namespace: "http://purl.org/dc/elements/1.1/")
    }
    static func sabre(_ local: String) -> XMLName { XMLName(local, namespace: "http://sabredav.org/ns") }
    /// Properties of mod_dav.
    static func apache(_ local: String) -> XMLName { XMLName(local, namespace: "http://apache.org/dav/props/") }
}

extension XMLElement {
    /// Its text without the white space around it; `nil` when nothing is left.
    var trimmedText: String? {
        let isBlank: (Unicode.Scalar) -> Bool = { $0 == " " || ("\t"..."\r").contains($0) }
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !isBlank($0) }),
            let last = scalars.lastIndex(where: { !isBlank($0) })
        else { return nil }
        return String(scalars[first...last])
    }

    /// The trimmed text of the first element of that name in it.
    func text(of name: XMLName) -> String? { first(name)?.trimmedText }
}
