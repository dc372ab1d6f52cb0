internal import CLibXML2

/// The library that reads XML.
package enum XMLLibrary {
    /// The version that is loaded, as libxml2 writes it: `20914` is 2.9.14.
    package static var version: String { String(cString: submit_xml_version()) }
}
