#!/bin/sh
# Makes Sources/SubmitServe/Pages/PageAssets.swift of what lies in Sources/SubmitServe/Page: string literals compile in
# a second where embedded resources take a minute. With --check it only tells whether that is current.
set -eu
cd "$(dirname "$0")/.."
exec python3 - "$@" <<'PYTHON'
import pathlib
import sys

target = pathlib.Path("Sources/SubmitServe/Pages/PageAssets.swift")
lines = [
    "// Made by scripts/page.sh of what lies in Sources/SubmitServe/Page: change that.",
    "",
    "enum PageAssets {",
    "    static let files: [(name: String, text: StaticString)] = [",
]
for path in sorted(pathlib.Path("Sources/SubmitServe/Page").iterdir()):
    if path.name.startswith("."):
        continue
    text = path.read_text(encoding="utf-8")
    assert '"""##' not in text and text.endswith("\n") and "\r" not in text, path
    lines += ["        (", f'            "{path.name}",', '            ##"""']
    lines += ["            " + line if line else "" for line in text.split("\n")]
    lines += ['            """##', "        ),"]
lines += ["    ]", "}", ""]
made = "\n".join(lines)
if "--check" in sys.argv[1:]:
    if not target.exists() or target.read_text(encoding="utf-8") != made:
        sys.exit("The page was changed: run scripts/page.sh.")
else:
    target.write_text(made, encoding="utf-8")
PYTHON
