public import ArgumentParser
public import SubmitStore

extension BatchID: ExpressibleByArgument {}
extension SubmissionID: ExpressibleByArgument {}
