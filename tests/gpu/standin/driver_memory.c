/* Memory of the device. Every allocation ends at a page that faults and is filled with NaN; what was freed faults, and
 * its addresses are not used again. $SDFG_STANDIN_MEMORY: bytes that the device has. */
#include "tests/gpu/standin/driver.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, GRANULE = 16 };
enum { MEMORY_TYPE = 2, IS_MANAGED = 8, DEVICE_ORDINAL = 9 };

API CUresult cuMemAlloc_v2(CUdeviceptr *out, size_t bytes);
API CUresult cuMemFree_v2(CUdeviceptr address);
API CUresult cuMemGetInfo_v2(size_t *left, size_t *total);
API CUresult cuMemHostAlloc(void **out, size_t bytes, unsigned flags);
API CUresult cuMemFreeHost(void *memory);
API CUresult cuPointerGetAttributes(unsigned count, const int *attributes, void **out, CUdeviceptr address);

struct piece {
    uint64_t address;
    size_t bytes, first, mapped; /* asked for; offset and size of its pages */
    bool pinned;
    int device;
    struct piece *next;
};
static struct piece *pieces;
static size_t used, next_offset = PAGE;

static size_t total(void) { return (size_t)standin_setting("SDFG_STANDIN_MEMORY", 4L << 30); }

static const struct piece *find(uint64_t address, size_t bytes, bool pinned)
{
    const struct piece *p = pieces;
    while (p && (p->pinned != pinned || address < p->address || address - p->address > p->bytes ||
                 bytes > p->bytes - (address - p->address)))
        p = p->next;
    return p;
}

void *standin_at(CUdeviceptr address, size_t bytes)
{
    return find(address, bytes, false) ? standin_memory + (address - STANDIN_BASE) : NULL;
}

bool standin_is_pinned(const void *memory) { return find((uintptr_t)memory, 1, true) != NULL; }

static void keep(const struct piece *p)
{
    struct piece *own = malloc(sizeof *own);
    *own = *p;
    own->next = pieces;
    pieces = own;
    standin_change_objects(1);
}

static bool drop(uint64_t address, bool pinned, struct piece *out)
{
    for (struct piece **at = &pieces; *at; at = &(*at)->next)
        if ((*at)->address == address && (*at)->pinned == pinned) {
            struct piece *p = *at;
            *out = *p;
            *at = p->next;
            free(p);
            standin_change_objects(-1);
            return true;
        }
    return false;
}

CUresult cuMemAlloc_v2(CUdeviceptr *out, size_t bytes)
{
    ENTER(true);
    size_t size = (bytes + GRANULE - 1) / GRANULE * GRANULE, mapped = (size + PAGE - 1) / PAGE * PAGE;
    struct standin_reply r;
    if (!bytes)
        return CUDA_ERROR_INVALID_VALUE;
    if (mapped < bytes || mapped > total() - used || mapped + 2 * PAGE > STANDIN_SPACE - next_offset)
        return CUDA_ERROR_OUT_OF_MEMORY;
    struct piece p = { .bytes = size, .first = next_offset, .mapped = mapped, .device = standin_device() };
    p.address = STANDIN_BASE + p.first + mapped - size;
    struct standin_request q = { .kind = STANDIN_MAP,
                                 .address = (int64_t)(STANDIN_BASE + p.first),
                                 .size = (int64_t)mapped };
    CUresult result = standin_request(&q, NULL, &r);
    if (result)
        return result;
    memset(standin_memory + p.first, 0xff, mapped);
    next_offset += mapped + PAGE;
    used += mapped;
    keep(&p);
    *out = p.address;
    return CUDA_SUCCESS;
}

/* Waits for the device, as the driver does. */
CUresult cuMemFree_v2(CUdeviceptr address)
{
    ENTER(true);
    struct piece p;
    struct standin_reply r;
    if (!address)
        return CUDA_SUCCESS;
    CUresult result = standin_flush_all();
    if (result)
        return result;
    if (!drop(address, false, &p))
        return CUDA_ERROR_INVALID_VALUE;
    used -= p.mapped;
    struct standin_request q = { .kind = STANDIN_UNMAP,
                                 .address = (int64_t)(STANDIN_BASE + p.first),
                                 .size = (int64_t)p.mapped };
    madvise(standin_memory + p.first, p.mapped, MADV_REMOVE);
    return standin_request(&q, NULL, &r);
}

CUresult cuMemGetInfo_v2(size_t *left, size_t *all)
{
    ENTER(true);
    *all = total();
    *left = total() - used;
    return CUDA_SUCCESS;
}

CUresult cuMemHostAlloc(void **out, size_t bytes, unsigned flags)
{
    ENTER(true);
    (void)flags;
    struct piece p = { .bytes = bytes, .pinned = true };
    void *memory = bytes ? aligned_alloc(PAGE, (bytes + PAGE - 1) / PAGE * PAGE) : NULL;
    if (!memory)
        return bytes ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_VALUE;
    p.address = (uintptr_t)memory;
    keep(&p);
    *out = memory;
    return CUDA_SUCCESS;
}

CUresult cuMemFreeHost(void *memory)
{
    ENTER(true);
    struct piece p;
    CUresult result = standin_flush_all();
    if (result)
        return result;
    if (!drop((uintptr_t)memory, true, &p))
        return CUDA_ERROR_INVALID_VALUE;
    free(memory);
    return CUDA_SUCCESS;
}

static bool get_attribute(void *out, int attribute, const struct piece *pinned, const struct piece *device)
{
    if (attribute == MEMORY_TYPE)
        *(unsigned *)out = pinned ? 1 : device ? 2 : 0;
    else if (attribute == IS_MANAGED)
        *(int *)out = 0;
    else if (attribute == DEVICE_ORDINAL)
        *(int *)out = device ? device->device : pinned ? 0 : -2;
    else
        return false;
    return true;
}

/* Of memory that the driver does not know, too: that is no error. */
CUresult cuPointerGetAttributes(unsigned count, const int *attributes, void **out, CUdeviceptr address)
{
    ENTER(false);
    const struct piece *pinned = find(address, 1, true), *device = find(address, 1, false);
    for (unsigned i = 0; i < count; i++)
        if (!get_attribute(out[i], attributes[i], pinned, device))
            return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}
