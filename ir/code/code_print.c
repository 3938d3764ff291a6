#include "ir/code/code.h"

#include "base/number.h"

#include <math.h>
#include <string.h>

static void statements(const struct code *c, uint32_t indent, struct text *out);

/* Indents tell how the lines nest. */
static void in_one_line(const struct text *lines, struct text *out)
{
    for (const char *s = text_get(lines); *s; s++)
        text_add(out, *s == '\n' ? "; " : (char[]){ *s, 0 });
}

static void list(const struct code *c, uint32_t begin, uint32_t end, const char *separator, struct text *out)
{
    for (uint32_t i = begin; i < end; i++) {
        if (i > begin)
            text_add(out, separator);
        code_print(c->items[i], out);
    }
}

/* As Python's repr: single quotes unless only those occur inside. */
static void string(const char *s, struct text *out)
{
    char quote = strchr(s, '\'') && !strchr(s, '"') ? '"' : '\'';
    text_addc(out, quote);
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '\n')
            text_add(out, "\\n");
        else if (c == '\r')
            text_add(out, "\\r");
        else if (c == '\t')
            text_add(out, "\\t");
        else if (c == (unsigned char)quote || c == '\\')
            text_printf(out, "\\%c", c);
        else if (c < ' ' || c == 0x7f)
            text_printf(out, "\\x%02x", c);
        else
            text_addc(out, (char)c);
    }
    text_addc(out, quote);
}

static void number(double value, struct text *out)
{
    char buffer[NUMBER_TEXT_SIZE];
    text_add(out, isinf(value) ? "1e309" : number_print(value, buffer)); /* Python has no literal for infinity */
}

static void type_name(const struct type *t, struct text *out)
{
    if (t->kind == TYPE_VECTOR) {
        text_add(out, "dace.vector(");
        type_name(t->elem, out);
        text_printf(out, ", %u)", t->lanes);
        return;
    }
    if (type_is_basic(t))
        text_add(out, "dace.");
    type_print(t, out);
}

static void slice(const struct code *c, struct text *out)
{
    if (c->items[0])
        code_print(c->items[0], out);
    text_addc(out, ':');
    if (c->items[1])
        code_print(c->items[1], out);
    if (c->items[2]) {
        text_addc(out, ':');
        code_print(c->items[2], out);
    }
}

static void comparisons(const struct code *c, struct text *out)
{
    text_addc(out, '(');
    code_print(c->items[0]->items[0], out);
    for (uint32_t i = 0; i < c->count; i++) {
        text_printf(out, " %s ", code_op_text(c->items[i]->op));
        code_print(c->items[i]->items[1], out);
    }
    text_addc(out, ')');
}

static void member(const struct code *c, struct text *out)
{
    bool integer = c->items[0]->kind == CODE_INT; /* 1.x would be a malformed number */
    text_add(out, integer ? "(" : "");
    code_print(c->items[0], out);
    text_printf(out, "%s%s%s", integer ? ")" : "", c->op == CODE_ARROW ? "->" : ".", c->name);
}

/* A function at its call: (x: int32 = a; y: int32& = b; { return (x + y) }) */
static void inlined(const struct code *c, struct text *out)
{
    struct text body = text_new(out->arena);
    text_addc(out, '(');
    for (uint32_t i = 0; i < c->count; i++) {
        struct text part = text_new(out->arena);
        statements(c->items[i], 0, &part);
        text_printf(i + 1 < c->count ? out : &body, "%s", text_get(&part));
        text_add(out, i + 1 < c->count ? "; " : "");
    }
    text_add(out, "{ ");
    in_one_line(&body, out);
    text_add(out, " })");
}

/* Nodes that only C and C++ texts have, as C spells them. */
static void c_expression(const struct code *c, struct text *out)
{
    switch (c->kind) {
    case CODE_ASSIGN_EXPR:
        text_addc(out, '(');
        code_print(c->items[0], out);
        text_printf(out, " %s= ", code_op_text(c->op));
        code_print(c->items[1], out);
        text_addc(out, ')');
        break;
    case CODE_STEP:
        text_add(out, c->i ? c->op == CODE_ADD ? "++" : "--" : "");
        code_print(c->items[0], out);
        text_add(out, c->i ? "" : c->op == CODE_ADD ? "++" : "--");
        break;
    case CODE_ADDRESS:
    case CODE_DEREF:
        text_add(out, c->kind == CODE_ADDRESS ? "(&" : "(*");
        list(c, 0, 1, "", out);
        text_addc(out, ')');
        break;
    case CODE_INLINE:
        inlined(c, out);
        break;
    case CODE_REDUCE:
        text_printf(out, "%s[%lld](", c->big ? "reduce_atomic" : "reduce", (long long)c->i);
        list(c, 0, 2, ", ", out);
        text_addc(out, ')');
        break;
    default: /* CODE_COMMA */
        text_addc(out, '(');
        list(c, 0, c->count, ", ", out);
        text_addc(out, ')');
    }
}

/* Operators that associate to the left by precedence; the others need brackets around each. */
static int level_of(enum code_op op)
{
    switch (op) {
    case CODE_OR:
        return 1;
    case CODE_AND:
        return 2;
    case CODE_BITOR:
        return 3;
    case CODE_BITXOR:
        return 4;
    case CODE_BITAND:
        return 5;
    case CODE_SHL:
    case CODE_SHR:
        return 6;
    case CODE_ADD:
    case CODE_SUB:
        return 7;
    case CODE_MUL:
    case CODE_DIV:
    case CODE_FLOORDIV:
    case CODE_MOD:
    case CODE_MATMUL:
        return 8;
    default:
        return 0;
    }
}

/* Brackets around each operator, except in chains so long that nothing would read that many. */
static bool in_brackets(const struct code *const *chain, uint32_t count, uint32_t i)
{
    enum { LONG = 100 };
    int level = level_of(chain[i]->op);
    return i == 0 || count < LONG || !level || level != level_of(chain[i - 1]->op);
}

/* ((a + b) + c) */
static void binaries(const struct code *c, struct text *out)
{
    const struct code **chain;
    uint32_t count = code_chain(out->arena, c, &chain);
    for (uint32_t i = 0; i < count; i++)
        if (in_brackets(chain, count, i))
            text_addc(out, '(');
    code_print(chain[count - 1]->items[0], out);
    for (uint32_t i = count; i-- > 0;) {
        text_printf(out, " %s ", code_op_text(chain[i]->op));
        code_print(chain[i]->items[1], out);
        if (in_brackets(chain, count, i))
            text_addc(out, ')');
    }
}

static void expression(const struct code *c, struct text *out)
{
    switch (c->kind) {
    case CODE_INT:
        text_printf(out, c->big ? "%llu" : "%lld", (unsigned long long)c->u);
        break;
    case CODE_FLOAT:
        number(c->f, out);
        break;
    case CODE_IMAG:
        number(c->f, out);
        text_addc(out, 'j');
        break;
    case CODE_BOOL:
        text_add(out, c->i ? "True" : "False");
        break;
    case CODE_STRING:
        string(c->name, out);
        break;
    case CODE_NONE:
        text_add(out, "None");
        break;
    case CODE_NAME:
        text_add(out, c->name);
        break;
    case CODE_MEMBER:
        member(c, out);
        break;
    case CODE_INDEX:
        code_print(c->items[0], out);
        text_addc(out, '[');
        list(c, 1, c->count, ", ", out);
        if (c->count == 1)
            text_add(out, "()");
        else if (c->count == 2 && c->items[1]->kind == CODE_TUPLE)
            text_addc(out, ','); /* a[(i, j)] would be a[i, j] */
        text_addc(out, ']');
        break;
    case CODE_SLICE:
        slice(c, out);
        break;
    case CODE_CALL:
        code_print(c->items[0], out);
        text_addc(out, '(');
        list(c, 1, c->count, ", ", out);
        text_addc(out, ')');
        break;
    case CODE_KEYWORD:
        text_printf(out, "%s=", c->name);
        code_print(c->items[0], out);
        break;
    case CODE_UNARY:
        text_printf(out, "(%s ", code_op_text(c->op));
        code_print(c->items[0], out);
        text_addc(out, ')');
        break;
    case CODE_BINARY:
        binaries(c, out);
        break;
    case CODE_COMPARE_CHAIN:
        comparisons(c, out);
        break;
    case CODE_SELECT:
        text_addc(out, '(');
        code_print(c->items[1], out);
        text_add(out, " if ");
        code_print(c->items[0], out);
        text_add(out, " else ");
        code_print(c->items[2], out);
        text_addc(out, ')');
        break;
    case CODE_CAST:
        type_name(c->type, out);
        text_addc(out, '(');
        code_print(c->items[0], out);
        text_addc(out, ')');
        break;
    case CODE_TUPLE:
        text_addc(out, '(');
        list(c, 0, c->count, ", ", out);
        text_add(out, c->count == 1 ? ",)" : ")");
        break;
    case CODE_LAMBDA:
        text_add(out, c->count > 1 ? "(lambda " : "(lambda");
        list(c, 0, c->count - 1, ", ", out);
        text_add(out, ": ");
        code_print(c->items[c->count - 1], out);
        text_addc(out, ')');
        break;
    default:
        c_expression(c, out);
    }
}

static void new_line(uint32_t indent, struct text *out)
{
    if (out->length)
        text_addc(out, '\n');
    for (uint32_t i = 0; i < indent; i++)
        text_add(out, "    ");
}

static void body(const struct code *c, uint32_t indent, struct text *out)
{
    if (c && (c->kind != CODE_BLOCK || c->count)) {
        statements(c, indent + 1, out);
        return;
    }
    new_line(indent + 1, out);
    text_add(out, "pass");
}

static void if_chain(const struct code *c, uint32_t indent, struct text *out)
{
    const char *word = "if ";
    for (;;) {
        new_line(indent, out);
        text_add(out, word);
        code_print(c->items[0], out);
        text_addc(out, ':');
        body(c->items[1], indent, out);
        const struct code *otherwise = c->count > 2 ? c->items[2] : NULL;
        if (!otherwise)
            return;
        if (otherwise->kind != CODE_BLOCK || otherwise->count != 1 || otherwise->items[0]->kind != CODE_IF) {
            new_line(indent, out);
            text_add(out, "else:");
            body(otherwise, indent, out);
            return;
        }
        word = "elif ";
        c = otherwise->items[0];
    }
}

static void assignment(const struct code *c, struct text *out)
{
    if (c->op) {
        code_print(c->items[1], out);
        text_printf(out, " %s= ", code_op_text(c->op));
    } else {
        for (uint32_t i = 1; i < c->count; i++) {
            code_print(c->items[i], out);
            text_add(out, " = ");
        }
    }
    code_print(c->items[0], out);
}

static void loop(const struct code *c, uint32_t indent, struct text *out)
{
    if (c->kind == CODE_FOR_RANGE) {
        text_printf(out, "for %s in range(", c->name);
        list(c, 0, 3, ", ", out);
        text_add(out, "):");
        body(c->items[3], indent, out);
    } else if (c->kind == CODE_WHILE) {
        text_add(out, "while ");
        code_print(c->items[0], out);
        text_addc(out, ':');
        body(c->items[1], indent, out);
    } else if (c->kind == CODE_DO) {
        text_add(out, "do:");
        body(c->items[0], indent, out);
        new_line(indent, out);
        text_add(out, "while ");
        code_print(c->items[1], out);
    } else { /* CODE_FOR, as C spells it */
        text_add(out, "for:");
        for (uint32_t i = 0; i < 3; i++) {
            new_line(indent + 2, out);
            text_add(out, i == 0 ? "init" : i == 1 ? "test" : "step");
            if (c->items[i])
                statements(c->items[i], indent + 3, out);
        }
        body(c->items[3], indent, out);
    }
}

static void choice(const struct code *c, uint32_t indent, struct text *out)
{
    text_add(out, "switch ");
    code_print(c->items[0], out);
    text_addc(out, ':');
    for (uint32_t i = 1; i < c->count; i++) {
        new_line(indent + 1, out);
        text_add(out, c->items[i]->items[0] ? "case " : "default");
        if (c->items[i]->items[0])
            code_print(c->items[i]->items[0], out);
        text_addc(out, ':');
        body(c->items[i]->items[1], indent + 1, out);
    }
}

static void declaration(const struct code *c, struct text *out)
{
    text_printf(out, "%s%s: ", c->kind == CODE_STATIC ? "static " : "", c->name);
    if (c->type)
        type_name(c->type, out);
    else
        text_add(out, "auto");
    if (c->i && c->kind == CODE_DECLARE)
        text_add(out, "&");
    if (c->u)
        text_printf(out, "[%llu]", (unsigned long long)c->u);
    if (c->count && c->kind == CODE_STATIC) {
        struct text body = text_new(out->arena);
        statements(c->items[0], 0, &body);
        text_add(out, " = once { ");
        in_one_line(&body, out);
        text_add(out, " }");
    } else if (c->count) {
        text_add(out, " = ");
        code_print(c->items[0], out);
    }
}

static void statements(const struct code *c, uint32_t indent, struct text *out)
{
    if (c->kind == CODE_BLOCK) {
        for (uint32_t i = 0; i < c->count; i++)
            statements(c->items[i], indent, out);
        return;
    }
    if (c->kind == CODE_IF) {
        if_chain(c, indent, out);
        return;
    }
    new_line(indent, out);
    switch (c->kind) {
    case CODE_ASSIGN:
        assignment(c, out);
        break;
    case CODE_DECLARE:
    case CODE_STATIC:
        declaration(c, out);
        break;
    case CODE_WHILE:
    case CODE_DO:
    case CODE_FOR:
    case CODE_FOR_RANGE:
        loop(c, indent, out);
        break;
    case CODE_SWITCH:
        choice(c, indent, out);
        break;
    case CODE_BREAK:
        text_add(out, "break");
        break;
    case CODE_CONTINUE:
        text_add(out, "continue");
        break;
    case CODE_PASS:
        text_add(out, "pass");
        break;
    case CODE_RETURN:
    case CODE_ASSERT:
        text_add(out, c->kind == CODE_RETURN ? "return" : "assert");
        if (c->count) {
            text_addc(out, ' ');
            code_print(c->items[0], out);
        }
        break;
    case CODE_EXPR:
        code_print(c->items[0], out);
        break;
    default:
        expression(c, out);
    }
}

void code_print(const struct code *c, struct text *out)
{
    if (c->kind < CODE_ASSIGN) {
        expression(c, out);
        return;
    }
    struct text lines = text_new(out->arena); /* line ends go between lines, so it must begin empty */
    statements(c, 0, &lines);
    text_add(out, text_get(&lines));
}
