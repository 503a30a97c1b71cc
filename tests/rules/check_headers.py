"""Headers begin with `#pragma once`, comments aside; library headers that cost three times the build time stay out."""

import re

import tree

ONCE = re.compile(r"(//.*\n|\n)*#pragma once\n")
WHOLE_LIBRARY = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<boost/(asio|beast|process)\.hpp>", re.MULTILINE)
PROCESS = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<boost/process", re.MULTILINE)
BEAST = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<boost/beast", re.MULTILINE)


def find_problems(root, names):
    problems = []
    for name in names:
        text = (root / name).read_text(encoding="utf-8", errors="replace")
        if name.endswith((".hpp", ".h")) and not ONCE.match(text):
            problems.append(f"{name} does not begin with #pragma once")
        if match := WHOLE_LIBRARY.search(text):
            problems.append(f"{name} includes all of a library: {match.group().strip()}")
        if PROCESS.search(text) and not (name.startswith("watchdog/process/") and name.endswith(".cpp")):
            problems.append(f"{name} includes Boost.Process, which stays within sources of watchdog/process")
        if BEAST.search(text) and not name.startswith(("watchdog/http/", "watchdog/server/")):
            problems.append(f"{name} includes Beast, which stays below watchdog/http and watchdog/server")
    return problems


if __name__ == "__main__":
    tree.report("headers", find_problems(tree.ROOT, tree.sources()))
