import Foundation
import Submit
import SubmitHTTP
import SubmitTesting
import SubmitXML

@testable import WebDAVSubmitter

extension FakeDAV {
    func propfind(_ path: [String], _ depth: String, _ body: [UInt8], _ state: State) -> HTTPResponse {
        if manners.contains(.hasNoPropfind) { return HTTPResponse(status: 405) }
        var asked: [XMLName] = []
        _ = try? XMLReader.elements(body) { if $0.name == .dav("prop") { asked = $0.children.map(\.name) } }
        guard let found = seen(path, state) else { return absence(path, asked, state) }
        var responses = response(path, found, asked, state)
        guard depth == "1" else { return multistatus(responses) }
        var members = found.children.values.map { (path: path + [$0.name], node: $0) }.filter {
            !(manners.contains(.hidesDotfiles) && $0.node.name.hasPrefix(".")) && seen($0.path, state) != nil
        }
        members.sort { $0.node.name < $1.node.name }
        let isLong = members.count > Self.page
        if manners.contains(.pagesListings) { members = Array(members.prefix(Self.page)) }
        for member in members { responses += response(member.path, member.node, asked, state) }
        var answer = multistatus(responses)
        if manners.contains(.cutsListings), isLong { answer.body = Array(answer.body.prefix(answer.body.count / 2)) }
        return answer
    }

    /// As many members as a listing tells of that is cut.
    private static let page = 3

    func multistatus(_ responses: String) -> HTTPResponse {
        HTTPResponse(
            status: 207, headers: [("Content-Type", "application/xml")],
            body: Array("<?xml version=\"1.0\"?><D:multistatus xmlns:D=\"DAV:\">\(responses)</D:multistatus>".utf8))
    }

    /// What PROPFIND says of what is not there.
    private func absence(_ path: [String], _ asked: [XMLName], _ state: State) -> HTTPResponse {
        let start = "<D:response><D:href>\(xmlText(href(path, false)))</D:href>"
        let status = "<D:status>HTTP/1.1 404 Not Found</D:status>"
        if manners.contains(.finds404In207) {
            return multistatus("\(start)<D:propstat><D:prop/>\(status)</D:propstat></D:response>")
        }
        if manners.contains(.findsStatus404In207) { return multistatus("\(start)\(status)</D:response>") }
        if manners.contains(.findsErrorIn207) {
            let error =
                "<D:error xmlns:D=\"DAV:\" xmlns:s=\"http://sabredav.org/ns\"><s:exception>Sabre\\DAV\\Exception\\NotFound"
                + "</s:exception><s:message>File not found</s:message></D:error>"
            return HTTPResponse(status: 207, headers: [("Content-Type", "application/xml")], body: Array(error.utf8))
        }
        return HTTPResponse(status: 404)
    }

    func response(_ path: [String], _ node: Node, _ asked: [XMLName], _ state: State) -> String {
        var found = ""
        var missing = ""
        for name in asked {
            let value: String? =
                switch name {
                case .dav("resourcetype"): node.isCollection ? "<D:collection/>" : ""
                case .dav("getcontentlength"):
                    node.content.map { _ in manners.contains(.listsNoLength) ? "0" : "\(node.size)" }
                case .dav("getetag"): etag(node, state.now).map(xmlText)
                case .dav("getlastmodified"):
                    HTTPDate.format(Timestamp(nanoseconds: node.modified * 1_000_000_000))
                case .dav("lockdiscovery"):
                    String(
                        discovery(
                            state.locks.filter {
                                folded(path) == $0.path || ($0.isDeep && folded(path).starts(with: $0.path))
                            }
                        )
                        .dropFirst("<D:lockdiscovery>".count).dropLast("</D:lockdiscovery>".count))
                case .dav("quota-available-bytes"):
                    manners.contains(.hasQuota) && node.isCollection ? "\(state.quota)" : nil
                default: node.properties[name].map(xmlText)
                }
            let open = "<n:\(name.local) xmlns:n=\"\(name.namespace)\""
            if let value { found += "\(open)>\(value)</n:\(name.local)>" } else { missing += "\(open)/>" }
        }
        let status = state.processed[folded(path), default: 0] > state.now ? "425 TOO EARLY" : "200 OK"
        let notFound =
            missing.isEmpty || manners.contains(.omitsUnknown)
            ? "" : "<D:propstat><D:prop>\(missing)</D:prop><D:status>HTTP/1.1 404 Not Found</D:status></D:propstat>"
        return
            "<D:response><D:href>\(xmlText(href(path, node.isCollection)))</D:href><D:propstat><D:prop>\(found)</D:prop>"
            + "<D:status>HTTP/1.1 \(status)</D:status></D:propstat>\(notFound)</D:response>"
    }

    func href(_ path: [String], _ isCollection: Bool) -> String {
        if manners.contains(.losesAddresses), path.dropLast().contains(where: { $0.contains("&") }) { return "" }
        let prefix = manners.contains(.misprefixesHrefs) ? ["behind", "a proxy"] : []
        let path = DAVPath(prefix + path, isCollection: isCollection)
        guard manners.contains(.overEncodes) else { return path.encoded }
        let encoded = path.segments.map { segment in
            segment.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
        return Self.origin + "/" + encoded.joined(separator: "/") + (isCollection ? "/" : "")
    }

    func proppatch(_ path: [String], _ body: [UInt8], _ state: inout State) -> HTTPResponse {
        guard var found = node(path, state) else { return HTTPResponse(status: 404) }
        var values: [XMLElement] = []
        _ = try? XMLReader.elements(body) {
            if $0.name == .dav("set") { values = $0.first(.dav("prop"))?.children ?? [] }
        }
        let refuses = manners.contains(.keepsNoProperties) || values.contains { $0.name.namespace == "DAV:" }
        if !refuses {
            for value in values { found.properties[value.name] = value.text }
            set(found, at: path, &state)
        }
        let names = values.map { "<n:\($0.name.local) xmlns:n=\"\($0.name.namespace)\"/>" }.joined()
        let status = refuses ? "403 Forbidden" : "200 OK"
        return HTTPResponse(
            status: 207,
            body: Array(
                ("<D:multistatus xmlns:D=\"DAV:\"><D:response><D:href>\(href(path, false))</D:href><D:propstat>"
                    + "<D:prop>\(names)</D:prop><D:status>HTTP/1.1 \(status)</D:status></D:propstat></D:response>"
                    + "</D:multistatus>").utf8))
    }
}
