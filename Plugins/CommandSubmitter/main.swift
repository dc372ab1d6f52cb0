internal import Submit
internal import SubmitPlugin

// How long the program may take is a setting.
await SubmitterProgram.serve(CommandSubmitter.submitterType(), silence: .seconds(86_400))
