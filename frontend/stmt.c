#include "frontend/lower.h"

#include <string.h>

bool fe_always_returns(const struct py_list *body)
{
    const struct py *last = body->count ? body->items[body->count - 1] : NULL;
    if (!last)
        return false;
    return last->kind == PY_RETURN || (last->kind == PY_WITH && fe_always_returns(&last->with.body)) ||
           (last->kind == PY_IF && fe_always_returns(&last->if_.body) && fe_always_returns(&last->if_.orelse));
}

static const char *refused(enum py_kind kind)
{
    switch (kind) {
    case PY_MATCH:
        return "'match' with patterns other than values, names, alternatives and tuples of them";
    case PY_TRY:
    case PY_TRY_STAR:
        return "'try'";
    case PY_DELETE:
        return "'del'";
    case PY_GLOBAL:
    case PY_NONLOCAL:
        return "'global' and 'nonlocal'";
    case PY_ASYNC_FUNCTION_DEF:
    case PY_ASYNC_FOR:
    case PY_ASYNC_WITH:
        return "'async'";
    case PY_CLASS_DEF:
        return "a class in a program";
    case PY_IMPORT:
    case PY_IMPORT_FROM:
        return "'import' in a program";
    case PY_TYPE_ALIAS:
        return "'type'";
    default:
        return "this statement";
    }
}

static bool define(struct fe *f, const struct py *n)
{
    struct fe_function *fn = NEW(f->arena, struct fe_function);
    struct value *v = fe_new(f, FE_FUNCTION);
    if (n->function.decorator_list.count)
        return fe_decorated(f, n);
    fn->node = n;
    fn->source = f->source;
    fn->scope = f->scope;
    v->function = fn;
    const struct py *args = n->function.args;
    const struct py_list *lists[2] = { &args->arguments.defaults, &args->arguments.kw_defaults };
    const struct value **values = NEW_ARRAY(f->arena, const struct value *, lists[0]->count + lists[1]->count + 1);
    fn->defaults = values;
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < lists[k]->count; i++, values++) {
            const struct py *e = lists[k]->items[i]; /* NULL: the keyword has none */
            *values = e ? fe_eval(f, e) : NULL;
            if (*values && (*values)->kind == FE_ELEM)
                *values = fe_materialize(f, e, *values, "standard");
            if (e && !*values)
                return false;
        }
    fe_bind(f, f->scope, n->function.name, v);
    return true;
}

/* The type that an annotation says, or NULL; false: it is wrong. */
static bool annotated_type(struct fe *f, const struct py *annotation, const struct value **out)
{
    bool raw = f->raw;
    f->raw = true;
    const struct value *type = fe_eval(f, annotation);
    f->raw = raw;
    bool describes = type && (type->kind == FE_TYPE || type->kind == FE_DESC);
    *out = describes ? fe_in_context(f, annotation, type) : NULL;
    return type && (!describes || *out);
}

/* x: type */
static bool declaration(struct fe *f, const struct py *n)
{
    const struct value *type;
    if (n->ann_assign.target->kind != PY_NAME)
        return true;
    if (!annotated_type(f, n->ann_assign.annotation, &type))
        return false;
    if (type)
        vec_push(f->arena, &f->scope->declared,
                 ((struct fe_binding){ .name = n->ann_assign.target->name.id, .value = type }));
    return true;
}

static bool annotated(struct fe *f, const struct py *n)
{
    const struct py *value = n->ann_assign.value;
    if (!value)
        return declaration(f, n);
    if (value->kind == PY_CALL && !annotated_type(f, n->ann_assign.annotation, &f->wanted))
        return false;
    f->wish = n->ann_assign.target->kind == PY_NAME ? n->ann_assign.target->name.id : NULL;
    const struct value *v = fe_eval(f, value);
    f->wish = NULL;
    const struct value *type = v ? fe_eval(f, n->ann_assign.annotation) : NULL;
    if (!type)
        return false;
    if (type->kind == FE_DESC && type->text)
        v = fe_hinted(f, v, type->text);
    if (type->kind == FE_TYPE && (fe_is_number(v) || v->kind == FE_SYMBOL))
        v = fe_cast(f, n, type->type, v);
    return v && fe_assign(f, n->ann_assign.target, v, NULL);
}

/* The text of a message, which must be constant; or NULL. */
static const char *constant_text(const struct py *n)
{
    return n && n->kind == PY_CONSTANT && n->constant.value.kind == PY_STRING ? n->constant.value.text : NULL;
}

const char *fe_raised(struct fe *f, const struct py *n)
{
    const struct py *e = n->raise_.exc;
    const struct py *type = e && e->kind == PY_CALL ? e->call.func : e;
    const char *name = type && type->kind == PY_NAME ? type->name.id : "an error";
    const char *text = e && e->kind == PY_CALL && e->call.args.count == 1 ? constant_text(e->call.args.items[0]) : NULL;
    if (text && f->source->library)
        return text;
    return text ? fe_format(f, "%s: %s", name, text) : fe_format(f, "%s is raised", name);
}

/* Conditions on constants and symbols are checked; dace drops those on data. */
static bool assertion(struct fe *f, const struct py *n)
{
    const char *text = constant_text(n->assert_.msg);
    const char *said = text ? fe_format(f, "the assertion does not hold: %s", text) : "the assertion does not hold";
    bool truth;
    if (fe_require(f, n, n->assert_.test, false, said))
        return true;
    const struct value *v = fe_eval(f, n->assert_.test);
    if (!v)
        return false;
    if (fe_truth(v, &truth))
        return truth || fe_raise(f, n, "AssertionError", "%s", said) != NULL;
    if (f->dace)
        fe_warn_dialect(f, n, "the assertion is dropped: it is about data, which are known at run time only");
    return f->dace || f->drop_assertions || fe_unsupported(f, n, "an assertion that is known at run time only") != NULL;
}

static bool assign_all(struct fe *f, const struct py *n)
{
    const struct py *first = n->assign.targets.items[0];
    f->wish = n->assign.targets.count == 1 && first->kind == PY_NAME ? first->name.id : NULL;
    f->target = n->assign.value->kind == PY_CALL ? first : NULL;
    const struct value *v = fe_eval(f, n->assign.value);
    f->wish = NULL;
    if (!v)
        return false;
    if (n->assign.targets.count > 1 && v->kind == FE_ELEM && !(v = fe_materialize(f, n, v, "tmp")))
        return false;
    for (uint32_t i = 0; i < n->assign.targets.count; i++)
        if (!fe_assign(f, n->assign.targets.items[i], v, NULL))
            return false;
    return true;
}

/* Code of the library tells its caller what is wrong. */
static bool raised(struct fe *f, const struct py *n)
{
    if (!f->source->library && f->dace)
        fe_warn_dialect(f, n, "'raise' is dropped, and what follows is run: return a value that says what is wrong");
    if (!f->source->library)
        return f->dace || fe_unsupported(f, n, "'raise'") != NULL;
    const struct value *v = fe_eval(f, n->raise_.exc->call.args.items[0]);
    const char *kind = n->raise_.exc->call.func->name.id;
    if (v && v->kind == FE_STRING && strcmp(kind, "NotImplementedError") == 0)
        return fe_unsupported(f, n, "%s", v->text) != NULL;
    return v && v->kind == FE_STRING && fe_raise(f, n, kind, "%s", v->text) != NULL;
}

static bool jump(struct fe *f, const struct py *n)
{
    struct fe_unrolled *u = f->unrolled;
    bool breaks = n->kind == PY_BREAK, unrolled = u && u->function == f->returns && u->loops == f->loops;
    if (unrolled && u->depth != f->depth)
        return fe_unsupported(f, n, "'%s' in a loop that is unrolled, where data decide about it",
                              breaks ? "break" : "continue") != NULL;
    if (!unrolled && f->map_loops && f->loops == f->map_loops)
        return fe_error(f, n, "'%s' in a map: its iterations have no order, all of them run to their end",
                        breaks ? "break" : "continue") != NULL;
    if (!fe_leave_managers(f, f->loop_managers))
        return false;
    f->ended = true;
    if (!unrolled) {
        fe_jump(f, breaks ? BLOCK_BREAK : BLOCK_CONTINUE, breaks ? "break" : "continue");
        return true;
    }
    u->jumped = true;
    u->broke = breaks;
    return true;
}

static bool statement(struct fe *f, const struct py *n)
{
    fe_at(f, n);
    switch (n->kind) {
    case PY_PASS:
        return true;
    case PY_WITH:
        return fe_with(f, n);
    case PY_EXPR:
        if (fe_is_memlet(n))
            return fe_memlet_copy(f, n);
        f->wanted = n->expr.value->kind == PY_CALL ? fe_none(f) : NULL;
        return n->expr.value->kind == PY_CONSTANT || fe_eval(f, n->expr.value) != NULL;
    case PY_ASSIGN:
        return assign_all(f, n);
    case PY_AUG_ASSIGN:
        return fe_augment(f, n);
    case PY_ANN_ASSIGN:
        return annotated(f, n);
    case PY_IF:
        return fe_if(f, n);
    case PY_FOR:
        return fe_for(f, n);
    case PY_WHILE:
        return fe_while(f, n);
    case PY_BREAK:
    case PY_CONTINUE:
        return jump(f, n);
    case PY_RETURN:
        return fe_return_statement(f, n);
    case PY_ASSERT:
        return assertion(f, n);
    case PY_RAISE:
        return raised(f, n);
    case PY_FUNCTION_DEF:
        return define(f, n);
    default:
        return fe_unsupported(f, n, "%s", refused(n->kind)) != NULL;
    }
}

static struct py_list joined(struct fe *f, const struct py_list *a, const struct py_list *body, uint32_t next)
{
    struct py_list all = { .count = a->count + body->count - next };
    if (fe_always_returns(a))
        return *a;
    all.items = NEW_ARRAY(f->arena, struct py *, all.count + 1);
    for (uint32_t i = 0; i < all.count; i++)
        all.items[i] = i < a->count ? a->items[i] : body->items[next + i - a->count];
    return all;
}

/* In a callee, what follows an `if` that may return belongs to each of its branches that go on, so that the value of
 * the call is one name. */
static struct py *with_rest(struct fe *f, const struct py *n, const struct py_list *body, uint32_t next)
{
    struct py *c = arena_alloc(f->arena, sizeof *c);
    memcpy(c, n, py_info[PY_IF].size);
    c->if_.body = joined(f, &n->if_.body, body, next);
    c->if_.orelse = joined(f, &n->if_.orelse, body, next);
    return c;
}

/* `f->failed` tells those who find a value missing whether somebody has said why: of this statement. */
static bool one_statement(struct fe *f, const struct py *n)
{
    bool failed = f->failed;
    f->failed = false;
    bool good = statement(f, n);
    f->failed |= failed;
    return good;
}

bool fe_block(struct fe *f, const struct py_list *body)
{
    bool good = true;
    for (uint32_t i = 0; i < body->count && !f->ended; i++) {
        const struct py *n = body->items[i];
        bool splits = n->kind == PY_IF && f->returns && f->returns->inlined && i + 1 < body->count &&
                      (fe_may_return(&n->if_.body) || fe_may_return(&n->if_.orelse));
        if (splits)
            return one_statement(f, with_rest(f, n, body, i + 1)) && good;
        if (one_statement(f, n))
            continue;
        if (f->source->library) /* one error of a call is enough */
            return false;
        good = false; /* the errors behind it are also reported, but not that its names are unknown */
        fe_mark_wrong(f, n);
    }
    return good;
}
