internal import Submit
internal import SubmitTransfer
internal import Yams

extension S3Profile {
    /// What is wrong with a profile's text, which names the key.
    struct Invalid: Error, Hashable {
        let complaint: String
    }

    /// Reads a profile: a mapping of the keys below, each at most once.
    init(yaml: String) throws(Invalid) {
        self.init()
        // Whoever resolves types of scalars makes expressions for them first, a tenth of all that sending one photo takes.
        guard let root = try? Yams.compose(yaml: yaml, .basic), let mapping = root.mapping else {
            throw Invalid(complaint: "is no mapping")
        }
        for (key, value) in mapping {
            let name = key.scalar?.string ?? ""
            do throws(Invalid) {
                try set(name, value)
            } catch {
                throw Invalid(complaint: "“\(name)” \(error.complaint)")
            }
        }
    }

    private mutating func set(_ name: String, _ value: Node) throws(Invalid) {
        switch name {
        case "title": title = try value.text()
        case "hosts": hosts = try value.texts()
        case "path_style": isPathStyle = try value.flag()
        case "signs_bodies": signsBodies = try value.flag()
        case "crc32c": computesCRC32C = try value.flag()
        case "crc32c_of_parts": computesCRC32COfParts = try value.flag()
        case "hash_header": hashHeader = try value.text().lowercased()
        case "conditional_put": putsConditionally = try value.flag()
        case "conditional_complete": completesConditionally = try value.flag()
        case "abort_takes_object": abortsTakeObjects = try value.flag()
        case "parts": parts = try PartRules(value)
        case "etag_is_md5": etagsAreMD5 = try value.flag()
        case "etag_of_parts": etagsAreOfParts = try value.flag()
        default:
            guard let feature = Feature(rawValue: name) else { throw Invalid(complaint: "is no key of a profile") }
            features[feature] = try value.flag()
        }
    }

    /// What can be found out about a server, in the same form.
    var yaml: String {
        var lines = ["title: \(title)"]
        func add(_ name: String, _ flag: Bool?) {
            if let flag { lines.append("\(name): \(flag)") }
        }
        if computesCRC32C { add("crc32c", true) }
        add("conditional_put", putsConditionally)
        add("conditional_complete", completesConditionally)
        if parts == nil { lines.append("parts: false") }
        add("etag_is_md5", etagsAreMD5)
        add("etag_of_parts", etagsAreOfParts)
        return lines.map { $0 + "\n" }.joined()
    }
}

extension PartRules {
    /// `{least: 5MiB, most: 5GiB, count: 10000}`; `nil` for `false`.
    fileprivate init?(_ node: Node) throws(S3Profile.Invalid) {
        if node.scalar?.string == "false" { return nil }
        guard let mapping = node.mapping, mapping.count == 3, let count = mapping["count"]?.int, count > 0,
            let least = mapping["least"]?.string.flatMap({ SizeText.bytes(of: $0, in: 1...5 << 30) }),
            let most = mapping["most"]?.string.flatMap({ SizeText.bytes(of: $0, in: 1...5 << 30) }), least <= most
        else { throw S3Profile.Invalid(complaint: "must be false or have a least and a most size and a count") }
        self.init(least: least, most: most, count: count)
    }
}

extension Node {
    fileprivate func text() throws(S3Profile.Invalid) -> String {
        guard let text = scalar?.string, !text.isEmpty else { throw S3Profile.Invalid(complaint: "must be a text") }
        return text
    }

    fileprivate func texts() throws(S3Profile.Invalid) -> [String] {
        guard let sequence else { throw S3Profile.Invalid(complaint: "must be a list of texts") }
        var texts: [String] = []
        for node in sequence { texts.append(try node.text()) }
        return texts
    }

    fileprivate func flag() throws(S3Profile.Invalid) -> Bool {
        guard let flag = scalar.flatMap({ Bool($0.string) }) else {
            throw S3Profile.Invalid(complaint: "must be true or false")
        }
        return flag
    }
}
