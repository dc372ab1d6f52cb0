internal import GRDB
internal import SubmitStore

extension SubmissionSelection {
    var condition: (sql: String, arguments: StatementArguments) { condition(table: "submission") }

    func condition(table: String) -> (sql: String, arguments: StatementArguments) {
        var parts = ["1"]
        var arguments = StatementArguments()
        if let batch {
            parts.append("\(table).batch = ?")
            arguments += [batch.rawValue]
        }
        if let destination {
            parts.append("\(table).destination = ?")
            arguments += [destination]
        }
        if let submission {
            parts.append("\(table).id = ?")
            arguments += [submission.rawValue]
        }
        return (parts.joined(separator: " AND "), arguments)
    }
}
