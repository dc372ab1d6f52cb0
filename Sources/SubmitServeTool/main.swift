internal import SubmitPlatform
internal import SubmitServe

let status = await ServeProgram.main(CommandLine.arguments)
exit(status)
