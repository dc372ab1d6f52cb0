"""What the programs here share: a line at a time, in and out."""
import json, sys


def say(message, **fields):
    sys.stdout.write(json.dumps({"message": message, **fields}) + "\n")
    sys.stdout.flush()


def hear():
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    return json.loads(line)


def greet(settings=(), silence=60, **capabilities):
    """Answers `hello` and `configure`, and returns the configuration."""
    facts = {"ordering": "concurrent", "width": 4, "requiresNetwork": False, **capabilities}
    hello = hear()
    say("done", id=hello["id"], version=1, summary="A program of the tests", capabilities=facts,
        settings=list(settings), silenceSeconds=silence)
    configuration = hear()
    say("done", id=configuration["id"])
    return configuration


def next_submit():
    """Waits for an attempt, and says that it has begun. Other requests are none of its business."""
    while True:
        request = hear()
        if request["message"] == "submit":
            say("progress", id=request["id"], sent=0)
            return request
        if "id" in request and request["message"] != "cancel":
            say("unsupported", id=request["id"])


def receipt(request, name=None):
    say("done", id=request["id"], receipt={"remoteID": name or request["item"]["name"], "evidence": "size"})
