/* SPDX-License-Identifier: GPL-2.0-only */
/* Writers in a header are told by themselves, so that all units that include it say the same. */
struct link {
	long rate __cacheline_read_mostly; /* expect: warning: 'rate' is read-mostly (annotation), but link_up(), link_down() write it: move it to the written ones [-Wcacheline-class-contradicted] */ /* expect: warning: 'rate' is read-mostly (annotation), but link_changed() writes it: move it to the written ones [-Wcacheline-class-contradicted] */
	long mtu __cacheline_read_mostly;
};

static inline void link_up(struct link *l)
{
	l->rate = 1; /* expect: note: 'rate' is written here */
}

static inline void link_down(struct link *l)
{
	l->rate = 0;
}

static inline void link_init(struct link *l)
{
	l->mtu = 1500;
}
