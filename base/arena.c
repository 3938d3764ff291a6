#include "base/arena.h"

#include "base/fatal.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#define OWN_BLOCKS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define OWN_BLOCKS 1
#endif
#endif
#ifndef OWN_BLOCKS
#define OWN_BLOCKS 0
#endif

enum { FIRST_BLOCK = 4 * 1024, LARGEST_BLOCK = 4 * 1024 * 1024, ALIGNMENT = 8, WIDEST = 16 };

/* Pages are asked for so many bytes at a time: fresh memory costs a third less than one fault for each page. Huge pages
 * cost least where the system has them ready, and most of all on virtual machines whose host has to find them first. */
enum {
    STEP = 64 * 1024,
    SMALL_STEP = 16 * 1024, /* in the first mapping of an arena, which may stay nearly empty */
    HEAP_STEP = 1024        /* blocks of the heap are zeroed so many bytes at a time: most stay half empty, too */
};

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14; what an older one refuses comes with faults */
#endif

struct arena_block {
    struct arena_block *next;
    size_t size, used;
    size_t mapped; /* bytes, if it is a mapping of its own */
    size_t ready;  /* bytes of the block, this head included, that are zero or used: of a mapping, were asked for */
    _Alignas(WIDEST) char data[];
};

struct arena {
    struct arena_block *blocks; /* the first one is being filled */
    struct arena_block *spare;  /* of before the last reset */
    size_t next_size, bytes;
    struct arena *next, **at; /* among those of a guard; `at` is NULL outside of guards */
};

struct arena *arena_new(void)
{
    struct arena *a = calloc(1, sizeof *a);
    if (!a)
        fatal_memory();
    a->next_size = FIRST_BLOCK;
    arena_guard(a, guard_innermost());
    return a;
}

void arena_guard(struct arena *a, struct guard *g)
{
    if (a->at) {
        *a->at = a->next;
        if (a->next)
            a->next->at = a->at;
        a->at = NULL;
    }
    if (!g)
        return;
    a->next = g->arenas;
    a->at = &g->arenas;
    if (a->next)
        a->next->at = &a->next;
    g->arenas = a;
}

static void free_block(struct arena_block *b)
{
    if (b->mapped)
        munmap(b, b->mapped);
    else
        free(b);
}

static void free_blocks(struct arena_block *first)
{
    for (struct arena_block *b = first, *next; b; b = next) {
        next = b->next;
        free_block(b);
    }
}

void arena_free(struct arena *a)
{
    if (!a)
        return;
    arena_keep(a);
    free_blocks(a->blocks);
    free_blocks(a->spare);
    free(a);
}

/* NULL: no memory. */
static struct arena_block *map_block(size_t size)
{
    size = (sizeof(struct arena_block) + size + STEP - 1) / STEP * STEP;
    struct arena_block *b = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (b == MAP_FAILED)
        return NULL;
    b->mapped = size;
    return b;
}

/* NULL: no memory. Zeroed as far as it is ready. */
static struct arena_block *heap_block(size_t size)
{
    struct arena_block *b = malloc(sizeof *b + size);
    if (b)
        *b = (struct arena_block){ .ready = sizeof *b };
    return b;
}

static struct arena_block *new_block(size_t size)
{
    struct arena_block *b = size >= STEP && !OWN_BLOCKS ? map_block(size) : heap_block(size);
    if (!b)
        fatal_memory();
    b->size = b->mapped ? b->mapped - sizeof *b : size;
    return b;
}

/* One that a reset left if there is one of at least `least` bytes, else a new one of `size` bytes. */
static struct arena_block *take_block(struct arena *a, size_t least, size_t size)
{
    for (struct arena_block **at = &a->spare; *at; at = &(*at)->next)
        if ((*at)->size >= least) {
            struct arena_block *b = *at;
            *at = b->next;
            b->next = NULL;
            memset(b->data, 0, b->used);
            b->used = 0;
            return b;
        }
    return new_block(size);
}

static struct arena_block *add_block(struct arena *a, size_t least, size_t size)
{
    struct arena_block *b = take_block(a, least, size);
    b->next = a->blocks;
    a->blocks = b;
    return b;
}

void arena_reset(struct arena *a)
{
    while (a->blocks) {
        struct arena_block *b = a->blocks;
        a->blocks = b->next;
        if (OWN_BLOCKS) {
            free_block(b);
        } else {
            b->next = a->spare;
            a->spare = b;
        }
    }
    a->bytes = 0;
}

/* Zeroes what is used by now and was not before, and some more: of a mapping, which is zero, asks for the pages. */
static void make_ready(struct arena_block *b)
{
    size_t step = !b->mapped ? HEAP_STEP : b->mapped > 4 * STEP ? STEP : SMALL_STEP;
    size_t end = (sizeof *b + b->used + step - 1) / step * step, all = sizeof *b + b->size;
    end = end < all ? end : all;
    if (b->mapped)
        madvise((char *)b + b->ready, end - b->ready, MADV_POPULATE_WRITE);
    else
        memset((char *)b + b->ready, 0, end - b->ready);
    b->ready = end;
}

static size_t rounded(size_t size) { return (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1); }

static void *use(struct arena_block *b, size_t size)
{
    void *p = b->data + b->used;
    b->used += size;
    if (sizeof *b + b->used > b->ready)
        make_ready(b);
    return p;
}

void *arena_alloc(struct arena *a, size_t size)
{
    a->bytes += size;
    if (OWN_BLOCKS) {
        return use(add_block(a, size, size), size);
    }
    size = rounded(size);
    struct arena_block *b = a->blocks;
    size_t gap = b && size % WIDEST == 0 ? b->used % WIDEST : 0;
    if (!b || b->size - b->used < size + gap) {
        if (size > a->next_size / 4) { /* a block of its own, behind the one being filled */
            struct arena_block *own = take_block(a, size, size);
            if (b) {
                own->next = b->next;
                b->next = own;
            } else {
                a->blocks = own;
            }
            return use(own, size);
        }
        b = add_block(a, size, a->next_size);
        if (a->next_size < LARGEST_BLOCK)
            a->next_size *= 2;
        gap = 0;
    }
    b->used += gap;
    return use(b, size);
}

/* More for what was allocated last, which stays where it is. False: something else was, or there is no room. */
static bool extend(struct arena *a, const void *last, size_t size, size_t larger)
{
    struct arena_block *b = a->blocks;
    if (OWN_BLOCKS || !b || !last || (const char *)last + size != b->data + b->used ||
        b->size - b->used < larger - size)
        return false;
    use(b, larger - size);
    return true;
}

/* Moves the mapping that holds nothing else, whose pages are not copied. NULL: it is in no such mapping. */
static void *move(struct arena *a, const void *data, size_t size, size_t larger)
{
    struct arena_block **at = &a->blocks;
    while (*at && (*at)->data != data)
        at = &(*at)->next;
    struct arena_block *b = *at;
    if (!b || !b->mapped || b->used != size)
        return NULL;
    size_t mapped = (sizeof *b + larger + STEP - 1) / STEP * STEP;
    b = mremap(b, b->mapped, mapped, MREMAP_MAYMOVE);
    if (b == MAP_FAILED)
        return NULL;
    b->mapped = mapped;
    b->size = mapped - sizeof *b;
    *at = b;
    use(b, larger - size);
    return b->data;
}

void *arena_grow(struct arena *a, void *data, size_t used, size_t size, size_t larger)
{
    size_t old = rounded(size), new = rounded(larger);
    void *p = extend(a, data, old, new) ? data : old >= STEP ? move(a, data, old, new) : NULL;
    if (p) {
        a->bytes += new - old;
        return p;
    }
    p = arena_alloc(a, larger);
    if (used)
        memcpy(p, data, used);
    return p;
}

void *arena_copy(struct arena *a, const void *data, size_t size)
{
    void *p = arena_alloc(a, size);
    if (size)
        memcpy(p, data, size);
    return p;
}

char *arena_strndup(struct arena *a, const char *text, size_t length)
{
    char *p = arena_alloc(a, length + 1);
    memcpy(p, text, length);
    return p;
}

char *arena_strdup(struct arena *a, const char *text) { return arena_strndup(a, text, strlen(text)); }

char *arena_join(struct arena *a, const char *first, const char *second)
{
    size_t n = strlen(first), m = strlen(second);
    char *p = arena_alloc(a, n + m + 1);
    memcpy(p, first, n);
    memcpy(p + n, second, m);
    return p;
}

char *arena_vprintf(struct arena *a, const char *format, va_list args)
{
    char most[128]; /* texts are that short */
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(most, sizeof most, format, again);
    va_end(again);
    if ((size_t)n < sizeof most)
        return arena_strndup(a, most, (size_t)n);
    char *p = arena_alloc(a, (size_t)n + 1);
    vsnprintf(p, (size_t)n + 1, format, args);
    return p;
}

char *arena_printf(struct arena *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *p = arena_vprintf(a, format, args);
    va_end(args);
    return p;
}

size_t arena_bytes(const struct arena *a) { return a->bytes; }

void *vec_grow(struct arena *a, void *items, uint32_t count, uint32_t *capacity, size_t item_size)
{
    uint32_t larger = *capacity ? *capacity * 2 : 2;
    items = arena_grow(a, items, count * item_size, *capacity * item_size, larger * item_size);
    *capacity = larger;
    return items;
}
