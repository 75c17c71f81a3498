/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/fs.h>
#include <linux/slab.h>

static struct kmem_cache *inode_cache __read_mostly;

/* what holds for an object of the cache, whatever inode it becomes */
void inode_init_once(struct inode *inode)
{
	struct address_space *pages = &inode->i_data;

	memset(inode, 0, sizeof(*inode));
	init_rwsem(&inode->i_rwsem);
	spin_lock_init(&inode->i_lock);
	INIT_LIST_HEAD(&inode->i_lru);

	init_rwsem(&pages->invalidate_lock);
	init_rwsem(&pages->i_mmap_rwsem);
	spin_lock_init(&pages->private_lock);
	INIT_LIST_HEAD(&pages->private_list);
}

/* and for each inode anew */
void inode_init_always(struct super_block *sb, struct inode *inode)
{
	struct address_space *pages = &inode->i_data;

	inode->i_sb = sb;
	inode->__i_nlink = 1;
	atomic_set(&inode->i_count, 1);
#ifdef CONFIG_FS_POSIX_ACL
	inode->i_acl = inode->i_default_acl = NULL;
#endif

	inode->i_mapping = pages;
	pages->host = inode;
	pages->a_ops = NULL;
	pages->flags = 0;
	pages->gfp_mask = GFP_KERNEL;
	atomic_set(&pages->i_mmap_writable, 0);
#ifdef CONFIG_READ_ONLY_THP_FOR_FS
	atomic_set(&pages->nr_thps, 0);
#endif
}

void iput(struct inode *inode)
{
	if (atomic_dec_and_test(&inode->i_count))
		kmem_cache_free(inode_cache, inode);
}

int inode_cache_init(void)
{
	inode_cache = kmem_cache_create("inode_cache", sizeof(struct inode), 0,
					SLAB_RECLAIM_ACCOUNT, NULL);
	return inode_cache ? 0 : -ENOMEM;
}
