internal import Submit
internal import SubmitHTTP

@testable internal import ObjectStorageSubmitter

/// Does all that is done with an answer of an S3 server, and of the services that give keys for it.
func fuzzS3(_ bytes: [UInt8]) {
    let answer = HTTPResponse(fuzzed: bytes)
    _ = StorageErrorKind(status: answer.status, error: StorageError(answer))
    if let upload = CreatedUpload(answer.body) { precondition((1...4096).contains(upload.id.utf8.count)) }
    if let upload = CompletedUpload(answer.body) { _ = upload.etag.map(plainMD5) }
    _ = ListedParts(answer.body)
    if let list = ListedUploads(answer.body) {
        precondition(list.uploads.allSatisfy { !$0.id.isEmpty })
        for upload in list.uploads { _ = upload.begun.map { HTTPDate.format($0) } }
    }
    _ = ListedBuckets(answer.body)
    _ = ListedPrefixes(answer.body)
    if let etag = answer["ETag"], let md5 = plainMD5(etag) { precondition(md5.utf8.count == 32) }
    if let lease = try? KeyDocument(answer.body)?.lease(from: "it") {
        precondition("\(lease)".isEmpty == false)
    }
}
