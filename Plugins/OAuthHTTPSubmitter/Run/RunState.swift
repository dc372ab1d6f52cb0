internal import FoundationEssentials
internal import Submit
internal import SubmitRecipes

/// How far a submission is: what a checkpoint holds.
struct RunState: Sendable {
    /// The step to do next; the number of steps when all are done.
    var next = 0
    /// The next step may have been done: its request was about to be sent, and nothing was heard of it.
    var isAboutTo = false
    /// When that was, in seconds since 1970.
    var aboutToSince: Int64?
    /// The service did not say yes to it, and has to be asked whether it was done nevertheless.
    var refusal: Refusal?
    /// Steps before this one were done and must not be done again.
    var committed = 0
    /// By step and name.
    var captures: [String: [String: RecipeValue]] = [:]
    /// In the next step's chunk loop.
    var loop: Loop?
    /// When the next step's poll began, in seconds since 1970.
    var pollSince: Int64?
    /// How often the next step was tried, if the upload can do without it.
    var tries = 0
    /// How often the service made us begin again.
    var restarts = 0
    /// What was made there was seen without the item. It isn't made again before a look.
    var lacksItem = false
    /// When it was first not seen there at all, in seconds since 1970.
    var unseenSince: Int64?
    /// How many posts without the item people have deleted, so that each new one has a key of its own.
    var round = 0
    /// The service had the item before.
    var isDuplicate = false
    /// The item is in its album.
    var isInAlbum = false

    struct Loop: Sendable, Hashable, Codable {
        var offset: Int64
        var index: Int64
    }

    struct Refusal: Sendable, Hashable, Codable {
        /// For people.
        var sentence: String
        /// Not even a refusal was understood.
        var mayHaveActed: Bool
    }

    /// Bytes of a checkpoint; the journal takes 64 KiB.
    static let longest = 48 << 10

    /// Something stands at the service that must not be made twice.
    var isDelicate: Bool { committed > 0 || isAboutTo }
}

/// What was made of a checkpoint.
enum KeptState: Sendable {
    case state(RunState)
    /// There is none that can be used, and nothing was done that must not be done again.
    case nothing
    /// There is one that cannot be used, and something may have been done.
    case lost
}

/// Reads and writes checkpoints of one recipe.
struct RunStateCoding: Sendable {
    let recipe: Recipe
    let seal: any CaptureCipher
    /// What secrets are bound to.
    let submission: String

    private struct Kept: Codable {
        var version = 1
        var recipe: String
        var next: Int
        var isAboutTo: Bool
        var aboutToSince: Int64?
        var refusal: RunState.Refusal?
        var committed: Int
        var captures: [String: [String: JSONText.Document]]
        /// Secret captures, in the same form, sealed, in base64.
        var sealed: Data?
        var loop: RunState.Loop?
        var pollSince: Int64?
        var restarts: Int
        var isDuplicate: Bool
        var isInAlbum: Bool
        /// Absent where it is 0, as are those below it.
        var tries: Int?
        var lacksItem: Bool?
        var unseenSince: Int64?
        var round: Int?
    }

    private func isSecret(_ step: String, _ name: String) -> Bool {
        guard let step = recipe.upload.first(where: { $0.id == step }) else { return true }
        var captures = step.captures
        if case .ask(let question)? = step.resume { captures += question.captures }
        captures += step.look?.captures ?? []
        return captures.contains { $0.name == name && $0.isSecret }
    }

    /// - Throws: a failure where secrets cannot be sealed, and for one that is too large.
    func checkpoint(_ state: RunState) async throws(SubmitFailure) -> Checkpoint {
        var open: [String: [String: JSONText.Document]] = [:]
        var secret: [String: [String: JSONText.Document]] = [:]
        var room = RunState.longest
        for (step, captures) in state.captures {
            for (name, value) in captures {
                // Counted before it is written: lists may hold one text many times.
                value.count(against: &room)
                guard room >= 0 else { throw tooMuch }
                if isSecret(step, name) {
                    secret[step, default: [:]][name] = .init(value: value)
                } else {
                    open[step, default: [:]][name] = .init(value: value)
                }
            }
        }
        var kept = Kept(
            recipe: recipe.digest, next: state.next, isAboutTo: state.isAboutTo,
            aboutToSince: state.aboutToSince, refusal: state.refusal, committed: state.committed,
            captures: open, loop: state.loop, pollSince: state.pollSince, restarts: state.restarts,
            isDuplicate: state.isDuplicate, isInAlbum: state.isInAlbum, tries: state.tries > 0 ? state.tries : nil,
            lacksItem: state.lacksItem ? true : nil, unseenSince: state.unseenSince,
            round: state.round > 0 ? state.round : nil)
        if !secret.isEmpty, let bytes = try? JSONEncoder().encode(secret) {
            kept.sealed = Data(try await seal.seal([UInt8](bytes), for: submission))
        }
        guard let data = try? JSONEncoder().encode(kept), data.count <= RunState.longest else { throw tooMuch }
        return Checkpoint(data: [UInt8](data))
    }

    private var tooMuch: SubmitFailure {
        SubmitFailure(
            .giveUp, code: "recipe",
            message: "What \(recipe.title) answered is too much to keep: let its recipe (\(recipe.path)) capture less.")
    }

    func state(_ checkpoint: Checkpoint?) async throws(SubmitFailure) -> KeptState {
        guard let checkpoint else { return .nothing }
        guard let kept = try? JSONDecoder().decode(Kept.self, from: Data(checkpoint.data)), kept.version == 1 else {
            return .lost
        }
        let isDelicate = kept.committed > 0 || kept.isAboutTo
        guard kept.recipe == recipe.digest, (0...recipe.upload.count).contains(kept.next) else {
            return isDelicate ? .lost : .nothing
        }
        var captures = kept.captures.mapValues { $0.mapValues(\.value) }
        if let sealed = kept.sealed {
            guard let bytes = try await seal.open([UInt8](sealed), for: submission),
                let secret = try? JSONDecoder().decode([String: [String: JSONText.Document]].self, from: Data(bytes))
            else { return isDelicate ? .lost : .nothing }
            for (step, names) in secret {
                captures[step, default: [:]].merge(names.mapValues(\.value)) { $1 }
            }
        }
        var state = RunState()
        (state.next, state.committed) = (kept.next, kept.committed)
        (state.isAboutTo, state.aboutToSince) = (kept.isAboutTo, kept.aboutToSince)
        state.refusal = kept.refusal
        (state.captures, state.loop, state.pollSince) = (captures, kept.loop, kept.pollSince)
        (state.restarts, state.isDuplicate, state.isInAlbum) = (kept.restarts, kept.isDuplicate, kept.isInAlbum)
        (state.tries, state.lacksItem) = (kept.tries ?? 0, kept.lacksItem ?? false)
        (state.unseenSince, state.round) = (kept.unseenSince, kept.round ?? 0)
        return .state(state)
    }
}

extension RecipeValue {
    /// Takes its bytes from the room that there is, and stops when there is none.
    fileprivate func count(against room: inout Int) {
        guard room >= 0 else { return }
        switch self {
        case .null, .bool, .integer: room -= 8
        case .text(let text): room -= text.utf8.count
        case .bytes(let bytes): room -= bytes.count
        case .list(let elements): for element in elements { element.count(against: &room) }
        case .map(let members):
            for (key, value) in members {
                room -= key.utf8.count
                value.count(against: &room)
            }
        }
    }
}
