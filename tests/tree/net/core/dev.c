/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/netdevice.h>
#include <linux/slab.h>

static LIST_HEAD(dev_base);

struct net_device *alloc_netdev(size_t sizeof_priv)
{
	struct net_device *dev = kzalloc(struct_size(dev, priv, sizeof_priv), GFP_KERNEL);

	if (!dev)
		return NULL;
	memset(&dev->link_settings, 0, sizeof(dev->link_settings));
	mutex_init(&dev->lock);
	list_add_tail(&dev->dev_list, &dev_base);
	return dev;
}

/* a field that leaves its group, or swells it, ends the build here */
static void __init net_dev_struct_check(void)
{
	CACHELINE_ASSERT_GROUP_MEMBER(struct net_device, net_device_read_tx, _tx);
	CACHELINE_ASSERT_GROUP_MEMBER(struct net_device, net_device_read_tx, mtu);
	CACHELINE_ASSERT_GROUP_SIZE(struct net_device, net_device_read_tx, 48);

	CACHELINE_ASSERT_GROUP_MEMBER(struct net_device, net_device_read_txrx, state);
	CACHELINE_ASSERT_GROUP_SIZE(struct net_device, net_device_read_txrx, 24);
	CACHELINE_ASSERT_GROUP_SIZE(struct net_device, net_device_read_rx, 40);
}

void __init net_dev_init(void)
{
	net_dev_struct_check();
}
