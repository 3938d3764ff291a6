/* What a piece of tree does with variables: which it touches, and which have a single assignment that dominates all
 * uses, so that they can be plain LLVM values.
 *
 * A use is dominated by the assignment before it (in the order of the text) if the block of the assignment is still
 * open and no label stands between the two: only through a label can control arrive without having passed the
 * assignment. */
#include "lower/llvm/llvm_emit.h"

struct scanner {
    struct llvm_emitter *emitter;
    struct llvm_scan *scan;
    VEC(bool) open; /* by block number */
    uint32_t block, labels, loops, parallel;
};

struct llvm_variable *llvm_variable(struct llvm_emitter *e, const struct tree_var *v) { return &e->variables[v->id]; }

static struct llvm_variable *touch(struct scanner *s, struct tree_var *v)
{
    struct llvm_variable *x = llvm_variable(s->emitter, v);
    if (x->stamp != s->emitter->stamp) {
        *x = (struct llvm_variable){ .stamp = s->emitter->stamp };
        vec_push(s->emitter->arena, &s->scan->touched, v);
    }
    return x;
}

static void use(struct scanner *s, struct tree_var *v)
{
    struct llvm_variable *x = touch(s, v);
    if (!x->assignments || !s->open.items[x->block] || x->labels != s->labels || x->freed)
        x->in_memory = true;
}

static void assign(struct scanner *s, struct tree_var *v)
{
    if (!v)
        return;
    struct llvm_variable *x = touch(s, v);
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
    struct llvm_variable *x = touch(s, v);
    if (x->loops != s->loops)
        x->in_memory = true;
    x->freed = true;
}

static void note_class(struct scanner *s, uint32_t alias)
{
    if (!alias || s->parallel)
        return;
    struct llvm_alias *a = &s->emitter->aliases[alias];
    if (a->stamp == s->emitter->stamp)
        return;
    *a = (struct llvm_alias){ .stamp = s->emitter->stamp };
    vec_push(s->emitter->arena, &s->scan->classes, alias);
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
    vec_push(s->emitter->arena, &s->open, true);
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
    const struct kernel_params *p = llvm_kernel_params(s->emitter, t);
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

uint32_t llvm_scan(struct llvm_emitter *e, const struct tree_stmt *body, struct llvm_scan *scan)
{
    struct scanner s = { .emitter = e, .scan = scan };
    *scan = (struct llvm_scan){ 0 };
    e->stamp++;
    vec_push(e->arena, &s.open, true);
    scan_stmt(&s, body);
    return e->stamp;
}

void llvm_children(const struct tree_stmt *s, void (*visit)(void *user, const struct tree_stmt *child), void *user)
{
    for (uint32_t i = 0; i < s->items.count; i++)
        visit(user, s->items.items[i]);
    if (s->body && s->kind != STMT_KERNEL)
        visit(user, s->body);
    if (s->otherwise)
        visit(user, s->otherwise);
}

static void add_cost(void *user, const struct tree_stmt *s) { *(uint32_t *)user += llvm_cost(s); }

uint32_t llvm_cost(const struct tree_stmt *s)
{
    uint32_t cost = s->kind != STMT_BLOCK;
    if (s->kind != STMT_PARALLEL)
        llvm_children(s, add_cost, &cost);
    return cost;
}

struct search {
    enum stmt_kind kind;
    bool found;
};

static void search_in(void *user, const struct tree_stmt *s)
{
    struct search *q = user;
    q->found = q->found || llvm_contains(s, q->kind);
}

bool llvm_contains(const struct tree_stmt *s, enum stmt_kind kind)
{
    struct search q = { kind, s->kind == kind };
    if (!q.found)
        llvm_children(s, search_in, &q);
    return q.found;
}
