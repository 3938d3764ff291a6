#include "ir/code/code.h"

#include "base/map.h"
#include "tests/unit/check.h"

#include <stdlib.h>

/* The cases of tests/python: "### name", the input, "---", the expected tree or diagnostic. SDFG_BLESS=1 rewrites the
 * files. */

/* The tests run in the folder tests/. */
static char *data_path(const char *file)
{
    char *path = malloc(strlen(file) + 16);
    sprintf(path, "python/%s", file);
    return path;
}

static char *slurp(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    char *text = calloc(1, 1 << 20);
    size_t n = fread(text, 1, (1 << 20) - 1, f);
    text[n] = 0;
    fclose(f);
    return text;
}

static struct code *parse(struct ir *ir, const char *text, bool expression)
{
    return expression ? python_parse_expression(ir, NULL, text) : python_parse(ir, NULL, text);
}

static const char *printed(struct ir *ir, const struct code *c)
{
    struct text t = text_new(ir->arena);
    code_print(c, &t);
    return text_get(&t);
}

static const char *outcome(struct ir *ir, const char *input, bool expression)
{
    struct code *c = parse(ir, input, expression);
    if (c) {
        CHECK_INT(diags_count(ir->diags), 0);
        const char *once = printed(ir, c);
        struct code *again = parse(ir, once, expression);
        CHECK(again);
        if (again)
            CHECK_STR(printed(ir, again), once);
        return once;
    }
    struct text t = text_new(ir->arena);
    CHECK_INT(diags_count(ir->diags), 1);
    for (uint32_t i = 0; i < diags_count(ir->diags); i++)
        diag_print(diags_get(ir->diags, i), &t);
    while (t.length && t.data[t.length - 1] == '\n')
        t.data[--t.length] = 0;
    return text_get(&t);
}

static void run_file(const char *file, bool expression)
{
    char *path = data_path(file), *text = slurp(path);
    CHECK(text);
    if (!text)
        return;
    FILE *bless = getenv("SDFG_BLESS") ? fopen(path, "wb") : NULL;
    int cases = 0;
    for (char *at = strstr(text, "### "); at; cases++) {
        char *name = at + 4, *next = strstr(name, "\n### ");
        char *name_end = strchr(name, '\n');
        if (next)
            *next = 0;
        *name_end = 0;
        char *input = name_end + 1, *rule = input;
        while (strncmp(rule, "---", 3) != 0)
            rule = strchr(rule, '\n') + 1;
        char *expected = rule[3] ? rule + 4 : rule + 3;
        rule[rule > input ? -1 : 0] = 0;
        size_t n = strlen(expected);
        if (n && expected[n - 1] == '\n')
            expected[n - 1] = 0;
        struct ir *ir = ir_new();
        const char *actual = outcome(ir, input, expression);
        if (bless) {
            fprintf(bless, "### %s\n%s\n---\n%s%s", name, input, actual, *actual ? "\n" : "");
        } else if (strcmp(actual, expected) != 0) {
            printf("%s: case \"%s\"\n", file, name);
            CHECK_STR(actual, expected);
        }
        ir_free(ir);
        at = next ? next + 1 : NULL;
    }
    CHECK(cases > 10);
    if (bless)
        fclose(bless);
    free(text);
    free(path);
}

TEST(statements) { run_file("statements.txt", false); }
TEST(expressions) { run_file("expressions.txt", true); }
TEST(errors) { run_file("errors.txt", false); }

/* `text` repeated, then `middle`, then `end` repeated. */
static char *nested(const char *text, const char *middle, const char *end, int times)
{
    struct arena *a = arena_new();
    struct text t = text_new(a);
    for (int i = 0; i < times; i++)
        text_add(&t, text);
    text_add(&t, middle);
    for (int i = 0; i < times; i++)
        text_add(&t, end);
    char *s = strdup(text_get(&t));
    arena_free(a);
    return s;
}

static bool fits(const char *begin, const char *middle, const char *end, int times)
{
    char *text = nested(begin, middle, end, times);
    struct ir *ir = ir_new();
    bool good = python_parse(ir, NULL, text);
    if (!good) {
        CHECK_INT(diags_count(ir->diags), 1);
        CHECK_STR(diag_name(diags_get(ir->diags, 0)->code), "PYTHON_UNSUPPORTED");
    }
    ir_free(ir);
    free(text);
    return good;
}

/* An expression that tasklets may not have, in each place where one may stand: all of the code is refused. */
TEST(parts_that_are_not_supported)
{
    static const char *const forms[] = {
        "o = N",
        "o = N + a",
        "o = a + N",
        "o = -N",
        "o = not N",
        "o = N and a",
        "o = a and b and N",
        "o = a or N",
        "o = N < a",
        "o = a < N < b",
        "o = a < b < N",
        "o = N if a else b",
        "o = a if N else b",
        "o = a if b else N",
        "o = f(N)",
        "o = f(a, N)",
        "o = f(a, b=N)",
        "o = N(a)",
        "o = N.x",
        "o = a[N]",
        "o = N[a]",
        "o = a[b, N]",
        "o = a[N:b]",
        "o = a[b:N]",
        "o = a[b:c:N]",
        "o = (a, N)",
        "o = [a, N]",
        "N.x = a",
        "a[N] = b",
        "o += N",
        "a[N] += b",
        "o: dace.int32 = N",
        "o: N = 1",
        "if N:\n  o = 1",
        "if a:\n  o = N",
        "if a:\n  o = 1\nelse:\n  o = N",
        "if a:\n  o = 1\nelif N:\n  o = 2",
        "while N:\n  o = 1",
        "while a:\n  o = N",
        "for i in range(N):\n  o = i",
        "for i in range(a, N):\n  o = i",
        "for i in range(a, b, N):\n  o = i",
        "for i in N:\n  o = i",
        "for i in range(3):\n  o = N",
        "o = p = N",
        "o, p = a, N",
        "o = dace.float64(N)",
        "o = dace.vector(N, 4)(a)",
        "o = (lambda x: N)(a)",
        "f(N)",
        "return N",
        "o = a ** N",
        "o = min(a, N)",
        "o = a @ N",
    };
    static const char *const parts[] = { "(yield)",  "{1: 2}", "[x for x in y]",          "f'{a}'",
                                         "(q := 1)", "b'x'",   "await_ if (yield) else 1" };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
            struct ir *ir = ir_new();
            const char *at = strchr(forms[i], 'N');
            const char *text = arena_printf(ir->arena, "%.*s(%s)%s", (int)(at - forms[i]), forms[i], parts[k], at + 1);
            bool read = parse(ir, text, false);
            if (read == (diags_count(ir->diags) > 0) || (read && k < 3)) {
                printf("%s: %s\n", text, read ? "is read" : "nothing is said");
                check_failures++;
            }
            ir_free(ir);
        }
}

TEST(depth)
{
    static const char *const forms[][3] = {
        { "(", "1", ")" },   { "-", "1", "" },        { "f(", "1", ")" },          { "a[", "1", "]" },
        { "not ", "1", "" }, { "a**", "b", "" },      { "a+(", "b", ")" },         { "a < (b + ", "c", ") < d" },
        { "", "a", ".b" },   { "lambda: ", "1", "" }, { "1 if a else ", "1", "" }, { "1 if (", "b", ") else c" },
        { "", "f", "()" },
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        CHECK(fits(forms[i][0], forms[i][1], forms[i][2], 200));
        CHECK(!fits(forms[i][0], forms[i][1], forms[i][2], 20000));
    }
    CHECK(!fits("", "if a: pass\n", "elif b: pass\n", 5000));
    CHECK(fits("a = 1\n", "", "", 5000));
}

static void add_name(void *user, const char *name)
{
    struct text *t = user;
    text_printf(t, "%s%s", t->length ? " " : "", name);
}

/* As deep as they have terms, but read, printed and walked by iteration. */
TEST(chains)
{
    static const char *const forms[] = { "a + ",  "a * b + ", "a and b or ", "a or ",
                                         "1 << ", "a < ",     "(a < b) | ",  "-1 - " };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char *text = nested(forms[i], "z", "", 20000);
        struct ir *ir = ir_new();
        struct code *c = python_parse_expression(ir, NULL, text);
        struct text once = text_new(ir->arena), twice = text_new(ir->arena), names = text_new(ir->arena);
        CHECK(c);
        if (c) {
            code_print(c, &once);
            code_free_names(c, add_name, &names);
            CHECK(strchr(text_get(&names), 'z') != NULL);
            c = python_parse_expression(ir, NULL, text_get(&once));
        }
        CHECK(c);
        if (c)
            code_print(c, &twice);
        CHECK(strcmp(text_get(&once), text_get(&twice)) == 0);
        CHECK(arena_bytes(ir->arena) < (size_t)60 << 20);
        ir_free(ir);
        free(text);
    }
}

static enum wcr_kind detect(const char *text)
{
    struct ir *ir = ir_new();
    struct code *c = python_parse_expression(ir, NULL, text);
    CHECK(c);
    enum wcr_kind kind = c ? wcr_detect(c) : WCR_NONE;
    ir_free(ir);
    return kind;
}

TEST(wcr)
{
    CHECK_INT(wcr_detect(NULL), WCR_NONE);
    CHECK_INT(detect("lambda a, b: a + b"), WCR_SUM);
    CHECK_INT(detect("(lambda old, new: (new + old))"), WCR_SUM);
    CHECK_INT(detect("lambda a, b: a * b"), WCR_PRODUCT);
    CHECK_INT(detect("lambda a, b: min(a, b)"), WCR_MIN);
    CHECK_INT(detect("lambda a, b: max(a, b * 2)"), WCR_MAX);
    CHECK_INT(detect("lambda a, b: a and b"), WCR_LOGICAL_AND);
    CHECK_INT(detect("lambda a, b: a or b"), WCR_LOGICAL_OR);
    CHECK_INT(detect("lambda a, b: a != b"), WCR_LOGICAL_XOR);
    CHECK_INT(detect("lambda a, b: a & b"), WCR_BIT_AND);
    CHECK_INT(detect("lambda a, b: a | b"), WCR_BIT_OR);
    CHECK_INT(detect("lambda a, b: a ^ b"), WCR_BIT_XOR);
    CHECK_INT(detect("lambda x, y: y"), WCR_EXCHANGE);
    CHECK_INT(detect("lambda a, b: a"), WCR_CUSTOM);
    CHECK_INT(detect("lambda a, b: a - b"), WCR_CUSTOM);
    CHECK_INT(detect("lambda a, b: a + b * b"), WCR_CUSTOM);
    CHECK_INT(detect("lambda a, b: a + a"), WCR_CUSTOM);
    CHECK_INT(detect("lambda a, b: fmax(a, b)"), WCR_CUSTOM);
    CHECK_INT(detect("lambda a, b: a if a < b else b"), WCR_CUSTOM);
}

static void free_names(const char *text, const char *expected)
{
    struct ir *ir = ir_new();
    struct code *c = python_parse(ir, NULL, text);
    struct text t = text_new(ir->arena);
    CHECK(c);
    if (c)
        code_free_names(c, add_name, &t);
    CHECK_STR(text_get(&t), expected);
    ir_free(ir);
}

TEST(free_names)
{
    free_names("o = a + b * a", "a b");
    free_names("x = a\no = x + N", "a N");
    free_names("o[i] = a[j, k]", "a j k o i");
    free_names("x += 1", "x");
    free_names("o = math.sqrt(a) + f(b) + s.x + dace.float64(c) + math.pi", "a b s c");
    free_names("if c:\n  x = 1\no = x", "c x");
    free_names("if c:\n  x = 1\nelse:\n  x = 2\no = x", "c");
    free_names("for i in range(n):\n  s = i\no = s", "n s");
    free_names("while w < n: w = w + 1", "w n");
    free_names("x: int = y\no = x < y < z", "y z");
    free_names("o = (lambda p: p + q)(1)", "q");
    free_names("o = c.real() + f(k=v)", "c v");
}

static const struct type *type_of(void *user, const char *name)
{
    struct ir *ir = user;
    static const struct {
        const char *name;
        enum type_kind kind;
    } known[] = {
        { "i32", TYPE_I32 }, { "i64", TYPE_I64 }, { "u32", TYPE_U32 }, { "f32", TYPE_F32 },
        { "f64", TYPE_F64 }, { "c64", TYPE_C64 }, { "b", TYPE_BOOL },  { "u8", TYPE_U8 },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name) == 0)
            return type_basic(ir, known[i].kind);
    if (strcmp(name, "A") == 0)
        return type_pointer(ir, type_basic(ir, TYPE_F32));
    if (strcmp(name, "v") == 0)
        return type_vector(ir, type_basic(ir, TYPE_F32), 4, NULL);
    struct type_field field = { .name = intern(ir->names, "x"), .type = type_basic(ir, TYPE_I16) };
    return strcmp(name, "S") == 0 ? type_struct(ir, intern(ir->names, "S"), &field, 1) : NULL;
}

static void infers(const char *text, const char *expected)
{
    struct ir *ir = ir_new();
    struct code *c = python_parse_expression(ir, NULL, text);
    CHECK(c);
    const struct type *t = c ? code_infer(ir, c, type_of, ir) : NULL;
    CHECK_STR(t ? type_text(ir, t) : "none", expected);
    ir_free(ir);
}

TEST(infer)
{
    infers("1", "int64");
    infers("18446744073709551615", "uint64");
    infers("1.5", "float64");
    infers("2j", "complex128");
    infers("i32 + 1", "int64");
    infers("i32 // i32", "int32");
    infers("i32 + u32", "uint32");
    infers("i64 * f32", "float32");
    infers("i32 ** 2", "uint32");
    infers("i32 ** i64", "int64");
    infers("f32 + f64", "float64");
    infers("(i32 < i64) + 1", "bool");
    infers("not i32", "int32");
    infers("i32 < 2 < 3", "bool");
    infers("i32 and f64", "bool");
    infers("1 if b else 2.5", "float64");
    infers("A[3]", "float32");
    infers("S.x", "int16");
    infers("v * 2.0", "vec<float32,4>");
    infers("v < 2.0", "vec<bool,4>");
    infers("abs(f32)", "float32");
    infers("min(i32, f32)", "float32");
    infers("round(f64)", "int64");
    infers("int(f64)", "int64");
    infers("float(i32)", "float64");
    infers("dace.float32(i32)", "float32");
    infers("math.sqrt(f32)", "float32");
    infers("math.pow(i32, f64)", "float64");
    infers("unknown + 1", "none");
    infers("sqrt(f64)", "none");
}

CHECK_MAIN
