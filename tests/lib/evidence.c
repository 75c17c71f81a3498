// SPDX-License-Identifier: GPL-2.0-only
/* Primitives under all their names; when functions run; the class that follows from how often they do what. */
#include <string.h>

#include "evidence.h"
#include "tap.h"

#define R	DOES_READ
#define W	DOES_WRITE
#define I	(DOES_WRITE | DOES_INIT)

static const struct {
	const char *name;
	unsigned int arg, does;
} calls[] = {
	{ "atomic_inc", 1, R | W },
	{ "atomic_inc", 2, 0 },
	{ "atomic_add", 1, 0 },
	{ "atomic_add", 2, R | W },
	{ "atomic_long_add_return_relaxed", 2, R | W },
	{ "arch_atomic64_fetch_inc_acquire", 1, R | W },
	{ "raw_atomic_read", 1, R },
	{ "atomic_set_release", 1, W },
	{ "atomic_fetch_add_unless", 1, R | W },
	{ "__list_add", 2, R | W },
	{ "list_empty_careful", 1, R },
	{ "list_is_head", 1, DOES_NOTHING },
	{ "_raw_spin_lock_irqsave", 1, R | W },
	{ "spinlock_check", 1, DOES_PASS },
	{ "___set_bit", 2, R | W },
	{ "test_bit", 2, R },
	{ "test_and_set_bit_lock", 2, R | W },
	{ "__init_waitqueue_head", 1, I },
	{ "percpu_counter_read_positive", 1, R },
	{ "percpu_counter_add_batch", 1, R | W },
	{ "mutex_is_locked", 1, R },
	{ "mutex_lock_nested", 1, R | W },
	{ "atomics", 1, 0 },
	{ "", 1, 0 },
	{ "_", 1, 0 },
	{ "a_name_that_is_much_too_long_to_be_one_of_the_primitives_of_this_kernel", 1, 0 },
};

static const struct {
	const char *name;
	enum code_phase phase;
} functions[] = {
	{ "tcp_ack", PHASE_RUN },
	{ "tcp_init_sock", PHASE_SETUP },
	{ "init", PHASE_SETUP },
	{ "reinit_completion", PHASE_CONTROL },
	{ "initialised", PHASE_RUN },
	{ "__dev_open", PHASE_CONTROL },
	{ "open_free", PHASE_SETUP },
	{ "free_", PHASE_SETUP },
	{ "_", PHASE_RUN },
	{ "", PHASE_RUN },
};

static const struct {
	struct tally tally;
	enum access_class class;
	const char *text;
} tallies[] = {
	{ { 0 }, CLASS_NONE, "inferred" },
	{ { .readers = 1, .reads = 0.01, .setup = 3 }, CLASS_READ_MOSTLY, "inferred, 1 reader, 3 set-up" },
	{ { .readers = 10, .reads = 10, .writers = 1, .writes = 1 }, CLASS_WRITTEN, "inferred, 10 readers, 1 writer" },
	{ { .readers = 10, .reads = 10, .writers = 2, .writes = 0.9 }, CLASS_READ_MOSTLY, "inferred, 10 readers, 2 writers" },
	{ { .writers = 2, .writes = 0.01, .control = 1 }, CLASS_WRITTEN, "inferred, 2 writers, 1 by request" },
	{ { .control = 1, .setup = 1 }, CLASS_NONE, "inferred, 1 by request, 1 set-up" },
	{ { .readers = 1, .reads = 1, .addresses = 2, .gives = 2 }, CLASS_NONE, "inferred, 1 reader, 2 by address" },
};

static void add(struct tally *t, unsigned int does, enum code_phase phase, double often, double reached)
{
	struct doing d = { .phase = phase };

	doing_add(&d, does, often);
	tally_add(t, &d, reached);
}

/* of the code of a change alone */
static void of_change(void)
{
	struct tally store = { 0 }, count = { 0 }, test = { 0 };

	add(&store, W, PHASE_RUN, 1, 1);
	add(&store, R, PHASE_RUN, 1, 1);
	ok(tally_class(&store) == CLASS_WRITTEN && tally_class_of_change(&store) == CLASS_NONE, "a plain store may be a setting");
	add(&count, R | W, PHASE_SETUP, 1, 1);
	add(&count, W, PHASE_RUN, 1, 1);
	ok(tally_class_of_change(&count) == CLASS_NONE, "and one that is counted at set-up is stored to");
	add(&count, R | W, PHASE_RUN, 1, 1);
	ok(tally_class_of_change(&count) == CLASS_WRITTEN, "what is counted is written");
	add(&test, R, PHASE_RUN, 1, 1);
	ok(tally_class_of_change(&test) == CLASS_READ_MOSTLY, "what is only read is read");
}

static bool is(double a, double b)
{
	return a - b < 1e-9 && b - a < 1e-9;
}

static void added(void)
{
	struct doing d = { .phase = PHASE_RUN };
	struct tally t = { 0 };

	add(&t, R, PHASE_RUN, 0.5, 1);
	add(&t, R | W, PHASE_RUN, 9, 0.5);
	add(&t, W | DOES_ADDRESS, PHASE_CONTROL, 1, 1);
	add(&t, R, PHASE_CONTROL, 1, 1);
	add(&t, W, PHASE_SETUP, 1, 1);
	add(&t, I, PHASE_RUN, 1, 1);
	add(&t, DOES_ADDRESS, PHASE_RUN, 0.25, 1);
	ok(t.readers == 2 && t.writers == 1 && t.control == 1 && t.setup == 2 && t.addresses == 1, "each function counts once");
	ok(is(t.reads, 2) && is(t.writes, 0.5) && is(t.gives, 0.25), "as often as it does it and is reached, once at most");
	tally_of_path(&t);
	ok(is(t.reads, 1) && is(t.writes, 0.5), "a path reads once");
	doing_add(&d, R, 0.25);
	doing_add(&d, R | W, 0.5);
	ok(d.does == (R | W) && is(d.reads, 0.75) && is(d.writes, 0.5), "uses of one function add up");
}

int main(void)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		ok(primitive_does(calls[i].name, strlen(calls[i].name), calls[i].arg) == calls[i].does, "%s, argument %u",
		   calls[i].name, calls[i].arg);
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		ok(phase_of_function(functions[i].name, strlen(functions[i].name)) == functions[i].phase, "'%s': %s",
		   functions[i].name, phase_name(functions[i].phase));
	for (size_t i = 0; i < sizeof(tallies) / sizeof(tallies[0]); i++)
		ok(tally_class(&tallies[i].tally) == tallies[i].class && !strcmp(tally_text(&tallies[i].tally, "inferred"), tallies[i].text),
		   "%s", tallies[i].text);
	ok(phase_named("setup") == PHASE_SETUP && phase_named("control") == PHASE_CONTROL && phase_named("x") == PHASE_RUN,
	   "phases by name");
	ok(code_makes_object("sk_clone_lock", 13) && code_makes_object("kmemdup", 7) && code_makes_object("kzalloc", 7) &&
	   !code_makes_object("allocated", 9) && !code_makes_object("duplex", 6), "functions that make an object");
	ok(code_is_control_call("rtnl_lock", 9) && code_is_control_call("capable", 7) && !code_is_control_call("capable_of", 10) &&
	   code_is_control_call("ns_capable_noaudit", 18), "calls of those who administer");
	ok(code_is_setter("dev_set_mtu", 11) && code_is_setter("set_x", 5) && !code_is_setter("reset_x", 7) &&
	   !code_is_setter("tcp_chrono_set", 14) && !code_is_setter("x_set_", 6) && !code_is_setter("offset_of", 9), "named for setting");
	ok(phase_of_handler("cftype", "write") == PHASE_CONTROL && phase_of_handler("device_attribute", "store") == PHASE_CONTROL &&
	   phase_of_handler("pci_driver", "probe") == PHASE_SETUP && phase_of_handler("cftype_x", "write") == PHASE_RUN &&
	   phase_of_handler("x_cftype", "write") == PHASE_RUN && phase_of_handler("proto_ops", "sendmsg") == PHASE_RUN,
	   "what members point to");
	added();
	of_change();
	return done();
}
