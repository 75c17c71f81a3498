#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Every C file compiles without a warning, by gcc and by clang.

n=0
for cc in gcc clang; do
	for dir in lib lib/rules checkers checkers/common tests/lib; do
		set -- "$dir"/*.c
		[ -e "$1" ] || continue
		n=$((n + 1))
		what="$cc -Wall -Wextra: $dir/*.c"
		if ! command -v $cc >/dev/null; then
			echo "ok $n - $what # SKIP no $cc"
			continue
		fi
		bad=
		for file; do
			$cc -std=gnu11 -Wall -Wextra -Werror -O2 -D_GNU_SOURCE -I. -Ilib -Icheckers \
				-isystem "$SPARSE_SRC" -c -o "$TMPDIR/object.o" "$file" >"$TMPDIR/out" 2>&1 && continue
			bad=1
			sed 's/^/# /' "$TMPDIR/out"
		done
		echo "${bad:+not }ok $n - $what"
	done
done
echo "1..$n"
