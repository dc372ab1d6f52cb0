internal import ArgumentParser
internal import Foundation
internal import Submit
internal import SubmitConfiguration
internal import SubmitEngine
internal import SubmitJournal
internal import SystemPackage

/// Sets up one destination with somebody at the terminal: asks, signs in, tries it, writes it down, and proves a sample.
struct DestinationSetUp {
    let places: AppPaths
    /// What it is to be called, where that is said.
    var name: String?

    /// - Returns: its name; `nil` where it was left out.
    /// - Throws: ``SubmitFailure/cancelled`` where somebody broke off; what went wrong beside the destination's own trouble.
    func run() async throws -> String? {
        let all = Array(Possession.allCases)
        var current: SetUpDraft?
        while true {
            let journal = LazyJournal(places.journal)
            let catalog = try Session.catalog(places, journal)
            var draft: SetUpDraft
            if let current {
                draft = current
            } else {
                draft = SetUpDraft(all[try Interview.choice("Where are photos to go?", all.map(\.title))], name: name)
            }
            do throws(SubmitFailure) {
                let answers = try await draft.possession.settings(catalog, earlier: draft.earlier)
                draft.note(answers)
                let usual = usualName(
                    draft.possession == .service ? answers.type.name : draft.possession.usualName, catalog)
                // Beside what they belong to.
                let secrets = try draft.secrets(
                    of: NewDestination(name: draft.name ?? usual, type: answers.type, purpose: "is not set up"), catalog
                )
                let name: String
                if let known = draft.name {
                    name = known
                } else {
                    name = try Interview.line("What is it to be called", usual: usual) {
                        catalog.complaint(aboutNew: $0)
                    }
                }
                draft.name = name
                let new = NewDestination(name: name, type: answers.type, purpose: "is not set up")
                let outcome = try await tried(new, answers, secrets, catalog, &draft)
                switch outcome {
                case .again:
                    current = draft
                    continue
                case .leftOut: return nil
                case .ready, .needsLogin, .keptAsItIs: break
                }
                var proof: String?
                if case .ready(let sentence) = outcome { proof = sentence }
                try await new.keep(
                    answers.values, secrets, type: answers.typeName, comments: Self.comments(draft.possession, proof),
                    catalog, journal)
                Interview.say("“\(name)” stands in \(places.configuration) now.")
                if case .keptAsItIs = outcome { return nil }
                if case .needsLogin = outcome { try await signIn(name) }
                try await prove(name, isService: draft.possession == .service)
                return name
            } catch {
                if error == .cancelled { throw error }
                Interview.say(error.advised())
                current = nil
                if draft.hasQuestions {
                    guard try draft.decide(after: error, mayKeep: false) == .again else { return nil }
                    current = draft
                }
            }
        }
    }

    private func usualName(_ wish: String, _ catalog: DestinationCatalog) -> String {
        ([wish] + (2...99).map { "\(wish)\($0)" }).first { catalog.complaint(aboutNew: $0) == nil } ?? wish
    }

    private static func comments(_ possession: Possession, _ proof: String?) -> [String] {
        ["Set up on \(Timestamp.now.text.prefix(10)): \(possession.title)."] + (proof.map { [$0] } ?? [])
    }

    // MARK: Trying

    /// What is to become of a destination that is not written down yet.
    private enum Outcome {
        /// It can be used; how sure copies are.
        case ready(String?)
        case needsLogin
        /// It cannot be used, and is written down all the same.
        case keptAsItIs
        /// One question is to be asked again.
        case again
        case leftOut
    }

    private func tried(
        _ new: NewDestination, _ answers: DestinationAnswers, _ secrets: [String: String],
        _ catalog: DestinationCatalog, _ draft: inout SetUpDraft
    ) async throws(SubmitFailure) -> Outcome {
        let destination = try catalog.adding(new.name, answers.typeName, answers.values, secrets).destination(new.name)
        switch try await NewDisk(destination: destination, isMeant: false).decision() {
        case .usual: break
        case .confirmed: _ = try await destination.submitter.facets.home?.moved()
        case .other:
            draft.askAgain("path")
            return .again
        }
        do throws(SubmitFailure) {
            Interview.say(KnownSecrets.redacted(try await destination.submitter.check()))
            let manager = SubmitManager(
                store: try LazyJournal(places.journal).open().store, registry: catalog.types.registry)
            manager.add(destination)
            let proof = try await manager.proofs(at: [new.name]).first?.proof
            let sentence = proof?.sentence(new.name)
            if let sentence { Interview.say(sentence) }
            if case .readBack? = proof {
                Interview.say("`submit audit --verify readback \(new.name)` reads them at any other time.")
            }
            return .ready(sentence)
        } catch {
            if error == .cancelled { throw error }
            // A wrong password is no reason to sign in in another way.
            if error.remedy == .renewCredentials, secrets.isEmpty, destination.submitter.facets.login != nil {
                return .needsLogin
            }
            Interview.say(error.advised(at: new.name))
            return switch try draft.decide(after: error, mayKeep: true) {
            case .again: .again
            case .keep: .keptAsItIs
            case .leaveOut: .leftOut
            }
        }
    }

    private func signIn(_ name: String) async throws(SubmitFailure) {
        Interview.say("Now sign in.")
        do {
            let login = try Login.parse([name])
            try await login.run()
        } catch let failure as SubmitFailure {
            throw failure
        } catch ExitStatus.interrupted {
            throw .cancelled
        } catch {
            throw .usage("“\(name)” is set up, and nobody is signed in there yet: `submit login \(name)` does that.")
        }
    }

    // MARK: Proving

    private func prove(_ name: String, isService: Bool) async throws(SubmitFailure) {
        let question =
            isService
            ? "Send a sample picture there now? Others may see it"
            : "Send a sample picture there now, and prove that it arrived?"
        guard try Interview.yes(question, usual: !isService) else { return }
        do {
            let destination = try Session.catalog(places).destination(name)
            let came = try await SampleSubmission(destination: destination, places: places).send()
            for sentence in came.sentences { Interview.say(KnownSecrets.redacted(sentence)) }
            if came.isProven { await KnownReadiness.note(name, isReady: true, try Session.catalog(places)) }
        } catch let failure as SubmitFailure {
            throw failure
        } catch {
            throw SubmitFailure(
                .giveUp, code: "sample",
                message: "No sample could be made in \(places.journal.removingLastComponent()).")
        }
    }
}
