"""Who may include whom. Arrows are transitive: what an included header includes counts as well.

The arrows, each folder with all that it may reach:
    base                          base
    http                          base, http
    process                       base, process             (a child is bytes in, bytes out)
    config                        base, config              (and nobody but main and cli includes it)
    exchange, mode, timing        base, http
    server                        base, http, those three   (a client never meets a process)
    modes                         base, http, process, those three
    bench                         base, and of http what reads and renders messages
    bench/functions               that and process
    functions                     nothing: a template is copied into images alone
    main.cpp, what else lies beside it, cli, tests          anything
"""

import re

import tree

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)

# The first prefix that fits names the layer of a file.
LAYERS = [
    ("watchdog/base/", "base"),
    ("watchdog/http/", "http"),
    ("watchdog/process/", "process"),
    ("watchdog/config/", "config"),
    ("watchdog/server/", "server"),
    ("watchdog/cli/", "cli"),
    ("watchdog/exchange.", "exchange"),
    ("watchdog/mode.", "exchange"),
    ("watchdog/timing.", "exchange"),
    ("watchdog/function_stats.", "exchange"),
    ("modes/", "modes"),
    ("bench/functions/", "bench functions"),
    ("bench/", "bench"),
    ("functions/", "functions"),
    ("tests/", "tests"),
]

REACHES = {
    "base": {"base"},
    "http": {"base", "http"},
    "process": {"base", "process"},
    "config": {"base", "config"},
    "exchange": {"base", "http", "exchange"},
    "server": {"base", "http", "exchange", "server"},
    "modes": {"base", "http", "process", "exchange", "modes"},
    "bench": {"base", "http", "bench"},
    "bench functions": {"base", "http", "process", "bench", "bench functions"},
    "functions": {"functions"},
}
REACHES_ALL = {"main", "cli", "tests"}

# What bench may use of http: heads, bodies and the reader of answers.
HTTP_FOR_BENCH = re.compile(
    r"watchdog/http/(field|request_head|response_head|render|http_date|body|chunked_decoder|response_reader)\.hpp$"
)


def layer(name):
    beside_main = "main" if re.fullmatch("watchdog/[^/]+", name) else None
    return next((layer for prefix, layer in LAYERS if name.startswith(prefix)), beside_main)


def included(root, name):
    """The files that `name` includes in quotes; None for one that does not exist.

    A template of functions/ is its own include root.
    """
    own = name.split("/")[:2] if name.startswith("functions/") else []
    for text in INCLUDE.findall((root / name).read_text(encoding="utf-8", errors="replace")):
        places = [text, "/".join(name.split("/")[:-1] + [text]), "/".join(own + [text])]
        yield text, next((place for place in places if (root / place).is_file()), None)


def allowed(start, reached):
    """May the file `start` see the file `reached`?"""
    if layer(start) in REACHES_ALL:
        return True
    if layer(reached) not in REACHES[layer(start)]:
        return False
    if layer(start).startswith("bench") and layer(reached) == "http":
        return HTTP_FOR_BENCH.search(reached) is not None
    return True


def find_problems(root, names):
    """One line for each file: the first forbidden chain, an include that leads nowhere, a cycle."""
    graph = {}
    problems = []

    def edges(name):
        if name not in graph:
            graph[name] = []
            for text, target in included(root, name):
                if target is None:
                    problems.append(f'{name} includes "{text}", which is no file of ours')
                else:
                    graph[name].append(target)
        return graph[name]

    def walk(start):
        """Every chain of includes from `start`, one a reached file, the shortest."""
        chains = [[start]]
        seen = {start}
        for chain in chains:
            for target in edges(chain[-1]):
                if target == start:
                    problems.append("a cycle: " + " -> ".join(chain + [target]))
                if target not in seen:
                    seen.add(target)
                    chains.append(chain + [target])
        return chains[1:]

    for name in names:
        if layer(name) is None:
            problems.append(f"{name} is in no folder that the design knows")
            continue
        for chain in walk(name):
            if not allowed(name, chain[-1]):
                problems.append("forbidden: " + " -> ".join(chain))
                break
    return problems


if __name__ == "__main__":
    tree.report("includes", find_problems(tree.ROOT, tree.sources()))
