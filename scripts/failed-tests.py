"""Prints, for each failed test in a JUnit file, an expression that `swift test --filter` finds it by."""

import re
import sys
import xml.etree.ElementTree as ElementTree

for test in ElementTree.parse(sys.argv[1]).iter("testcase"):
    if test.find("failure") is not None:
        # `--filter` sees Module.Suite/test(), and a suite in a suite as one more step of the path.
        module, _, suites = test.get("classname").partition(".")
        path = [module] + [name for name in re.findall(r"`[^`]*`|[^.`]+", suites)]
        steps = [re.escape(step) for step in path]
        print(rf"^{steps[0]}\." + "/".join(steps[1:] + [re.escape(test.get("name"))]) + "(/|$)")
