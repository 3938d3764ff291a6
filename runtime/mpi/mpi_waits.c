/* What this process waits for, told without locks and memory: signal handlers ask. */
#include "runtime/mpi/mpi_internal.h"

#include <stdatomic.h>
#include <string.h>

/* Of the thread that came last. A reader that meets a change sees parts of two; both are true of this process. */
static struct {
    _Atomic(const char *) function, where; /* function NULL: for nothing */
    atomic_int rank, size, peer, tag;
    atomic_uint number;
} now;

void sdfg_rt_mpi_about(const struct sdfg_rt_mpi_node *n, const char *function, int peer, int tag)
{
    atomic_store(&now.where, n->where);
    atomic_store(&now.rank, n->rank);
    atomic_store(&now.size, n->size);
    atomic_store(&now.peer, peer);
    atomic_store(&now.tag, tag);
    atomic_fetch_add(&now.number, 1);
    atomic_store(&now.function, function);
}

void sdfg_rt_mpi_came_back(void) { atomic_store(&now.function, NULL); }

/* ---- the text ---- */

struct line {
    char *text;
    size_t size, length;
};

static void add(struct line *l, const char *text)
{
    for (; *text && l->length + 1 < l->size; text++)
        l->text[l->length++] = *text;
    l->text[l->length] = 0;
}

static void add_number(struct line *l, int value)
{
    char digits[12];
    int at = sizeof digits - 1;
    unsigned rest = (unsigned)value;
    digits[at] = 0;
    do
        digits[--at] = (char)('0' + rest % 10);
    while (rest /= 10);
    add(l, digits + at);
}

unsigned sdfg_rt_mpi_waits(char *text, size_t size)
{
    struct line l = { text, size, 0 };
    const char *function = atomic_load(&now.function), *where = atomic_load(&now.where);
    int peer = atomic_load(&now.peer), tag = atomic_load(&now.tag);
    if (!function || !where || !size)
        return 0;
    add(&l, "rank ");
    add_number(&l, atomic_load(&now.rank));
    add(&l, " of ");
    add_number(&l, atomic_load(&now.size));
    add(&l, " waits in ");
    add(&l, function);
    if (peer != SDFG_RT_MPI_ALL) {
        add(&l, peer < 0 ? " for any process" : " for rank ");
        if (peer >= 0)
            add_number(&l, peer);
        if (tag >= 0) {
            add(&l, ", tag ");
            add_number(&l, tag);
        }
    }
    add(&l, ", at ");
    add(&l, where);
    return atomic_load(&now.number);
}
