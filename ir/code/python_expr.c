#include "ir/code/python_code.h"

#include <string.h>

struct code *python_node(struct python_code *p, uint32_t offset, enum code_kind kind, uint32_t count)
{
    struct code *c = code_new(p->ir, kind, count);
    c->offset = offset;
    py_place(&p->lines, offset, &c->line, &c->column);
    c->column++;
    return c;
}

struct code *python_with_items(struct python_code *p, uint32_t offset, enum code_kind kind, const python_nodes *items)
{
    struct code *c = python_node(p, offset, kind, items->count);
    if (items->count)
        memcpy(c->items, items->items, items->count * sizeof *c->items);
    return c;
}

struct code *python_node2(struct python_code *p, uint32_t offset, enum code_kind kind, enum code_op op, struct code *a,
                          struct code *b)
{
    if (!a)
        return NULL;
    struct code *c = python_node(p, offset, kind, b ? 2 : 1);
    c->op = op;
    c->items[0] = a;
    if (b)
        c->items[1] = b;
    return c;
}

enum code_op python_op(enum py_op op)
{
    static const enum code_op ops[PY_OP_COUNT] = {
        [PY_ADD] = CODE_ADD,
        [PY_SUB] = CODE_SUB,
        [PY_MULT] = CODE_MUL,
        [PY_MATMULT] = CODE_MATMUL,
        [PY_DIV] = CODE_DIV,
        [PY_MOD] = CODE_MOD,
        [PY_POW] = CODE_POW,
        [PY_LSHIFT] = CODE_SHL,
        [PY_RSHIFT] = CODE_SHR,
        [PY_BITOR] = CODE_BITOR,
        [PY_BITXOR] = CODE_BITXOR,
        [PY_BITAND] = CODE_BITAND,
        [PY_FLOORDIV] = CODE_FLOORDIV,
        [PY_INVERT] = CODE_BITNOT,
        [PY_NOT] = CODE_NOT,
        [PY_UADD] = CODE_PLUS,
        [PY_USUB] = CODE_NEG,
        [PY_EQ] = CODE_EQ,
        [PY_NOTEQ] = CODE_NE,
        [PY_LT] = CODE_LT,
        [PY_LTE] = CODE_LE,
        [PY_GT] = CODE_GT,
        [PY_GTE] = CODE_GE,
        [PY_IS] = CODE_IS,
        [PY_ISNOT] = CODE_ISNOT,
        [PY_IN] = CODE_IN,
        [PY_NOTIN] = CODE_NOTIN,
        [PY_AND] = CODE_AND,
        [PY_OR] = CODE_OR,
    };
    return ops[op];
}

/* The operator or bracket behind an operand, whose own closing brackets do not belong to it. */
static uint32_t behind(const struct python_code *p, const struct py *n)
{
    uint32_t at = n->end;
    for (; at < p->length; at++) {
        char c = p->text[at];
        if (c == '#')
            while (at < p->length && p->text[at] != '\n' && p->text[at] != '\r')
                at++;
        else if (c != ')' && c != ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\\' && c != '\f')
            break;
    }
    return at < p->length ? at : n->end;
}

static struct code *integer(struct python_code *p, const struct py *n)
{
    const struct py_value *v = &n->constant.value;
    if (v->big)
        return python_unsupported(p, n->begin, "integer of more than 64 bits");
    struct code *c = python_node(p, n->begin, CODE_INT, 0);
    c->u = v->u;
    c->i = (int64_t)v->u;
    c->big = v->u > INT64_MAX;
    return c;
}

static struct code *string(struct python_code *p, const struct py *n)
{
    const struct py_value *v = &n->constant.value;
    if (memchr(v->text, 0, v->length))
        return python_unsupported(p, n->begin, "zero byte in a string");
    for (uint32_t i = 0; i + 1 < v->length; i++)
        if ((unsigned char)v->text[i] == 0xed && (unsigned char)v->text[i + 1] >= 0xa0)
            return python_unsupported(p, n->begin, "half of a character in a string");
    struct code *c = python_node(p, n->begin, CODE_STRING, 0);
    c->name = intern_n(p->ir->names, v->text, v->length);
    return c;
}

static struct code *constant(struct python_code *p, const struct py *n)
{
    const struct py_value *v = &n->constant.value;
    struct code *c;
    switch (v->kind) {
    case PY_NONE:
        return python_node(p, n->begin, CODE_NONE, 0);
    case PY_TRUE:
    case PY_FALSE:
        c = python_node(p, n->begin, CODE_BOOL, 0);
        c->i = v->kind == PY_TRUE;
        return c;
    case PY_INT:
        return integer(p, n);
    case PY_FLOAT:
    case PY_IMAG:
        c = python_node(p, n->begin, v->kind == PY_FLOAT ? CODE_FLOAT : CODE_IMAG, 0);
        c->f = v->f;
        return c;
    case PY_STRING:
        return string(p, n);
    case PY_BYTES:
        return python_unsupported(p, n->begin, "byte string");
    default:
        return python_unsupported(p, n->begin, "ellipsis");
    }
}

/* ---- operators ---- */

/* a and b and c: from the left. */
static struct code *boolean(struct python_code *p, const struct py *n)
{
    const struct py_list *values = &n->bool_op.values;
    struct code *left = python_expression(p, values->items[0]);
    for (uint32_t i = 1; i < values->count && left; i++) {
        struct code *right = python_expression(p, values->items[i]);
        left =
            right ? python_node2(p, behind(p, values->items[i - 1]), CODE_BINARY, python_op(n->bool_op.op), left, right)
                  : NULL;
    }
    return left;
}

/* a + b + c, which Python's tree nests to the left. */
static struct code *binary(struct python_code *p, const struct py *n)
{
    VEC(const struct py *) chain = { 0 };
    for (; n->kind == PY_BIN_OP; n = n->bin_op.left)
        vec_push(p->ir->arena, &chain, n);
    struct code *left = python_expression(p, n);
    for (uint32_t i = chain.count; i > 0 && left; i--) {
        n = chain.items[i - 1];
        struct code *right = python_expression(p, n->bin_op.right);
        left = right ? python_node2(p, behind(p, n->bin_op.left), CODE_BINARY, python_op(n->bin_op.op), left, right)
                     : NULL;
    }
    return left;
}

/* a < b < c becomes the pairs (a, b), (b, c); `b` is shared. */
static struct code *comparison(struct python_code *p, const struct py *n)
{
    python_nodes pairs = { 0 };
    const struct py *before = n->compare.left;
    uint32_t first = behind(p, before);
    struct code *left = python_expression(p, before);
    for (uint32_t i = 0; i < n->compare.ops.count && left; i++) {
        const struct py *operand = n->compare.comparators.items[i];
        struct code *right = python_expression(p, operand);
        if (!right)
            return NULL;
        enum code_op op = python_op(n->compare.ops.items[i]->op.op);
        vec_push(p->ir->arena, &pairs, python_node2(p, behind(p, before), CODE_BINARY, op, left, right));
        left = right;
        before = operand;
    }
    if (!left)
        return NULL;
    return pairs.count == 1 ? pairs.items[0] : python_with_items(p, first, CODE_COMPARE_CHAIN, &pairs);
}

static struct code *select(struct python_code *p, const struct py *n)
{
    struct code *condition = python_expression(p, n->if_exp.test);
    struct code *then = condition ? python_expression(p, n->if_exp.body) : NULL;
    struct code *otherwise = then ? python_expression(p, n->if_exp.orelse) : NULL;
    if (!otherwise)
        return NULL;
    struct code *c = python_node(p, behind(p, n->if_exp.body), CODE_SELECT, 3);
    c->items[0] = condition;
    c->items[1] = then;
    c->items[2] = otherwise;
    return c;
}

/* ---- subscripts, calls ---- */

static struct code *slice(struct python_code *p, const struct py *n)
{
    if (n->kind != PY_SLICE)
        return python_expression(p, n);
    const struct py *parts[3] = { n->slice.lower, n->slice.upper, n->slice.step };
    struct code *c = python_node(p, n->begin, CODE_SLICE, 3);
    for (int i = 0; i < 3; i++)
        if (parts[i] && !(c->items[i] = python_expression(p, parts[i])))
            return NULL;
    return c;
}

static struct code *subscript(struct python_code *p, const struct py *n)
{
    python_nodes items = { 0 };
    const struct py *index = n->subscript.slice;
    struct code *base = python_expression(p, n->subscript.value), *c;
    if (!base)
        return NULL;
    vec_push(p->ir->arena, &items, base);
    bool tuple = index->kind == PY_TUPLE;
    for (uint32_t i = 0; i < (tuple ? index->tuple.elts.count : 1); i++) {
        if (!(c = slice(p, tuple ? index->tuple.elts.items[i] : index)))
            return NULL;
        vec_push(p->ir->arena, &items, c);
    }
    return python_with_items(p, behind(p, n->subscript.value), CODE_INDEX, &items);
}

/* Module of a type name: dace.float64, dace.dtypes.float64, numpy.float64. */
static bool is_type_module(const struct code *c)
{
    if (c->kind == CODE_MEMBER)
        return strcmp(c->name, "dtypes") == 0 && is_type_module(c->items[0]);
    return c->kind == CODE_NAME &&
           (strcmp(c->name, "dace") == 0 || strcmp(c->name, "numpy") == 0 || strcmp(c->name, "np") == 0);
}

const struct type *python_type(struct python_code *p, const struct code *c)
{
    if (c->kind == CODE_NAME) {
        /* Written into C as they stand, so they mean C's types (semantics.md 6.5). */
        if (strcmp(c->name, "int") == 0)
            return type_basic(p->ir, TYPE_I32);
        if (strcmp(c->name, "float") == 0)
            return type_basic(p->ir, TYPE_F32);
        return type_by_name(p->ir, c->name);
    }
    if (c->kind == CODE_MEMBER && is_type_module(c->items[0]))
        return type_by_name(p->ir, c->name);
    bool vector = c->kind == CODE_CALL && c->count == 3 && c->items[0]->kind == CODE_MEMBER &&
                  strcmp(c->items[0]->name, "vector") == 0 && is_type_module(c->items[0]->items[0]);
    const struct code *lanes = vector ? c->items[2] : NULL;
    if (!vector || lanes->kind != CODE_INT || lanes->big || lanes->i < 1 || lanes->i > 1024)
        return NULL;
    const struct type *elem = c->items[1]->kind == CODE_CALL ? NULL : python_type(p, c->items[1]);
    return elem ? type_vector(p->ir, elem, (uint32_t)lanes->i, NULL) : NULL;
}

/* dace.T(x) converts; int(x), float(x) and unknown names stay calls. */
static struct code *call_or_cast(struct python_code *p, uint32_t offset, const python_nodes *items)
{
    if (items->count == 2 && items->items[0]->kind == CODE_MEMBER && items->items[1]->kind != CODE_KEYWORD) {
        const struct code *module = items->items[0];
        while (module->kind == CODE_MEMBER)
            module = module->items[0];
        const struct type *type =
            module->kind == CODE_NAME && strcmp(module->name, "dace") == 0 ? python_type(p, items->items[0]) : NULL;
        if (type) {
            struct code *c = python_node2(p, offset, CODE_CAST, CODE_OP_NONE, items->items[1], NULL);
            c->type = type;
            return c;
        }
    }
    return python_with_items(p, offset, CODE_CALL, items);
}

static struct code *call(struct python_code *p, const struct py *n)
{
    python_nodes items = { 0 };
    struct code *c = python_expression(p, n->call.func);
    if (!c)
        return NULL;
    vec_push(p->ir->arena, &items, c);
    for (uint32_t i = 0; i < n->call.args.count; i++) {
        const struct py *argument = n->call.args.items[i];
        if (argument->kind == PY_STARRED)
            return python_unsupported(p, argument->begin, "starred argument");
        if (!(c = python_expression(p, argument)))
            return NULL;
        vec_push(p->ir->arena, &items, c);
    }
    for (uint32_t i = 0; i < n->call.keywords.count; i++) {
        const struct py *k = n->call.keywords.items[i];
        if (!k->keyword.arg)
            return python_unsupported(p, k->begin, "starred argument");
        if (!(c = python_node2(p, k->begin, CODE_KEYWORD, CODE_OP_NONE, python_expression(p, k->keyword.value), NULL)))
            return NULL;
        c->name = k->keyword.arg;
        vec_push(p->ir->arena, &items, c);
    }
    return call_or_cast(p, behind(p, n->call.func), &items);
}

static struct code *lambda(struct python_code *p, const struct py *n)
{
    const struct py *args = n->lambda.args;
    python_nodes items = { 0 };
    if (args->arguments.posonlyargs.count || args->arguments.kwonlyargs.count || args->arguments.vararg ||
        args->arguments.kwarg)
        return python_unsupported(p, args->begin, "parameter list");
    if (args->arguments.defaults.count)
        return python_unsupported(p, args->arguments.defaults.items[0]->begin, "default value of a parameter");
    for (uint32_t i = 0; i < args->arguments.args.count; i++) {
        const struct py *a = args->arguments.args.items[i];
        struct code *c = python_node(p, a->begin, CODE_NAME, 0);
        c->name = a->arg.arg;
        vec_push(p->ir->arena, &items, c);
    }
    struct code *body = python_expression(p, n->lambda.body);
    if (!body)
        return NULL;
    vec_push(p->ir->arena, &items, body);
    return python_with_items(p, n->begin, CODE_LAMBDA, &items);
}

static struct code *tuple(struct python_code *p, const struct py *n)
{
    python_nodes items = { 0 };
    for (uint32_t i = 0; i < n->tuple.elts.count; i++) {
        struct code *c = python_expression(p, n->tuple.elts.items[i]);
        if (!c)
            return NULL;
        vec_push(p->ir->arena, &items, c);
    }
    return python_with_items(p, n->begin, CODE_TUPLE, &items);
}

struct code *python_expression(struct python_code *p, const struct py *n)
{
    struct code *c;
    switch (n->kind) {
    case PY_CONSTANT:
        return constant(p, n);
    case PY_NAME:
        c = python_node(p, n->begin, CODE_NAME, 0);
        c->name = n->name.id;
        return c;
    case PY_ATTRIBUTE:
        c = python_node2(p, n->end - (uint32_t)strlen(n->attribute.attr), CODE_MEMBER, CODE_OP_NONE,
                         python_expression(p, n->attribute.value), NULL);
        if (c)
            c->name = n->attribute.attr;
        return c;
    case PY_UNARY_OP:
        return python_node2(p, n->begin, CODE_UNARY, python_op(n->unary.op), python_expression(p, n->unary.operand),
                            NULL);
    case PY_BIN_OP:
        return binary(p, n);
    case PY_BOOL_OP:
        return boolean(p, n);
    case PY_COMPARE:
        return comparison(p, n);
    case PY_IF_EXP:
        return select(p, n);
    case PY_SUBSCRIPT:
        return subscript(p, n);
    case PY_CALL:
        return call(p, n);
    case PY_LAMBDA:
        return lambda(p, n);
    case PY_TUPLE:
        return tuple(p, n);
    default:
        return python_unsupported(p, n->begin, python_refused(n->kind));
    }
}
