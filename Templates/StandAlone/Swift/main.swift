internal import AcmeSubmitter
internal import SubmitPlugin

await SubmitterProgram.serve(AcmeSubmitter.submitterType())
