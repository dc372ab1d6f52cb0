#!/usr/bin/env python3
"""Prints what the programs are made of, as SPDX 2.3 in JSON: sbom.py FOLDER VERSION. The Swift packages are those that were
built, the libraries those of Debian that they are linked with."""

import datetime
import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

PROGRAMS = ("submit", "submit-media", "submit-serve", "submit-to-command", "submit-to-git-annex", "submit-to-rclone")


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def package(name, version, **more):
    identity = re.sub(r"[^A-Za-z0-9.-]", "-", f"SPDXRef-Package-{name}-{version}")
    return {"SPDXID": identity, "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION",
            "copyrightText": "NOASSERTION", **more}


def swift_packages():
    found = {}

    def walk(node):
        for child in node["dependencies"]:
            reference = f"pkg:swift/{re.sub(r'^https://|[.]git$', '', child['url'])}@{child['version']}"
            found[child["identity"]] = package(
                child["identity"], child["version"], downloadLocation=f"git+{child['url']}@{child['version']}",
                externalRefs=[{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                               "referenceLocator": reference}])
            walk(child)

    text = output("swift", "package", "show-dependencies", "--format", "json")
    walk(json.loads(text[text.index("{"):]))
    swift = re.search(r"Swift version (\S+)", output("swift", "--version")).group(1)
    return [*found.values(), package("swift", swift, licenseDeclared="Apache-2.0", supplier="Organization: Swift.org")]


def debian_packages(programs):
    names = set()
    for program in programs:
        for library in re.findall(r"NEEDED\s+(\S+)", output("objdump", "-p", str(program))):
            path = re.search(rf"{re.escape(library)} => (\S+)", output("ldd", str(program)))
            if path:
                for candidate in (path.group(1), os.path.realpath(path.group(1)), "/usr" + path.group(1)):
                    owner = subprocess.run(["dpkg", "-S", candidate], capture_output=True, text=True)
                    if owner.returncode == 0:
                        names.add(owner.stdout.split(": ")[0].split(":")[0])
                        break
    packages = []
    for name in sorted(names):
        version, architecture = output("dpkg-query", "-W", "-f", "${Version} ${Architecture}", name).split()
        packages.append(package(name, version, supplier="Organization: Debian", externalRefs=[{
            "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
            "referenceLocator": f"pkg:deb/debian/{name}@{version}?arch={architecture}"}]))
    return packages


def main(folder, version):
    programs = [Path(folder) / name for name in PROGRAMS]
    digest = hashlib.sha256(b"".join(hashlib.sha256(path.read_bytes()).digest() for path in programs)).hexdigest()
    submit = package("submit", version, licenseDeclared="Apache-2.0", primaryPackagePurpose="APPLICATION")
    parts = swift_packages() + debian_packages(programs)
    created = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    json.dump({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"submit-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/submit-{version}-{digest}",
        "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: scripts/sbom.py"]},
        "packages": [submit, *parts],
        "relationships": [
            {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": submit["SPDXID"]},
            *({"spdxElementId": submit["SPDXID"], "relationshipType": "DEPENDS_ON", "relatedSpdxElement": part["SPDXID"]}
              for part in parts)]}, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main(*sys.argv[1:])
