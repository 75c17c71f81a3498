# SPDX-License-Identifier: GPL-2.0-only
"""linekeeper plugin-flags: the compiler flags that load the plugin and reach the header, for KCFLAGS.

    make KCFLAGS="$(linekeeper plugin-flags)" mm/
"""

import argparse
import os
import shutil
import zlib

from lk import engine
from lk.errors import WrongUse

NAME = "cacheline_plugin"


def main(argv: list) -> int:
    parser = argparse.ArgumentParser(prog="linekeeper plugin-flags", description=__doc__.split(": ", 1)[1],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cc", default="gcc", metavar="GCC",
                        help="the compiler that will load it, as in PLUGIN_CC= when it was built (default: gcc)")
    parser.add_argument("arguments", nargs="*", metavar="ARGUMENT",
                        help="of the plugin: line-size=N, placements=aligned, error, strict, only=ID,..., no-ID, once=FOLDER, report=FILE")
    args = parser.parse_args(argv)
    cc = os.path.basename(args.cc)
    if "clang" in cc:
        raise WrongUse(f"{args.cc} loads no GCC plugin: use the checker, `make C=1 CHECK={engine.program('cacheline-check')}`")
    if not shutil.which(args.cc):
        raise WrongUse(f"there is no compiler {args.cc}")
    try:
        plugin = engine.program(f"plugin/{cc}/{NAME}.so")
    except WrongUse as err:
        raise WrongUse(f"the plugin for {args.cc} is not built: run `make plugin PLUGIN_CC={args.cc}` "
                       "in linekeeper's folder") from err
    with open(plugin, "rb") as file:
        stamp = zlib.crc32(file.read())     # another plugin is another command line: kbuild builds anew
    if not any(word.startswith("once") for word in args.arguments):
        args.arguments.append("once")
    header = os.path.join(engine.TOP, "include/cacheline_layout.h")
    print(f"-fplugin={plugin}", *(f"-fplugin-arg-{NAME}-{word}" for word in args.arguments),
          f"-DCACHELINE_LAYOUT_PLUGIN={stamp}", f"-include {header}")
    return 0
