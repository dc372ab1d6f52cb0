public import Submit

/// A presence facet that looks at a copy, or reads it back, and throws if it can't tell.
public protocol CopyInspector: PresenceFacet {
    /// Looks for the copy that a receipt names.
    ///
    /// - Parameter readsBack: all its bytes are read, if the destination hands them out.
    /// - Throws: the reason why it can't be told.
    func inspect(
        _ item: MediaItem, _ receipt: Receipt, readsBack: Bool
    ) async throws(SubmitFailure) -> Presence
}

extension CopyInspector {
    public func presence(of item: MediaItem, receipt: Receipt) async -> Presence {
        await found(item, receipt, readsBack: false)
    }

    public func presenceReadBack(of item: MediaItem, receipt: Receipt) async -> Presence {
        await found(item, receipt, readsBack: true)
    }

    private func found(_ item: MediaItem, _ receipt: Receipt, readsBack: Bool) async -> Presence {
        do throws(SubmitFailure) {
            return try await inspect(item, receipt, readsBack: readsBack)
        } catch {
            return .unknown(error.message)
        }
    }
}
