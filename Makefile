# SPDX-License-Identifier: GPL-2.0-only
# linekeeper. `make help` lists the targets. Every list of files is a wildcard:
# a new lib/*.c, checkers/*.c, tests/lib/*.c or tests/t/*.t edits nothing here.

BUILD	?= build
PREFIX	?= /usr/local
CFLAGS	?= -O2 -g
ifeq ($(origin CC),default)
CC	:= gcc
endif
ifeq ($(origin AR),default)
AR	:= ar
endif

Q	:= $(if $(filter 1,$(V)),,@)
say	 = $(if $(filter 1,$(V)),,@printf '  %-7s %s\n' $(1) $(2))
SETUP	:= scripts/linekeeper setup
SUBMAKE	 = $(MAKE) --no-print-directory

LIB	:= $(BUILD)/lib.a
LIBOBJ	:= $(patsubst %.c,$(BUILD)/%.o,$(wildcard lib/*.c lib/rules/*.c))
# what checkers/ share: linked into each of them, not into lib, which knows no sparse
COMMON	:= $(patsubst %.c,$(BUILD)/%.o,$(wildcard checkers/common/*.c))
PROGS	:= $(patsubst checkers/%.c,$(BUILD)/%,$(wildcard checkers/*.c))
UNITS	:= $(patsubst tests/lib/%.c,$(BUILD)/tests/%,$(wildcard tests/lib/*.c))

CPPFLAGS_LK	:= -D_GNU_SOURCE -I. -Ilib -Icheckers
CFLAGS_LK	 = -std=gnu11 -Wall -Wextra -MMD -MP $(CPPFLAGS_LK)
COMPILE		 = $(CC) $(CFLAGS_LK) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<
LINK		 = $(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

.DEFAULT_GOAL := all
.PHONY: all plugin units demo check check-fresh check-layouts check-replay check-reach check-plugin check-index \
	check-evidence check-hazards check-asan fuzz bench install clean help FORCE
.DELETE_ON_ERROR:
.SECONDARY:

#: all		the checkers (sets up gcc and sparse first when they are missing)
all: $(PROGS) $(LIB)
	@:

units: $(UNITS)
	@:

# Where sparse is, is asked once and kept; set-up runs only when it is not there.
# The other targets set up what they need by themselves, and come back for these.
ifneq ($(filter all units install $(BUILD)/%,$(or $(MAKECMDGOALS),all)),)
ifdef SPARSE_SRC
ifeq ($(wildcard $(SPARSE_SRC)/libsparse.a),)
$(error no libsparse.a in SPARSE_SRC=$(SPARSE_SRC): run `make libsparse.a` there)
endif
else
include $(BUILD)/sparse.mk
ifeq ($(and $(SPARSE_SRC),$(wildcard $(SPARSE_SRC)/libsparse.a)),)
$(BUILD)/sparse.mk: FORCE
endif
endif
# sparse 0.6.4 has none
CPPFLAGS_LK += -isystem $(SPARSE_SRC) $(if $(shell grep -s SYM_TYPEOF_UNQUAL $(SPARSE_SRC)/symbol.h),-DHAVE_TYPEOF_UNQUAL)
endif

$(BUILD)/sparse.mk:
	$(Q)scripts/bootstrap.sh
	$(Q)$(SETUP) --for tools
	$(Q)mkdir -p $(@D)
	$(Q)dir=$$($(SETUP) --print sparse) && echo "override SPARSE_SRC := $$dir" > $@

$(LIB): $(LIBOBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/%.o: %.c
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(COMPILE)

# -MMD leaves out sparse's headers: another sparse is another sparse.mk.
$(COMMON) $(PROGS:$(BUILD)/%=$(BUILD)/checkers/%.o): $(wildcard $(BUILD)/sparse.mk)

$(PROGS): $(BUILD)/%: $(BUILD)/checkers/%.o $(COMMON) $(LIB) $(SPARSE_SRC)/libsparse.a
	$(call say,LD,$@)
	$(Q)$(LINK) -Wl,--wrap=open,--wrap=open64,--wrap=blob_alloc,--wrap=blob_free -lm

# The plugin is loaded into the compiler that its headers are of: PLUGIN_CC=gcc-11, PLUGIN_CC=aarch64-linux-gnu-gcc.
# Its lib is a build of its own, position-independent and without whatever CFLAGS add for tests. It needs nothing of
# libstdc++, whose loading would be most of what the plugin costs a small unit.
PLUGIN_CC	?= gcc
PLUGIN_CXX	?= g++
PLUGIN_INC	 = $(shell $(PLUGIN_CC) -print-file-name=plugin)/include
PLUGIN_DIR	 = $(BUILD)/plugin/$(notdir $(PLUGIN_CC))
PLUGIN		 = $(PLUGIN_DIR)/cacheline_plugin.so
PICOBJ		:= $(patsubst %.c,$(BUILD)/pic/%.o,$(wildcard lib/*.c lib/rules/*.c))

#: plugin		the GCC plugin (PLUGIN_CC= for another compiler than gcc)
plugin:
	$(Q)if [ -e $(PLUGIN_INC)/gcc-plugin.h ]; then $(SUBMAKE) $(PLUGIN); else \
		echo "SKIP: no plugin headers for $(PLUGIN_CC)" && [ "$(REQUIRE)" != all ]; fi

$(BUILD)/pic/%.o: %.c
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_LK) -O2 -fPIC -fvisibility=hidden -c -o $@ $<

$(BUILD)/pic/lib.a: $(PICOBJ)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/plugin/%/cacheline_plugin.so: plugin/cacheline_plugin.c $(BUILD)/pic/lib.a
	$(call say,PLUGIN,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(PLUGIN_CXX) -x c++ -std=gnu++14 -D_GNU_SOURCE -O2 -fPIC -fno-rtti -fno-exceptions -Wall -Wextra \
		-fno-threadsafe-statics -Wl,--as-needed -Wno-unused-parameter -Wno-format-diag -isystem $(PLUGIN_INC) -Ilib -shared -o $@ $< -x none $(BUILD)/pic/lib.a

$(UNITS): $(BUILD)/tests/%: $(BUILD)/tests/lib/%.o $(LIB)
	$(call say,LD,$@)
	$(Q)$(LINK) -lm

-include $(wildcard $(foreach dir,lib lib/rules pic/lib pic/lib/rules checkers checkers/common tests/lib fuzz/lib fuzz/lib/rules fuzz/tests/fuzz,\
	$(BUILD)/$(dir)/*.d))

# What a target needs is set up first, and says so; a second run finds it there.
define prepare
	$(Q)scripts/bootstrap.sh
	$(Q)$(SETUP) --for $(1)
	$(Q)$(SUBMAKE) $(JOBS) all units
endef
JOBS	= $(if $(findstring -j,$(MAKEFLAGS))$(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc))
TESTENV	= BUILD=$(abspath $(BUILD)) $(foreach what,sparse:SPARSE_SRC spatch:SPATCH kernel-6.1:KERNEL61 kernel-6.12:KERNEL612,\
	$(lastword $(subst :, ,$(what)))="$$($(SETUP) --print $(firstword $(subst :, ,$(what))) 2>/dev/null)")

#: demo		the four seeds on the small tree, or on a kernel: make demo KDIR=/path/to/linux
demo:
	$(call prepare,tools)
	$(Q)$(TESTENV) tests/demo $(if $(KDIR),'$(KDIR)')

#: check		all tests, those on real kernels too; REQUIRE=all: a skip is a failure
check:
	$(call prepare,tests)
	$(Q)$(TESTENV) tests/run $(ARGS)

#: check-asan	all tests with an ASan and UBSan build, in build-asan
check-asan:
	$(Q)ASAN_OPTIONS=detect_leaks=0:abort_on_error=1 UBSAN_OPTIONS=print_stacktrace=1 \
	$(SUBMAKE) check BUILD=build-asan \
		CFLAGS='-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all'

# lib as libFuzzer wants it: each allocation a block of its own, given back behind each input
FUZZ_OBJ := $(patsubst %.c,$(BUILD)/fuzz/%.o,$(wildcard lib/*.c lib/rules/*.c tests/fuzz/*.c))
FUZZ_FLAGS = -O1 -g -fno-omit-frame-pointer -fno-sanitize-recover=all -fsanitize=fuzzer$(1),address,undefined

$(BUILD)/fuzz/%.o: %.c
	$(call say,FUZZ,$<)
	$(Q)mkdir -p $(@D)
	$(Q)clang $(CFLAGS_LK) $(call FUZZ_FLAGS,-no-link) -DCHUNK_SIZE=0 $(if $(filter lib/%,$<),-Dcalloc=fuzz_calloc) -c -o $@ $<

$(BUILD)/fuzzer: $(FUZZ_OBJ)
	$(call say,LD,$@)
	$(Q)clang $(call FUZZ_FLAGS) -o $@ $^ -lm

#: fuzz		the readers of text under libFuzzer, SECONDS=60 each, and mails through git; crashes in build/crashes
fuzz:
	$(call prepare,tests)
	$(Q)$(SUBMAKE) $(JOBS) $(BUILD)/fuzzer
	$(Q)$(TESTENV) tests/fuzz/run $(or $(SECONDS),60) $(ARGS)

#: check-fresh	both README commands on bare Debian 12 and 13 systems (root; LK_FRESH=trixie for one)
check-fresh:
	$(Q)scripts/bootstrap.sh
	$(Q)$(SETUP) --for fresh
	$(Q)tests/fresh.py $(ARGS)

#: check-layouts	layouts of whole objects against DWARF, two kernels, three architectures
check-layouts:
	$(call prepare,sweeps)
	$(Q)$(TESTENV) tests/sweep/layouts.py $(ARGS)

#: check-replay	1,000 random relayouts on real headers
check-replay:
	$(call prepare,tests)
	$(Q)$(TESTENV) tests/sweep/replay.py $(ARGS)

#: check-reach	which structs of include/ a semantic patch can match
check-reach:
	$(call prepare,tests)
	$(Q)$(TESTENV) tests/sweep/reach.py $(ARGS)

#: check-plugin	the GCC plugin on whole folders of real kernels: what it says, what it costs
check-plugin:
	$(call prepare,sweeps)
	$(Q)$(SUBMAKE) plugin
	$(Q)$(TESTENV) tests/sweep/plugin.py $(ARGS)

#: check-index	linekeeper index on a whole kernel: CPU, second run, kill -9, who
check-index:
	$(call prepare,sweeps)
	$(Q)$(TESTENV) tests/sweep/index.py $(ARGS)

#: check-checker	the sparse checker on whole folders of real kernels, beside plain sparse
check-checker:
	$(call prepare,sweeps)
	$(Q)$(TESTENV) tests/sweep/check.py $(ARGS)

#: check-evidence	what code does with members, beside what is known of them, on 6.12
check-evidence:
	$(call prepare,sweeps)
	$(Q)$(TESTENV) tests/sweep/evidence.py $(ARGS)

#: check-hazards	what a rule of cocci/hazard/ says of a whole 6.1: make check-hazards ARGS=field-range
check-hazards:
	$(call prepare,sweeps)
	$(Q)$(TESTENV) tests/sweep/hazard.py $(ARGS)

#: check-matrix	20 layouts of linekeeper matrix, drawn at random, as a real make and pahole have them; two hosts share one (root)
check-matrix:
	$(call prepare,sweeps)
	$(Q)$(TESTENV) tests/t/matrix-planted.t all
	$(Q)$(TESTENV) tests/t/matrix-breakage.t all
	$(Q)$(TESTENV) tests/sweep/matrix.py $(ARGS)
	$(Q)$(TESTENV) tests/sweep/matrix_hosts.py

#: bench		times, beside those of sparse, gcc and pahole
bench:
	$(call prepare,tests)
	$(Q)$(TESTENV) tests/bench.py $(ARGS)

# The installed folder has the shape of the checkout, so that scripts/linekeeper
# finds its rules and programs in both by the same relative path.
HOME_DIR = $(DESTDIR)$(PREFIX)/lib/linekeeper

#: install	to $(DESTDIR)$(PREFIX), with the plugins that `make plugin` has built
install: all
	$(Q)install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1 $(HOME_DIR)/build $(HOME_DIR)/scripts/lk
	$(Q)install -m 755 $(PROGS) $(HOME_DIR)/build
	$(Q)install -m 755 scripts/linekeeper scripts/bootstrap.sh $(HOME_DIR)/scripts
	$(Q)install -m 644 $(wildcard scripts/lk/*.py) $(HOME_DIR)/scripts/lk
	$(Q)install -m 644 docs/linekeeper.1 $(DESTDIR)$(PREFIX)/share/man/man1
	$(Q)cp -R $(wildcard cocci docs include kconfig lib plugin) $(HOME_DIR)
	$(Q)for plugin in $(wildcard $(BUILD)/plugin/*/cacheline_plugin.so); do \
		install -D -m 755 $$plugin $(HOME_DIR)/build$${plugin#$(BUILD)} || exit; done
	$(Q)ln -sf ../lib/linekeeper/scripts/linekeeper $(DESTDIR)$(PREFIX)/bin/linekeeper
	$(call say,INSTALL,$(HOME_DIR))

#: clean		what was built here (never the cache folder of the set-up)
clean:
	$(Q)rm -rf $(BUILD) build-asan

#: help		this list
help:
	@sed -n 's/^#: \([a-z-]*\)\t*/  make \1\t/p' Makefile | expand -t 24
