internal import Foundation

/// A place on Earth.
public struct CataloguePlace: Sendable, Hashable {
    /// Degrees north: -90...90
    public let latitude: Double
    /// Degrees east: -180...180
    public let longitude: Double

    /// `nil` where there is no such place.
    public init?(latitude: Double, longitude: Double) {
        guard (-90.0...90.0).contains(latitude), (-180.0...180.0).contains(longitude) else { return nil }
        // There are two zeros, and whoever writes one down may read the other.
        self.latitude = latitude == 0 ? 0 : latitude
        self.longitude = longitude == 0 ? 0 : longitude
    }

    /// The way over ground in metres, as on a ball (haversine): at most 0.6 % beside the truth.
    package func distance(to other: CataloguePlace) -> Double {
        let (one, two) = (latitude * .pi / 180, other.latitude * .pi / 180)
        let (north, east) = (sin((two - one) / 2), sin((other.longitude - longitude) * .pi / 360))
        return 2 * Self.radius * asin(min(1, (north * north + cos(one) * cos(two) * east * east).squareRoot()))
    }

    /// As LoopBack has it.
    var record: RecordValue {
        .object([RecordMember("lat", .real(latitude)), RecordMember("lng", .real(longitude))])
    }

    /// Degrees as people write them; `nil` if they are none.
    static func degrees(_ text: some StringProtocol) -> Double? {
        let digits = text.drop { $0 == " " }
        return digits.utf8.allSatisfy { "0123456789.-".utf8.contains($0) } ? Double(digits) : nil
    }

    /// Of the Earth, metres.
    package static let radius = 6_371_008.8
}

/// The degrees between which all places within some distance of one lie, to be looked up by them before it is measured.
package struct PlaceBox: Sendable, Hashable {
    package let latitudes: ClosedRange<Double>
    /// One range, two where it goes across the date line.
    package let longitudes: [ClosedRange<Double>]

    /// - Parameter distance: metres.
    package init(around place: CataloguePlace, within distance: Double) {
        // What is measured is rounded: a little more is looked at.
        let angle = distance / CataloguePlace.radius + 1e-8
        let degrees = angle * 180 / .pi
        let (south, north) = (place.latitude - degrees, place.latitude + degrees)
        latitudes = max(-90, south)...min(90, north)
        let reach = sin(min(angle, .pi / 2)) / cos(place.latitude * .pi / 180)
        guard south > -90, north < 90, reach < 1 else {
            longitudes = [-180...180]
            return
        }
        let east = asin(reach) * 180 / .pi + 1e-6
        let (first, last) = (place.longitude - east, place.longitude + east)
        if east >= 180 {
            longitudes = [-180...180]
        } else if first < -180 {
            longitudes = [-180...last, first + 360...180]
        } else if last > 180 {
            longitudes = [-180...last - 360, first...180]
        } else {
            longitudes = [first...last]
        }
    }
}
