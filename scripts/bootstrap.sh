#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The set-up is a Python program: bring python3 where there is none. Does and says
# nothing where there is one.
set -eu

python3 -c 'import sys, json, xml.dom.minidom; sys.exit(sys.version_info < (3, 9))' 2>/dev/null && exit 0

if ! command -v apt-get >/dev/null; then
	echo 'linekeeper: needs python3 (3.9 or newer): install it with your package manager' >&2
	exit 2
fi
if [ "$(id -u)" = 0 ]; then
	sudo=
elif command -v sudo >/dev/null; then
	sudo=sudo
else
	echo 'linekeeper: needs python3; as root: apt-get install python3' >&2
	exit 2
fi
echo 'linekeeper: no usable python3: installing it with apt-get install python3'
$sudo env DEBIAN_FRONTEND=noninteractive apt-get -q update
$sudo env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends python3
