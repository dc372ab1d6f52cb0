internal import Submit

/// Options as the table `submission` has them.
extension SubmissionOptions {
    static let columnNames = ["album", "conflict", "verify"]
    static let columns = columnNames.map { "submission.\($0)" }.joined(separator: ", ")

    /// Reads the ``columns``.
    ///
    /// - Parameter first: the number of the first one.
    init(_ row: some ColumnValues, from first: Int) throws {
        self.init(
            album: try row.text(first), onConflict: try row.given(row.name(first + 1)),
            verification: try row.name(first + 2) ?? .usual)
    }

    /// Binds the values of ``columnNames``.
    func bind(to statement: DirectStatement) {
        statement.bind(album)
        statement.bind(onConflict.rawValue)
        statement.bind(verification == .usual ? nil : verification.rawValue)
    }
}
