/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _LINUX_NETDEVICE_H
#define _LINUX_NETDEVICE_H

#include <linux/percpu.h>
#include <linux/rwsem.h>

/* one queue of packets to send: sending has its lines, completing too */
struct netdev_queue {
	struct net_device	*dev;
	struct Qdisc __rcu	*qdisc;
	unsigned long		tx_maxrate;

	spinlock_t		_xmit_lock ____cacheline_aligned_in_smp;
	int			xmit_lock_owner;
	unsigned long		trans_start;	/* jiffies of the last packet */
	unsigned int		bql_limit, bql_queued;
} ____cacheline_aligned_in_smp;

struct net_device {
	/* what each packet reads on its way out */
	__cacheline_group_begin(net_device_read_tx);
	unsigned long		priv_flags:32;
	unsigned long		lltx:1;
	unsigned long		netns_local:1;
	const struct net_device_ops *netdev_ops;
	struct netdev_queue	*_tx;
	unsigned int		real_num_tx_queues;
	unsigned int		mtu;
	unsigned short		needed_headroom;
#ifdef CONFIG_NET_EGRESS
	struct bpf_mprog_entry __rcu *tcx_egress;
#endif
	__cacheline_group_end(net_device_read_tx);

	/* in both directions */
	__cacheline_group_begin(net_device_read_txrx);
	unsigned long		state;
	unsigned int		flags;
	unsigned short		hard_header_len;
	netdev_features_t	features;
	__cacheline_group_end(net_device_read_txrx);

	/* on its way in */
	__cacheline_group_begin(net_device_read_rx);
	struct list_head	ptype_specific;
	int			ifindex;
	unsigned int		gro_max_size;
	struct netdev_rx_queue	*_rx;
#ifdef CONFIG_RPS
	struct rps_map __rcu	*rps_map;	/* which CPU takes it over */
#endif
	__cacheline_group_end(net_device_read_rx);

	/* slow paths only, from here */
	char			name[16];
	DECLARE_BITMAP(wanted_features, 64);
	struct list_head	dev_list, napi_list;

	/* set by one user request, compared and copied as one */
	struct_group(link_settings,
		u32		speed;
		u8		duplex;
		u8		autoneg;
	);

	unsigned		wol_enabled:1,	/* may wake the machine */
				threaded:1;	/* polled by a thread of its own */
	unsigned		promiscuity, allmulti;
	int __percpu		*pcpu_refcnt;
	struct mutex		lock;		/* of everything below "slow paths" */

	/* a driver's own, on lines of its own */
	u8			priv[] ____cacheline_aligned;
};

void net_dev_init(void);
struct net_device *alloc_netdev(size_t sizeof_priv);

#endif
