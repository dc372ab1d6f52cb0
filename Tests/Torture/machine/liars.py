"""Servers that lie. Promised: nothing counts as proven that is not so, memory and time stay bounded, a sentence says what is
wrong, and with an honest server all arrives."""

import hashlib
import shutil
import time
from collections import Counter

from lying_server import LyingServer, bomb
from world import Broken, World, seeded, sha256

LIES = (
    "stores nothing", "stores less", "stores less and says all", "stores other bytes", "names another digest",
    "stores and says 500", "stores and says nothing", "answers to another request", "answers before the end",
    "answers twice", "cuts answers short", "garbage", "page", "redirects in circles", "endless headers", "endless body",
    "endless continue", "drips", "gzip bomb", "entity bomb")
STORING, READABLE = LIES[:5], LIES[:9]
# Whose every word agrees. Only who reads the copy can tell.
PERFECT = "stores less and says all"
SECONDS, BYTES = 75, 128 << 20


def yaml(server):
    return f"""
destinations:
  shop: {{type: objstore, endpoint: "{server.url}", region: r, bucket: bucket}}
  nas: {{type: webdav, url: "{server.url}/", user: alice, folder: photos}}
network: {{connect_timeout: 2, stall_timeout: 3}}
secrets: file
"""


def evidence(world):
    return world.journal("SELECT item.name, state, evidence, sentence FROM submission JOIN item ON item.id = item")


def check_truth(world, server):
    """What is proven is stored whole under some name; where the size is all that is known, that is right."""
    files = list(server.files.values())
    stored = {hashlib.sha256(data).hexdigest() for data in files}
    for name, state, proof, _ in evidence(world):
        digest, size, *_ = world.sources[name]
        is_there = size in map(len, files) if proof == "size" else digest in stored
        if state == 2 and proof not in ("accepted", "unknown") and not is_there:
            raise Broken(f"{name} is done ({proof}) and nowhere stored")


def run_is_fooled(world, server):
    try:
        check_truth(world, server)
    except Broken:
        return True
    return False


def try_one(machine, number, protocol, lie, readback, is_sly, figures):
    is_believed = lie == PERFECT and not readback
    destination = "shop" if protocol == "s3" else "nas"
    server = LyingServer(protocol)
    folder = machine.work / f"liars-{number}"
    shutil.rmtree(folder, ignore_errors=True)
    world = World(machine, folder, yaml(server), {
        "SUBMIT_SHOP_ACCESS_KEY_ID": "AKID", "SUBMIT_SHOP_SECRET_ACCESS_KEY": "torture-secret",
        "SUBMIT_NAS_PASSWORD": "torture-secret"})
    world.make_photos([40_000, 300_000], seeded(machine.seed, "liars", number))
    try:
        server.lie, server.is_sly = lie, is_sly
        send = ["--json", "--to", destination, "--wait", 2] + (["--verify", "readback"] if readback else [])
        run = world.run(*send, world.photos, within=SECONDS)
        figures[f"exit {run.code}"] += 1
        figures["longest"] = max(figures["longest"], int(run.seconds))
        figures["most memory"] = max(figures["most memory"], run.memory >> 20)
        if run.code not in (0, 1, 3):
            raise Broken(f"it ends otherwise than documented: {run}")
        if run.memory > BYTES:
            raise Broken(f"it took {run.memory >> 20} MiB of memory: {run}")
        if not is_believed:
            check_truth(world, server)
        said = [event.get("message", "") for event in run.events("waiting", "failed", "on-hold")]
        if run.code and not any(message.rstrip().endswith(".") for message in said):
            raise Broken(f"no sentence says what is wrong: {run}")
        world.check_sources()
        server.lie = None
        time.sleep(0.05)
        run = world.run("resume", "--json", "--wait", 10, within=60)
        if any(state != 2 for _, state, *_ in evidence(world)):
            figures["needed a retry"] += 1
            world.run("retry", "--json", "--wait", 10, within=60)
        world.finish()
        if is_believed and run_is_fooled(world, server):
            figures["believed, and found by an audit"] += 1
            run = world.run("audit", "--json", destination, within=60)
            if run.code != 1 or not any(event["finding"] == "changed" for event in run.events("audit")):
                raise Broken(f"the audit of an honest server finds nothing: {run}")
        else:
            check_truth(world, server)
        hidden = [path for path in server.files if "submit" in path or "/." in path]
        copies = Counter(sha256(world.photos / name) for name in world.sources)
        copies.subtract(hashlib.sha256(data).hexdigest() for path, data in server.files.items() if path not in hidden)
        if any(copies[digest] < 0 for digest in {source[0] for source in world.sources.values()}):
            raise Broken(f"stored more than once: {sorted(server.files)}")
        if hidden:
            figures["left something behind"] += 1
            machine.say(f"liars {number}: {protocol}, {lie}: left {hidden}") if machine.verbose else None
    except Exception as trouble:
        machine.keep_failure("liars", number, world, f"{protocol} {lie}{', read back' if readback else ''}{', slyly' if is_sly else ''}",
                             trouble,
                             stored={path: len(data) for path, data in server.files.items()})
        figures["failures"] += 1
    else:
        if machine.verbose:
            machine.say(f"liars {number}: {protocol}, {lie}: " + " | ".join(world.steps))
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        server.stop()


def run(machine, report):
    machine.part = "liars"
    bomb()
    started, figures = time.monotonic(), Counter(longest=0)
    # Reading back makes a difference where something is stored, and slyness where the lie is about that.
    cases = [(protocol, lie, readback, is_sly) for protocol in ("s3", "dav") for lie in LIES
             for readback in ((False, True) if lie in READABLE else (False,))
             for is_sly in ((False, True) if lie in STORING else (False,))]
    for number, (protocol, lie, readback, is_sly) in enumerate(cases, 1):
        if machine.case not in (None, number) or machine.only and lie not in machine.only:
            continue
        if figures["failures"] >= machine.most_failures:
            break
        figures["cases"] += 1
        try_one(machine, number, protocol, lie, readback, is_sly, figures)
    ends = ", ".join(f"{name}: {figures[name]}" for name in sorted(figures) if name.startswith("exit"))
    report.part(
        "liars", figures["failures"] == 0 and figures["cases"] > 0,
        f"{figures['cases']} lies to S3 and WebDAV, {time.monotonic() - started:.0f} s; the longest run "
        f"{figures['longest']} s, at most {figures['most memory']} MiB; {figures['failures']} failures",
        [f"how the runs ended: {ends}; needed a retry: {figures['needed a retry']}; "
         f"left something behind: {figures['left something behind']}; believed, and found by an audit once the server was "
         f"honest: {figures['believed, and found by an audit']}"])
