internal import FoundationEssentials
internal import Yams

/// A clouds.yaml: sign-ins by name, for all tools of OpenStack. Nothing that prints it shows a value.
///
/// The first of these that is there holds: the file that `OS_CLIENT_CONFIG_FILE` names; clouds.yaml (or .yml) in the
/// working folder, in `~/.config/openstack`, in `/etc/xdg/openstack`, in `/etc/openstack`. What the file that
/// `OS_CLIENT_SECURE_FILE` names, or secure.yaml beside it, says of a cloud is put before that. Vendor profiles are not
/// known.
///
/// Source: "Configuring OpenStack SDK Applications" in the openstacksdk documentation, and its `config/loader.py`.
struct CloudsFile: Sendable {
    let path: String
    private let clouds: [String: CloudsFileNode]

    /// - Returns: `nil` when there is none.
    /// - Throws: a failure that names the file. Its text is never quoted.
    static func read(environment: [String: String]) throws(OpenStackFailure) -> CloudsFile? {
        guard let path = try path(environment) else { return nil }
        var root = try CloudsFileNode.read(path)
        if let secure = try securePath(environment, beside: path) { root.merge(try CloudsFileNode.read(secure)) }
        guard let clouds = root["clouds"]?.entries, !clouds.isEmpty else {
            throw .misconfigured("\(path) has no “clouds”; describe one there, or set “auth_url” and the rest")
        }
        return CloudsFile(path: path, clouds: clouds)
    }

    var names: [String] { clouds.keys.sorted() }

    /// What it says of one cloud.
    func values(of name: String) throws(OpenStackFailure) -> SignInValues {
        guard let cloud = clouds[name]?.entries else {
            throw .misconfigured("\(path) has no cloud “\(name)” but \(names.quotedList); name one that is there")
        }
        var values = SignInValues(place: .cloud(name, file: path))
        // What stands outside of `auth` holds, as with openstacksdk.
        for entries in [cloud["auth"]?.entries ?? [:], cloud] {
            for (key, node) in entries { if let text = node.text { values.set(text, as: key) } }
        }
        // Of several regions the first one is meant, as with openstacksdk.
        if values["region_name"] == nil, let region = (cloud["regions"] ?? cloud["region_name"])?.first {
            values.set((region["name"] ?? region).text ?? "", as: "region_name")
        }
        if values["auth_url"] == nil, let profile = (cloud["profile"] ?? cloud["cloud"])?.text {
            throw .misconfigured(
                "the cloud “\(name)” in \(path) has the vendor profile “\(profile)”, which submit does not know; "
                    + "add the “auth_url” to its “auth”")
        }
        return values
    }

    private static func path(_ environment: [String: String]) throws(OpenStackFailure) -> String? {
        if let path = named("OS_CLIENT_CONFIG_FILE", environment) {
            guard FileManager.default.fileExists(atPath: path) else {
                throw .misconfigured("OS_CLIENT_CONFIG_FILE names \(path), which is not there; set it right")
            }
            return path
        }
        let home = named("HOME", environment) ?? FileManager.default.homeDirectoryForCurrentUser.path
        let folders = [
            FileManager.default.currentDirectoryPath,
            (named("XDG_CONFIG_HOME", environment) ?? home + "/.config") + "/openstack", home + "/.config/openstack",
            "/etc/xdg/openstack", "/etc/openstack",
        ]
        return firstFile("clouds", in: folders)
    }

    private static func securePath(
        _ environment: [String: String], beside path: String
    ) throws(OpenStackFailure) -> String? {
        if let path = named("OS_CLIENT_SECURE_FILE", environment) {
            guard FileManager.default.fileExists(atPath: path) else {
                throw .misconfigured("OS_CLIENT_SECURE_FILE names \(path), which is not there; set it right")
            }
            return path
        }
        return firstFile("secure", in: [URL(filePath: path).deletingLastPathComponent().path])
    }

    private static func firstFile(_ name: String, in folders: [String]) -> String? {
        folders.flatMap { ["\($0)/\(name).yaml", "\($0)/\(name).yml"] }
            .first { FileManager.default.fileExists(atPath: $0) }
    }

    private static func named(_ name: String, _ environment: [String: String]) -> String? {
        environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension CloudsFile: CustomStringConvertible, CustomReflectable {
    var description: String { path }

    var customMirror: Mirror { Mirror(self, children: ["path": path]) }
}

extension [String] {
    /// `“a”, “b”`, for sentences.
    var quotedList: String { map { "“\($0)”" }.joined(separator: ", ") }
}
