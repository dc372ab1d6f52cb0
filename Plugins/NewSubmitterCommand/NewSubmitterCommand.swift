import Foundation
import PackagePlugin

/// `swift package --allow-writing-to-package-directory new-submitter NAME`
@main
struct NewSubmitterCommand: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) async throws {
        let process = Process()
        process.executableURL = try context.tool(named: "NewSubmitterTool").url
        process.arguments = [context.package.directoryURL.path] + arguments
        try process.run()
        process.waitUntilExit()
        // The tool said what is wrong.
        if process.terminationStatus != 0 { exit(process.terminationStatus) }
    }
}
