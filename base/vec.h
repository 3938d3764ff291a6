/* Growable arrays that live in an arena.
 *
 *     VEC(struct node *) nodes = {0};
 *     vec_push(arena, &nodes, n);
 *     for (uint32_t i = 0; i < nodes.count; i++) use(nodes.items[i]);
 *
 * Growing leaves the old block to the arena; element addresses are not stable. */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include "base/arena.h"

#include <stdint.h>

#define VEC(type)                                                                                                      \
    struct {                                                                                                           \
        type *items;                                                                                                   \
        uint32_t count, capacity;                                                                                      \
    }

void *vec_grow(struct arena *a, void *items, uint32_t count, uint32_t *capacity, size_t item_size);

#define vec_reserve(arena, v)                                                                                          \
    ((v)->count == (v)->capacity                                                                                       \
         ? (void)((v)->items = vec_grow((arena), (v)->items, (v)->count, &(v)->capacity, sizeof *(v)->items))          \
         : (void)0)
#define vec_push(arena, v, value) (vec_reserve((arena), (v)), (v)->items[(v)->count++] = (value))
#define vec_last(v)               ((v)->items[(v)->count - 1])

#endif
