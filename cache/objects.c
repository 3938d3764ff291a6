#include "cache/objects.h"

#include <string.h>

static const char magic[8] = "SDFGCODE";
enum { MAGIC = sizeof magic, MOST_OBJECTS = 1 << 16 };

struct object_head {
    uint32_t type, name_bytes;
    uint64_t size;
};

const char *objects_type_name(enum code_type type)
{
    static const char *const names[NUM_CODE_TYPES] = {
        [CODE_MACHINE] = "machine code",
        [CODE_DEVICE] = "device image",
        [CODE_GIVEN] = "target's code",
        [CODE_KEPT] = "target's object",
    };
    return names[type];
}

void objects_put(struct text *out, const struct code_object *objects, uint32_t count)
{
    text_addn(out, magic, MAGIC);
    text_addn(out, (const char *)&count, sizeof count);
    for (uint32_t i = 0; i < count; i++) {
        const struct code_object *o = &objects[i];
        struct object_head head = { (uint32_t)o->type, (uint32_t)strlen(o->name) + 1, o->size };
        text_addn(out, (const char *)&head, sizeof head);
    }
    for (uint32_t i = 0; i < count; i++) {
        text_addn(out, objects[i].name, strlen(objects[i].name) + 1);
        text_addn(out, objects[i].bytes, objects[i].size);
    }
}

/* NULL if there are fewer. */
static const unsigned char *take(const unsigned char **at, size_t *left, uint64_t size)
{
    const unsigned char *here = *at;
    if (size > *left)
        return NULL;
    *at += size;
    *left -= (size_t)size;
    return here;
}

static bool take_object(const unsigned char *head, const unsigned char **at, size_t *left, struct code_object *out)
{
    struct object_head h;
    memcpy(&h, head, sizeof h);
    const char *name = (const char *)take(at, left, h.name_bytes);
    if (h.type >= NUM_CODE_TYPES || !name || !h.name_bytes || memchr(name, 0, h.name_bytes) != name + h.name_bytes - 1)
        return false;
    *out = (struct code_object){ (enum code_type)h.type, name, take(at, left, h.size), (size_t)h.size };
    return out->bytes;
}

bool objects_take(const unsigned char **at, size_t *left, struct arena *a, struct code_object **out, uint32_t *count)
{
    const unsigned char *begin = take(at, left, MAGIC), *number = begin ? take(at, left, sizeof *count) : NULL;
    if (!number || memcmp(begin, magic, MAGIC))
        return false;
    memcpy(count, number, sizeof *count);
    const unsigned char *heads =
        *count <= MOST_OBJECTS ? take(at, left, (uint64_t)*count * sizeof(struct object_head)) : NULL;
    if (!heads)
        return false;
    *out = NEW_ARRAY(a, struct code_object, *count + 1);
    for (uint32_t i = 0; i < *count; i++)
        if (!take_object(heads + i * sizeof(struct object_head), at, left, &(*out)[i]))
            return false;
    return true;
}
