#include "lower/opt/remark.h"

#include <string.h>

static bool wanted(const struct tree *t) { return t->ir->remarks != NULL; }

const char *remark_subject(const struct tree *t, const struct tree_stmt *s)
{
    if (!wanted(t))
        return NULL;
    switch (s->kind) {
    case STMT_FOR:
        return arena_printf(t->arena, "loop %s", s->var->name);
    case STMT_WHILE:
    case STMT_DO:
        return "the loop";
    case STMT_COPY:
        return "the copy";
    case STMT_ZERO:
        return "the fill";
    default:
        return NULL;
    }
}

const char *remark_memory(const struct tree *t, const struct tree_stmt *alloc)
{
    bool said = alloc->place && alloc->place->label && !strcmp(alloc->place->label, alloc->var->name);
    return wanted(t) && !said ? arena_printf(t->arena, "'%s'", alloc->var->name) : NULL;
}

const char *remark_path(const struct tree *t, const struct tree_stmt *s)
{
    struct text path = text_new(t->arena);
    if (!wanted(t))
        return "";
    place_print_inner(s->place, &path);
    return path.length ? text_get(&path) : "the program";
}

/* Numbers that tell variables of one name apart are left out. */
static const char *without_numbers(struct arena *a, const char *text)
{
    struct text out = text_new(a);
    while (*text) {
        if (*text == '#')
            for (text++; *text >= '0' && *text <= '9'; text++)
                ;
        else
            text_addc(&out, *text++);
    }
    return text_get(&out);
}

const char *remark_value(struct tree *t, const struct tree_expr *e)
{
    struct text out = text_new(t->arena);
    if (!wanted(t))
        return "";
    expr_print(e, &out);
    return without_numbers(t->arena, text_get(&out));
}

const char *remark_place(struct tree *t, const struct tree_expr *pointer, const struct tree_expr *index)
{
    return wanted(t) ? arena_printf(t->arena, "%s[%s]", remark_value(t, pointer), remark_value(t, index)) : NULL;
}

const char *remark_bytes(struct tree *t, const struct tree_stmt *alloc)
{
    if (!wanted(t))
        return "";
    struct tree_expr *bytes = expr_binary(t, EXPR_MUL, alloc->count, expr_i64(t, alloc->type->size));
    return arena_printf(t->arena, "%s bytes", remark_value(t, bytes));
}

static const char *element(struct tree *t, const struct tree_access *a)
{
    const char *name = remark_value(t, a->pointer);
    if (!a->at->known)
        return arena_printf(t->arena, "%s[...]", name);
    const char *index = remark_value(t, linear_expr(t, a->at));
    return a->extent == 1 ? arena_printf(t->arena, "%s[%s]", name, index)
                          : arena_printf(t->arena, "%s[%s ...]", name, index);
}

static const char *verb(const struct tree_access *a)
{
    return a->read && a->write ? "changes" : a->write ? "writes" : "reads";
}

const char *remark_dependence(struct tree *t, const struct tree_access *a, const struct tree_access *b)
{
    if (!wanted(t))
        return "";
    if (!a || !b || !a->pointer || !b->pointer)
        return "of some memory it is not known who touches it";
    if (!a->write) { /* the writer first */
        const struct tree_access *swap = a;
        a = b;
        b = swap;
    }
    return arena_printf(t->arena, "one iteration %s %s, another one %s %s", verb(a), element(t, a), verb(b),
                        element(t, b));
}
