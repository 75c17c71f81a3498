#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# make install: what is installed works without the checkout, and only below PREFIX.

: "${BUILD:?}" "${TMPDIR:?}"
n=0
check() {
	n=$((n + 1))
	if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}

make BUILD="$BUILD" plugin >"$TMPDIR/log" 2>&1
make BUILD="$BUILD" SPARSE_SRC="$SPARSE_SRC" DESTDIR="$TMPDIR/installed" PREFIX=/opt/x install >>"$TMPDIR/log" 2>&1
check $? 'make install with DESTDIR and PREFIX'
[ "$(cd "$TMPDIR/installed" && echo *) $(cd "$TMPDIR/installed/opt" && echo *)" = 'opt x' ]
check $? 'nothing outside of PREFIX'
linekeeper=$TMPDIR/installed/opt/x/bin/linekeeper
(cd / && env -u BUILD "$linekeeper" --help) >"$TMPDIR/out" 2>&1 && grep -q relayout "$TMPDIR/out"
check $? 'the installed command starts'
[ "$(cd / && env -u BUILD "$linekeeper" setup --print sparse)" = "$SPARSE_SRC" ]
check $? 'and finds what was set up'
cp -R tests/tree "$TMPDIR/tree"
make -C "$TMPDIR/tree" prepare >>"$TMPDIR/log" 2>&1 &&
	(cd "$TMPDIR/tree" && env -u BUILD "$linekeeper" map page_counter) >"$TMPDIR/out" 2>&1 &&
	grep -q '^struct page_counter' "$TMPDIR/out"
check $? 'and shows a struct'
if [ -e "$BUILD/plugin/gcc/cacheline_plugin.so" ]; then
	flags=$(cd / && env -u BUILD "$linekeeper" plugin-flags --cc gcc error 2>>"$TMPDIR/log") &&
		echo 'struct s { long a __cacheline_apart(b), b; } s;' | gcc $flags -xc -S -o /dev/null - 2>"$TMPDIR/out"
	grep -q "error: 'a' is to be apart from 'b'" "$TMPDIR/out"
	check $? 'and its plugin is loaded with the flags that it gives'
	printf '\0' >>"$(echo "$flags" | sed 's/ .*//; s/-fplugin=//')"
	[ "$flags" != "$(cd / && env -u BUILD "$linekeeper" plugin-flags --cc gcc error)" ]
	check $? 'another plugin, other flags, so that kbuild builds anew'
else
	check 0 'the plugin # SKIP it is not built'
fi
sed 's/^/# /' "$TMPDIR/log" "$TMPDIR/out"
echo "1..$n"
