/// What came of telling one document.
public enum CatalogueOutcome: Sendable, Hashable {
    /// It stands there now.
    case told
    /// It stood there already; its body was not sent.
    case wasThere
    /// Somebody deleted it there. It is not brought back.
    case removedThere
    /// Somebody changed it there: one sentence. Nothing was overwritten.
    case conflict(String)
    /// This document alone was not taken, such as one that is too large; the others are not concerned. The remedy says
    /// whether it can be told again.
    case failed(SubmitFailure)
}
