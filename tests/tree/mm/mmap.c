/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Areas of memory come to a file's tree and leave it under i_mmap_rwsem; whoever only wants to
 * know whether there are any looks at i_mmap without it. Seed 002 is about those two.
 */
#include <linux/fs.h>

void vma_link_file(struct address_space *mapping, struct rb_node *node)
{
	down_write(&mapping->i_mmap_rwsem);
	vma_interval_tree_insert(node, &mapping->i_mmap);
	up_write(&mapping->i_mmap_rwsem);
}

struct rb_node *vma_first_of(struct address_space *mapping)
{
	struct rb_node *first;

	if (!mapping_mapped(mapping))
		return NULL;
	down_read(&mapping->i_mmap_rwsem);
	first = mapping->i_mmap.rb_leftmost;
	up_read(&mapping->i_mmap_rwsem);
	return first;
}
