/* Trees that are made from others: `match` becomes branches before anything looks at the statements. */
#include "frontend/lower.h"

#include <string.h>

struct py *fe_node(struct fe *f, enum py_kind kind, const struct py *at)
{
    struct py *n = NEW(f->arena, struct py);
    n->kind = kind;
    n->begin = at->begin;
    n->end = at->end;
    return n;
}

struct py *fe_node_name(struct fe *f, const struct py *at, const char *name, enum py_op ctx)
{
    struct py *n = fe_node(f, PY_NAME, at);
    n->name.id = name;
    n->name.ctx = ctx;
    return n;
}

struct py_list fe_node_list(struct fe *f, struct py *const *items, uint32_t count)
{
    struct py_list list = { .items = NEW_ARRAY(f->arena, struct py *, count + 1), .count = count };
    for (uint32_t i = 0; i < count; i++)
        list.items[i] = items[i];
    return list;
}

struct py *fe_node_assign(struct fe *f, const struct py *at, const char *name, struct py *value)
{
    struct py *n = fe_node(f, PY_ASSIGN, at), *target[2] = { fe_node_name(f, at, name, PY_STORE) };
    n->assign.targets = fe_node_list(f, target, 1);
    n->assign.value = value;
    return n;
}

/* ---- match ---- */

typedef VEC(struct py *) nodes;

/* What a pattern asks of its subject. */
struct pattern {
    struct py *test; /* NULL: nothing */
    nodes binds;     /* assignments of what it captures */
    bool refused;
};

static struct py *both(struct fe *f, const struct py *at, enum py_op op, struct py *a, struct py *b)
{
    struct py *n = fe_node(f, PY_BOOL_OP, at), *items[3] = { a, b };
    n->bool_op.op = op;
    n->bool_op.values = fe_node_list(f, items, 2);
    return n;
}

static struct py *compared(struct fe *f, const struct py *at, struct py *subject, enum py_op op, struct py *value)
{
    struct py *n = fe_node(f, PY_COMPARE, at), *o = fe_node(f, PY_OPERATOR, at), *ops[2] = { o },
              *values[2] = { value };
    o->op.op = op;
    n->compare.left = subject;
    n->compare.ops = fe_node_list(f, ops, 1);
    n->compare.comparators = fe_node_list(f, values, 1);
    return n;
}

static struct py *never(struct fe *f, const struct py *at)
{
    struct py *n = fe_node(f, PY_CONSTANT, at);
    n->constant.value.kind = PY_FALSE;
    return n;
}

static void read_pattern(struct fe *f, struct py *subject, const struct py *p, struct pattern *out);

static void alternatives(struct fe *f, struct py *subject, const struct py *p, struct pattern *out)
{
    struct py *any = NULL;
    for (uint32_t i = 0; i < p->match_or.patterns.count; i++) {
        struct pattern one = { 0 };
        read_pattern(f, subject, p->match_or.patterns.items[i], &one);
        out->refused |= one.refused || one.binds.count;
        if (!one.test) /* the last one: whatever it is */
            return;
        any = any ? both(f, p, PY_OR, any, one.test) : one.test;
    }
    out->test = out->test ? both(f, p, PY_AND, out->test, any) : any;
}

/* (a, b) of a subject that is written as a tuple or list of as many. */
static void sequence(struct fe *f, struct py *subject, const struct py *p, struct pattern *out)
{
    const struct py_list *elts = subject->kind == PY_TUPLE  ? &subject->tuple.elts
                                 : subject->kind == PY_LIST ? &subject->list.elts
                                                            : NULL;
    const struct py_list *parts = &p->match_sequence.patterns;
    out->refused |= !elts;
    for (uint32_t i = 0; i < parts->count && !out->refused; i++)
        out->refused = parts->items[i]->kind == PY_MATCH_STAR;
    if (out->refused)
        return;
    if (elts->count != parts->count)
        out->test = never(f, p);
    for (uint32_t i = 0; elts->count == parts->count && i < parts->count; i++)
        read_pattern(f, elts->items[i], parts->items[i], out);
}

static void read_pattern(struct fe *f, struct py *subject, const struct py *p, struct pattern *out)
{
    struct py *test = NULL;
    switch (p->kind) {
    case PY_MATCH_VALUE:
        test = compared(f, p, subject, PY_EQ, p->match_value.value);
        break;
    case PY_MATCH_SINGLETON:
        test = compared(f, p, subject, PY_IS, p->match_singleton.value);
        break;
    case PY_MATCH_OR:
        alternatives(f, subject, p, out);
        return;
    case PY_MATCH_AS:
        if (p->match_as.pattern)
            read_pattern(f, subject, p->match_as.pattern, out);
        if (p->match_as.name)
            vec_push(f->arena, &out->binds, fe_node_assign(f, p, p->match_as.name, subject));
        return;
    case PY_MATCH_SEQUENCE:
        sequence(f, subject, p, out);
        return;
    default:
        out->refused = true;
        return;
    }
    out->test = out->test ? both(f, p, PY_AND, out->test, test) : test;
}

static struct py_list branch(struct fe *f, const struct py *at, struct py *test, struct py_list body,
                             struct py_list rest)
{
    struct py *n = fe_node(f, PY_IF, at), *one[2] = { n };
    n->if_.test = test;
    n->if_.body = body;
    n->if_.orelse = rest;
    return fe_node_list(f, one, 1);
}

static struct py_list joined(struct fe *f, const nodes *first, const struct py_list *second)
{
    nodes all = { 0 };
    for (uint32_t i = 0; i < first->count; i++)
        vec_push(f->arena, &all, first->items[i]);
    for (uint32_t i = 0; i < second->count; i++)
        vec_push(f->arena, &all, second->items[i]);
    return fe_node_list(f, all.items, all.count);
}

/* Names and constants may be asked again and again; what must be computed gets a name. */
static struct py *subject_of(struct fe *f, struct py *s, nodes *before)
{
    struct py_list *elts = s->kind == PY_TUPLE ? &s->tuple.elts : s->kind == PY_LIST ? &s->list.elts : NULL;
    if (s->kind == PY_NAME || s->kind == PY_CONSTANT)
        return s;
    if (!elts) {
        const char *name = intern(f->ir->names, fe_format(f, "matched_%u", s->begin));
        vec_push(f->arena, before, fe_node_assign(f, s, name, s));
        return fe_node_name(f, s, name, PY_LOAD);
    }
    struct py *t = fe_node(f, PY_TUPLE, s);
    t->tuple.elts = fe_node_list(f, elts->items, elts->count);
    for (uint32_t i = 0; i < elts->count; i++)
        t->tuple.elts.items[i] = subject_of(f, elts->items[i], before);
    return t;
}

/* The statements that a `match` stands for; false: it has a pattern that they cannot say. */
static bool branches_of(struct fe *f, const struct py *n, struct py_list *out)
{
    nodes before = { 0 };
    struct py *subject = subject_of(f, n->match.subject, &before);
    struct py_list rest = { 0 };
    for (uint32_t i = n->match.cases.count; i-- > 0;) {
        const struct py *c = n->match.cases.items[i];
        struct pattern p = { 0 };
        read_pattern(f, subject, c->match_case.pattern, &p);
        if (p.refused)
            return false;
        struct py_list body = c->match_case.body;
        if (c->match_case.guard && p.test && !p.binds.count) {
            p.test = both(f, c, PY_AND, p.test, c->match_case.guard);
        } else if (c->match_case.guard) { /* which may need what was captured */
            body = branch(f, c->match_case.guard, c->match_case.guard, body, rest);
        }
        body = joined(f, &p.binds, &body);
        rest = p.test ? branch(f, c->match_case.pattern, p.test, body, rest) : body;
    }
    *out = joined(f, &before, &rest);
    return true;
}

static void rewrite_list(struct fe *f, struct py_list *list)
{
    nodes out = { 0 };
    bool any = false;
    for (uint32_t i = 0; i < list->count; i++) {
        struct py *n = list->items[i];
        struct py_list made;
        if (!n || n->kind != PY_MATCH || !branches_of(f, n, &made)) {
            vec_push(f->arena, &out, n);
            continue;
        }
        any = true;
        for (uint32_t k = 0; k < made.count; k++)
            vec_push(f->arena, &out, made.items[k]);
    }
    if (any)
        *list = fe_node_list(f, out.items, out.count);
}

static bool rewrite_node(void *user, struct py *n)
{
    const struct py_info *info = &py_info[n->kind];
    for (uint32_t i = 0; i < info->num_fields; i++)
        if (info->fields[i].type == PY_FIELD_LIST)
            rewrite_list(user, (struct py_list *)((char *)n + info->fields[i].offset));
    return true;
}

void fe_rewrite(struct fe *f, const struct fe_source *s, struct py *tree)
{
    if (memmem(s->text, s->length, "match", 5))
        py_visit(tree, rewrite_node, f);
}
