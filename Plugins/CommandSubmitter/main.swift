internal import Submit
internal import SubmitPlugin

// How long the program may take is a setting.
await SubmitterProgram.serve(CommandSubmitter.submitterType(), silenceSeconds: 86400)
