/* What of many things in memory is kept: those used last, up to a number of bytes. Things in use (pinned) stay and
 * count. Only the order is kept here; whoever owns the things holds a lock around every call. */
#ifndef CACHE_MEMORY_H
#define CACHE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Part of each thing. */
struct memory_item {
    struct memory_item *newer, *older; /* NULL at the ends */
    size_t bytes;
    uint32_t pins;
};

struct memory_list {
    size_t limit, bytes;
    struct memory_item *newest, *oldest;
};

void memory_add(struct memory_list *m, struct memory_item *item, size_t bytes); /* as the newest, not pinned */
void memory_use(struct memory_list *m, struct memory_item *item);               /* makes it the newest */
void memory_remove(struct memory_list *m, struct memory_item *item);
/* Takes out the item to drop next; NULL if the limit holds or everything is pinned. */
struct memory_item *memory_drop(struct memory_list *m);

#endif
