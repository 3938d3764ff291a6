/* Code that targets of plug-ins make by themselves: texts in any language, which become LLVM IR or an object. */
#include "engine/compile/compile.h"

#include "engine/compile/compile_code.h"
#include "engine/compile/compile_target.h"
#include "lower/tree/tree_callee.h"

#include <string.h>

/* ---- while a program is lowered ---- */

static bool add_source(sdfg_code *code, const char *text)
{
    BUILDER(code);
    if (!b->source->place)
        b->source->place = b->place;
    text_printf(&b->source->text, "%s\n", text ? text : "");
    return true;
}

void code_source(sdfg_code *code, const char *text) { add_source(code, text); }

int64_t code_unique(sdfg_code *code)
{
    struct code_builder *b = (struct code_builder *)code;
    return b ? b->source->unique++ : 0;
}

static bool is_name(const char *name)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_.$0123456789";
    size_t length = name ? strlen(name) : 0;
    return length && strspn(name, letters) == length && strncmp(name, "sdfg_", 5) != 0 &&
           tree_callee(name) == &tree_callees[CALLEE_UNKNOWN];
}

sdfg_value *code_invoke(sdfg_code *code, const char *function, sdfg_value *const *arguments, size_t count)
{
    BUILDER(code);
    struct lower *lw = b->sc->act->lw;
    struct tree *t = lw->tree;
    const struct type *i64 = type_basic(lw->ir, TYPE_I64);
    if (!is_name(function))
        return builder_fail(b, arena_printf(lw->arena, "no function of its source can be called '%s'",
                                            function ? function : "")),
               NULL;
    if (!builder_arguments(b, arguments, count))
        return NULL;
    struct tree_var *result = tree_var(t, "result", i64);
    struct tree_expr **args = NEW_ARRAY(lw->arena, struct tree_expr *, count + 1);
    for (size_t i = 0; i < count; i++)
        args[i] = expr_cast(t, i64, builder_expr(arguments[i]));
    const char *name = arena_strdup(lw->arena, function);
    vec_push(lw->arena, &b->source->calls, ((struct jit_wanted){ name, (uint32_t)count }));
    stmt_call(t, b->sc->block, result, name, args, (uint32_t)count)->place = b->place;
    return builder_value(expr_var(t, result));
}

/* ---- when LLVM modules are there ---- */

/* What a compiler gets, and what it gave. */
struct given {
    sdfg_target_source source; /* first: what the plug-in sees */
    struct target_source *own;
    struct arena *arena;
    const char *bytes;
    size_t size;
    const char *wrong; /* with the first object that it gave and should not have, or NULL */
    bool memory;
};

static bool exhausted(struct given *g)
{
    g->memory = true;
    return false;
}

static bool take_object(const sdfg_target_source *source, const sdfg_code_object *object)
{
    struct given *g = (struct given *)source;
    GUARDED(exhausted(g));
    const char *wrong = object_complete(g->arena, g->own, object);
    g->wrong = g->wrong ? g->wrong : wrong;
    return !wrong;
}

static bool take(struct given *g, const char *bytes, size_t size)
{
    GUARDED(exhausted(g));
    g->bytes = arena_strndup(g->arena, bytes, size);
    g->size = size;
    return true;
}

static void give(void *to, const char *bytes, size_t size)
{
    if (bytes)
        take(to, bytes, size);
}

static bool refuse(struct compile *c, const struct codegen_target *own, const struct target_source *source,
                   const char *why)
{
    return diag_error(c->ir->diags, source->place, DIAG_TARGET_CODE, own->target->name, own->plugin, why);
}

static bool is_object(const struct given *g) { return g->size >= 4 && !memcmp(g->bytes, "\177ELF", 4); }

/* An object of the plug-in cannot be part of the one that is exported. */
static bool add_object(struct compile *c, const struct codegen_target *own, const struct target_source *source,
                       const struct given *g)
{
    if (c->request->emit == CODEGEN_EMIT_OBJECT)
        return diag_error(c->ir->diags, source->place, DIAG_TARGET_EXPORT, own->target->name, own->plugin, "objects");
    const char *why = jit_add_object(c->jit, own->target->name, g->bytes, g->size);
    return !why || refuse(c, own, source, why);
}

static const char *missing(const struct target_source *source)
{
    for (uint32_t i = 0; i < source->objects.count; i++)
        if (!source->objects.items[i].bytes)
            return source->objects.items[i].name;
    return NULL;
}

static bool run_compiler(struct compile *c, const struct codegen_target *own, struct target_source *source,
                         struct given *g)
{
    const sdfg_target *t = own->target;
    struct jit_names names = jit_names_of(c->ir->arena, &c->jit_options);
    *g = (struct given){ .own = source, .arena = c->ir->arena };
    g->source = (sdfg_target_source){
        .struct_size = sizeof g->source,
        .program = c->sdfg->name,
        .text = text_get(&source->text),
        .size = source->text.length,
        .triple = names.triple,
        .cpu = names.cpu,
        .features = names.features,
        .opt_level = c->request->opt_level,
        .object = take_object,
    };
    if (!t->compile) {
        g->bytes = g->source.text;
        g->size = g->source.size;
        return true;
    }
    bool ok = t->compile(t->user, &g->source, give, g);
    if (g->memory)
        fatal_memory();
    if (!ok || g->wrong)
        return refuse(c, own, source,
                      !ok && g->size ? g->bytes
                      : g->wrong     ? g->wrong
                                     : "its compiler did not say why it failed");
    return g->size || (source->objects.count && !source->calls.count) ||
           refuse(c, own, source, "its compiler gave nothing");
}

static bool compile_source(struct compile *c, const struct codegen_target *own, struct target_source *source)
{
    struct given g = { 0 };
    const char *lacks = missing(source);
    if (!source->place && source->objects.count)
        source->place = source->objects.items[0].place;
    if ((source->text.length || lacks) && !run_compiler(c, own, source, &g))
        return false;
    lacks = missing(source);
    if (lacks)
        return refuse(c, own, source, arena_printf(c->ir->arena, "nobody gave the bytes of the object '%s'", lacks));
    if (!g.size)
        return true;
    if (is_object(&g))
        return add_object(c, own, source, &g);
    const char *why = jit_add_ir(c->jit, own->target->name, g.bytes, g.size, source->calls.items, source->calls.count);
    return !why || refuse(c, own, source, why);
}

bool pass_target_code(struct compile *c)
{
    for (uint32_t i = 0; i < c->targets->count; i++) {
        const struct codegen_target *own;
        struct target_source *source = compile_target_source(c->targets->items[i], &own);
        if (source && !compile_source(c, own, source))
            return false;
    }
    return true;
}

bool compile_has_sources(const struct compile *c)
{
    const struct codegen_target *own;
    bool any = false;
    for (uint32_t i = 0; c->targets && i < c->targets->count; i++)
        any |= compile_target_source(c->targets->items[i], &own) != NULL;
    return any;
}
