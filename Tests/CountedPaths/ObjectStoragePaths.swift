import ObjectStorageSubmitter
import Submit
import SubmitDigest
import SubmitHTTP
import SystemPackage

/// An object storage whose answers are there at once: building and signing requests, and reading answers, is left.
enum ObjectStoragePaths {
    /// A photo is put, and proven by what is answered.
    @Sendable static func put(_ count: Int, _ folder: FilePath) async throws {
        guard let path = try SampleFiles().make(1, in: folder.appending("first"), seed: 1).first else { return }
        let bytes = try SampleBytes(path)
        let digests = try Digests.reading([.sha256, .md5, .crc32c], of: bytes)
        let answer = HTTPResponse(
            status: 200,
            headers: [
                ("x-amz-id-2", "Uuag1LuByRx9e6j5Onimru9pO4ZVKnJ2Qz7/C1NPcfTWAtRPfTaOFg=="),
                ("x-amz-request-id", "656c76696e6727732072657175657374"), ("Date", "Fri, 17 May 2024 16:45:00 GMT"),
                ("ETag", "\"\(digests.hexadecimal(.md5) ?? "")\""),
                ("x-amz-checksum-crc32c", digests.base64(.crc32c) ?? ""), ("x-amz-checksum-type", "FULL_OBJECT"),
                ("x-amz-server-side-encryption", "AES256"), ("Server", "AmazonS3"), ("Content-Length", "0"),
            ])
        let submitter = try submitter { _ in answer }
        var item = MediaItem.sample(path, digests: digests)
        for index in 0..<count {
            item.name = "IMG_\(10_000 + index).jpg"
            let context = SubmissionContext(submission: "0123456789ab-\(10_000 + index)")
            let receipt = try await submitter.submit(item, bytes: bytes, context: context)
            precondition(receipt.evidence == .verified)
        }
    }

    /// Answers in XML are asked for and read: one list of so many folders, and one of each folder.
    @Sendable static func list(_ count: Int, _ folder: FilePath) async throws {
        let names = (0..<count).map { "2024-\(10_000 + $0)" }
        let prefixes = names.map { "<CommonPrefixes><Prefix>\($0)%2F</Prefix></CommonPrefixes>" }.joined()
        let (all, one) = (Array(page(prefixes).utf8), Array(page("").utf8))
        let submitter = try submitter { request in
            HTTPResponse(
                status: 200, headers: [("Content-Type", "application/xml")],
                body: request.url.contains("prefix=2024") ? one : all)
        }
        let albums = try await submitter.facets.albums?.list()
        precondition(albums?.count == count)
    }

    private static func page(_ prefixes: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>photos</Name><Prefix></Prefix>\
        <Delimiter>%2F</Delimiter><EncodingType>url</EncodingType><MaxKeys>1000</MaxKeys><KeyCount>1</KeyCount>\
        <IsTruncated>false</IsTruncated>\(prefixes)</ListBucketResult>
        """
    }

    private static func submitter(
        _ answer: @escaping @Sendable (HTTPRequest) -> HTTPResponse
    ) throws -> any Submitter {
        let settings = DestinationSettings(
            destination: "next", values: ["bucket": "photos", "region": "eu-central-1", "provider": "aws"],
            secrets: [
                "access_key_id": "AKIAIOSFODNN7EXAMPLE",
                "secret_access_key": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            ])
        return try ObjectStorageSubmitter.submitterType(transport: ScriptedTransport(answer: answer)).make(settings)
    }
}

private struct ScriptedTransport: HTTPTransport {
    let answer: @Sendable (HTTPRequest) -> HTTPResponse

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse { answer(request) }
}
