internal import CMediaLibraries

/// The library that reads what photos say of themselves, which need not be there.
package enum PhotoMetadataLibrary {
    /// Why it cannot be used; `nil`: it can, and is loaded now.
    package static var trouble: String? { submit_photo_library_error().map { String(cString: $0) } }
}
