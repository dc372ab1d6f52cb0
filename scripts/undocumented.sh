#!/usr/bin/env bash
# Lists the public symbols of the library products that no docstring explains, one a line, and fails when there are any.
# Reads the modules of the last debug build, and the sources at the lines they had then: build first. A symbol that has its
# docstring from a protocol is explained.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

graphs=$(mktemp -d)
trap 'rm -rf "$graphs"' EXIT

[[ -d .build/debug/Modules ]] || { echo "There is no debug build to look at: swift build" >&2; exit 2; }

# Whatever a module imports has to be found again, C libraries by their module maps.
search=(-I .build/debug/Modules -I /usr/include/libxml2)
while read -r map; do
    search+=(-I "$(dirname "$map")")
done < <(find Sources .build/checkouts .build/debug/*.build -name module.modulemap -not -path '*/Tests/*' -not -path '*-tool.build/*')

package=$(swift package dump-package)
target=$(swift -print-target-info | python3 -c 'import json, sys; print(json.load(sys.stdin)["target"]["unversionedTriple"])')
# Beside the products what they hand out the values of.
modules=$(python3 -c '
import json, sys
products = [product for product in json.load(sys.stdin)["products"] if "library" in product["type"]]
print(*sorted({"SubmitStore"}.union(*(product["targets"] for product in products))), sep="\n")' <<<"$package")
for module in $modules; do
    swift symbolgraph-extract -module-name "$module" "${search[@]}" -target "$target" -minimum-access-level public \
        -skip-synthesized-members -output-dir "$graphs"
done

python3 - "$graphs" "$PWD" <<'EOP'
import json, pathlib, sys, urllib.parse

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

undocumented = sorted(line(symbol) for symbol in symbols if "docComment" not in symbol)
for path, number, name in undocumented:
    print(f"{path}:{number}: {name}")
print(f"{len(undocumented)} of {len(symbols)} public symbols are not documented.", file=sys.stderr)
sys.exit(bool(undocumented) or not symbols)
EOP
