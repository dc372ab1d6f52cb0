import SubmitConfiguration

extension ProgramIdentity {
    static let tests = ProgramIdentity("submit", version: "tests")
}
