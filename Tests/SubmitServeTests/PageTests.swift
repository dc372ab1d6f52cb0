import HTTPTypes
import Submit
import SubmitReceiving
import SubmitStore
import Foundation
import Testing

@testable import SubmitServe

@Suite struct `The page` {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
    private static let folder = root.appending(path: "Sources/SubmitServe/Page")

    @Test func `is compiled in as it lies in its folder`() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).sorted()
        #expect(PageAssets.files.map(\.name) == names, "run scripts/page.sh")
        for file in PageAssets.files {
            let text = try String(contentsOf: Self.folder.appending(path: file.name), encoding: .utf8)
            #expect(String(describing: file.text) == text, "\(file.name): run scripts/page.sh")
        }
    }

    @Test func `says everything in every language`() throws {
        func texts(_ language: String) throws -> [String: String] {
            try JSONDecoder().decode(
                [String: String].self, from: Data(contentsOf: Self.folder.appending(path: "\(language).json")))
        }
        let english = try texts("en")
        for language in ["de", "ja"] {
            let other = try texts(language)
            #expect(Set(other.keys) == Set(english.keys), "\(language)")
            for (key, text) in english {
                let places = { (text: String) in Set(text.matches(of: /\{\w+\}/).map { String($0.output) }) }
                #expect(places(other[key] ?? "") == places(text), "\(language): \(key)")
            }
        }
    }

    @Test func `asks for no text that there is not`() throws {
        let english = try JSONDecoder().decode(
            [String: String].self, from: Data(contentsOf: Self.folder.appending(path: "en.json")))
        for file in PageAssets.files where file.name.hasSuffix(".js") || file.name == "index.html" {
            let text = String(describing: file.text)
            let keys =
                text.matches(of: /\Wtext\("([\w.-]+)"/).map { String($0.output.1) }
                + text.matches(of: /data-text="([\w.-]+)"/).map { String($0.output.1) }
            for key in keys { #expect(english[key] != nil, "\(file.name): \(key)") }
        }
    }

    /// What a strict policy forbids would only be seen in a browser.
    @Test func `has no script or style in its HTML, and no HTML in its scripts`() {
        for file in PageAssets.files {
            let text = String(describing: file.text)
            if file.name.hasSuffix(".html") {
                #expect(!text.contains("style="))
                #expect(text.matches(of: /<script(?![^>]*src=)/).isEmpty)
                #expect(text.matches(of: /\son\w+=/).isEmpty)
            }
            if file.name.hasSuffix(".js") {
                #expect(!text.contains("innerHTML") && !text.contains("eval(") && !text.contains("document.write"))
            }
        }
    }
}
