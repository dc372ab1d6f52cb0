extension XMLReader {
    /// Reads a document that is a list: each element below its root comes whole, and none is kept.
    ///
    /// - Parameter ended: called with each element directly below the root. Act on what it was told only when this
    ///   returns.
    /// - Returns: the root's name.
    /// - Throws: ``XMLFailure``.
    public static func elements(
        _ bytes: [UInt8], limits: XMLLimits = XMLLimits(), _ ended: (XMLElement) -> Void
    ) throws(XMLFailure) -> XMLName {
        let reader = XMLReader(bytes, limits: limits)
        var root: XMLName?
        /// Those below the root that have not ended, outermost first.
        var open: [XMLElement] = []
        while let piece = try reader.next() {
            switch piece {
            case .start(let name): if root == nil { root = name } else { open.append(XMLElement(name)) }
            case .text(let text): if !open.isEmpty { open[open.count - 1].text += text }
            case .end:
                guard let element = open.popLast() else { continue }
                if open.isEmpty { ended(element) } else { open[open.count - 1].children.append(element) }
            }
        }
        return root ?? XMLName("")
    }
}

/// An element with all that is in it.
public struct XMLElement: Sendable, Hashable {
    /// Its name, with its namespace.
    public let name: XMLName
    /// Its own characters, without those of the elements in it.
    public var text: String
    /// The elements in it, in their order.
    public var children: [XMLElement]

    /// An element, empty where nothing else is given.
    public init(_ name: XMLName, text: String = "", children: [XMLElement] = []) {
        self.name = name
        self.text = text
        self.children = children
    }

    /// The first element of that name in it.
    public func first(_ name: XMLName) -> XMLElement? {
        children.first { $0.name == name }
    }

    /// The elements of that name in it.
    public func all(_ name: XMLName) -> [XMLElement] {
        children.filter { $0.name == name }
    }
}
