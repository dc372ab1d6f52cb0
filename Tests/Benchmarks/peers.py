"""How each client is called, as its user would, for each store. Secrets are never arguments."""

import functools
import itertools
import subprocess
import urllib.parse
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from runs import Command, Job
from stores import Target
from workloads import Source

OBJECT_STORAGE = ("s3", "s3-sink", "aws-sink", "swift")


def jobs(source: Source, target: Target) -> str:
    """As many as `submit` sends at once by itself. Those that have a number of their own, s5cmd 256, keep it."""
    if not source.workload.is_small or target.store.name not in OBJECT_STORAGE:
        return "8"
    # Its most where answers are far, its first where they are not.
    return "128" if target.latency else "32"


@dataclass
class Programs:
    """Where the clients are. Folder is for what is written for one run alone."""

    submit: str
    s5cmd: str
    aws: str
    swiftclient: str
    folder: Path
    # Another build of submit, such as the one from before a change.
    base: str | None = None
    turns: Iterator = field(default_factory=itertools.count)

    def fresh(self, name: str) -> Path:
        self.folder.mkdir(exist_ok=True)
        return self.folder / f"{name}-{next(self.turns)}"

    # submit

    def submit_environment(self, target: Target) -> dict:
        values = target.store.values if target.store.has_network else {}
        match target.store.name:
            case "file":
                return {"SUBMIT_FILE_PATH": target.store.folder(target.place)}
            case "webdav":
                return {
                    "WEBDAV_URL": target.url, "WEBDAV_USER": values["USERNAME"], "WEBDAV_PASSWORD": values["PASSWORD"],
                    "SUBMIT_WEBDAV_FOLDER": target.place,
                }
            case "swift":
                return {
                    "SUBMIT_OBJSTORE_API": "swift", "SUBMIT_OBJSTORE_AUTH_URL": f"{target.url}/auth/v1.0",
                    "SUBMIT_OBJSTORE_AUTH_TYPE": "v1password", "SUBMIT_OBJSTORE_USERNAME": values["ACCESS_KEY"],
                    "SUBMIT_OBJSTORE_PASSWORD": values["SECRET_KEY"], "SUBMIT_OBJSTORE_BUCKET": target.place,
                    "SUBMIT_OBJSTORE_LOOK_FIRST": "no",
                }
        environment = keys(target) | {"AWS_ENDPOINT_URL": target.url, "SUBMIT_OBJSTORE_BUCKET": target.place}
        if target.store.name == "s3":
            environment |= {"SUBMIT_OBJSTORE_PROVIDER": "swift", "SUBMIT_OBJSTORE_LOOK_FIRST": "no"}
        if target.store.name == "aws-sink":
            environment |= {"SUBMIT_OBJSTORE_PROVIDER": "aws", "SUBMIT_OBJSTORE_PATH_STYLE": "yes"}
        return environment

    @property
    def builds(self) -> dict:
        """Of submit, by what they are called here."""
        return {"submit": self.submit} | ({"base": self.base} if self.base else {})

    def submit_job(self, source: Source, *targets: Target, program: str | None = None, is_checked: bool = False) -> Job:
        """One run. is_checked: what the destinations' check finds out is known from before."""
        types = {"file": "file", "webdav": "webdav"}
        names = ",".join(types.get(target.store.name, "objstore") for target in targets)
        environment = {"XDG_STATE_HOME": self.fresh("state")}
        for target in targets:
            environment |= self.submit_environment(target)
        program = program or self.submit
        checks = [Command([program, "destinations", "check", *names.split(",")], environment)] if is_checked else []
        return Job([Command([program, "-q", "--to", names, source.folder], environment)], before=checks)

    # The peers, each for one store

    def cp(self, source, target):
        # The place is there, and empty.
        return Command(["cp", "-r", f"{source.folder}/.", target.store.folder(target.place)])

    def cp_sync(self, source, target):
        script = 'cp -r "$1/." "$2" && find "$2" -type f -print0 | xargs -0 sync && sync "$2"'
        return Command(["sh", "-c", script, "sh", source.folder, target.store.folder(target.place)])

    def rclone(self, source, target):
        values = target.store.values if target.store.has_network else {}
        environment, place = {}, f"X:{target.place}"
        match target.store.name:
            case "file":
                place = target.store.folder(target.place)
            case "webdav":
                environment = {
                    "TYPE": "webdav", "URL": target.url, "VENDOR": "other", "USER": values["USERNAME"],
                    "PASS": obscured(values["PASSWORD"]),
                }
            case "swift":
                environment = {
                    "TYPE": "swift", "AUTH": f"{target.url}/auth/v1.0", "USER": values["ACCESS_KEY"],
                    "KEY": values["SECRET_KEY"], "AUTH_VERSION": "1",
                }
            case _:
                environment = {
                    "TYPE": "s3", "PROVIDER": "Other", "ENV_AUTH": "true", "ENDPOINT": target.url,
                    "REGION": keys(target)["AWS_REGION"],
                }
        environment = {f"RCLONE_CONFIG_X_{key}": value for key, value in environment.items()}
        if target.store.name in ("s3", "s3-sink", "aws-sink"):
            environment |= keys(target)
        return Command(["rclone", "copy", "--transfers", jobs(source, target), source.folder, place], environment)

    def s5cmd_copy(self, source, target):
        return self.s5cmd_command(target, f"{source.folder}/*")

    def s5cmd_command(self, target, path):
        return Command(
            [self.s5cmd, "--endpoint-url", target.url, "cp", path, f"s3://{target.place}/"], keys(target))

    def aws_copy(self, source, target):
        return Command(
            [self.aws, "--endpoint-url", target.url, "s3", "cp", "--recursive", "--only-show-errors", source.folder,
             f"s3://{target.place}/"],
            # For the AWS CLI alone: rclone ends where it is set.
            keys(target) | {
                "AWS_CA_BUNDLE": target.store.servers.authorities,
                # Without this it sends more than the file, which the sink would store.
                "AWS_REQUEST_CHECKSUM_CALCULATION": "when_required",
            })

    def swift_upload(self, source, target):
        values = target.store.values
        return Command(
            [self.swiftclient, "upload", target.place, "."],
            {"ST_AUTH": f"{target.url}/auth/v1.0", "ST_USER": values["ACCESS_KEY"], "ST_KEY": values["SECRET_KEY"]},
            folder=source.folder)

    def curl(self, source, target):
        """All in one run of curl, told by a file: they would be too many arguments."""
        values, base = target.store.values, f"{target.url.rstrip('/')}/{target.place}"
        match target.store.name:
            case "webdav":
                lines = [f'user = "{values["USERNAME"]}:{values["PASSWORD"]}"']
            case "swift":
                lines = [f'header = "X-Auth-Token: {target.store.token()}"']
                base = f"{target.url}{urllib.parse.urlsplit(values['STORAGE_URL']).path}/{target.place}"
            case "s3":
                # A colon in the access key has to be escaped, which only a URL allows.
                user = urllib.parse.quote(values["ACCESS_KEY"], safe="")
                base = base.replace("://", f"://{user}:{values['SECRET_KEY']}@", 1)
                lines = [
                    f'aws-sigv4 = "aws:amz:{values["REGION"]}:s3"', 'header = "x-amz-content-sha256: UNSIGNED-PAYLOAD"',
                ]
            case _:
                lines = []
        for path in source.paths:
            lines += [f'upload-file = "{path}"', f'url = "{base}/{path.name}"']
        config = self.fresh("curl")
        config.write_text("\n".join(lines) + "\n")
        parallel = ["-Z", "--parallel-max", jobs(source, target)] if source.workload.count > 1 else []
        return Command(["curl", "-sS", "-f", *parallel, "-K", config])

    def for_store(self, name: str) -> dict:
        """What makes each peer's command for a store."""
        return {
            "file": {"cp": self.cp, "cp, sync": self.cp_sync, "rclone": self.rclone},
            "s3": {"rclone": self.rclone, "s5cmd": self.s5cmd_copy, "aws": self.aws_copy, "curl": self.curl},
            "s3-sink": {"rclone": self.rclone, "s5cmd": self.s5cmd_copy, "aws": self.aws_copy, "curl": self.curl},
            "aws-sink": {"rclone": self.rclone, "s5cmd": self.s5cmd_copy, "aws": self.aws_copy, "curl": self.curl},
            "swift": {"rclone": self.rclone, "swiftclient": self.swift_upload, "curl": self.curl},
            "webdav": {"rclone": self.rclone, "curl": self.curl},
        }[name]

    # All the jobs

    def jobs(self, source: Source, names: list) -> dict:
        """By the contestants' names, what makes the job of each out of its targets, one for each store named."""
        jobs = {
            name: lambda *targets, program=program: self.submit_job(source, *targets, program=program)
            for name, program in self.builds.items()}
        if len(names) == 1:
            for peer, make in self.for_store(names[0]).items():
                jobs[peer] = lambda target, make=make: Job([make(source, target)])
            return jobs
        quickest = {"file": "cp", "s3": "s5cmd", "s3-sink": "s5cmd", "webdav": "curl"}
        picks = {"3 rclone": lambda name: "rclone", "cp, s5cmd, curl": quickest.get}
        for title, pick in picks.items():
            if any(pick(name) not in self.for_store(name) for name in names):
                continue
            for manner, together in (("one after another", False), ("side by side", True)):
                jobs[f"{title}, {manner}"] = lambda *targets, pick=pick, together=together: Job(
                    [self.for_store(target.store.name)[pick(target.store.name)](source, target) for target in targets],
                    side_by_side=together)
        return jobs


def keys(target: Target) -> dict:
    # The sink looks at no signature.
    values = {"ACCESS_KEY": "key", "SECRET_KEY": "secret", "REGION": "us-east-1"} | target.store.values
    return {
        "AWS_ACCESS_KEY_ID": values["ACCESS_KEY"], "AWS_SECRET_ACCESS_KEY": values["SECRET_KEY"],
        "AWS_REGION": values["REGION"], "AWS_DEFAULT_REGION": values["REGION"],
    }


@functools.cache
def obscured(password: str) -> str:
    """As rclone wants passwords in the environment."""
    answer = subprocess.run(["rclone", "obscure", "-"], input=password, check=True, capture_output=True, text=True)
    return answer.stdout.strip()
