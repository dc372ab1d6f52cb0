internal import Submit
internal import SubmitCurl

/// What `network` in the configuration says.
struct NetworkSettings {
    let configuration: CurlConfiguration

    init(_ file: ConfigurationFile, _ program: ProgramIdentity) throws(SubmitFailure) {
        func seconds(_ key: String, _ fallback: Int) throws(SubmitFailure) -> Int {
            guard let value = file.network[key] else { return fallback }
            guard let seconds = Int(value.text), (1...86_400).contains(seconds) else {
                throw file.complaint(value.line, "“\(key)” must be a number of seconds from 1 to 86400.")
            }
            return seconds
        }
        configuration = CurlConfiguration(
            userAgent: "\(program.name)/\(program.version)",
            connectTimeout: try seconds("connect_timeout", 15) * 1000,
            stallTimeout: try seconds("stall_timeout", 60),
            proxy: file.network["proxy"]?.text, certificateAuthorities: file.network["ca_file"]?.text)
    }
}
