internal import Submit
internal import SubmitPlugin
