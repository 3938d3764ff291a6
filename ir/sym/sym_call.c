/* The functions of symbolic text (format.md 5.4). */
#include "ir/sym/sym_parser.h"

#include <string.h>

enum meaning {
    OPERATION, /* a sym_op */
    SWAPPED,   /* a sym_op with its two arguments exchanged */
    CAST,      /* a type_kind */
    KEPT,      /* stays a call; sign, beta, ... may be containers of old files */
    SQUARE_ROOT,
    RECIPROCAL,
    REMAINDER, /* a % b, or what has the sign of b, as the file has it */
    MODULO,    /* with the sign of b */
    SUBSCRIPT,
    MEMBER,
};

enum { ANY = 255 };

static const struct function {
    const char *name;
    enum meaning meaning;
    int code;
    uint8_t least, most; /* arguments */
} functions[] = {
    { "Min", OPERATION, SYM_MIN, 1, ANY },
    { "min", OPERATION, SYM_MIN, 1, ANY },
    { "Max", OPERATION, SYM_MAX, 1, ANY },
    { "max", OPERATION, SYM_MAX, 1, ANY },
    { "Abs", OPERATION, SYM_ABS, 1, 1 },
    { "abs", OPERATION, SYM_ABS, 1, 1 },
    { "int_floor", OPERATION, SYM_FLOOR_DIV, 2, 2 },
    { "__int_floor", OPERATION, SYM_FLOOR_DIV, 2, 2 },
    { "int_ceil", OPERATION, SYM_CEIL_DIV, 2, 2 },
    { "floor", OPERATION, SYM_FLOOR, 1, 1 },
    { "ceiling", OPERATION, SYM_CEIL, 1, 1 },
    { "ceil", OPERATION, SYM_CEIL, 1, 1 },
    { "Mod", REMAINDER, 0, 2, 2 },
    { "CMod", OPERATION, SYM_MOD, 2, 2 },
    { "FtnMod", OPERATION, SYM_MOD, 2, 2 },
    { "PyMod", MODULO, 0, 2, 2 },
    { "FtnModulo", MODULO, 0, 2, 2 },
    { "ROUND", OPERATION, SYM_ROUND, 1, 1 },
    { "round", OPERATION, SYM_ROUND, 1, 1 },
    { "pow", OPERATION, SYM_POW, 2, 2 },
    { "sqrt", SQUARE_ROOT, 0, 1, 1 },
    { "reciprocal", RECIPROCAL, 0, 1, 1 },
    { "AND", OPERATION, SYM_AND, 1, ANY },
    { "And", OPERATION, SYM_AND, 1, ANY },
    { "OR", OPERATION, SYM_OR, 1, ANY },
    { "Or", OPERATION, SYM_OR, 1, ANY },
    { "Not", OPERATION, SYM_NOT, 1, 1 },
    { "NOT", OPERATION, SYM_NOT, 1, 1 },
    { "Eq", OPERATION, SYM_EQ, 2, 2 },
    { "Ne", OPERATION, SYM_NE, 2, 2 },
    { "NotEq", OPERATION, SYM_NE, 2, 2 },
    { "Lt", OPERATION, SYM_LT, 2, 2 },
    { "Le", OPERATION, SYM_LE, 2, 2 },
    { "LtE", OPERATION, SYM_LE, 2, 2 },
    { "Gt", SWAPPED, SYM_LT, 2, 2 },
    { "Ge", SWAPPED, SYM_LE, 2, 2 },
    { "GtE", SWAPPED, SYM_LE, 2, 2 },
    { "IfExpr", OPERATION, SYM_SELECT, 3, 3 },
    { "Is", KEPT, 0, 2, 2 },
    { "IsNot", KEPT, 0, 2, 2 },
    { "bitwise_and", OPERATION, SYM_BIT_AND, 2, 2 },
    { "__bitwise_and", OPERATION, SYM_BIT_AND, 2, 2 },
    { "BitwiseAnd", OPERATION, SYM_BIT_AND, 2, 2 },
    { "bitwise_or", OPERATION, SYM_BIT_OR, 2, 2 },
    { "__bitwise_or", OPERATION, SYM_BIT_OR, 2, 2 },
    { "BitwiseOr", OPERATION, SYM_BIT_OR, 2, 2 },
    { "bitwise_xor", OPERATION, SYM_BIT_XOR, 2, 2 },
    { "__bitwise_xor", OPERATION, SYM_BIT_XOR, 2, 2 },
    { "BitwiseXor", OPERATION, SYM_BIT_XOR, 2, 2 },
    { "bitwise_invert", OPERATION, SYM_BIT_NOT, 1, 1 },
    { "__bitwise_invert", OPERATION, SYM_BIT_NOT, 1, 1 },
    { "BitwiseNot", OPERATION, SYM_BIT_NOT, 1, 1 },
    { "left_shift", OPERATION, SYM_SHL, 2, 2 },
    { "__left_shift", OPERATION, SYM_SHL, 2, 2 },
    { "LeftShift", OPERATION, SYM_SHL, 2, 2 },
    { "right_shift", OPERATION, SYM_SHR, 2, 2 },
    { "__right_shift", OPERATION, SYM_SHR, 2, 2 },
    { "RightShift", OPERATION, SYM_SHR, 2, 2 },
    { "Subscript", SUBSCRIPT, 0, 2, ANY },
    { "Attr", MEMBER, 0, 2, 2 },
    { "int", CAST, TYPE_I32, 1, 1 },
    { "float", CAST, TYPE_F32, 1, 1 },
    { "double", CAST, TYPE_F64, 1, 1 },
    { "bool", CAST, TYPE_BOOL, 1, 1 },
    { "int8_t", CAST, TYPE_I8, 1, 1 },
    { "int16_t", CAST, TYPE_I16, 1, 1 },
    { "int32_t", CAST, TYPE_I32, 1, 1 },
    { "int64_t", CAST, TYPE_I64, 1, 1 },
    { "uint8_t", CAST, TYPE_U8, 1, 1 },
    { "uint16_t", CAST, TYPE_U16, 1, 1 },
    { "uint32_t", CAST, TYPE_U32, 1, 1 },
    { "uint64_t", CAST, TYPE_U64, 1, 1 },
};

/* These stay calls; listed because they say nothing about the syntax of a file. */
static const char *const mathematical[] = { "exp",       "log",       "sin",    "cos",       "tan",  "asin",
                                            "acos",      "atan",      "atan2",  "sinh",      "cosh", "tanh",
                                            "re",        "im",        "gamma",  "factorial", "sign", "Heaviside",
                                            "conjugate", "Piecewise", "symbol", "SymExpr" };

static const struct function *find_function(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (functions[i].name[0] == name[0] && strlen(functions[i].name) == length &&
            !memcmp(functions[i].name, name, length))
            return &functions[i];
    return NULL;
}

bool sym_is_function(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof mathematical / sizeof *mathematical; i++)
        if (strlen(mathematical[i]) == length && !memcmp(mathematical[i], name, length))
            return true;
    return find_function(name, length) != NULL;
}

const char *sym_dotted(struct ir *ir, const struct sym *a)
{
    if (a->op == SYM_NAME)
        return a->name;
    if (a->op != SYM_ATTR)
        return NULL;
    const char *base = sym_dotted(ir, a->args[0]);
    return base ? intern(ir->names, arena_printf(ir->arena, "%s.%s", base, a->name)) : NULL;
}

const struct sym *sym_subscript(struct sym_parser *p, const struct sym *base, const struct sym_list *indices)
{
    const char *name = sym_dotted(p->ir, base);
    if (name)
        return sym_node(p->ir, SYM_SUBSCRIPT, NULL, name, indices->items, indices->count);
    struct sym_list args;
    sym_list_init(&args, p->ir);
    sym_list_add(&args, base);
    for (uint32_t i = 0; i < indices->count; i++)
        sym_list_add(&args, indices->items[i]);
    return sym_node(p->ir, SYM_CALL, NULL, "Subscript", args.items, args.count);
}

static const struct sym *wrong_count(struct sym_parser *p, const struct function *f, size_t at, uint32_t count)
{
    if (!p->failed)
        diag_error_in(p->ir->diags, p->place, p->text, p->length, at, DIAG_SYM_ARGUMENTS, f->name, (unsigned)f->least,
                      f->most == ANY ? " or more" : "", count);
    p->failed = true;
    return NULL;
}

static const struct sym *two(struct ir *ir, enum sym_op op, const struct sym *a, const struct sym *b)
{
    const struct sym *const args[] = { a, b };
    return sym_make(ir, op, NULL, NULL, args, 2);
}

/* a % b, plus b where the signs of both differ. */
static const struct sym *modulo(struct ir *ir, const struct sym *a, const struct sym *b)
{
    const struct sym *zero = sym_int(ir, 0), *rest = two(ir, SYM_MOD, a, b);
    const struct sym *differ = two(ir, SYM_LT, rest, zero);
    if (b->op != SYM_INT || b->i <= 0)
        differ = two(ir, SYM_AND, two(ir, SYM_NE, rest, zero), two(ir, SYM_NE, differ, two(ir, SYM_LT, b, zero)));
    const struct sym *const choice[] = { differ, two(ir, SYM_ADD, rest, b), rest };
    return sym_make(ir, SYM_SELECT, NULL, NULL, choice, 3);
}

static const struct sym *apply(struct sym_parser *p, const struct function *f, size_t at, const struct sym_list *args)
{
    struct ir *ir = p->ir;
    const struct sym *const *a = args->items;
    if (args->count < f->least || (f->most != ANY && args->count > f->most))
        return wrong_count(p, f, at, args->count);
    switch (f->meaning) {
    case SWAPPED: {
        const struct sym *const swapped[] = { a[1], a[0] };
        return sym_make(ir, (enum sym_op)f->code, NULL, NULL, swapped, 2);
    }
    case CAST:
        return sym_cast(ir, type_basic(ir, (enum type_kind)f->code), a[0]);
    case SQUARE_ROOT:
        return sym_power(ir, a[0], sym_rational(ir, 1, 2));
    case RECIPROCAL:
        return sym_power(ir, a[0], sym_int(ir, -1));
    case REMAINDER:
        return ir->floored_mod ? modulo(ir, a[0], a[1]) : two(ir, SYM_MOD, a[0], a[1]);
    case MODULO:
        return modulo(ir, a[0], a[1]);
    case SUBSCRIPT: {
        struct sym_list indices;
        sym_list_init(&indices, ir);
        for (uint32_t i = 1; i < args->count; i++)
            sym_list_add(&indices, a[i]);
        return sym_subscript(p, a[0], &indices);
    }
    case MEMBER:
        if (a[1]->op != SYM_NAME)
            return sym_parse_fail(p, at, "the member should be a name");
        return sym_node(ir, SYM_ATTR, NULL, a[1]->name, a, 1);
    case KEPT:
        return sym_node(ir, SYM_CALL, NULL, f->name, a, args->count);
    default:
        return sym_make(ir, (enum sym_op)f->code, NULL, NULL, a, args->count);
    }
}

/* ---- calls with a syntax of their own; the token is behind the opening parenthesis ---- */

static const struct type *parse_type(struct sym_parser *p)
{
    if (sym_at(p, "dace") && (!sym_next(p) || !sym_expect(p, ".")))
        return NULL;
    const struct type *type = p->token.kind == SYM_TOKEN_NAME ? type_by_name(p->ir, p->token.text) : NULL;
    if (!type)
        sym_parse_fail(p, p->token.at, "an element type expected");
    return type && sym_next(p) ? type : NULL;
}

/* symbol($N, dtype=dace.int64, positive=True): assumptions are read and forgotten. */
static const struct sym *parse_symbol(struct sym_parser *p)
{
    const char *name = p->token.text;
    const struct type *type = NULL;
    if (p->token.kind != (p->syntax == SYM_SYNTAX_NEW ? SYM_TOKEN_SYMBOL : SYM_TOKEN_NAME))
        return sym_parse_fail(p, p->token.at, "a symbol expected");
    if (!sym_next(p))
        return NULL;
    while (sym_at(p, ",")) {
        if (!sym_next(p))
            return NULL;
        bool is_type = sym_at(p, "dtype");
        if (p->token.kind != SYM_TOKEN_NAME)
            return sym_parse_fail(p, p->token.at, "a property of the symbol expected");
        if (!sym_next(p) || !sym_expect(p, "="))
            return NULL;
        if (is_type ? !(type = parse_type(p)) : !sym_expect(p, sym_at(p, "False") ? "False" : "True"))
            return NULL;
    }
    if (!sym_expect(p, ")"))
        return NULL;
    return type ? sym_typed_name(p->ir, name, type) : sym_name(p->ir, name);
}

/* Piecewise((value, condition), ...) */
static const struct sym *parse_piecewise(struct sym_parser *p)
{
    struct sym_list parts;
    sym_list_init(&parts, p->ir);
    for (;;) {
        if (!sym_expect(p, "("))
            return NULL;
        uint32_t before = parts.count;
        if (!sym_parse_list(p, ")", &parts))
            return NULL;
        if (parts.count != before + 2)
            return sym_parse_fail(p, p->token.at, "pairs of value and condition expected");
        if (!sym_at(p, ","))
            break;
        if (!sym_next(p))
            return NULL;
    }
    if (!sym_expect(p, ")"))
        return NULL;
    const struct sym *result = sym_leaf(p->ir, SYM_NAN);
    for (uint32_t i = parts.count; i > 0; i -= 2) {
        const struct sym *const args[] = { parts.items[i - 1], parts.items[i - 2], result };
        result = sym_make(p->ir, SYM_SELECT, NULL, NULL, args, 3);
    }
    return result;
}

/* SymExpr(main, approx): the second is for estimates of sizes only. */
static const struct sym *parse_approximated(struct sym_parser *p, size_t at)
{
    struct sym_list args;
    sym_list_init(&args, p->ir);
    if (!sym_parse_list(p, ")", &args))
        return NULL;
    if (at != 0 || p->token.kind != SYM_TOKEN_END)
        return sym_parse_fail(p, at, "SymExpr inside an expression");
    return args.count == 2 ? args.items[0] : sym_parse_fail(p, at, "SymExpr has two arguments");
}

const struct sym *sym_parse_call(struct sym_parser *p, const char *name, size_t at)
{
    if (!sym_expect(p, "("))
        return NULL;
    if (!strcmp(name, "symbol"))
        return parse_symbol(p);
    if (!strcmp(name, "SymExpr"))
        return parse_approximated(p, at);
    if (!strcmp(name, "Piecewise"))
        return parse_piecewise(p);
    if (!strcmp(name, "Sum") || !strcmp(name, "Product"))
        return sym_parse_unsupported(p, at, "a sum or product over a range");
    struct sym_list args;
    sym_list_init(&args, p->ir);
    if (!sym_parse_list(p, ")", &args))
        return NULL;
    const struct function *f = find_function(name, strlen(name));
    if (f)
        return apply(p, f, at, &args);
    const struct type *type = !strncmp(name, "dace.", 5) ? type_by_name(p->ir, name + 5) : NULL;
    if (type && args.count == 1)
        return sym_cast(p->ir, type, args.items[0]);
    return sym_node(p->ir, SYM_CALL, NULL, name, args.items, args.count);
}
