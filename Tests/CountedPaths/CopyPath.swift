import LocalFileSubmitter
import Submit
import SubmitDigest
import SystemPackage

extension CountedPaths {
    /// Photos are copied into a folder, one after the other.
    @Sendable static func copy(_ count: Int, _ folder: FilePath) async throws {
        let place = folder.appending("place").string
        let settings = DestinationSettings(destination: "next", values: ["path": place])
        let submitter = try LocalFileSubmitter.submitterType().make(settings)
        let files = try SampleFiles().make(most, in: folder.appending("first"), seed: 1)
        let items = try files.map { path in
            MediaItem.sample(path, digests: try Digests.reading([.sha256], of: SampleBytes(path)))
        }
        for item in items.prefix(count) {
            let context = SubmissionContext(submission: "0123456789ab-\(item.name.dropFirst(4).prefix(5))")
            _ = try await submitter.submit(item, bytes: SampleBytes(item.source), context: context)
        }
    }
}
