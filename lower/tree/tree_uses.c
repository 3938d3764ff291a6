/* A use is dominated by the assignment before it (in the order of the text) if the block of the assignment is still
 * open and no label stands between the two: only through a label can control arrive without having passed the
 * assignment. */
#include "lower/tree/tree_uses.h"

#include "lower/tree/tree_kernel.h"

struct scanner {
    struct tree_uses *uses;
    struct arena *arena;
    VEC(bool) open; /* by block number */
    uint32_t block, labels, loops, parallel;
};

static struct tree_use *touch(struct scanner *s, struct tree_var *v)
{
    struct tree_use *x = &s->uses->vars[v->id];
    if (x->stamp != s->uses->stamp) {
        *x = (struct tree_use){ .stamp = s->uses->stamp };
        vec_push(s->arena, &s->uses->touched, v);
    }
    return x;
}

static void use(struct scanner *s, struct tree_var *v)
{
    struct tree_use *x = touch(s, v);
    if (!x->assignments || !s->open.items[x->block] || x->labels != s->labels || x->freed)
        x->in_memory = true;
}

static void assign(struct scanner *s, struct tree_var *v)
{
    if (!v)
        return;
    struct tree_use *x = touch(s, v);
    if (x->assignments++)
        x->in_memory = true;
    x->block = s->block;
    x->labels = s->labels;
    x->loops = s->loops;
}

/* The variable becomes null. It need not, if nobody looks again: not below, and not in the next round of a loop inside
 * which only the freeing stands. */
static void release(struct scanner *s, struct tree_var *v)
{
    use(s, v);
    struct tree_use *x = touch(s, v);
    if (x->loops != s->loops)
        x->in_memory = true;
    x->freed = true;
}

static void note_class(struct scanner *s, uint32_t alias)
{
    if (!alias || s->parallel)
        return;
    if (s->uses->class_stamps[alias] == s->uses->stamp)
        return;
    s->uses->class_stamps[alias] = s->uses->stamp;
    vec_push(s->arena, &s->uses->classes, alias);
}

static void scan_expr(struct scanner *s, const struct tree_expr *e)
{
    if (!e)
        return;
    if (e->op == EXPR_VAR)
        use(s, e->var);
    if (e->op == EXPR_LOAD || e->op == EXPR_MASKED)
        note_class(s, e->alias);
    for (uint32_t i = 0; i < e->num_args; i++)
        scan_expr(s, e->args[i]);
}

static void scan_stmt(struct scanner *s, const struct tree_stmt *t);

static uint32_t open_block(struct scanner *s)
{
    uint32_t outer = s->block;
    s->block = s->open.count;
    vec_push(s->arena, &s->open, true);
    return outer;
}

static void close_block(struct scanner *s, uint32_t outer)
{
    s->open.items[s->block] = false;
    s->block = outer;
}

static void scan_body(struct scanner *s, const struct tree_stmt *body)
{
    if (!body)
        return;
    uint32_t outer = open_block(s);
    scan_stmt(s, body);
    close_block(s, outer);
}

static void scan_for(struct scanner *s, const struct tree_stmt *t)
{
    uint32_t outer = open_block(s);
    s->loops++;
    assign(s, t->var);
    scan_body(s, t->body);
    use(s, t->var); /* the increment */
    s->loops--;
    close_block(s, outer);
}

static void scan_parallel(struct scanner *s, const struct tree_stmt *t)
{
    uint32_t outer = open_block(s);
    s->parallel++;
    assign(s, t->var);
    assign(s, t->var2);
    scan_body(s, t->body);
    s->parallel--;
    close_block(s, outer);
}

/* Of its body the host sees what it passes. */
static void scan_kernel(struct scanner *s, const struct tree_stmt *t)
{
    struct kernel_params *p = map_get(&s->uses->kernels, t);
    if (!p) {
        p = NEW(s->arena, struct kernel_params);
        *p = kernel_params(s->arena, t);
        map_put(s->arena, &s->uses->kernels, t, p);
    }
    for (uint32_t i = 0; i < p->count; i++)
        use(s, p->vars[i]);
}

/* The expressions that are evaluated before the statement does anything. */
static void scan_operands(struct scanner *s, const struct tree_stmt *t)
{
    scan_expr(s, t->pointer);
    scan_expr(s, t->index);
    scan_expr(s, t->pointer2);
    scan_expr(s, t->mask);
    scan_expr(s, t->begin);
    scan_expr(s, t->end);
    scan_expr(s, t->step);
    scan_expr(s, t->count);
    for (uint32_t i = 0; i < t->num_args; i++)
        scan_expr(s, t->args[i]);
    if (t->kind != STMT_DO && t->kind != STMT_UPDATE)
        scan_expr(s, t->value);
}

static void scan_stmt(struct scanner *s, const struct tree_stmt *t)
{
    scan_operands(s, t);
    note_class(s, t->alias);
    note_class(s, t->alias2);
    switch (t->kind) {
    case STMT_BLOCK:
        for (uint32_t i = 0; i < t->items.count; i++)
            scan_stmt(s, t->items.items[i]);
        break;
    case STMT_ASSIGN:
    case STMT_ALLOC:
    case STMT_MIRROR:
    case STMT_CALL:
        assign(s, t->var);
        break;
    case STMT_UPDATE:
        assign(s, t->var);
        scan_stmt(s, t->body);
        scan_expr(s, t->value);
        break;
    case STMT_FREE:
        release(s, t->var);
        break;
    case STMT_FOR:
        scan_for(s, t);
        break;
    case STMT_WHILE:
    case STMT_DO:
        s->loops++;
        scan_body(s, t->body);
        s->loops--;
        scan_expr(s, t->value);
        break;
    case STMT_IF:
        scan_body(s, t->body);
        scan_body(s, t->otherwise);
        break;
    case STMT_PARALLEL:
        scan_parallel(s, t);
        break;
    case STMT_KERNEL:
        scan_kernel(s, t);
        break;
    case STMT_LABEL:
        s->labels++;
        break;
    default:
        if (t->body)
            scan_stmt(s, t->body);
    }
}

struct tree_uses tree_uses_new(const struct tree *t, struct arena *a)
{
    return (struct tree_uses){ .arena = a,
                               .vars = NEW_ARRAY(a, struct tree_use, t->num_vars + 1),
                               .class_stamps = NEW_ARRAY(a, uint32_t, t->num_aliases + 1) };
}

void tree_uses_scan(struct tree_uses *u, const struct tree_stmt *piece)
{
    struct scanner s = { .uses = u, .arena = u->arena };
    u->touched.count = u->classes.count = 0;
    u->stamp++;
    vec_push(s.arena, &s.open, true);
    scan_stmt(&s, piece);
}

const struct tree_use *tree_use(const struct tree_uses *u, const struct tree_var *v)
{
    static const struct tree_use none;
    return u->vars[v->id].stamp == u->stamp ? &u->vars[v->id] : &none;
}
