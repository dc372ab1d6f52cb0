#!/usr/bin/env bash
# Looks for a leak over a long run: `submit` sends tiny files to two folders, and its resident memory when all is sent
# must be at most 10 % above that at a tenth of it.
#   usage: leak.sh [SUBMISSIONS]       100000 where none are given, half of them at each folder
#   SUBMIT                             the program; a release build where none is given
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

submissions=${1:-100000}
if [[ -z ${SUBMIT:-} ]]; then
    swift build -c release --product submit
    SUBMIT=.build/release/submit
fi
SUBMIT=$(realpath "$SUBMIT")
place=$(mktemp -d "${TMPDIR:-/tmp}/submit-leak-XXXXXX")
trap 'rm -rf "$place"' EXIT
python3 - "$SUBMIT" "$place" "$submissions" <<'END'
import json, os, subprocess, sys, time

program, place, submissions = sys.argv[1], sys.argv[2], int(sys.argv[3])
source, config = f"{place}/source", f"{place}/config/submit"
os.makedirs(config)
for number in range(submissions // 2):
    folder = f"{source}/{number // 1000:04}"
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/{number:07}.gif", "wb") as file:
        file.write(b"GIF89a" + str(number).encode())
with open(f"{config}/config.yaml", "w") as file:
    file.write("destinations:\n")
    for name in ("one", "two"):
        file.write(f"  {name}:\n    type: file\n    path: {place}/{name}\n    template: '{{sha256:2}}/{{name}}'\n")
environment = os.environ | {
    "HOME": place, "XDG_CONFIG_HOME": f"{place}/config", "XDG_STATE_HOME": f"{place}/state",
}
def submit(*arguments):
    return [program, *arguments]

def done():
    lines = subprocess.run(submit("status", "--json"), env=environment, check=True, capture_output=True).stdout
    objects = [json.loads(line) for line in lines.splitlines()]
    return sum(each["count"] for object in objects for each in object["destinations"] if each["state"] == "done")

def resident(process):
    """VmRSS and VmHWM in KiB; None when it has ended."""
    try:
        with open(f"/proc/{process.pid}/status") as file:
            fields = dict(line.split(":", 1) for line in file)
        return [int(fields[name].split()[0]) for name in ("VmRSS", "VmHWM")]
    except (OSError, KeyError):
        return None

# First all is accepted, so that what accepting takes is not taken for what sending takes.
start = time.monotonic()
subprocess.run(submit("--to", "one,two", "--later", "--quiet", source), env=environment, check=True)
print(f"accepted in {time.monotonic() - start:.0f} s")
start = time.monotonic()
process = subprocess.Popen(submit("resume", "--quiet"), env=environment)
print("     done   seconds   VmRSS KiB   VmHWM KiB")
samples, last, step = [], (0, 0, 0), max(1, submissions // 20)
while process.poll() is None:
    memory, count = resident(process), done()
    if memory and (not samples or count >= samples[-1][0] + step):
        samples.append((count, *memory))
        print(f"{count:9} {time.monotonic() - start:9.1f} {memory[0]:11} {memory[1]:11}", flush=True)
    elif memory and count > samples[-1][0]:
        last = (count, *memory)
    time.sleep(0.2)
seconds = time.monotonic() - start
if last[0] > samples[-1][0]:
    samples.append(last)
    print(f"{last[0]:9} {seconds:9.1f} {last[1]:11} {last[2]:11}")
if process.returncode != 0 or done() != submissions:
    sys.exit(f"{done()} of {submissions} arrived, and submit ended with {process.returncode}")
early = next((sample for sample in samples if sample[0] >= submissions // 10), samples[-1])
late = samples[-1]
growth = late[1] / early[1] - 1
print(f"VmRSS from {early[0]} to {late[0]} submissions: {growth:+.1%}; {submissions / seconds:.0f} a second")
if early[0] > submissions // 5 or late[0] < submissions * 4 // 5:
    sys.exit("it was too quick to be watched: let it send more")
if growth > 0.10:
    sys.exit("its memory grew by more than 10 %")
END
