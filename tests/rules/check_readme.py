"""The table of options in README.md is the one that the program has.

usage: check_readme.py [--write] PRINT_OPTIONS      (the program that prints the table)
"""

import subprocess
import sys

import tree

BEGIN = "<!-- options: written by tests/rules/update_readme.sh -->\n"
END = "<!-- end of options -->\n"


def replace_table(text, table):
    """`text` with `table` between the markers. Raises ValueError without exactly one pair of them."""
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(END) < text.index(BEGIN):
        raise ValueError("README.md needs one pair of markers around the table of options")
    before, rest = text.split(BEGIN)
    return before + BEGIN + table + END + rest.split(END)[1]


def main(arguments):
    write = arguments[:1] == ["--write"]
    if len(arguments) != 1 + write:
        sys.exit(__doc__)
    table = subprocess.run([arguments[-1]], capture_output=True, check=True, text=True).stdout
    readme = tree.ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    current = replace_table(text, table)
    if write:
        readme.write_text(current, encoding="utf-8")
        return
    tree.report("readme", [] if text == current else ["the table of options is old: sh tests/rules/update_readme.sh"])


if __name__ == "__main__":
    main(sys.argv[1:])
