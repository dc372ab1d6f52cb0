/// What of a photo's metadata stays when the rest goes. Orientation and colour always stay.
public enum KeptFact: String, Sendable, Hashable, Codable, CaseIterable {
    /// When it was taken and changed, with the time zone.
    case date
    /// Maker and model of camera and lens; never their serial numbers.
    case camera
    /// Exposure, aperture, sensitivity, focal length and the like.
    case exposure
    /// Copyright and creator.
    case copyright
    /// Where it was taken, as EXIF tells it.
    case place

    /// What anybody may see.
    public static let publishable = Set(allCases).subtracting([.place])
}
