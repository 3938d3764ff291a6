#include "engine/kernels/disk_entry.h"

#include "base/machine.h"
#include "cache/objects.h"
#include "engine/program/bytes.h"
#include "jit/place.h"
#include "runtime/abi.h"

#include <string.h>

enum { LAYOUT = 6, MOST_PARAMS = 1 << 20, MOST_SLOTS = 1 << 24 };
enum { HAS_INIT = 1, HAS_EXIT = 2, HAS_WORKSPACE = 4, HAS_ALL = 7 };

/* ---- writing ---- */

void kernel_write(const struct codegen_result *code, struct text *out)
{
    objects_put(out, code->objects, code->num_objects);
    bytes_put_number(out, LAYOUT);
    bytes_put_number(out,
                     (code->init ? HAS_INIT : 0) | (code->exit ? HAS_EXIT : 0) | (code->workspace ? HAS_WORKSPACE : 0));
    bytes_put_number(out, code->num_slots);
    bytes_put_number(out, code->num_params);
    bytes_put_number(out, (uint64_t)code->cache_least);
    bytes_put_number(out, (uint64_t)code->cache_most);
    for (uint32_t i = 0; i < code->num_params; i++) {
        bytes_put_number(out, code->params[i].by_value);
        bytes_put_number(out, code->params[i].host_code);
        bytes_put_text(out, code->params[i].name);
        bytes_put_text(out, code->params[i].type);
    }
}

/* ---- reading ---- */

/* Only code that depends on the size of the largest cache asks for it: that takes 0.1 ms. */
static bool fits_machine(uint64_t least, uint64_t most)
{
    return (least == 0 && most == INT64_MAX) ||
           ((uint64_t)machine_cache_bytes() >= least && (uint64_t)machine_cache_bytes() <= most);
}

static void read_params(struct bytes *b, struct sdfg_kernel *k, uint64_t count)
{
    count = b->failed ? 0 : count;
    k->code.num_params = (uint32_t)count;
    k->code.params = NEW_ARRAY(k->arena, struct codegen_param, count);
    for (uint64_t i = 0; i < count && !b->failed; i++) {
        struct codegen_param *p = &k->code.params[i];
        p->by_value = bytes_take_number(b, 1);
        p->host_code = bytes_take_number(b, 1);
        p->name = bytes_take_text(b, k->arena);
        p->type = bytes_take_text(b, k->arena);
    }
}

/* What the objects are, without the bytes of those that are placed. */
static void keep_objects(struct sdfg_kernel *k, const struct code_object *objects, uint32_t count)
{
    k->code.num_objects = count;
    k->code.objects = NEW_ARRAY(k->arena, struct code_object, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        const struct code_object *o = &objects[i];
        const void *bytes = o->type == CODE_KEPT ? code_object_bytes(k->arena, o->bytes, o->size) : NULL;
        k->code.objects[i] = (struct code_object){ o->type, arena_strdup(k->arena, o->name), bytes, o->size };
    }
}

static codegen_entry *entry_point(const struct placed *p, const char *name)
{
    codegen_entry *entry;
    void *address = place_address(p, name);
    memcpy(&entry, &address, sizeof entry);
    return entry;
}

bool kernel_read(const void *bytes, size_t size, bool listeners, struct sdfg_kernel *k, struct arena *a,
                 const char **why)
{
    struct bytes b = { .at = bytes, .left = size };
    struct code_object *objects = NULL;
    uint32_t num_objects = 0;
    b.failed = !objects_take(&b.at, &b.left, a, &objects, &num_objects);
    b.failed |= bytes_take_number(&b, LAYOUT) != LAYOUT;
    uint64_t entries = bytes_take_number(&b, HAS_ALL);
    k->code.num_slots = (uint32_t)bytes_take_number(&b, MOST_SLOTS);
    uint64_t num_params = bytes_take_number(&b, MOST_PARAMS);
    uint64_t least = bytes_take_number(&b, INT64_MAX), most = bytes_take_number(&b, INT64_MAX);
    read_params(&b, k, num_params);
    *why = "it is not laid out as this version writes entries";
    if (b.failed || b.left)
        return false;
    *why = NULL;
    if (!fits_machine(least, most))
        return false;
    struct place_options o = { .symbol = sdfg_rt_symbol, .listeners = listeners };
    k->placed = place_new(objects, num_objects, &o, a, why);
    if (!k->placed)
        return false;
    keep_objects(k, objects, num_objects);
    k->code.main = entry_point(k->placed, "sdfg_main");
    k->code.init = entry_point(k->placed, "sdfg_init");
    k->code.exit = entry_point(k->placed, "sdfg_exit");
    k->code.workspace = entry_point(k->placed, "sdfg_workspace");
    k->code.code_bytes = place_bytes(k->placed);
    *why = "it has other entry points than it says";
    return k->code.main && !k->code.init == !(entries & HAS_INIT) && !k->code.exit == !(entries & HAS_EXIT) &&
           !k->code.workspace == !(entries & HAS_WORKSPACE);
}
