import FoundationEssentials
import Submit
import SubmitXML
import Testing

@testable import WebDAVSubmitter

/// Bodies that servers sent, and bodies that nobody should send; beside each what must be read out of it.
private enum Corpus {
    static let folder =
        #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" } + "/Corpus/Multistatus/"

    static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
        .filter { $0.hasSuffix(".xml") }.map { String($0.dropLast(4)) }.sorted()

    static func bytes(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: URL(filePath: folder + name)))
    }
}

/// All that is read out of a body, line by line.
private func outcome(_ body: [UInt8]) -> [String] {
    do throws(XMLFailure) {
        return try Multistatus.parse(body).flatMap(lines)
    } catch .otherDocument(let root) {
        if let error = DAVErrorDocument(body) { return lines(error) }
        if let locks = DAVLock.granted(body) { return locks.map(line) }
        return ["another document: \(root)"]
    } catch {
        switch error {
        case .malformed: return ["refused: malformed"]
        case .documentType: return ["refused: document type"]
        default: return ["refused: \(error)"]
        }
    }
}

private func lines(_ error: DAVErrorDocument) -> [String] {
    ["error \(error.conditions.sorted())"]
        + [error.exception.map { "  exception \($0)" }, error.message.map { "  message \($0)" }].compactMap(\.self)
}

private func lines(_ response: Multistatus.Response) -> [String] {
    guard let resource = DAVResource(response, now: Timestamp(nanoseconds: 1_800_000_000_000_000_000)) else {
        return ["no path"]
    }
    var all: [String?] = ["\(resource.isCollection ? "collection" : "file") \(resource.path.encoded)"]
    all.append(response.status.map { "  status \($0)\(response.isSuccess ? "" : ", a failure")" })
    all.append(response.conditions.isEmpty ? nil : "  conditions \(response.conditions.sorted())")
    all.append(response.explanation.map { "  explanation \($0)" })
    all.append(response.isProcessing ? "  is processing" : nil)
    all.append(resource.size.map { "  size \($0)" })
    all.append(resource.etag.map { "  etag \($0)\(resource.isETagWeak ? ", weak" : "")" })
    all.append(resource.modified.map { "  modified \($0.nanoseconds)" })
    all.append(resource.contentType.map { "  type \($0)" })
    all += resource.checksums.algorithms.sorted { $0.rawValue < $1.rawValue }.map {
        "  \($0.rawValue) \(resource.checksums.hexadecimal($0) ?? "")"
    }
    all.append(resource.quotaAvailable.map { "  quota \($0)" })
    all.append(resource.fileID.map { "  id \($0)" })
    all.append(resource.isLockable ? "  is lockable" : nil)
    all += resource.locks.map { "  " + line($0) }
    let others = response.properties.filter { !["DAV:", XMLName.ownCloud("").namespace].contains($0.key.namespace) }
    all += others.map { "  {\($0.key.namespace)}\($0.key.local) = \($0.value.text)" }.sorted()
    let missing = response.missing.map { "\($0.key.local) \($0.value)" }.sorted()
    all.append(missing.isEmpty ? nil : "  missing \(missing.joined(separator: ", "))")
    return all.compactMap(\.self)
}

private func line(_ lock: DAVLock) -> String {
    "lock \(lock.token ?? "-") \(lock.isExclusive ? "exclusive" : "shared") \(lock.timeout.map(String.init) ?? "-") "
        + (lock.owner ?? "-")
}

@Suite struct `A body of the multistatus corpus` {
    @Test(arguments: Corpus.names) func `is read as its neighbour says`(name: String) throws {
        let found = outcome(try Corpus.bytes(name + ".xml")).map { $0 + "\n" }.joined()
        let expected = String(decoding: try Corpus.bytes(name + ".expected"), as: UTF8.self)
        #expect(found == expected)
    }

    @Test func `is there`() {
        #expect(Corpus.names.count > 80)
    }

    @Test(arguments: Corpus.names) func `ends well wherever it is cut short`(name: String) throws {
        let body = try Corpus.bytes(name + ".xml")
        for end in stride(from: 0, to: body.count, by: max(1, body.count / 100)) { _ = outcome(Array(body[..<end])) }
    }
}
