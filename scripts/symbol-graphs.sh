#!/usr/bin/env bash
# Writes what is public in each library of the package, with its docstrings, into a folder as symbol graphs, and prints the
# modules; in the file `search` there are the compiler's flags by which they are found. Reads the modules of the last debug
# build, and the sources at the lines they had then: build first.
#   usage: symbol-graphs.sh FOLDER
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
graphs=${1:?a folder to write to}

[[ -d .build/debug/Modules ]] || { echo "There is no debug build to look at: swift build" >&2; exit 2; }

# Whatever a module imports has to be found again, C libraries by their module maps.
search=(-I .build/debug/Modules -I /usr/include/libxml2)
while read -r map; do
    search+=(-I "$(dirname "$map")")
done < <(find Sources .build/checkouts .build/debug/*.build -name module.modulemap -not -path '*/Tests/*' -not -path '*-tool.build/*')
printf '%s\n' "${search[@]}" >"$graphs/search"

package=$(swift package dump-package)
target=$(swift -print-target-info | python3 -c 'import json, sys; print(json.load(sys.stdin)["target"]["unversionedTriple"])')
# Beside the products what they hand out the values of, and what has pages of its own.
modules=$(python3 -c '
import json, sys
products = [product for product in json.load(sys.stdin)["products"] if "library" in product["type"]]
print(*sorted({"SubmitStore", "SubmitCatalogue", "SubmitLoopBack", "SubmitReceiving"}.union(*(product["targets"] for product in products))), sep="\n")' <<<"$package")
for module in $modules; do
    swift symbolgraph-extract -module-name "$module" "${search[@]}" -target "$target" -minimum-access-level public \
        -skip-synthesized-members -output-dir "$graphs"
    echo "$module"
done
