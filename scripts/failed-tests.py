"""Prints, for each failed test in a JUnit file, an expression that `swift test --filter` finds it by."""

import re
import sys
import xml.etree.ElementTree as ElementTree

# What a failure quotes of a terminal is written by Swift Testing as it is, and XML has no such characters.
with open(sys.argv[1], encoding="utf-8", errors="replace") as file:
    text = re.sub(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", file.read())
for test in ElementTree.fromstring(text.encode()).iter("testcase"):
    if test.find("failure") is not None:
        # `--filter` sees Module.Suite/test(), and a suite in a suite as one more step of the path.
        module, _, suites = test.get("classname").partition(".")
        path = [module] + [name for name in re.findall(r"`[^`]*`|[^.`]+", suites)]
        steps = [re.escape(step) for step in path]
        print(rf"^{steps[0]}\." + "/".join(steps[1:] + [re.escape(test.get("name"))]) + "(/|$)")
