#!/usr/bin/env bash
# Lists the public symbols of the library products that no docstring explains, and those that throw and whose docstring has
# no `- Throws:`, one a line; fails when there are any. Looks at the last debug build: build first. A symbol that has its
# docstring from a protocol is explained, and so is what the standard library asks for, such as `init(from:)`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

graphs=$(mktemp -d)
trap 'rm -rf "$graphs"' EXIT
scripts/symbol-graphs.sh "$graphs" >/dev/null

python3 - "$graphs" "$PWD" <<'EOP'
import json, pathlib, re, sys, urllib.parse

graphs, package = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
symbols = [symbol for graph in graphs.glob("*.symbols.json") for symbol in json.loads(graph.read_text())["symbols"]]

def line(symbol):
    name = ".".join(symbol["pathComponents"])
    if "location" not in symbol:
        return "", 0, name
    path = pathlib.Path(urllib.parse.unquote(urllib.parse.urlparse(symbol["location"]["uri"]).path))
    if path.is_relative_to(package):
        path = path.relative_to(package)
    return str(path), symbol["location"]["position"]["line"] + 1, name

def throws(symbol):
    """Whether it throws itself, and not a function that it takes, has or gives back."""
    kind = symbol["kind"]["identifier"]
    declaration = "".join(fragment["spelling"] for fragment in symbol["declarationFragments"])
    if kind.endswith(("property", "subscript")):
        accessors = re.search(r"\{[^}]*\}\s*$", declaration)
        return bool(accessors and re.search(r"\bthrows\b", accessors[0]))
    if not kind.endswith(("method", "init", "func", "func.op")):
        return False
    effects, depth = "", 0
    for character in declaration.partition("(")[2]:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth < 0:
            effects += character
    effects = effects.lstrip(")").partition("->")[0]
    return bool(re.search(r"\bthrows\b", effects))

def says_what(symbol):
    comment = symbol["docComment"]
    return comment.get("module") == "Swift" or any(
        re.match(r"\s*- Throws: \S", part["text"]) for part in comment["lines"])

undocumented = sorted(line(symbol) for symbol in symbols if "docComment" not in symbol)
throwing = [symbol for symbol in symbols if "docComment" in symbol and throws(symbol)]
unsaid = sorted(line(symbol) for symbol in throwing if not says_what(symbol))
for path, number, name in undocumented:
    print(f"{path}:{number}: {name}")
for path, number, name in unsaid:
    print(f"{path}:{number}: {name} has no “- Throws:”")
print(f"{len(undocumented)} of {len(symbols)} public symbols are not documented; {len(unsaid)} of {len(throwing)} that throw"
      " do not say what.", file=sys.stderr)
sys.exit(bool(undocumented or unsaid) or not throwing)
EOP
