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
        var again: (possession: Possession, answers: [String: String])?
        var earlierName: String?
        while true {
            let journal = LazyJournal(places.journal)
            let catalog = try Session.catalog(places, journal)
            let possession =
                if let again { again.possession } else {
                    all[try Interview.choice("Where are photos to go?", all.map(\.title))]
                }
            let answers: DestinationAnswers
            do throws(SubmitFailure) {
                answers = try await possession.settings(catalog, earlier: again?.answers ?? [:])
            } catch {
                if error == .cancelled { throw error }
                Interview.say(error.advised())
                again = nil
                continue
            }
            again = (possession, Dictionary(answers.values.map { ($0.key, $0.value) }) { $1 })
            let usual = usualName(possession == .service ? answers.type.name : possession.usualName, catalog)
            do throws(SubmitFailure) {
                // Beside what they belong to.
                let secrets = try NewDestination(name: self.name ?? usual, type: answers.type, purpose: "is not set up")
                    .secrets(with: answers.values, fromStdin: false, catalog)
                var name = usual
                if let given = self.name {
                    name = given
                } else {
                    name = try Interview.line("What is it to be called", usual: earlierName ?? usual) {
                        catalog.complaint(aboutNew: $0)
                    }
                }
                earlierName = name
                let new = NewDestination(name: name, type: answers.type, purpose: "is not set up")
                let outcome = try await tried(new, answers, secrets, catalog)
                switch outcome {
                case .again: continue
                case .leftOut: return nil
                case .ready, .needsLogin, .keptAsItIs: break
                }
                var proof: String?
                if case .ready(let sentence) = outcome { proof = sentence }
                try await new.keep(
                    answers.values, secrets, type: answers.typeName, comments: Self.comments(possession, proof),
                    catalog, journal)
                Interview.say("“\(name)” stands in \(places.configuration) now.")
                if case .keptAsItIs = outcome { return nil }
                if case .needsLogin = outcome { try await signIn(name) }
                try await prove(name, isService: possession == .service)
                return name
            } catch {
                if error == .cancelled { throw error }
                Interview.say(error.advised())
                guard try Interview.yes("Change the answers? An empty line keeps one.", usual: false) else {
                    return nil
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
        /// Other answers are to be given.
        case again
        case leftOut
    }

    private func tried(
        _ new: NewDestination, _ answers: DestinationAnswers, _ secrets: [String: String], _ catalog: DestinationCatalog
    ) async throws(SubmitFailure) -> Outcome {
        let destination = try catalog.adding(new.name, answers.typeName, answers.values, secrets).destination(new.name)
        switch try await NewDisk(destination: destination, isMeant: false).decision() {
        case .usual: break
        case .confirmed: _ = try await destination.submitter.facets.home?.moved()
        case .other: return .again
        }
        do throws(SubmitFailure) {
            Interview.say(KnownSecrets.redacted(try await destination.submitter.check()))
            let manager = SubmitManager(
                journal: try LazyJournal(places.journal).open(), registry: catalog.types.registry)
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
            let choices = [
                "change the answers (an empty line keeps one)", "keep it as it is: it may work later", "leave it out",
            ]
            return switch try Interview.choice("It cannot be used now. What is to be done?", choices, usual: 0) {
            case 0: .again
            case 1: .keptAsItIs
            default: .leftOut
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
