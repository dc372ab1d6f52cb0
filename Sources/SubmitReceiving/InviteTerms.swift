internal import Foundation
package import Submit
internal import SubmitStore

/// What an invite allows, and where what comes by it goes.
package struct InviteTerms: Sendable, Hashable, Codable {
    /// Names of destinations.
    package var destinations: [String]
    /// The album at each of them, as `outer/inner`; the folders that a sender tells lie within it.
    package var album: String?
    package var caption: String?
    package var tags: [String]
    package var onConflict: ConflictPolicy
    package var verification: Verification
    /// So many files at the most; `nil`: any number.
    package var files: Int?
    /// So many bytes in all; `nil`: as many as there is room for.
    package var bytes: Int64?
    /// So many bytes a file.
    package var fileBytes: Int64?
    /// What is taken; `nil`: photos and videos. With `.other` among them any file of no known kind is taken, too.
    package var kinds: Set<MediaKind>?
    /// One device may come in, and no other.
    package var isOnce: Bool
    /// Its owner compares words before anything is taken.
    package var confirms: Bool
    /// Where what arrived is kept for good, an absolute path; `nil`: in the private folder for as long as it is needed.
    package var keep: String?
    /// How long the secret can be exchanged, in seconds.
    package var secondsToClaim: Int
    /// How long a device may send and look, in seconds.
    package var sessionSeconds: Int

    package static let usualSecondsToClaim = 600
    package static let usualSessionSeconds = 86_400

    package init(
        destinations: [String], album: String? = nil, caption: String? = nil, tags: [String] = [],
        onConflict: ConflictPolicy = .rename, verification: Verification = .usual, files: Int? = nil,
        bytes: Int64? = nil, fileBytes: Int64? = nil, kinds: Set<MediaKind>? = nil, isOnce: Bool = true,
        confirms: Bool = false, keep: String? = nil, secondsToClaim: Int = usualSecondsToClaim,
        sessionSeconds: Int = usualSessionSeconds
    ) {
        self.destinations = destinations
        self.album = album
        self.caption = caption
        self.tags = tags
        self.onConflict = onConflict
        self.verification = verification
        self.files = files
        self.bytes = bytes
        self.fileBytes = fileBytes
        self.kinds = kinds
        self.isOnce = isOnce
        self.confirms = confirms
        self.keep = keep
        self.secondsToClaim = secondsToClaim
        self.sessionSeconds = sessionSeconds
    }
}

extension InviteTerms {
    /// As they are written down.
    var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    /// - Returns: `nil` for what another version wrote in words that this one does not know.
    init?(text: String) {
        guard let terms = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)) else { return nil }
        self = terms
    }

    /// Whether what looks like this is taken; `nil`: like nothing that is known.
    func take(_ type: MediaType?) -> Bool {
        kinds.map { $0.contains(type?.kind ?? .other) } ?? (type != nil)
    }

    /// What it takes, in words.
    var takes: String {
        guard let kinds else { return "photos and videos" }
        let words = [(MediaKind.photo, "photos"), (.video, "videos"), (.other, "other files")]
        return words.filter { kinds.contains($0.0) }.map(\.1).joined(separator: " and ")
    }
}
