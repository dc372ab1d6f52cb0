// submit-media: makes renditions of photos for `submit`, which starts it. What it is asked comes over the socket that is its
// standard input, photos and results as open descriptors: it opens no file and no connection.
internal import CLinux
internal import CVips
internal import SubmitPixels
internal import SubmitPlatform

func say(_ answer: PixelAnswer) {
    let text = String(String(describing: answer).filter { !$0.isNewline }.prefix(PixelJob.longestMessage / 8))
    _ = text.withCString { submit_send(STDIN_FILENO, $0, strlen($0), nil, 0) }
}

if CommandLine.arguments.count > 1 {
    print("submit-media is started by submit; there is nothing to ask it for by hand.")
    exit(CommandLine.arguments[1] == "--help" ? 0 : 64)
}
// Without that thread it would outlive who started it; there may be one later.
guard submit_exit_with_peer(STDIN_FILENO) == 0 else { exit(PixelJob.statusToTryAgain) }
if let why = submit_vips_load().map({ String(cString: $0) }) {
    say(.missing(why))
    exit(1)
}
Rehearsal.run()
// From here on bytes of strangers are read.
let isConfined = submit_confine()
say(.ready("libvips \(String(cString: submit_vips_version()))", isConfined: isConfined))

var message = [CChar](repeating: 0, count: PixelJob.longestMessage)
var descriptors = [CInt](repeating: -1, count: PixelJob.descriptors)
while true {
    let count = submit_receive(STDIN_FILENO, &message, message.count, &descriptors, CInt(descriptors.count))
    if count <= 0 { break }
    let text = String(decoding: message[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    guard let job = PixelJob(text), descriptors.allSatisfy({ $0 >= 0 }) else {
        say(.failed(.unsupported, "it was asked for something that it does not know"))
        break
    }
    submit_allow_processor_time(240)
    let answer: PixelAnswer
    do throws(PixelFault) {
        answer = .made(try PixelWork(job).run(from: descriptors[0], to: descriptors[1]))
    } catch {
        answer = .failed(error.kind, error.why)
    }
    // Who is answered may rely on it that nothing of this photo is held any more.
    for descriptor in descriptors { close(descriptor) }
    say(answer)
}
