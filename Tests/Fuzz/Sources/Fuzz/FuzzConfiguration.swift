internal import Submit
internal import SystemPackage

@testable internal import ObjectStorageSubmitter

/// Reads configuration, and edits it.
func fuzzConfiguration(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    if let file = try? ConfigurationFile(text, path: path) { edit(text, file) }
    _ = try? AWSProfileFile(text, path: "/config")
    _ = try? S3Profile(yaml: text)
    for kind in [.integer, .boolean, .path, .url, .choice(["a"])] as [SettingKey.Kind] {
        _ = SettingKey("a", kind, summary: "").complaint(about: text)
    }
}

private let path: FilePath = "/config.yaml"

/// An edit does what it is for, and nothing else.
private func edit(_ text: String, _ file: ConfigurationFile) {
    var added = ConfigurationText(text, path: path)
    if (try? added.add("new-one", type: "file", values: [("root", "/it's")])) != nil {
        let new = try? ConfigurationFile(added.text, path: path)
        precondition(new?.destinations["new-one"]?.values["root"]?.text == "/it's")
        precondition(new.map { isSame($0, file, but: "new-one") } ?? false)
    }
    guard let name = file.destinations.keys.min() else { return }
    var removed = ConfigurationText(text, path: path)
    if (try? removed.remove(name)) != nil, let new = try? ConfigurationFile(removed.text, path: path),
        new.destinations[name] == nil
    {
        precondition(isSame(new, file, but: name))
    }
    var set = ConfigurationText(text, path: path)
    if (try? set.set("new-key", "a: b", of: name)) != nil {
        let new = try? ConfigurationFile(set.text, path: path)
        precondition(new?.destinations[name]?.values["new-key"]?.text == "a: b")
        precondition(new.map { isSame($0, file, but: name) } ?? false)
    }
    change(text, file, name)
}

private func change(_ text: String, _ file: ConfigurationFile, _ name: String) {
    if let key = file.destinations[name]?.values.keys.min() {
        var changed = ConfigurationText(text, path: path)
        if (try? changed.change(key, to: "c # d", of: name)) != nil {
            let new = try? ConfigurationFile(changed.text, path: path)
            precondition(new?.destinations[name]?.values[key]?.text == "c # d")
            precondition(new.map { isSame($0, file, but: name) } ?? false)
        }
    }
    var renamed = ConfigurationText(text, path: path)
    if file.destinations["new-name"] == nil, (try? renamed.rename(name, to: "new-name")) != nil {
        let new = try? ConfigurationFile(renamed.text, path: path)
        precondition(new?.destinations["new-name"] != nil && new?.destinations[name] == nil)
        precondition(new?.destinations.count == file.destinations.count)
        precondition(new?.watch.count == file.watch.count)
    }
    var defaults = ConfigurationText(text, path: path)
    if (try? defaults.setDefaults([name])) != nil {
        precondition((try? ConfigurationFile(defaults.text, path: path))?.defaults.map(\.text) == [name])
    }
}

private func isSame(_ one: ConfigurationFile, _ other: ConfigurationFile, but name: String) -> Bool {
    func values(_ file: ConfigurationFile) -> [String: [String: String]] {
        file.destinations.filter { $0.key != name }.mapValues { entry in
            entry.values.mapValues(\.text).merging(["type": entry.type.text]) { $1 }
        }
    }
    return values(one) == values(other) && one.defaults.map(\.text) == other.defaults.map(\.text)
        && one.network.mapValues(\.text) == other.network.mapValues(\.text)
}
