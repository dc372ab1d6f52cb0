internal import Submit
internal import SubmitPlugin

// A remote that moves by copying says nothing meanwhile.
await SubmitterProgram.serve(RcloneSubmitter.submitterType(), silence: .seconds(3600))
