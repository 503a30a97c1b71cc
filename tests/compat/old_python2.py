"""Behaves as the published python-afterburn template does under Python 2: everything is bytes, lengths too.

It runs on Python 3; Latin-1 text streams stand for Python 2's byte strings. All else is old_python3.
"""

import io
import sys

from old_python3 import serve

if __name__ == "__main__":
    serve(io.TextIOWrapper(sys.stdin.buffer, encoding="latin-1", newline="\n"),
          io.TextIOWrapper(sys.stdout.buffer, encoding="latin-1", newline="\n"))
