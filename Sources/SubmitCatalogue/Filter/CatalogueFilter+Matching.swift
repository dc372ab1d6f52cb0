extension CatalogueFilter {
    /// Whether a picture is one of those that are meant. What stores answer is the same by this.
    ///
    /// A condition that was made for another source's field matches no picture.
    public func matches(_ picture: CataloguePicture) -> Bool {
        switch self {
        case .and(let parts): parts.allSatisfy { $0.matches(picture) }
        case .or(let parts): parts.contains { $0.matches(picture) }
        case .nor(let parts): !parts.contains { $0.matches(picture) }
        case .condition(let condition): condition.meaning?.matches(picture) ?? false
        }
    }
}

extension PictureCondition {
    fileprivate func matches(_ picture: CataloguePicture) -> Bool {
        if case .near(let nearness) = bound {
            guard let distance = picture.place.map(nearness.place.distance) else { return false }
            return distance >= nearness.least && distance <= nearness.most ?? .infinity
        }
        switch field.holds {
        case .texts: return bound.holds(ofAny: picture.texts(field))
        case .place: return bound.holds(of: picture.place.map { .real($0.latitude) } ?? .null)
        case .text, .number, .digest, .time, .truth, .objects: return bound.holds(of: picture.key(field))
        }
    }
}

extension CatalogueBound {
    /// Of a field that holds one value or null.
    fileprivate func holds(of key: CatalogueKey) -> Bool {
        switch (self, key) {
        case (.isNull, .null): true
        case (.not(let part), _): !part.holds(of: key)
        case (.constant(let isTrue), _): isTrue
        case (_, .null): false
        case (_, .text(let text)): holds(of: key) { TextFolding.folded(text) }
        default: holds(of: key) { "" }
        }
    }

    /// Of a field that holds any number of texts.
    fileprivate func holds(ofAny texts: [String]) -> Bool {
        switch self {
        case .isNull: texts.isEmpty
        case .isNotNull: !texts.isEmpty
        case .not(let part): !part.holds(ofAny: texts)
        case .constant(let isTrue): isTrue
        default: texts.contains { text in holds(of: .text(text)) { TextFolding.folded(text) } }
        }
    }
}
