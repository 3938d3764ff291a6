/* Objects that targets of plug-ins keep with the code of a program. */
#include "engine/compile/compile.h"

#include "base/sized.h"
#include "engine/compile/compile_code.h"
#include "engine/compile/compile_target.h"

#include <string.h>

static struct kept_object *find(const struct target_source *source, const char *name)
{
    for (uint32_t i = 0; i < source->objects.count; i++)
        if (!strcmp(source->objects.items[i].name, name))
            return &source->objects.items[i];
    return NULL;
}

/* What the plug-in gave, whatever version of the struct; NULL, or what is wrong with it. */
static const char *take(struct arena *a, sdfg_code_object *own, const sdfg_code_object *given)
{
    *own = (sdfg_code_object){ .struct_size = sizeof *own };
    const char *wrong = given ? sized_take(own, sizeof *own, given) : "is NULL";
    if (wrong)
        return arena_printf(a, "struct sdfg_code_object %s", wrong);
    if (!own->name || !*own->name)
        return "an object has a name";
    return !own->bytes && own->size ? "an object has bytes, or the size 0" : NULL;
}

static struct tree_expr *object_value(struct code_builder *b, uint32_t number)
{
    struct tree *t = b->sc->act->lw->tree;
    struct tree_var *value = tree_var(t, "object", type_basic(t->ir, TYPE_I64));
    struct tree_expr *args[] = { expr_context(t), expr_i64(t, number) };
    stmt_call(t, b->sc->block, value, "sdfg_rt_target_object", args, 2)->place = b->place;
    return expr_var(t, value);
}

sdfg_value *code_object(sdfg_code *code, const sdfg_code_object *given)
{
    BUILDER(code);
    struct lower *lw = b->sc->act->lw;
    sdfg_code_object o;
    const char *wrong = take(lw->arena, &o, given);
    if (wrong)
        return builder_fail(b, wrong), NULL;
    if (lw->options->exported) {
        b->failed = true;
        diag_error(lw->diags, b->place, DIAG_TARGET_EXPORT, b->target->target->name, b->target->plugin, "objects");
        return NULL;
    }
    struct kept_object *known = find(b->source, o.name);
    if (known &&
        (!known->bytes != !o.bytes || known->size != o.size || (o.size && memcmp(known->bytes, o.bytes, o.size))))
        return builder_fail(b, arena_printf(lw->arena, "the object '%s' has other bytes already", o.name)), NULL;
    if (!known) {
        const struct kept_object own = { lw->num_objects++, b->place, arena_strdup(lw->arena, o.name),
                                         o.bytes ? code_object_bytes(lw->arena, o.bytes, o.size) : NULL, o.size };
        vec_push(lw->arena, &b->source->objects, own);
    }
    return builder_value(object_value(b, find(b->source, o.name)->number));
}

const char *object_complete(struct arena *a, struct target_source *source, const sdfg_code_object *given)
{
    sdfg_code_object o;
    const char *wrong = take(a, &o, given);
    if (wrong)
        return wrong;
    struct kept_object *known = find(source, o.name);
    if (!known || known->bytes)
        return arena_printf(a, "no object '%s' waits for its bytes", o.name);
    if (!o.bytes)
        return arena_printf(a, "the object '%s' has no bytes", o.name);
    known->bytes = code_object_bytes(a, o.bytes, o.size);
    known->size = o.size;
    return NULL;
}

/* ---- what becomes part of the code ---- */

uint32_t compile_num_kept(const struct compile *c)
{
    const struct codegen_target *own;
    uint32_t count = 0;
    for (uint32_t i = 0; c->targets && i < c->targets->count; i++) {
        const struct target_source *source = compile_target_source(c->targets->items[i], &own);
        count += source ? source->objects.count : 0;
    }
    return count;
}

void compile_kept(const struct compile *c, struct code_object *out)
{
    const struct codegen_target *own;
    for (uint32_t i = 0; c->targets && i < c->targets->count; i++) {
        const struct target_source *source = compile_target_source(c->targets->items[i], &own);
        for (uint32_t k = 0; source && k < source->objects.count; k++) {
            const struct kept_object *o = &source->objects.items[k];
            out[o->number] =
                (struct code_object){ CODE_KEPT, arena_printf(c->ir->arena, "%s/%s", own->target->name, o->name),
                                      o->bytes, o->size };
        }
    }
}
