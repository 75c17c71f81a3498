#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The set-up is a Python program: bring python3 where there is none. Does and says
# nothing where there is one.
set -eu

/usr/bin/python3 -c 'import sys, json, xml.dom.minidom; sys.exit(sys.version_info < (3, 9))' 2>/dev/null && exit 0

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

log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
	$sudo env DEBIAN_FRONTEND=noninteractive apt-get -q "$@" >"$log" 2>&1 || {
		tail -n 15 "$log" >&2
		exit 2
	}
}
echo 'linekeeper: no usable python3: apt-get update, apt-get install python3'
apt update
apt install -y --no-install-recommends python3
