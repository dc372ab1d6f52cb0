import SubmitCurl
import SubmitHTTP
import SystemPackage

extension CountedPaths {
    /// The heads of answers are taken from libcurl, line by line.
    @Sendable static func heads(_ count: Int, _ folder: FilePath) async throws {
        let lines = [
            "HTTP/1.1 200 OK", "x-amz-id-2: Uuag1LuByRx9e6j5Onimru9pO4ZVKnJ2Qz7/C1NPcfTWAtRPfTaOFg==",
            "x-amz-request-id: 656c76696e6727732072657175657374", "Date: Fri, 17 May 2024 16:45:00 GMT",
            "ETag: \"9b2cf535f27731c974343645a3985328\"", "x-amz-checksum-crc32c: yZRlqg==",
            "x-amz-checksum-type: FULL_OBJECT", "x-amz-server-side-encryption: AES256", "Content-Length: 0",
            "Server: AmazonS3", "",
        ].map { Array("\($0)\r\n".utf8) }
        for _ in 0..<count {
            var answer = ResponseAccumulator(bodyLimit: 1 << 20)
            for line in lines {
                try line.withUnsafeBytes { bytes in try answer.take(headerLine: bytes) }
            }
            precondition(answer.response?["ETag"] != nil && answer.isWhole)
        }
    }
}
