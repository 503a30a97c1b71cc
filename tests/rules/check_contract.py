"""Every test that modes/README.md names as proof of a row exists in tests/, and every row names one."""

import re

import tree

PAGE = "modes/README.md"
SECTIONS = (
    "# Compared with of-watchdog and classic-watchdog",
    "# What users of the old watchdogs asked for",
)
TEST = re.compile(r"\bTEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)")
NAME = re.compile(r"`(\w+\.\w+)`")
NO_TEST_NEEDED = ("planned", "not here")  # how the state of a row begins that has nothing to test


def tests_in(texts):
    return {f"{suite}.{name}" for text in texts for suite, name in TEST.findall(text)}


def rows(page):
    """Number and cells of each row of the tables in SECTIONS, without their heads."""
    inside = False
    for number, line in enumerate(page.split("\n"), start=1):
        if line.startswith("# "):
            inside = line in SECTIONS
        if inside and line.startswith("|") and not line.startswith(("| ---", "| ---:")):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            if cells[-1] != "test":
                yield number, cells


def find_problems(page, tests):
    missing = [f"{PAGE} has no section {section!r}" for section in SECTIONS if section not in page.split("\n")]
    problems = []
    for number, cells in rows(page):
        names = NAME.findall(cells[-1])
        problems += [f"{PAGE}:{number}: there is no test {name}" for name in names if name not in tests]
        if not names and not cells[-2].startswith(NO_TEST_NEEDED):
            problems.append(f"{PAGE}:{number}: no test is named")
    return missing + problems


def main():
    names = [name for name in tree.sources() if name.startswith("tests/")]
    tests = tests_in((tree.ROOT / name).read_text(encoding="utf-8") for name in names)
    tree.report("contract", find_problems((tree.ROOT / PAGE).read_text(encoding="utf-8"), tests))


if __name__ == "__main__":
    main()
