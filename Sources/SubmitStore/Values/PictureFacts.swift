package import Submit
package import SubmitCatalogue

/// What the bytes of an item tell of the picture that it is, for the catalogue.
package struct PictureFacts: Sendable, Hashable {
    /// Pixels, as it is shown.
    package var width: Int64?
    /// Pixels, as it is shown.
    package var height: Int64?
    /// Where it was taken.
    package var place: CataloguePlace?
    /// When it was taken.
    package var captured: CaptureTime?

    /// By default nothing is known.
    package init(
        width: Int64? = nil, height: Int64? = nil, place: CataloguePlace? = nil, captured: CaptureTime? = nil
    ) {
        (self.width, self.height, self.place, self.captured) = (width, height, place, captured)
    }

    /// Adds them to a picture.
    package func describe(_ picture: inout CataloguePicture) {
        (picture.width, picture.height, picture.place) = (width, height, place)
        if let captured { picture.captured = WallClockTime(captured) }
    }
}

extension WallClockTime {
    /// What the camera's clock showed.
    package init?(_ time: CaptureTime) {
        self.init(
            year: time.year, month: time.month, day: time.day, hour: time.hour, minute: time.minute,
            second: time.second, offset: time.offset)
    }
}
