internal import Submit
internal import SubmitDigest
internal import SubmitPrograms
internal import SubmitTransfer

/// Puts media items on a special remote of git-annex, by a program that speaks its external protocol.
///
/// A remote says yes or no, and neither a size nor a digest: its yes is ``Evidence/unknown``. Read back, a copy is
/// ``Evidence/verified``.
struct GitAnnexSubmitter: Submitter {
    let capabilities: Capabilities
    let facets: Facets

    private let remote: AnnexRemote
    private let template: PathTemplate
    private let canReadBack: Bool
    /// The protocol can't refuse to replace.
    private let names = NameAllocator()

    init(remote: AnnexRemote, template: PathTemplate, canReadBack: Bool) {
        self.remote = remote
        self.template = template
        self.canReadBack = canReadBack
        capabilities = Self.capabilities(usesCaptureTime: template.usesCaptureTime)
        let copies = AnnexCopies(remote: remote)
        facets = Facets(presence: copies, removal: copies)
    }

    func submit(
        _ item: MediaItem, bytes: any MediaBytes, context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt {
        // Programs that copy a file to a folder name the copy like the file.
        let proves = canReadBack || context.verification == .readback
        let folders: [String]
        let name: String?
        if remote.configuration.exports {
            var parts =
                context.repairedAddress.map { PathNames.split($0) }
                ?? template.render(item, album: nil).map(AnnexUpload.line)
            name = parts.removeLast()
            folders = parts
        } else {
            (folders, name) = ([], nil)
        }
        let upload = AnnexUpload(
            item: item, bytes: bytes, context: context, remote: remote, folders: folders, name: name, proves: proves)
        return try await names.store(item, in: upload, context: context)
    }

    /// A remote shows nothing of what is half there, and has no way to remove it.
    func discard(_ item: MediaItem, context: SubmissionContext) async throws(SubmitFailure) {}

    func check() async throws(SubmitFailure) -> String {
        let key = AnnexKey.unknown
        let looked = try await remote.speak(about: key) { (talk) throws(SubmitFailure) in
            try talk.look(.init(key: key, name: remote.configuration.exports ? ".submit-check" : nil))
        }
        if case .unknown(let sentence) = looked {
            throw SubmitFailure(.hold(.unreachable, after: nil), code: "unreachable", message: sentence)
        }
        return "\(remote.configuration.program) is set up and answers; nothing was stored to try it."
    }
}
