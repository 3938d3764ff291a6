#include "ir/python/parser.h"

/* Binary operators by precedence; all but ** associate to the left, and comparisons form chains. */
enum { LEVEL_COMPARE = 1, LEVEL_BITOR, LEVEL_BITXOR, LEVEL_BITAND, LEVEL_SHIFT, LEVEL_SUM, LEVEL_TERM };

static const struct {
    uint8_t level, op;
} binaries[PY_W_COUNT] = {
    [PY_W_LT] = { LEVEL_COMPARE, PY_LT },
    [PY_W_LTE] = { LEVEL_COMPARE, PY_LTE },
    [PY_W_GT] = { LEVEL_COMPARE, PY_GT },
    [PY_W_GTE] = { LEVEL_COMPARE, PY_GTE },
    [PY_W_EQEQ] = { LEVEL_COMPARE, PY_EQ },
    [PY_W_NOTEQ] = { LEVEL_COMPARE, PY_NOTEQ },
    [PY_W_IS] = { LEVEL_COMPARE, PY_IS },
    [PY_W_IN] = { LEVEL_COMPARE, PY_IN },
    [PY_W_NOT] = { LEVEL_COMPARE, PY_NOTIN },
    [PY_W_BAR] = { LEVEL_BITOR, PY_BITOR },
    [PY_W_CIRCUMFLEX] = { LEVEL_BITXOR, PY_BITXOR },
    [PY_W_AMPER] = { LEVEL_BITAND, PY_BITAND },
    [PY_W_LSHIFT] = { LEVEL_SHIFT, PY_LSHIFT },
    [PY_W_RSHIFT] = { LEVEL_SHIFT, PY_RSHIFT },
    [PY_W_PLUS] = { LEVEL_SUM, PY_ADD },
    [PY_W_MINUS] = { LEVEL_SUM, PY_SUB },
    [PY_W_STAR] = { LEVEL_TERM, PY_MULT },
    [PY_W_SLASH] = { LEVEL_TERM, PY_DIV },
    [PY_W_FLOORDIV] = { LEVEL_TERM, PY_FLOORDIV },
    [PY_W_PERCENT] = { LEVEL_TERM, PY_MOD },
    [PY_W_AT] = { LEVEL_TERM, PY_MATMULT },
};

bool py_starts_expression(const struct py_parser *p)
{
    const struct py_token *t = py_next(p);
    switch (t->kind) {
    case PY_TOKEN_NAME:
    case PY_TOKEN_NUMBER:
    case PY_TOKEN_STRING:
    case PY_TOKEN_F_START:
        return true;
    case PY_TOKEN_OPERATOR:
        break;
    default:
        return false;
    }
    switch (t->word) {
    case PY_W_LPAR:
    case PY_W_LSQB:
    case PY_W_LBRACE:
    case PY_W_PLUS:
    case PY_W_MINUS:
    case PY_W_TILDE:
    case PY_W_NOT:
    case PY_W_LAMBDA:
    case PY_W_AWAIT:
    case PY_W_NONE:
    case PY_W_TRUE:
    case PY_W_FALSE:
    case PY_W_ELLIPSIS:
        return true;
    default:
        return false;
    }
}

/* -x, +x, ~x, x ** y: the power binds tighter than a sign on its left, and less tightly than one on its right. */
struct py *py_unary(struct py_parser *p)
{
    const struct py_token t = *py_next(p);
    if (!py_enter(p))
        return NULL;
    enum py_op op = t.word == PY_W_MINUS   ? PY_USUB
                    : t.word == PY_W_PLUS  ? PY_UADD
                    : t.word == PY_W_TILDE ? PY_INVERT
                                           : PY_LOAD;
    struct py *n = NULL, *right;
    if (op != PY_LOAD) {
        p->at++;
        if ((right = py_unary(p))) {
            n = py_new(p, PY_UNARY_OP, t.begin);
            n->unary.op = op;
            n->unary.operand = right;
        }
    } else if ((n = py_await_primary(p)) && py_accept(p, PY_W_POWER)) {
        struct py *left = n;
        n = NULL;
        if ((right = py_unary(p))) {
            n = py_new(p, PY_BIN_OP, t.begin);
            n->bin_op.left = left;
            n->bin_op.op = PY_POW;
            n->bin_op.right = right;
        }
    }
    py_leave(p);
    return n;
}

static struct py *binary(struct py_parser *p, uint8_t lowest)
{
    uint32_t begin = py_next(p)->begin; /* a bracket around the left operand belongs to the node */
    struct py *left = py_unary(p);
    while (left) {
        uint8_t level = binaries[py_next(p)->word].level;
        if (level < lowest || level <= LEVEL_COMPARE)
            return left;
        enum py_op op = (enum py_op)binaries[py_next(p)->word].op;
        p->at++;
        struct py *right = binary(p, (uint8_t)(level + 1));
        if (!right)
            return NULL;
        struct py *n = py_new(p, PY_BIN_OP, begin);
        n->bin_op.left = left;
        n->bin_op.op = op;
        n->bin_op.right = right;
        left = n;
    }
    return NULL;
}

struct py *py_bitwise_or(struct py_parser *p) { return binary(p, LEVEL_BITOR); }

/* The comparison that comes next, over it; false if there is none. */
static bool comparison_operator(struct py_parser *p, enum py_op *op)
{
    const struct py_token *t = py_next(p);
    if (binaries[t->word].level != LEVEL_COMPARE)
        return false;
    *op = (enum py_op)binaries[t->word].op;
    bool twice = (t->word == PY_W_IS && py_ahead(p, 1)->word == PY_W_NOT) || t->word == PY_W_NOT;
    if (t->word == PY_W_NOT && py_ahead(p, 1)->word != PY_W_IN)
        return false;
    if (t->word == PY_W_IS && twice)
        *op = PY_ISNOT;
    p->at += twice ? 2 : 1;
    return true;
}

static struct py *comparison(struct py_parser *p)
{
    uint32_t begin = py_next(p)->begin;
    struct py *left = binary(p, LEVEL_BITOR), *right;
    py_nodes ops = { 0 }, values = { 0 };
    enum py_op op;
    if (!left)
        return NULL;
    for (uint32_t at = p->at; comparison_operator(p, &op); at = p->at) {
        struct py *o = py_new(p, PY_OPERATOR, p->tokens.items[at].begin);
        o->op.op = op;
        py_add(p, &ops, o);
        if (!(right = binary(p, LEVEL_BITOR)))
            return NULL;
        py_add(p, &values, right);
    }
    if (!ops.count)
        return left;
    struct py *n = py_new(p, PY_COMPARE, begin);
    n->compare.left = left;
    n->compare.ops = py_list(p, &ops);
    n->compare.comparators = py_list(p, &values);
    return n;
}

static struct py *inversion(struct py_parser *p)
{
    const struct py_token t = *py_next(p);
    if (t.word != PY_W_NOT)
        return comparison(p);
    if (!py_enter(p))
        return NULL;
    p->at++;
    struct py *operand = inversion(p), *n = NULL;
    if (operand) {
        n = py_new(p, PY_UNARY_OP, t.begin);
        n->unary.op = PY_NOT;
        n->unary.operand = operand;
    }
    py_leave(p);
    return n;
}

/* a and b and c: one node with all operands. */
static struct py *boolean(struct py_parser *p, enum py_word word, enum py_op op,
                          struct py *(*operand)(struct py_parser *))
{
    uint32_t begin = py_next(p)->begin;
    struct py *first = operand(p);
    if (!first || !py_is(p, word))
        return first;
    py_nodes values = { 0 };
    py_add(p, &values, first);
    while (py_accept(p, word)) {
        struct py *next = operand(p);
        if (!next)
            return NULL;
        py_add(p, &values, next);
    }
    struct py *n = py_new(p, PY_BOOL_OP, begin);
    n->bool_op.op = op;
    n->bool_op.values = py_list(p, &values);
    return n;
}

static struct py *conjunction(struct py_parser *p) { return boolean(p, PY_W_AND, PY_AND, inversion); }
struct py *py_disjunction(struct py_parser *p) { return boolean(p, PY_W_OR, PY_OR, conjunction); }

/* In brackets, two expressions side by side: a comma was forgotten. */
static struct py *missing_comma(struct py_parser *p, struct py *n)
{
    const struct py_token *t = py_next(p), *last = &p->tokens.items[p->at - 1];
    bool name_string = n->kind == PY_NAME && (t->kind == PY_TOKEN_STRING || t->kind == PY_TOKEN_F_START);
    if (!last->level || p->quiet || t->level < last->level || !py_starts_expression(p) || name_string ||
        n->kind == PY_LAMBDA || n->kind == PY_IF_EXP || t->word == PY_W_LAMBDA || t->word == PY_W_NOT)
        return n;
    bool soft = n->kind == PY_NAME &&
                (n->name.id == p->soft_match || n->name.id == p->soft_case || n->name.id == p->soft_type ||
                 n->name.id == p->soft_underscore || n->name.id == p->soft_print || n->name.id == p->soft_exec);
    uint32_t at = p->at;
    if (soft || !py_disjunction(p)) /* the second part may be wrong itself */
        return p->failed ? NULL : n;
    py_fail(p, n->begin, "invalid syntax. Perhaps you forgot a comma?");
    p->at = at;
    return NULL;
}

static struct py *conditional(struct py_parser *p)
{
    if (py_is(p, PY_W_LAMBDA))
        return py_lambda(p);
    uint32_t begin = py_next(p)->begin;
    struct py *n = py_disjunction(p);
    if (!n)
        return NULL;
    if (!py_accept(p, PY_W_IF))
        return missing_comma(p, n);
    struct py *test = py_disjunction(p);
    if (!test)
        return NULL;
    if (!py_is(p, PY_W_ELSE)) {
        if (!py_is(p, PY_W_COLON))
            return py_fail(p, n->begin, "expected 'else' after 'if' expression");
        return py_invalid(p);
    }
    p->at++;
    struct py *otherwise = py_expression(p);
    if (!otherwise)
        return NULL;
    struct py *c = py_new(p, PY_IF_EXP, begin);
    c->if_exp.test = test;
    c->if_exp.body = n;
    c->if_exp.orelse = otherwise;
    return c;
}

struct py *py_expression(struct py_parser *p)
{
    if (!py_enter(p))
        return NULL;
    struct py *n = conditional(p);
    py_leave(p);
    return n;
}

struct py *py_named(struct py_parser *p)
{
    const struct py_token *t = py_next(p);
    struct py *target = py_expression(p);
    if (!target)
        return NULL;
    if (py_is(p, PY_W_IS_SET) && !p->raw && target->kind != PY_LAMBDA && target->kind != PY_IF_EXP) {
        /* an assignment where an expression is read: guess what was meant */
        const struct py *bad = py_bad_target(target, PY_TARGET_ASSIGN);
        uint32_t at = p->at++;
        if (!py_bitwise_or(p))
            return NULL;
        if (py_is(p, PY_W_IS_SET) || py_is(p, PY_W_WALRUS)) {
            p->at = at;
            return target;
        }
        if (target->kind == PY_NAME)
            return py_fail(p, target->begin, "invalid syntax. Maybe you meant '==' or ':=' instead of '='?");
        bool plain = target->kind == PY_LIST || target->kind == PY_TUPLE || target->kind == PY_GENERATOR_EXP ||
                     target->kind == PY_CONSTANT || target->kind == PY_COMPARE || target->kind == PY_BOOL_OP;
        if (!plain)
            return py_fail(p, target->begin, "cannot assign to %s here. Maybe you meant '==' instead of '='?",
                           bad ? py_describe(bad) : py_describe(target));
        p->at = at;
        return target;
    }
    if (!py_is(p, PY_W_WALRUS))
        return target;
    if (target->kind != PY_NAME || p->text[t->begin] == '(')
        return target->kind == PY_NAME
                   ? target
                   : py_fail(p, target->begin, "cannot use assignment expressions with %s", py_describe(target));
    p->at++;
    struct py *value = py_expression(p);
    if (!value)
        return NULL;
    target->name.ctx = PY_STORE;
    struct py *n = py_new(p, PY_NAMED_EXPR, target->begin);
    n->named.target = target;
    n->named.value = value;
    return n;
}

static struct py *starred(struct py_parser *p, struct py *(*otherwise)(struct py_parser *))
{
    uint32_t begin = py_next(p)->begin;
    if (!py_accept(p, PY_W_STAR))
        return otherwise(p);
    struct py *value = py_bitwise_or(p);
    if (!value)
        return NULL;
    struct py *n = py_new(p, PY_STARRED, begin);
    n->starred.value = value;
    return n;
}

struct py *py_star_expression(struct py_parser *p) { return starred(p, py_expression); }
struct py *py_star_named(struct py_parser *p) { return starred(p, py_named); }
struct py *py_star_bitwise(struct py_parser *p) { return starred(p, py_bitwise_or); }

struct py *py_star_expressions(struct py_parser *p)
{
    uint32_t begin = py_next(p)->begin;
    struct py *first = py_star_expression(p);
    if (!first || !py_is(p, PY_W_COMMA))
        return first;
    py_nodes items = { 0 };
    py_add(p, &items, first);
    while (py_accept(p, PY_W_COMMA) && (py_starts_expression(p) || py_is(p, PY_W_STAR))) {
        struct py *next = py_star_expression(p);
        if (!next)
            return NULL;
        py_add(p, &items, next);
    }
    struct py *n = py_new(p, PY_TUPLE, begin);
    n->tuple.elts = py_list(p, &items);
    return n;
}

struct py *py_yield(struct py_parser *p)
{
    uint32_t begin = py_next(p)->begin;
    struct py *value = NULL;
    p->at++;
    bool from = py_accept(p, PY_W_FROM);
    if (from || py_starts_expression(p) || py_is(p, PY_W_STAR)) {
        value = from ? py_expression(p) : py_star_expressions(p);
        if (!value)
            return NULL;
    }
    struct py *n = py_new(p, from ? PY_YIELD_FROM : PY_YIELD, begin);
    n->yield.value = value; /* yield_from has the same field */
    return n;
}

struct py *py_yield_or_expressions(struct py_parser *p)
{
    return py_is(p, PY_W_YIELD) ? py_yield(p) : py_star_expressions(p);
}
