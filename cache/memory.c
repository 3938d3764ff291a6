#include "cache/memory.h"

static void link_newest(struct memory_list *m, struct memory_item *item)
{
    item->newer = NULL;
    item->older = m->newest;
    if (m->newest)
        m->newest->newer = item;
    else
        m->oldest = item;
    m->newest = item;
}

static void unlink_item(struct memory_list *m, struct memory_item *item)
{
    if (item->newer)
        item->newer->older = item->older;
    else
        m->newest = item->older;
    if (item->older)
        item->older->newer = item->newer;
    else
        m->oldest = item->newer;
}

void memory_add(struct memory_list *m, struct memory_item *item, size_t bytes)
{
    *item = (struct memory_item){ .bytes = bytes };
    m->bytes += bytes;
    link_newest(m, item);
}

void memory_use(struct memory_list *m, struct memory_item *item)
{
    if (m->newest == item)
        return;
    unlink_item(m, item);
    link_newest(m, item);
}

void memory_remove(struct memory_list *m, struct memory_item *item)
{
    unlink_item(m, item);
    m->bytes -= item->bytes;
}

struct memory_item *memory_drop(struct memory_list *m)
{
    struct memory_item *item = m->bytes > m->limit ? m->oldest : NULL;
    while (item && item->pins)
        item = item->newer;
    if (item)
        memory_remove(m, item);
    return item;
}
