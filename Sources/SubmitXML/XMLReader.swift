internal import CLibXML2

/// Reads an XML document piece by piece, as servers send them: namespaces yes, document types and entities no.
///
/// Documents come from strangers. Nothing outside the document is ever read; a `DOCTYPE` refuses it, so that no
/// entity can be declared; ``XMLLimits`` bound what it may cost. It must be UTF-8, whatever it says of itself. White
/// space before its first character is forgiven: some servers send it to keep a connection alive, some by accident.
/// A failure may come after pieces were handed out: act on a document only once ``next()`` has returned `nil`.
///
/// For one thread at a time.
public final class XMLReader {
    private let document: UnsafeMutableRawBufferPointer
    private let reader: xmlTextReaderPtr?
    private let limits: XMLLimits
    private var open: [XMLName] = []
    /// How many attributes each of them has. libxml2 walks the namespaces in force for every name.
    private var attributes: [Int] = []
    private var nodes = 0
    /// The end of an empty element, which libxml2 does not report.
    private var pendingEnd: XMLName?
    private var failure: XMLFailure?

    /// libxml2 wants to be set up once, before several threads use it.
    private static let setUp: Void = xmlInitParser()

    /// - Parameter bytes: the whole document.
    public init(_ bytes: [UInt8], limits: XMLLimits = XMLLimits()) {
        Self.setUp
        self.limits = limits
        // libxml2 reads from this memory, and does not copy it.
        document = .allocate(byteCount: bytes.count, alignment: 1)
        document.copyBytes(from: bytes)
        let blank = document.prefix { $0 == 0x20 || (0x09...0x0d).contains($0) }.count
        failure = Self.refusal(UnsafeRawBufferPointer(document), limits)
        guard failure == nil else {
            reader = nil
            return
        }
        let options = XML_PARSE_NONET.rawValue | XML_PARSE_IGNORE_ENC.rawValue
        reader = xmlReaderForMemory(
            document.baseAddress.map { $0 + blank }, CInt(clamping: bytes.count - blank), nil, "UTF-8",
            CInt(bitPattern: options))
        submit_xml_silence(reader)
    }

    /// What libxml2 must not get to see, because it would work on it before it hands out anything: it expands
    /// parameter entities while it reads a document type, and compares every attribute of an element with all others.
    private static func refusal(_ document: UnsafeRawBufferPointer, _ limits: XMLLimits) -> XMLFailure? {
        if document.count > limits.bytes { return .tooLarge("more than \(limits.bytes) bytes") }
        let mark = Array("<!DOCTYPE".utf8)
        var quotes = 0
        for place in document.indices {
            switch document[place] {
            case 0:
                // No character of XML, but half of those of UTF-16, in which a document type would hide.
                return .malformed(line: 1)
            case UInt8(ascii: "<"):
                // No attribute's value holds one: all attributes of an element stand between two of them.
                quotes = 0
                if document[place...].starts(with: mark) { return .documentType }
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                quotes += 1
                if quotes > 2 * limits.attributes { return .tooLarge("more than \(limits.attributes) attributes") }
            default: break
            }
        }
        return nil
    }

    deinit {
        xmlFreeTextReader(reader)
        document.deallocate()
    }

    /// The next piece; `nil` after the last one of a well-formed document.
    ///
    /// - Throws: ``XMLFailure``, from then on at every call.
    public func next() throws(XMLFailure) -> XMLPiece? {
        if let failure { throw failure }
        do {
            return try read()
        } catch {
            failure = error
            throw error
        }
    }

    private func read() throws(XMLFailure) -> XMLPiece? {
        guard let reader else { throw .malformed(line: 1) }
        if let name = pendingEnd {
            pendingEnd = nil
            open.removeLast()
            attributes.removeLast()
            return .end(name)
        }
        while true {
            switch xmlTextReaderRead(reader) {
            case 1: break
            case 0 where nodes > 0 && open.isEmpty: return nil
            default: throw .malformed(line: Int(xmlTextReaderGetParserLineNumber(reader)))
            }
            nodes += 1
            guard nodes <= limits.nodes else { throw .tooLarge("more than \(limits.nodes) nodes") }
            switch UInt32(bitPattern: xmlTextReaderNodeType(reader)) {
            case XML_READER_TYPE_ELEMENT.rawValue:
                let name = try name(reader)
                guard open.count < limits.depth else { throw .tooLarge("more than \(limits.depth) levels") }
                open.append(name)
                attributes.append(Int(xmlTextReaderAttributeCount(reader)))
                guard attributes.reduce(0, +) <= limits.attributes else {
                    throw .tooLarge("more than \(limits.attributes) attributes")
                }
                if xmlTextReaderIsEmptyElement(reader) == 1 { pendingEnd = name }
                return .start(name)
            case XML_READER_TYPE_END_ELEMENT.rawValue:
                guard let name = open.popLast() else {
                    throw .malformed(line: Int(xmlTextReaderGetParserLineNumber(reader)))
                }
                attributes.removeLast()
                return .end(name)
            case XML_READER_TYPE_TEXT.rawValue, XML_READER_TYPE_CDATA.rawValue,
                XML_READER_TYPE_WHITESPACE.rawValue, XML_READER_TYPE_SIGNIFICANT_WHITESPACE.rawValue:
                return .text(string(xmlTextReaderConstValue(reader)))
            default: break
            }
        }
    }

    /// The attributes of the element that ``next()`` has just started, without declarations of namespaces; empty at any
    /// other piece.
    public func startedAttributes() -> [(name: XMLName, value: String)] {
        guard let reader, failure == nil,
            UInt32(bitPattern: xmlTextReaderNodeType(reader)) == XML_READER_TYPE_ELEMENT.rawValue
        else { return [] }
        var found: [(name: XMLName, value: String)] = []
        while xmlTextReaderMoveToNextAttribute(reader) == 1 {
            guard xmlTextReaderIsNamespaceDecl(reader) != 1 else { continue }
            let name = XMLName(
                string(xmlTextReaderConstLocalName(reader)), namespace: string(xmlTextReaderConstNamespaceUri(reader)))
            found.append((name, value(xmlTextReaderConstValue(reader))))
        }
        xmlTextReaderMoveToElement(reader)
        return found
    }

    private func name(_ reader: xmlTextReaderPtr) throws(XMLFailure) -> XMLName {
        let name = XMLName(
            string(xmlTextReaderConstLocalName(reader)), namespace: value(xmlTextReaderConstNamespaceUri(reader)))
        guard name.local.utf8.count <= limits.nameBytes, name.namespace.utf8.count <= limits.nameBytes else {
            throw .tooLarge("a name of more than \(limits.nameBytes) bytes")
        }
        return name
    }

    /// An attribute's: libxml2 leaves this one reference in it where it does not put entities in their places.
    private func value(_ text: UnsafePointer<xmlChar>?) -> String {
        let value = string(text)
        guard value.utf8.contains(UInt8(ascii: "&")) else { return value }
        return String(value.unicodeScalars.replacing("&#38;".unicodeScalars, with: "&".unicodeScalars))
    }

    private func string(_ text: UnsafePointer<xmlChar>?) -> String {
        text.map { String(cString: $0) } ?? ""
    }
}

/// A piece of a document.
public enum XMLPiece: Sendable, Hashable {
    /// An element begins. What its attributes say is not told.
    case start(XMLName)
    /// Characters between tags. Several may follow each other: `CDATA` and comments part them.
    case text(String)
    /// Comes for every start, for an empty element too.
    case end(XMLName)
}

/// An element's name: the prefix does not matter, the namespace does.
public struct XMLName: Sendable, Hashable {
    /// The name without its prefix.
    public let local: String
    /// Its URI; empty for none.
    public let namespace: String

    /// - Parameter namespace: its URI; empty for none.
    public init(_ local: String, namespace: String = "") {
        self.local = local
        self.namespace = namespace
    }
}

/// What a document may cost.
public struct XMLLimits: Sendable, Hashable {
    /// Bytes of the whole document.
    public var bytes: Int
    /// Elements within each other.
    public var depth: Int
    /// Bytes of a local name, and of a namespace's URI.
    public var nameBytes: Int
    /// Attributes, namespaces' declarations among them, of an element and all around it. One element's are also judged
    /// by the quotes between two tags' beginnings.
    public var attributes: Int
    /// Elements, their ends, texts, comments and the like, taken together.
    public var nodes: Int

    /// What is not given is what an answer of a server may cost: 16 MiB, 64 elements within each other, a million pieces.
    public init(
        bytes: Int = 16 << 20, depth: Int = 64, nameBytes: Int = 1024, attributes: Int = 256, nodes: Int = 1_000_000
    ) {
        self.bytes = bytes
        self.depth = depth
        self.nameBytes = nameBytes
        self.attributes = attributes
        self.nodes = nodes
    }
}

/// Why a document is not read.
public enum XMLFailure: Error, Sendable, Hashable {
    /// It is not well-formed XML, or ends too early. Lines count from 1.
    case malformed(line: Int)
    /// It has a document type, in which entities could be declared.
    case documentType
    /// It exceeds a limit: which one.
    case tooLarge(String)
    /// It is well-formed, but another document than was asked for: its root's local name.
    case otherDocument(root: String)
}

extension XMLFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .malformed(let line): "it is not well-formed XML (line \(line))"
        case .documentType: "it declares a document type, which is not read from strangers"
        case .tooLarge(let what): "it has \(what)"
        case .otherDocument(let root): "it is another document, with the root <\(root.prefix(40))>"
        }
    }
}
