"""The files of the repository, and how a rule tells what it found."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOT_OURS = {"build", ".git", "node_modules", "__pycache__"}


def files(root=ROOT):
    """Every tracked or new file below `root`, without what git ignores; all of them where there is no git."""
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, capture_output=True, check=True).stdout.decode().split("\0")
        names = sorted(set(name for name in listed if name))
    except (OSError, subprocess.CalledProcessError):
        names = sorted(str(path.relative_to(root)) for path in root.rglob("*"))
    return [
        name
        for name in names
        if not NOT_OURS.intersection(pathlib.PurePath(name).parts) and (root / name).is_file()
    ]


def sources(root=ROOT):
    return [name for name in files(root) if name.endswith((".hpp", ".cpp", ".h"))]


def report(rule, problems):
    """Prints each problem and ends with 1 if there is one."""
    for problem in problems:
        print(f"{rule}: {problem}", file=sys.stderr)
    print(f"{rule}: {len(problems) or 'no'} problem{'' if len(problems) == 1 else 's'}")
    sys.exit(1 if problems else 0)
