#!/usr/bin/env python3
"""The code blocks of the documents about new submitters: each names where it comes from, or what runs it.

  documents.py block LABEL FILE     prints the commands of FILE's blocks “```sh LABEL”
  documents.py check FOLDER         fails for a block that is not covered; FOLDER has the projects that were made for a
                                    submitter called piwigo: FOLDER/LANGUAGE/submit-to-piwigo
A block “```swift LANGUAGE/PATH” stands word for word in that file; run.sh runs those of “```sh LABEL”.
"""
import pathlib
import re
import sys

root = pathlib.Path(__file__).parents[2]


def blocks(text):
    for match in re.finditer(r"^```(\S*) ?(.*)\n((?:(?!```).*\n)*)```$", text, re.MULTILINE):
        yield match.group(1), match.group(2).strip(), match.group(3)


def documents():
    yield root / "Sources/Submit/Documentation.docc/WritingASubmitter.md", str
    for path in sorted((root / "Templates").rglob("*.md")):
        yield path, lambda text: text.replace("Acme", "Piwigo").replace("acme", "piwigo")
    # Of the project's own README only the part that is about this.
    yield root / "README.md", lambda text: text.partition("\n## Add a destination\n")[2].partition("\n## ")[0]


def check(folder):
    runner = (root / "Tests/Scaffold/run.sh").read_text()
    faults, count = [], 0
    for path, prepare in documents():
        text = prepare(path.read_text())
        if text.count("```") != 2 * len(list(blocks(text))):
            faults.append(f"{path}: a block does not end")
        for language, source, code in blocks(text):
            count += 1
            where = f"{path.relative_to(root)}: the block “```{language} {source}”"
            if language == "sh":
                if not source or not re.search(rf"\b(block|a_program) {re.escape(source)}\b", runner):
                    faults.append(f"{where} is run by nothing")
                continue
            kind, _, name = source.partition("/")
            file = pathlib.Path(folder) / kind / "submit-to-piwigo" / name
            if not name or not file.is_file():
                faults.append(f"{where} names no file that is made")
            elif code not in file.read_text():
                faults.append(f"{where} does not stand in that file")
    print(f"{count} blocks, {len(faults)} not covered")
    sys.exit("\n".join(faults) or 0)


match sys.argv[1:]:
    case ["block", label, file]:
        for language, source, code in blocks(pathlib.Path(file).read_text()):
            if (language, source) == ("sh", label):
                print(code, end="")
    case ["check", folder]:
        check(folder)
    case _:
        sys.exit(__doc__)
