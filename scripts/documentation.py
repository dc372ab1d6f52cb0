"""Prints what is wrong with the documents: see documentation.sh, which has laid out the symbol graphs of all libraries."""

import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys

work = pathlib.Path(sys.argv[1])
package = pathlib.Path.cwd()
modules = (work / "modules").read_text().split()
search = (work / "graphs" / "search").read_text().split("\n")[:-1]
catalogs = {path.parent.name: path for parent in ["Sources", "Plugins"] for path in
            sorted(package.glob(f"{parent}/*/Documentation.docc"))}

ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
# A parameter that explains itself needs no line of its own.
WANTED = re.compile(r"(warning|error): (?!Parameter '.*' is missing documentation)")


def landing_page(module):
    """The page of a catalog that is about the module itself."""
    pages = catalogs[module].glob("*.md") if module in catalogs else []
    return next((page for page in pages if page.read_text().startswith(f"# ``{module}``\n")), None)


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return [ESCAPES.sub("", line).replace(f"{package}/", "") for line in done.stdout.split("\n")]


def links(module):
    """What DocC says of a module's pages and docstrings."""
    graphs = work / module
    graphs.mkdir()
    for graph in (work / "graphs").glob(f"{module}*.symbols.json"):
        if re.fullmatch(rf"{module}(@\w+)?\.symbols\.json", graph.name):
            shutil.copy(graph, graphs)
    catalog = [catalogs[module]] if module in catalogs else []
    return [line for line in run(
        "docc", "convert", *catalog, "--additional-symbol-graph-dir", graphs, "--fallback-display-name", module,
        "--fallback-bundle-identifier", module, "--output-path", work / f"{module}.doccarchive",
        "--no-transform-for-static-hosting", "--ide-console-output") if WANTED.search(line)]


def examples(module):
    """What the compiler says of the examples on a module's page, at the lines of the page."""
    page = landing_page(module)
    if page is None:
        return [f"{module}: no page begins with “# ``{module}``”"]
    found = []
    for number, block in enumerate(re.finditer(r"^```swift\n(.*?)^```$", page.read_text(), re.M | re.S)):
        file = work / f"{module}{number}.swift"
        line = page.read_text()[:block.start(1)].count("\n") + 1
        file.write_text(f'#sourceLocation(file: "{page}", line: {line})\n{block[1]}')
        found += [line for line in run("swiftc", "-typecheck", "-swift-version", "6", "-suppress-warnings", *search, file)
                  if re.match(r"\S+:\d+:\d+: error: ", line)]
    return found


def anchors(text):
    """The headings of a document as links name them, on GitHub and in DocC."""
    for heading in re.findall(r"^#+ (.*)$", text, re.M):
        plain = re.sub(r"[`*]", "", heading)
        yield re.sub(r"[^\w\- ]", "", plain).lower().replace(" ", "-")
        yield re.sub(r"[^\w\-]+", "-", plain).strip("-")


def files(document):
    """Links of a document to files and headings that are not there."""
    text = document.read_text()
    prose = re.sub(r"^```.*?^```$", lambda code: "\n" * code[0].count("\n"), text, flags=re.M | re.S)
    for link in re.finditer(r"\]\(([^)\s]+)\)", prose):
        target, _, anchor = link[1].partition("#")
        if re.match(r"[a-z]+:", target) or "{" in target:
            continue
        file = (document.parent / target).resolve() if target else document
        line = prose[:link.start()].count("\n") + 1
        if not file.exists():
            yield f"{document.relative_to(package)}:{line}: there is no {target}"
        elif anchor and anchor not in anchors(file.read_text()):
            yield f"{document.relative_to(package)}:{line}: {target or 'it'} has no heading #{anchor}"
    # Paths in backticks; what has to be filled in, or stands for several, is no path.
    for path in re.finditer(r"`((?:Sources|Plugins|Tests|Templates|scripts|\.ci|\.github)/[\w./+-]+?)(?:[ `]|\.$)", prose):
        if not (package / path[1]).exists() and not re.search(r"[A-Z]{4}|Piwigo", path[1]):
            yield f"{document.relative_to(package)}:{prose[:path.start()].count(chr(10)) + 1}: there is no {path[1]}"


documents = [package / "README.md", *sorted(package.glob(".github/**/*.md")), *sorted(package.glob("Tests/*.md")),
             *sorted(package.glob("Templates/*.md")), *(page for catalog in catalogs.values() for page in catalog.glob("*.md"))]
wrong = [fault for document in documents for fault in files(document)]
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    for found in pool.map(links, sorted({*modules, *catalogs})):
        wrong += found
    for found in pool.map(examples, modules):
        wrong += found
for fault in wrong:
    print(fault)
print(f"{len(wrong)} faults in {len(documents)} documents and the docstrings of {len(modules)} modules.", file=sys.stderr)
sys.exit(bool(wrong) or not modules)
