internal import Submit
internal import SubmitPlugin

await SubmitterProgram.serve(RcloneSubmitter.submitterType())
