#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# usage: conf.sh KCONFIG DOT_CONFIG AUTO_CONF AUTOCONF_H
# Writes the last two from the second. A later line of DOT_CONFIG overrides an earlier one, a symbol
# that KCONFIG does not have is an error. Knows no dependency: .config says what is meant.
set -e
kconfig=$1 dotconfig=$2 auto=$3 header=$4

${AWK:-awk} -v auto="$auto.tmp" -v header="$header.tmp" '
	FNR == NR { if ($1 == "config") known["CONFIG_" $2] = 1; next }
	/^# CONFIG_[A-Z0-9_]+ is not set$/ { name = $2; value = "n" }
	/^CONFIG_[A-Z0-9_]+=/ { at = index($0, "="); name = substr($0, 1, at - 1); value = substr($0, at + 1) }
	!/CONFIG_/ { next }
	!(name in known) { print FILENAME ":" FNR ": unknown symbol " name > "/dev/stderr"; exit bad = 1 }
	!(name in values) { order[++nr] = name }
	{ values[name] = value }
	END {
		if (bad)
			exit 1
		print "/* made by scripts/conf.sh */" > header
		for (i = 1; i <= nr; i++) {
			name = order[i]; value = values[name]
			if (value == "n")
				continue
			print name "=" value > auto
			print "#define " name (value == "m" ? "_MODULE" : "") " " (value ~ /^[ym]$/ ? 1 : value) > header
		}
	}
' "$kconfig" "$dotconfig"
mv "$header.tmp" "$header"
mv "$auto.tmp" "$auto"
