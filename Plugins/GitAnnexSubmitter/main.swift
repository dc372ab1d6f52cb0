internal import Submit
internal import SubmitPlugin

// How long the program may be silent is a setting.
await SubmitterProgram.serve(GitAnnexSubmitter.submitterType(), silence: .seconds(86_400))
