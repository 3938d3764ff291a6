/* Objects that targets of plug-ins keep with the code of a kernel: given to them when there is code, however it came.
 */
#include "base/text.h"
#include "cache/objects.h"
#include "engine/engine.h"
#include "engine/kernels/kernel.h"
#include "engine/reason.h"
#include "engine/targets.h"

#include <string.h>

static uint32_t count_kept(const struct codegen_result *code)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < code->num_objects; i++)
        count += code->objects[i].type == CODE_KEPT;
    return count;
}

/* The name of an object begins with that of its target, and '/'. */
static bool find_target(struct sdfg_engine *e, const char *name, uint32_t *index, size_t *length)
{
    const struct targets_table *all = &e->registry.targets;
    for (uint32_t i = 0; i < all->items.count; i++) {
        size_t n = strlen(all->items.items[i]->own.name);
        if (!strncmp(all->items.items[i]->own.name, name, n) && name[n] == '/' && all->items.items[i]->plugin) {
            *index = i;
            *length = n + 1;
            return true;
        }
    }
    return false;
}

static bool load(struct sdfg_kernel *k, const struct code_object *o, struct kernel_object *out, struct reason *why)
{
    struct sdfg_engine *e = k->program->engine;
    uint32_t index;
    size_t prefix;
    const char *trouble = "there is no such target";
    if (!find_target(e, o->name, &index, &prefix) || !target_is_ready(e, index, &trouble)) {
        reason_take(why, trouble, strlen(trouble));
        return false;
    }
    const struct engine_target *t = e->registry.targets.items.items[index];
    out->target = t;
    out->object = (sdfg_code_object){ sizeof out->object, o->name + prefix, o->bytes, o->size };
    out->loaded =
        (sdfg_loaded_object){ sizeof out->loaded, t->own.user, t->states, &out->object, (int64_t)(intptr_t)o->bytes };
    if (!t->own.load || t->own.load(&out->loaded, reason_take, why))
        return true;
    reason_settle(why);
    return false;
}

bool kernel_load_kept(struct sdfg_kernel *k, sdfg_error **error)
{
    const struct codegen_result *code = &k->code;
    uint32_t count = count_kept(code);
    if (!count)
        return true;
    k->kept = NEW_ARRAY(k->arena, struct kernel_object, count);
    k->kept_values = NEW_ARRAY(k->arena, int64_t, count);
    for (uint32_t i = 0; i < code->num_objects; i++) {
        struct reason why = { 0 };
        if (code->objects[i].type != CODE_KEPT)
            continue;
        if (!load(k, &code->objects[i], &k->kept[k->num_kept], &why)) {
            *error = error_of(SDFG_STAGE_COMPILE, DIAG_TARGET_OBJECT, code->objects[i].name, why.text);
            kernel_unload_kept(k);
            return false;
        }
        k->kept_values[k->num_kept] = k->kept[k->num_kept].loaded.value;
        k->num_kept++;
    }
    return true;
}

void kernel_unload_kept(struct sdfg_kernel *k)
{
    while (k->num_kept) {
        const struct kernel_object *o = &k->kept[--k->num_kept];
        if (o->target->own.unload)
            o->target->own.unload(&o->loaded);
    }
}

const char *kernel_objects_text(const struct sdfg_kernel *k, struct arena *a)
{
    struct text t = text_new(a);
    for (uint32_t i = 0; i < k->code.num_objects; i++) {
        const struct code_object *o = &k->code.objects[i];
        text_printf(&t, "%s%s '%s' %zu bytes", i ? ", " : "", objects_type_name(o->type), o->name, o->size);
    }
    return text_get(&t);
}
