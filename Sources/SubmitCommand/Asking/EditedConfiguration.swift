internal import Foundation
internal import Submit
internal import SubmitConfiguration
internal import SystemPackage

/// `config.yaml` while a verb changes it.
struct EditedConfiguration {
    let places: AppPaths
    var text: ConfigurationText

    init(_ places: AppPaths) {
        self.places = places
        let written = try? String(contentsOfFile: places.configuration.string, encoding: .utf8)
        text = ConfigurationText(written ?? "", path: places.configuration)
    }

    func write() throws(SubmitFailure) {
        do {
            try PrivateFile.write(text.text, to: places.configuration)
        } catch {
            throw SubmitFailure(
                .giveUp, code: "configuration",
                message: "\(places.configuration) cannot be written: check that you own its folder.")
        }
    }
}
