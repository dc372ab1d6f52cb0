internal import Submit
internal import SubmitPlugin

await SubmitterProgram.serve(GitAnnexSubmitter.submitterType())
