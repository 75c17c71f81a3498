/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/slab.h>
#include "minifs.h"

static struct kmem_cache *minifs_inode_cachep;

/* once for an object of the cache, not for each inode that it becomes */
static void minifs_init_once(void *object)
{
	struct minifs_inode_info *info = object;

	init_rwsem(&info->i_meta_lock);
	INIT_LIST_HEAD(&info->i_orphan);
	inode_init_once(&info->vfs_inode);
}

int minifs_init(void)
{
	minifs_inode_cachep = kmem_cache_create("minifs_inode_cache",
			sizeof(struct minifs_inode_info), 0,
			SLAB_RECLAIM_ACCOUNT | SLAB_HWCACHE_ALIGN, minifs_init_once);
	return minifs_inode_cachep ? 0 : -ENOMEM;
}

struct inode *minifs_alloc_inode(struct super_block *sb)
{
	struct minifs_inode_info *info = kmem_cache_alloc(minifs_inode_cachep, GFP_KERNEL);

	info->i_inline = 1;
	inode_init_always(sb, &info->vfs_inode);
	return &info->vfs_inode;
}
