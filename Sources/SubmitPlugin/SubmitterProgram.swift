public import Submit

/// A program that is a submitter: what `submit-to-<type>` runs.
public enum SubmitterProgram {
    /// Serves a type over standard input and output until the host closes the input.
    public static func serve(_ type: SubmitterType) async {
    }
}
