#include "lower/graph/code/code_gen.h"

#include <string.h>

struct code_gen code_gen_at(struct code_scope *s, struct tree_stmt *out)
{
    return (struct code_gen){
        .s = s,
        .t = s->tree,
        .ir = s->tree->ir,
        .arena = s->tree->arena,
        .out = out,
        .text = s->text,
        .calls = NEW(s->tree->arena, uint32_t),
    };
}

/* ---- diagnostics ---- */

static void *report(struct code_gen *g, const struct code *c, enum diag_code code, const char *message)
{
    size_t length = g->text ? strlen(g->text) : 0;
    if (c && g->text && c->offset <= length)
        diag_error_in(g->s->diags, g->s->place, g->text, length, c->offset, code, message);
    else
        diag_error(g->s->diags, g->s->place, code, message);
    return NULL;
}

void *code_invalid(struct code_gen *g, const struct code *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *message = arena_vprintf(g->arena, format, args);
    va_end(args);
    return report(g, c, DIAG_CODE_INVALID, message);
}

void *code_unsupported(struct code_gen *g, const struct code *c, const char *what)
{
    return report(g, c, DIAG_CODE_UNSUPPORTED, what);
}

const char *code_type_text(struct code_gen *g, const struct type *t) { return type_text(g->ir, t); }

/* ---- small things ---- */

const struct type *code_basic(const struct code_gen *g, enum type_kind kind) { return type_basic(g->ir, kind); }

struct code_local *code_find_local(struct code_gen *g, const char *name)
{
    for (uint32_t i = g->locals.count; i > 0; i--)
        if (strcmp(g->locals.items[i - 1].name, name) == 0)
            return &g->locals.items[i - 1];
    return NULL;
}

void code_add_local(struct code_gen *g, const char *name, struct lvalue place)
{
    struct code_local l = { .name = name, .place = place };
    vec_push(g->arena, &g->locals, l);
}

struct tree_expr *code_temp(struct code_gen *g, const char *name, struct tree_expr *e)
{
    struct tree_var *v = tree_var(g->t, name, e->type);
    stmt_assign(g->t, g->out, v, e);
    return expr_var(g->t, v);
}

struct tree_expr *code_once(struct code_gen *g, struct tree_expr *e)
{
    return expr_is_const(e) || e->op == EXPR_VAR ? e : code_temp(g, "value", e);
}

struct tree_stmt *code_begin(struct code_gen *g)
{
    struct tree_stmt *before = g->out;
    g->out = stmt_block(g->t);
    return before;
}

struct tree_stmt *code_end(struct code_gen *g, struct tree_stmt *before)
{
    struct tree_stmt *made = g->out;
    g->out = before;
    return made;
}

/* ---- entry points ---- */

struct tree_expr *code_value(struct code_scope *s, struct tree_stmt *out, const struct code *expression)
{
    struct code_gen g = code_gen_at(s, out);
    return code_eval(&g, expression);
}

struct tree_expr *code_condition(struct code_scope *s, struct tree_stmt *out, const struct code *expression)
{
    struct code_gen g = code_gen_at(s, out);
    return code_truth_of(&g, expression);
}

bool code_body(struct code_scope *s, struct tree_stmt *out, const struct code *block)
{
    struct code_gen g = code_gen_at(s, out);
    uint32_t begin = out->items.count;
    g.body = block;
    g.prologue = stmt_block(g.t);
    bool good = code_statement(&g, block);
    if (g.prologue->items.count) {
        stmt_append(g.t, out, g.prologue);
        memmove(out->items.items + begin + 1, out->items.items + begin,
                (out->items.count - begin - 1) * sizeof *out->items.items);
        out->items.items[begin] = g.prologue;
    }
    return good;
}

struct tree_expr *code_apply(struct code_scope *s, struct tree_stmt *out, const struct code *lambda,
                             struct tree_expr *old, struct tree_expr *value)
{
    struct code_gen g = code_gen_at(s, out);
    g.text = NULL; /* the lambda has a text of its own */
    if (!lambda || lambda->kind != CODE_LAMBDA || lambda->count != 3)
        return code_invalid(&g, NULL, "a conflict resolution must be a lambda of two parameters");
    struct tree_expr *args[2] = { code_once(&g, old), code_once(&g, value) };
    for (uint32_t i = 0; i < 2; i++)
        code_add_local(&g, lambda->items[i]->name,
                       (struct lvalue){ .kind = LVALUE_VALUE, .type = args[i]->type, .value = args[i] });
    if (old->type->kind == TYPE_POINTER && old->type->elem->kind == TYPE_STRUCT)
        g.expected = old->type->elem;
    return code_eval(&g, lambda->items[2]);
}

struct tree_expr *code_load(struct code_scope *s, struct tree_stmt *out, const struct operand *o,
                            struct tree_expr *const *index, uint32_t num_index)
{
    struct code_gen g = code_gen_at(s, out);
    struct lvalue p;
    bool found =
        num_index || !o->rank ? code_element(&g, NULL, o, index, num_index, &p) : code_operand_place(&g, NULL, o, &p);
    return found ? code_read(&g, NULL, &p) : NULL;
}

bool code_store(struct code_scope *s, struct tree_stmt *out, const struct operand *o, struct tree_expr *const *index,
                uint32_t num_index, struct tree_expr *value)
{
    struct code_gen g = code_gen_at(s, out);
    struct lvalue p;
    bool found = o->kind == OPERAND_ARRAY || o->kind == OPERAND_POINTER
                     ? code_element(&g, NULL, o, index, num_index, &p)
                     : code_operand_place(&g, NULL, o, &p);
    return found && code_write(&g, NULL, &p, value);
}

void code_struct_operand(struct code_scope *s, struct tree_stmt *out, const struct type *type, struct operand *o)
{
    struct code_gen g = code_gen_at(s, out);
    *o = (struct operand){ .kind = OPERAND_ARRAY, .type = type, .pointer = code_new_struct(&g, type) };
}

struct tree_expr *code_convert(struct code_scope *s, const struct type *type, struct tree_expr *value)
{
    struct code_gen g = code_gen_at(s, NULL);
    return code_to(&g, NULL, type, value);
}
