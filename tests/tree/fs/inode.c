/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/fs.h>
#include <linux/slab.h>

static struct kmem_cache *inode_cachep __read_mostly;

void address_space_init_once(struct address_space *mapping)
{
	memset(mapping, 0, sizeof(*mapping));
	init_rwsem(&mapping->i_mmap_rwsem);
	init_rwsem(&mapping->invalidate_lock);
	INIT_LIST_HEAD(&mapping->private_list);
	spin_lock_init(&mapping->private_lock);
}

void inode_init_once(struct inode *inode)
{
	memset(inode, 0, sizeof(*inode));
	INIT_LIST_HEAD(&inode->i_io_list);
	INIT_LIST_HEAD(&inode->i_lru);
	address_space_init_once(&inode->i_data);
}

/* for each inode anew, be it an old object or a new one */
void inode_init_always(struct super_block *sb, struct inode *inode)
{
	struct address_space *mapping = &inode->i_data;

	inode->i_sb = sb;
	inode->__i_nlink = 1;
	atomic_set(&inode->i_count, 1);
	inode->i_mapping = mapping;
#ifdef CONFIG_FS_POSIX_ACL
	inode->i_acl = inode->i_default_acl = NULL;
#endif
	mapping->host = inode;
	mapping->a_ops = NULL;
	mapping->flags = 0;
	mapping->gfp_mask = GFP_KERNEL;
	atomic_set(&mapping->i_mmap_writable, 0);
#ifdef CONFIG_READ_ONLY_THP_FOR_FS
	atomic_set(&mapping->nr_thps, 0);
#endif
	mapping->writeback_index = 0;
}

void iput(struct inode *inode)
{
	if (atomic_dec_and_test(&inode->i_count))
		kmem_cache_free(inode_cachep, inode);
}

int inode_cache_init(void)
{
	inode_cachep = kmem_cache_create("inode_cache", sizeof(struct inode), 0,
					 SLAB_RECLAIM_ACCOUNT, NULL);
	return inode_cachep ? 0 : -ENOMEM;
}
