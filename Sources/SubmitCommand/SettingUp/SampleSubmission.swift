internal import Foundation
internal import Submit
internal import SubmitConfiguration
internal import SubmitEngine
internal import SubmitJournal
internal import SubmitTesting
internal import SystemPackage

/// A picture that was made for it, sent to a destination as any photo is, proven, and taken away again where that can be done.
///
/// It has a journal of its own: nobody will miss it at an audit.
struct SampleSubmission {
    let destination: Destination
    let places: AppPaths

    /// How long it is waited for.
    private static let patience = Duration.seconds(60)

    /// - Returns: sentences on what came of it.
    func send() async throws -> (isProven: Bool, sentences: [String]) {
        let parent = places.journal.removingLastComponent().string
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        let folder = "\(parent)/sample-\(UUID().uuidString.lowercased())"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let photo = FilePath("\(folder)/submit-sample.jpg")
        let bytes = InventedMedia.jpeg.bytes(count: 20_000, seed: .random(in: .min ... .max))
        try Data(bytes).write(to: URL(fileURLWithPath: photo.string))

        let name = destination.name
        let manager = SubmitManager(
            store: try Journal(path: FilePath("\(folder)/journal.sqlite")).store, registry: try SubmitterRegistry([]))
        manager.add(destination)
        var request = SubmitRequest(paths: [photo], destinations: [name])
        if destination.submitter.capabilities.canReadBack { request.verification = .readback }
        let run = try await manager.send(request)
        try await run.finish(patience: Self.patience)
        guard let acceptance = try await run.acceptance,
            let record = try await manager.store.submissions(SubmissionSelection(batch: acceptance.batch), limit: 1)
                .first
        else { return (false, try await run.acceptance?.refusals.map(\.failure.message) ?? []) }
        guard record.state == .done, let receipt = record.receipt else {
            let reason = record.message ?? "it took longer than \(Self.patience.components.seconds) seconds"
            return (false, ["The sample did not arrive at \(name): \(reason)"])
        }
        var sentences = [
            "The sample arrived at \(receipt.url ?? receipt.remoteID), and is proven by “\(receipt.evidence.rawValue)”."
        ]
        if let removal = destination.submitter.facets.removal, (try? await removal.remove(receipt)) != nil {
            sentences.append("It was taken away again.")
        } else {
            sentences.append("It stays there: take it away when you have seen it.")
        }
        return (true, sentences)
    }
}
