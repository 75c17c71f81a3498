# SPDX-License-Identifier: GPL-2.0-only
"""linekeeper setup: brings what linekeeper needs, and says so before it does."""

from __future__ import annotations

import sys
from lk.cache import find


def main(argv: list) -> int:
    if argv[:1] == ["--print"]:
        path = find(argv[1])
        if path is None:
            print(f"linekeeper setup: {argv[1]} is not there", file=sys.stderr)
            return 1
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
