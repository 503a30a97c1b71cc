"""No file names a folder of the machine it was written on, or the host of a package registry."""

import re

import tree

# The brackets keep this file from finding itself.
PATHS = re.compile(rb"(?<![\w.$}*-])/(w[o]rk|r[o]ot|f[a]rm)/")
REGISTRIES = re.compile(
    rb"\b(py[p]i\.org|files\.python[h]osted\.org|registry\.np[m]js\.org|registry\.yarn[p]kg\.com|proxy\.g[o]lang\.org"
    rb"|crat[e]s\.io|rub[y]gems\.org|repo\.mav[e]n\.apache\.org|deb\.d[e]bian\.org)"
)


def find_problems(root, names):
    problems = []
    for name in names:
        for number, line in enumerate((root / name).read_bytes().split(b"\n"), start=1):
            match = PATHS.search(line) or REGISTRIES.search(line)
            if match:
                problems.append(f"{name}:{number}: {match.group().decode()}")
    return problems


if __name__ == "__main__":
    tree.report("text", find_problems(tree.ROOT, tree.files()))
