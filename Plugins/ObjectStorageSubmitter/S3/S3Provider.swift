/// The services and servers whose ways are written down in `Profiles`.
enum S3Provider: String, Sendable, Hashable, CaseIterable {
    case alibaba, aws, b2, ceph, digitalocean, garage, gcs, ibm, minio, oracle, r2, scaleway, seaweedfs, storj, swift
    case wasabi

    /// The text of its profile.
    var yaml: [UInt8] {
        switch self {
        case .alibaba: PackageResources.alibaba_yaml
        case .aws: PackageResources.aws_yaml
        case .b2: PackageResources.b2_yaml
        case .ceph: PackageResources.ceph_yaml
        case .digitalocean: PackageResources.digitalocean_yaml
        case .garage: PackageResources.garage_yaml
        case .gcs: PackageResources.gcs_yaml
        case .ibm: PackageResources.ibm_yaml
        case .minio: PackageResources.minio_yaml
        case .oracle: PackageResources.oracle_yaml
        case .r2: PackageResources.r2_yaml
        case .scaleway: PackageResources.scaleway_yaml
        case .seaweedfs: PackageResources.seaweedfs_yaml
        case .storj: PackageResources.storj_yaml
        case .swift: PackageResources.swift_yaml
        case .wasabi: PackageResources.wasabi_yaml
        }
    }

    /// - Throws: what is wrong with its text, which tests see before anyone else.
    func profile() throws(S3Profile.Invalid) -> S3Profile {
        do throws(S3Profile.Invalid) {
            return try S3Profile(yaml: String(decoding: yaml, as: UTF8.self))
        } catch {
            throw S3Profile.Invalid(complaint: "\(rawValue).yaml: \(error.complaint)")
        }
    }

    /// The profile of the service that has this host; `nil` for none that is known.
    ///
    /// Only texts that name the host's last two labels are read: starting has no time for all of them.
    static func recognised(by host: String) throws(S3Profile.Invalid) -> S3Profile? {
        let labels = host.lowercased().split(separator: ".")
        guard labels.count >= 2 else { return nil }
        let domain = Array(labels.suffix(2).joined(separator: ".").utf8)
        for provider in allCases where provider.yaml.contains(domain) {
            let profile = try provider.profile()
            if profile.hosts.contains(where: { matches(host.lowercased(), $0) }) { return profile }
        }
        return nil
    }

    /// Whether a host is as a pattern says, in which `*` stands for any text but none.
    static func matches(_ host: String, _ pattern: String) -> Bool {
        let pieces = pattern.split(separator: "*", omittingEmptySubsequences: false)
        guard let first = pieces.first, host.hasPrefix(first) else { return false }
        var rest = host.dropFirst(first.count)
        for (index, piece) in pieces.enumerated().dropFirst() {
            if index == pieces.count - 1 { return rest.count > piece.count && rest.hasSuffix(piece) }
            guard let range = rest.dropFirst().firstRange(of: piece) else { return false }
            rest = rest[range.upperBound...]
        }
        return rest.isEmpty
    }
}
