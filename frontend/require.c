/* What the symbols of a call must satisfy: extents that must be equal, assertions and `raise` on symbols. The graph
 * holds it, and a call that does not satisfy it fails before anything runs. */
#include "frontend/lower.h"

#include <string.h>

enum { MOST = 8 };

/* One of these must be negative. */
struct clause {
    const struct sym *negative[MOST];
    uint32_t count;
};
/* All of these hold. */
struct clauses {
    struct clause items[MOST];
    uint32_t count;
};

struct symbols {
    const struct fe *f;
    bool only; /* those of the program */
};

static void check_symbol(void *user, const struct sym *name)
{
    struct symbols *s = user;
    s->only &= fe_has_name(s->f->program_symbols.items, s->f->program_symbols.count, name->name);
}

bool fe_is_of_program(const struct fe *f, const struct sym *s)
{
    struct symbols found = { f, true };
    sym_visit_names(s, check_symbol, &found);
    return found.only;
}

static void add(struct fe *f, const struct py *n, const struct clause *c, const char *said)
{
    struct fe_level *top = f->level;
    while (top->outer)
        top = top->outer;
    struct requirement *q = NEW(f->arena, struct requirement);
    q->place = (struct place){ .parent = &top->sdfg->region.block.place,
                               .noun = "requirement",
                               .id = top->sdfg->requirements.count };
    fe_place(f, n, &q->place);
    q->message = said;
    q->negative = arena_copy(f->arena, c->negative, c->count * sizeof *c->negative);
    q->count = c->count;
    for (uint32_t i = 0; i < top->sdfg->requirements.count; i++) {
        const struct requirement *other = top->sdfg->requirements.items[i];
        bool same = other->count == q->count && other->place.line == q->place.line;
        for (uint32_t k = 0; k < q->count && same; k++)
            same = other->negative[k] == q->negative[k];
        if (same)
            return;
    }
    vec_push(f->arena, &top->sdfg->requirements, q);
}

/* a - b + more */
static const struct sym *difference(struct fe *f, const struct sym *a, const struct sym *b, int64_t more)
{
    return sym_add(f->ir, sym_sub(f->ir, a, b), sym_int(f->ir, more));
}

bool fe_require_same(struct fe *f, const struct py *n, const struct sym *a, const struct sym *b, const char *said)
{
    if (fe_same_extent(f, a, b))
        return true;
    bool possible = f->level && !f->branches && fe_is_of_program(f, a) && fe_is_of_program(f, b) &&
                    sym_equal(f->ir, a, b) == TRUTH_MAYBE;
    if (!possible)
        return fe_raise(f, n, "ValueError", "%s", said) != NULL;
    struct clause at_most = { { difference(f, a, b, -1) }, 1 }, at_least = { { difference(f, b, a, -1) }, 1 };
    if (!f->dry) {
        add(f, n, &at_most, said);
        add(f, n, &at_least, said);
    }
    return true;
}

void fe_require_negative(struct fe *f, const struct py *n, const struct sym *s, const char *said)
{
    struct clause c = { { s }, 1 };
    if (!f->level || f->branches || !fe_is_of_program(f, s))
        return;
    fe_know_always(f, sym_sub(f->ir, sym_int(f->ir, -1), s));
    if (!f->dry)
        add(f, n, &c, said);
}

static bool push(struct clauses *out, const struct sym *a, const struct sym *b)
{
    if (out->count == MOST)
        return false;
    struct clause *c = &out->items[out->count++];
    *c = (struct clause){ { a, b }, b ? 2 : 1 };
    return true;
}

static bool comparison(struct fe *f, enum py_op op, const struct sym *a, const struct sym *b, struct clauses *out)
{
    switch (op) {
    case PY_LT:
        return push(out, difference(f, a, b, 0), NULL);
    case PY_LTE:
        return push(out, difference(f, a, b, -1), NULL);
    case PY_GT:
        return push(out, difference(f, b, a, 0), NULL);
    case PY_GTE:
        return push(out, difference(f, b, a, -1), NULL);
    case PY_EQ:
        return push(out, difference(f, a, b, -1), NULL) && push(out, difference(f, b, a, -1), NULL);
    case PY_NOTEQ:
        return push(out, difference(f, a, b, 0), difference(f, b, a, 0));
    default:
        return false;
    }
}

static enum py_op opposite_of(enum py_op op)
{
    return op == PY_LT      ? PY_GTE
           : op == PY_LTE   ? PY_GT
           : op == PY_GT    ? PY_LTE
           : op == PY_GTE   ? PY_LT
           : op == PY_EQ    ? PY_NOTEQ
           : op == PY_NOTEQ ? PY_EQ
                            : op;
}

/* The integer of symbols that an expression is, or NULL without an error. */
static const struct sym *symbolic(struct fe *f, const struct py *n)
{
    uint32_t before = diags_count(f->ir->diags), emitted = f->emitted;
    bool failed = f->failed, dry = f->dry;
    struct fe_snapshot start = fe_snapshot(f);
    f->dry = true;
    const struct value *v = fe_eval(f, n);
    const struct sym *s = v && emitted == f->emitted ? fe_sym(f, v) : NULL;
    f->dry = dry;
    fe_restore(f, &start); /* names that it assigns (`:=`) have their values */
    diags_reset(f->ir->diags, before);
    f->failed = failed;
    return s;
}

static bool clauses_of(struct fe *f, const struct py *n, bool opposite, struct clauses *out);

/* A chain is one comparison after the other, all of which hold. */
static bool compared(struct fe *f, const struct py *n, bool opposite, struct clauses *out)
{
    const struct sym *left = symbolic(f, n->compare.left);
    if (opposite && n->compare.ops.count > 1)
        return false;
    for (uint32_t i = 0; i < n->compare.ops.count; i++) {
        const struct sym *right = left ? symbolic(f, n->compare.comparators.items[i]) : NULL;
        enum py_op op = n->compare.ops.items[i]->op.op;
        if (!right || !comparison(f, opposite ? opposite_of(op) : op, left, right, out))
            return false;
        left = right;
    }
    return true;
}

/* Every clause of `all` or every one of `more`: all pairs of them. */
static bool distribute(struct clauses *all, const struct clauses *more)
{
    struct clauses out = { .count = 0 };
    for (uint32_t i = 0; i < all->count; i++)
        for (uint32_t k = 0; k < more->count; k++) {
            const struct clause *a = &all->items[i], *b = &more->items[k];
            if (out.count == MOST || a->count + b->count > MOST)
                return false;
            struct clause *c = &out.items[out.count++];
            *c = *a;
            for (uint32_t m = 0; m < b->count; m++)
                c->negative[c->count++] = b->negative[m];
        }
    *all = out;
    return true;
}

static bool either(struct fe *f, const struct py_list *values, bool opposite, struct clauses *out)
{
    struct clauses all = { .count = 0 };
    for (uint32_t i = 0; i < values->count; i++) {
        struct clauses part = { .count = 0 };
        if (!clauses_of(f, values->items[i], opposite, &part) || !part.count)
            return false;
        if (!i)
            all = part;
        else if (!distribute(&all, &part))
            return false;
    }
    for (uint32_t i = 0; i < all.count; i++) {
        if (out->count == MOST)
            return false;
        out->items[out->count++] = all.items[i];
    }
    return true;
}

static bool clauses_of(struct fe *f, const struct py *n, bool opposite, struct clauses *out)
{
    if (n->kind == PY_UNARY_OP && n->unary.op == PY_NOT)
        return clauses_of(f, n->unary.operand, !opposite, out);
    if (n->kind == PY_COMPARE)
        return compared(f, n, opposite, out);
    if (n->kind == PY_BOOL_OP) {
        if ((n->bool_op.op == PY_OR) != opposite)
            return either(f, &n->bool_op.values, opposite, out);
        for (uint32_t i = 0; i < n->bool_op.values.count; i++)
            if (!clauses_of(f, n->bool_op.values.items[i], opposite, out))
                return false;
        return true;
    }
    const struct sym *s = symbolic(f, n);
    return s && comparison(f, opposite ? PY_EQ : PY_NOTEQ, s, sym_int(f->ir, 0), out);
}

bool fe_require(struct fe *f, const struct py *n, const struct py *condition, bool opposite, const char *said)
{
    struct clauses all = { .count = 0 };
    bool library = f->source->library; /* its code runs wherever it is called */
    if (!f->level || f->branches || (f->depth && !library) || !clauses_of(f, condition, opposite, &all))
        return false;
    for (uint32_t i = 0; i < all.count; i++) /* constants decide at compile time */
        for (uint32_t k = 0; k < all.items[i].count; k++)
            if (all.items[i].negative[k]->op == SYM_INT || !fe_is_of_program(f, all.items[i].negative[k]))
                return false;
    for (uint32_t i = 0; i < all.count && !f->dry; i++)
        add(f, n, &all.items[i], said);
    return true;
}

void fe_learn(struct fe *f, const struct py *condition, bool opposite)
{
    struct clauses all = { .count = 0 };
    (void)clauses_of(f, condition, opposite, &all); /* false: some of what holds is in there nevertheless */
    for (uint32_t i = 0; i < all.count; i++)
        if (all.items[i].count == 1)
            fe_know_not_negative(f, sym_sub(f->ir, sym_int(f->ir, -1), all.items[i].negative[0]));
}
