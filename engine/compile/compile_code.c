#include "engine/compile/compile_code.h"

#include "ir/enums.h"
#include "ir/json/json.h"

#include <string.h>

enum { MOST_ARGUMENTS = 64 };

bool builder_fail(struct code_builder *b, const char *why)
{
    if (b->failed)
        return false;
    b->failed = true;
    return diag_error(b->sc->act->lw->diags, b->place, DIAG_TARGET_FAILED, b->target->target->name, b->target->plugin,
                      why && *why ? why : "it did not say why");
}

bool builder_is_good(const struct code_builder *b)
{
    if (b->memory)
        fatal_memory();
    return !b->failed;
}

void builder_close(struct code_builder *b)
{
    while (b->depth)
        b->sc->block = b->blocks[--b->depth];
}

void *builder_exhausted(struct code_builder *b)
{
    b->memory = b->failed = true;
    return NULL;
}

static struct tree *tree_of(const struct code_builder *b) { return b->sc->act->lw->tree; }

static const struct type *number_type(const struct code_builder *b) { return type_basic(b->sc->act->lw->ir, TYPE_I64); }

/* ---- texts ---- */

static bool fail(sdfg_code *code, const char *why)
{
    BUILDER(code);
    return builder_fail(b, why);
}

static void api_fail(sdfg_code *code, const char *why) { fail(code, why); }

static bool attribute(sdfg_code *code, const char *name, int64_t *out)
{
    BUILDER(code);
    const struct json *value = b->member && name ? enum_attribute(b->member, name) : NULL;
    if (value && json_int(value, out))
        return true;
    return builder_fail(
        b, arena_printf(b->sc->act->lw->arena, "there is no integer '%s' among the attributes", name ? name : ""));
}

static int64_t api_attribute(sdfg_code *code, const char *name)
{
    int64_t number = 0;
    attribute(code, name, &number);
    return number;
}

static const char *attributes_text(struct arena *a, const struct enum_value *member)
{
    struct text t = text_new(a);
    struct json_writer w = { .out = &t };
    if (!member || !member->attributes)
        return "{}";
    json_write_value(&w, NULL, member->attributes);
    return text_get(&t);
}

/* ---- values ---- */

static sdfg_value *api_number(sdfg_code *code, int64_t value)
{
    BUILDER(code);
    return builder_value(expr_i64(tree_of(b), value));
}

static sdfg_value *api_expression(sdfg_code *code, const char *text)
{
    BUILDER(code);
    struct lower *lw = b->sc->act->lw;
    const struct sym *parsed = sym_parse(lw->ir, b->place, arena_strdup(lw->arena, text ? text : ""), SYM_SYNTAX_OLD);
    const struct sym *s = parsed ? lower_symbolic(b->sc, b->place, parsed) : NULL;
    struct tree_expr *e = s ? lower_index(lw, b->place, s) : NULL;
    if (!e) /* behind the error that says what is wrong */
        builder_fail(b, arena_printf(lw->arena, "the expression '%s' cannot be used", text ? text : ""));
    return builder_value(e);
}

static sdfg_value *api_compute(sdfg_code *code, enum sdfg_operator op, sdfg_value *x, sdfg_value *y)
{
    static const enum expr_op ops[] = {
        [SDFG_ADD] = EXPR_ADD,       [SDFG_SUB] = EXPR_SUB,  [SDFG_MUL] = EXPR_MUL,      [SDFG_DIV] = EXPR_DIV,
        [SDFG_REM] = EXPR_REM,       [SDFG_MIN] = EXPR_MIN,  [SDFG_MAX] = EXPR_MAX,      [SDFG_LESS] = EXPR_LT,
        [SDFG_LESS_EQUAL] = EXPR_LE, [SDFG_EQUAL] = EXPR_EQ, [SDFG_NOT_EQUAL] = EXPR_NE,
    };
    BUILDER(code);
    if (!x || !y)
        return builder_fail(b, "it computes with a value that is NULL"), NULL;
    if ((unsigned)op >= sizeof ops / sizeof *ops)
        return builder_fail(b, "operators are those of enum sdfg_operator"), NULL;
    struct tree_expr *e = expr_binary(tree_of(b), ops[op], builder_expr(x), builder_expr(y));
    return builder_value(expr_cast(tree_of(b), number_type(b), e));
}

/* ---- statements ---- */

static const sdfg_target_entry *entry_of(const sdfg_target *t, const char *name)
{
    for (size_t i = 0; i < t->num_functions; i++)
        if (!strcmp(t->functions[i].name, name))
            return &t->functions[i];
    return NULL;
}

/* Both names, zero-terminated, as constant bytes. */
static struct tree_expr *names_of(struct code_builder *b, const char *function)
{
    struct text t = text_new(b->sc->act->lw->arena);
    text_add(&t, b->target->target->name);
    text_addc(&t, 0);
    text_add(&t, function);
    text_addc(&t, 0);
    return expr_data(tree_of(b), type_basic(b->sc->act->lw->ir, TYPE_I8), t.data, t.length);
}

static struct tree_expr *call(struct code_builder *b, const char *function, sdfg_value *const *arguments, size_t count)
{
    struct tree *t = tree_of(b);
    const struct type *i64 = number_type(b);
    struct tree_stmt *block = b->sc->block;
    struct tree_var *list = tree_var(t, "arguments", type_pointer(t->ir, i64)), *result = tree_var(t, "result", i64);
    stmt_alloc(t, block, list, i64, expr_i64(t, (int64_t)count + 1), TREE_STACK);
    stmt_store(t, block, expr_var(t, list), expr_i64(t, 0), expr_i64(t, (int64_t)count), 0);
    for (size_t i = 0; i < count; i++)
        stmt_store(t, block, expr_var(t, list), expr_i64(t, (int64_t)i + 1), builder_expr(arguments[i]), 0);
    struct tree_expr *args[] = { expr_context(t), names_of(b, function), expr_var(t, list) };
    stmt_call(t, block, result, "sdfg_rt_target", args, 3)->place = b->place;
    return expr_var(t, result);
}

bool builder_arguments(struct code_builder *b, sdfg_value *const *arguments, size_t count)
{
    if (count > MOST_ARGUMENTS || (count && !arguments))
        return builder_fail(b, "calls have at most 64 arguments");
    for (size_t i = 0; i < count; i++)
        if (!arguments[i])
            return builder_fail(b, "an argument of a call is NULL");
    return true;
}

static sdfg_value *api_call(sdfg_code *code, const char *function, sdfg_value *const *arguments, size_t count)
{
    BUILDER(code);
    struct lower *lw = b->sc->act->lw;
    if (!function || !entry_of(b->target->target, function))
        return builder_fail(b, arena_printf(lw->arena, "the target has no function '%s'", function ? function : "")),
               NULL;
    if (!builder_arguments(b, arguments, count))
        return NULL;
    if (lw->options->exported) {
        b->failed = true;
        diag_error(lw->diags, b->place, DIAG_TARGET_EXPORT, b->target->target->name, b->target->plugin, "C functions");
        return NULL;
    }
    return builder_value(call(b, function, arguments, count));
}

static bool open(struct code_builder *b, struct tree_stmt *body)
{
    if (b->depth == CODE_LEVELS)
        return builder_fail(b, "loops and branches are nested too deeply");
    b->blocks[b->depth++] = b->sc->block;
    b->sc->block = body;
    return true;
}

/* Threads for a loop of a map: once, and where there is one thread. */
static void ask_for_threads(struct code_builder *b, struct tree_stmt *loop)
{
    if (!b->map || b->parallel || b->outside->parallel || b->sc->act->lw->options->no_threads)
        return;
    loop->loop.parallel = b->parallel = b->sc->parallel = true;
    b->sc->concurrent = b->map->range.rank;
}

static sdfg_value *api_loop(sdfg_code *code, const char *name, sdfg_value *begin, sdfg_value *end, sdfg_value *step,
                            unsigned flags)
{
    BUILDER(code);
    struct tree *t = tree_of(b);
    if (!name || !begin || !end || !step)
        return builder_fail(b, "a part of a loop is NULL"), NULL;
    struct tree_var *v = tree_var(t, arena_strdup(t->arena, name), number_type(b));
    struct tree_stmt *loop = stmt_for(t, b->sc->block, v, builder_expr(begin), builder_expr(end), builder_expr(step));
    loop->place = b->place;
    loop->loop.independent = flags && (!b->map || lower_is_independent(b->map, TREE_HOST));
    if (flags & SDFG_LOOP_PARALLEL)
        ask_for_threads(b, loop);
    return open(b, loop->body) ? builder_value(expr_var(t, v)) : NULL;
}

static bool branch(sdfg_code *code, sdfg_value *condition)
{
    BUILDER(code);
    struct tree *t = tree_of(b);
    if (!condition)
        return builder_fail(b, "a condition is NULL");
    return open(b, stmt_if(t, b->sc->block, expr_truth(t, builder_expr(condition)))->body);
}

static void api_branch(sdfg_code *code, sdfg_value *condition) { branch(code, condition); }

static bool end(sdfg_code *code)
{
    BUILDER(code);
    if (!b->depth)
        return builder_fail(b, "it ends a loop that is not open");
    b->sc->block = b->blocks[--b->depth];
    return true;
}

static void api_end(sdfg_code *code) { end(code); }

static bool parameter(sdfg_code *code, size_t index, sdfg_value *value)
{
    BUILDER(code);
    struct lower *lw = b->sc->act->lw;
    struct tree_expr *e = builder_expr(value);
    if (!b->map || !b->known || index >= b->map->range.rank || b->known[index] || !e)
        return builder_fail(b, "a parameter gets one value, when its map is entered");
    b->known[index] = true;
    b->num_parameters++;
    const struct sym *s = e->op == EXPR_INT   ? sym_int(lw->ir, e->i)
                          : e->op == EXPR_VAR ? lower_var_symbol(lw, e->var) /* assigned once */
                                              : NULL;
    if (!s) {
        struct tree_var *v = tree_var(lw->tree, b->map->params.items[index], number_type(b));
        stmt_assign(lw->tree, b->sc->block, v, e);
        s = lower_var_symbol(lw, v);
    }
    cpu_parameter(b->sc, b->map->params.items[index], s);
    return true;
}

static void api_parameter(sdfg_code *code, size_t index, sdfg_value *value) { parameter(code, index, value); }

void builder_begin(struct code_builder *b, const struct codegen_target *t, struct target_source *source,
                   struct scope *sc, const struct place *place, const struct enum_value *member)
{
    struct arena *a = sc->act->lw->arena;
    struct text path = text_new(a);
    if (place)
        place_print(place, &path);
    *b = (struct code_builder){
        .code = {
            .struct_size = sizeof b->code,
            .path = text_get(&path),
            .attributes = attributes_text(a, member),
            .fail = api_fail,
            .attribute = api_attribute,
            .number = api_number,
            .expression = api_expression,
            .compute = api_compute,
            .call = api_call,
            .loop = api_loop,
            .branch = api_branch,
            .end = api_end,
            .parameter = api_parameter,
            .source = code_source,
            .unique = code_unique,
            .invoke = code_invoke,
            .operand = code_operand,
            .object = code_object,
        },
        .source = source,
        .target = t,
        .sc = sc,
        .place = place,
        .member = member,
    };
}
