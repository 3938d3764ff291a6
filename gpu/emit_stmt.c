#include "gpu/emit_text.h"
#include "lower/tree/tree_callee.h"

#include <stdarg.h>
#include <string.h>

/* ---- lines ---- */

enum { MARK_BEGIN = 1, MARK_END = 2 }; /* around the number of the place that a line comes from */

void gpu_line(struct gpu_func *f, const char *format, ...)
{
    struct gpu_module *m = f->module;
    if (!f->plain && m->place && m->place != f->marked) {
        text_printf(f->out, "%c%u%c", MARK_BEGIN, m->places.count, MARK_END);
        vec_push(m->arena, &m->places, m->place);
        f->marked = m->place;
    }
    va_list args;
    va_start(args, format);
    text_printf(f->out, "%*s%s\n", (int)(4 * f->indent), "", arena_vprintf(m->arena, format, args));
    va_end(args);
}

void gpu_aside_begin(struct gpu_func *f, struct gpu_aside *a)
{
    *a = (struct gpu_aside){ text_new(f->module->arena), f->out, f->constants.count };
    f->out = &a->text;
    f->indent++;
}

void gpu_aside_end(struct gpu_func *f, struct gpu_aside *a)
{
    f->out = a->outer;
    f->constants.count = a->constants;
    f->indent--;
}

/* "double " or "double *" */
static const char *declarator(struct gpu_func *f, const struct type *t)
{
    const char *type = gpu_type(f->module, t);
    return type[strlen(type) - 1] == '*' ? type : arena_printf(f->module->arena, "%s ", type);
}

void gpu_assign(struct gpu_func *f, const struct tree_var *v, const char *value)
{
    struct gpu_variable *x = gpu_variable(f, v);
    const char *cast =
        v->type->kind == TYPE_POINTER ? arena_printf(f->module->arena, "(%s)", gpu_type(f->module, v->type)) : "";
    if (*cast && strpbrk(value, " +"))
        value = arena_printf(f->module->arena, "(%s)", value);
    bool here = !x->declared;
    x->declared = true;
    gpu_line(f, "%s%s = %s%s;", here ? declarator(f, v->type) : "", x->name, cast, value);
}

/* ---- bodies ---- */

static void body(struct gpu_func *f, const struct tree_stmt *s)
{
    f->indent++;
    gpu_stmt(f, s);
    f->indent--;
}

/* Variables that live in the block and are first mentioned in this item, where that does not declare them. */
static void declare(struct gpu_func *f, const struct tree_stmt *block, uint32_t item)
{
    const struct tree_stmt *s = block->items.items[item];
    for (uint32_t i = 0; i < f->order.count; i++) {
        struct gpu_variable *x = f->order.items[i];
        if (x->declared || x->on_top || x->block != block || x->item != item)
            continue;
        bool by_itself = s->var == x->var && (s->kind == STMT_ASSIGN || s->kind == STMT_GROUP || s->kind == STMT_CALL ||
                                              (s->kind == STMT_FOR && !x->several));
        if (by_itself)
            continue;
        gpu_line(f, "%s%s;", declarator(f, x->var->type), x->name);
        x->declared = true;
    }
}

static void emit_items(struct gpu_func *f, const struct tree_stmt *s)
{
    for (uint32_t i = 0; i < s->items.count; i++) {
        declare(f, s, i);
        gpu_stmt(f, s->items.items[i]);
    }
}

/* ---- loops ---- */

/* Nothing in the loop changes it, and it is short enough to be computed in every round. */
static bool is_steady(struct gpu_func *f, const struct tree_expr *e)
{
    if (e->op == EXPR_VAR)
        return gpu_variable(f, e->var)->constant;
    return e->op == EXPR_INT || e->op == EXPR_THREAD || (e->op == EXPR_CAST && is_steady(f, e->args[0]));
}

static struct cuda bound(struct gpu_func *f, const struct tree_expr *e)
{
    struct cuda c = gpu_expr(f, e);
    return is_steady(f, e) || c.s[0] == 't' ? c : gpu_constant(f, gpu_type(f->module, e->type), c);
}

static void emit_for(struct gpu_func *f, const struct tree_stmt *s)
{
    struct gpu_variable *x = gpu_variable(f, s->var);
    struct cuda begin = gpu_expr(f, s->begin), end = bound(f, s->end), step = bound(f, s->step);
    const char *type = x->declared ? "" : declarator(f, s->var->type);
    x->declared = true;
    if (s->loop.unroll)
        gpu_line(f, "#pragma unroll");
    else if (s->loop.rolled)
        gpu_line(f, "#pragma unroll 1");
    const char *next = expr_is_int(s->step, 1) ? arena_printf(f->module->arena, "%s++", x->name)
                                               : arena_printf(f->module->arena, "%s += %s", x->name, step.s);
    gpu_line(f, "for (%s%s = %s; %s < %s; %s) {", type, x->name, begin.s, x->name, gpu_at(f, CUDA_SHIFT, end), next);
    body(f, s->body);
    gpu_line(f, "}");
}

static struct cuda condition(struct gpu_func *f, const struct tree_stmt *s)
{
    return gpu_truth(f, s->value->type, gpu_expr(f, s->value));
}

/* Code in front of the condition is there in every round. */
static void emit_while(struct gpu_func *f, const struct tree_stmt *s)
{
    struct gpu_aside before;
    gpu_aside_begin(f, &before);
    struct cuda c = condition(f, s);
    gpu_aside_end(f, &before);
    if (!before.text.length) {
        gpu_line(f, "while (%s) {", c.s);
    } else {
        gpu_line(f, "while (true) {");
        text_add(f->out, text_get(&before.text));
        gpu_line(f, "    if (!%s)", gpu_at(f, CUDA_POSTFIX, c));
        gpu_line(f, "        break;");
    }
    body(f, s->body);
    gpu_line(f, "}");
}

/* `continue` goes to the condition. */
static void emit_do(struct gpu_func *f, const struct tree_stmt *s)
{
    struct gpu_aside before;
    gpu_aside_begin(f, &before);
    f->indent++;
    struct cuda c = condition(f, s);
    f->indent--;
    gpu_aside_end(f, &before);
    if (!before.text.length) {
        gpu_line(f, "do {");
        body(f, s->body);
        gpu_line(f, "} while (%s);", c.s);
        return;
    }
    const char *first = arena_printf(f->module->arena, "t%u", f->num_constants++);
    gpu_line(f, "for (bool %s = true;; %s = false) {", first, first);
    gpu_line(f, "    if (!%s) {", first);
    text_add(f->out, text_get(&before.text));
    gpu_line(f, "        if (!%s)", gpu_at(f, CUDA_POSTFIX, c));
    gpu_line(f, "            break;");
    gpu_line(f, "    }");
    body(f, s->body);
    gpu_line(f, "}");
}

static void emit_if(struct gpu_func *f, const struct tree_stmt *s)
{
    gpu_line(f, "if (%s) {", condition(f, s).s);
    body(f, s->body);
    if (s->otherwise && s->otherwise->items.count) {
        gpu_line(f, "} else {");
        body(f, s->otherwise);
    }
    gpu_line(f, "}");
}

static void emit_jump(struct gpu_func *f, const struct tree_stmt *s)
{
    if (s->kind == STMT_GOTO)
        gpu_line(f, "goto l%u;", s->label->id);
    else
        gpu_line(f, s->kind == STMT_BREAK ? "break;" : s->kind == STMT_CONTINUE ? "continue;" : "return;");
}

/* ---- memory ---- */

static void clear(struct gpu_func *f, const char *at, const char *count)
{
    gpu_line(f, "for (i64 i = 0; i < %s; i++)", count);
    gpu_line(f, "    %s[i] = {};", at);
}

static void emit_alloc(struct gpu_func *f, const struct tree_stmt *s)
{
    if (s->where != TREE_STACK && s->where != TREE_SHARED) {
        gpu_unsupported(f->module, "memory that a kernel takes while it runs");
        return;
    }
    struct gpu_variable *x = gpu_variable(f, s->var);
    const char *type = gpu_memory(f->module, s->type),
               *count = arena_printf(f->module->arena, "%lld", (long long)(s->count->i > 0 ? s->count->i : 1));
    bool pointer = x->assignments > 1;
    const char *name = pointer ? arena_printf(f->module->arena, "%s_memory", x->name) : x->name;
    text_printf(&f->top, "    alignas(16) %s%s %s[%s];\n", s->where == TREE_SHARED ? "__shared__ " : "", type, name,
                count);
    x->alignment = 16;
    if (pointer)
        gpu_line(f, "%s = %s;", x->name, name);
    if (s->zero)
        clear(f, name, count);
}

static void emit_copy(struct gpu_func *f, const struct tree_stmt *s)
{
    const char *type = gpu_memory(f->module, s->type);
    struct cuda to = gpu_expr(f, s->pointer), from = s->pointer2 ? gpu_expr(f, s->pointer2) : to,
                count = bound(f, s->count);
    to = gpu_constant(f, arena_printf(f->module->arena, "%s *", type),
                      gpu_print(f, CUDA_UNARY, "(%s *)%s", type, gpu_at(f, CUDA_UNARY, to)));
    if (s->kind == STMT_ZERO) {
        clear(f, to.s, count.s);
        return;
    }
    from = gpu_constant(f, arena_printf(f->module->arena, "const %s *", type),
                        gpu_print(f, CUDA_UNARY, "(const %s *)%s", type, gpu_at(f, CUDA_UNARY, from)));
    gpu_line(f, "for (i64 i = 0; i < %s; i++)", count.s);
    gpu_line(f, "    %s[i] = %s[i];", to.s, from.s);
}

/* ---- all ---- */

static void emit_assign(struct gpu_func *f, const struct tree_stmt *s)
{
    gpu_assign(f, s->var, gpu_expr(f, s->value).s);
}

static void emit_store(struct gpu_func *f, const struct tree_stmt *s)
{
    gpu_store(f, s->value->type, s->pointer, s->index, gpu_expr(f, s->value));
}

static void emit_call(struct gpu_func *f, const struct tree_stmt *s)
{
    struct cuda c =
        gpu_call(f, s->var ? s->var->type : NULL, s->pointer ? NULL : s->name, stmt_callee(s), s->args, s->num_args);
    if (s->var)
        gpu_assign(f, s->var, c.s);
    else
        gpu_line(f, "%s;", c.s);
}

static void emit_label(struct gpu_func *f, const struct tree_stmt *s) { gpu_line(f, "l%u:;", s->label->id); }

static void emit_of_host(struct gpu_func *f, const struct tree_stmt *s)
{
    gpu_unsupported(f->module, arena_printf(f->module->arena, "the statement '%s'", stmt_rows[s->kind].name));
}

typedef void emit_stmt(struct gpu_func *f, const struct tree_stmt *s);

static emit_stmt *const by_kind[STMT_KIND_COUNT] = {
    [STMT_BLOCK] = emit_items,
    [STMT_ASSIGN] = emit_assign,
    [STMT_STORE] = emit_store,
    [STMT_REDUCE] = gpu_stmt_reduce,
    [STMT_UPDATE] = gpu_stmt_update,
    [STMT_FOR] = emit_for,
    [STMT_WHILE] = emit_while,
    [STMT_DO] = emit_do,
    [STMT_IF] = emit_if,
    [STMT_BREAK] = emit_jump,
    [STMT_CONTINUE] = emit_jump,
    [STMT_GOTO] = emit_jump,
    [STMT_LABEL] = emit_label,
    [STMT_RETURN] = emit_jump,
    [STMT_ALLOC] = emit_alloc,
    [STMT_COPY] = emit_copy,
    [STMT_ZERO] = emit_copy,
    [STMT_CALL] = emit_call,
    [STMT_BARRIER] = gpu_stmt_barrier,
    [STMT_GROUP] = gpu_stmt_group,
};

void gpu_stmt(struct gpu_func *f, const struct tree_stmt *s)
{
    if (s->kind != STMT_BLOCK)
        gpu_begin(f, s);
    (by_kind[s->kind] ? by_kind[s->kind] : emit_of_host)(f, s);
}
