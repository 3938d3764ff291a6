/* Files in which one value is another one, at each place: what is read is written as it is read again, and what is not
 * read is refused with a class, a place and a text. Nothing else happens. */
#include "ir/graph.h"

#include "tests/unit/check.h"

#include <ctype.h>
#include <stdlib.h>

static const char *const others[] = {
    "null",
    "true",
    "-1",
    "3",
    "1.5",
    "1e300",
    "9223372036854775808",
    "\"\"",
    "\"a b\"",
    "\"n\"",
    "\"-3\"",
    "[]",
    "[1]",
    "[[null, \"x\"], {}]",
    "{}",
    "\"SDFG\"",
    "\"False\"",
    "\"A[0]\"",
    "\"a.b\"",
    "{\"type\": \"pointer\", \"dtype\": \"int32\"}",
    "{\"type\": \"vector\", \"dtype\": null, \"elements\": -4}",
    "{\"string_data\": 3, \"language\": \"CPP\"}",
    "{\"type\": \"Range\", \"ranges\": [{\"start\": 0, \"end\": \"n\", \"step\": \"0\", \"tile\": \"n\"}]}",
};
enum { OTHERS = sizeof others / sizeof *others, MOST = 4000 };

struct site {
    const char *begin, *end;
};

static struct site sites[MOST];
static int num_sites;

static const char *blanks(const char *c)
{
    while (isspace((unsigned char)*c))
        c++;
    return c;
}

/* Behind the value that begins here, which is added to the sites, as are those in it. Keys are none. */
static const char *values(const char *c)
{
    const char *begin = c = blanks(c);
    int at = num_sites++;
    if (*c == '{' || *c == '[') {
        char close = *c == '{' ? '}' : ']';
        for (c = blanks(c + 1); *c != close; c = blanks(*c == ',' ? c + 1 : c)) {
            if (close == '}') {
                for (c++; *c != '"'; c++)
                    c += *c == '\\';
                c = blanks(c + 1) + 1;
            }
            c = blanks(values(c));
        }
        c++;
    } else if (*c == '"') {
        for (c++; *c != '"'; c++)
            c += *c == '\\';
        c++;
    } else {
        while (*c && !strchr(",]} \n", *c))
            c++;
    }
    if (at < MOST)
        sites[at] = (struct site){ begin, c };
    return c;
}

static const char *written(struct sdfg *s)
{
    struct text t = text_new(s->ir->arena);
    sdfg_write(s, &t);
    return text_get(&t);
}

/* What is wrong, or NULL. */
static const char *outcome(struct ir *ir, const char *text, size_t size)
{
    struct sdfg *s = sdfg_read(ir, text, size, NULL);
    if (!s && !diags_errors(ir->diags))
        return "it is not read, and nothing is said";
    for (uint32_t i = 0; i < diags_count(ir->diags); i++)
        if (!*diags_get(ir->diags, i)->message)
            return "an error without a text";
    if (!s)
        return NULL;
    const char *once = written(s);
    struct ir *other = ir_new();
    struct sdfg *again = sdfg_read(other, once, strlen(once), NULL);
    const char *wrong = !again                         ? "what is written is not read"
                        : strcmp(written(again), once) ? "it is written otherwise"
                                                       : NULL;
    ir_free(other);
    for (uint32_t i = 0; i < s->constants.count; i++) {
        void *bytes;
        size_t length = 0;
        uint32_t before = diags_errors(ir->diags);
        bool good = constant_bytes(ir, &s->constants.items[i], &bytes, &length);
        if (good != (diags_errors(ir->diags) == before))
            wrong = "a constant without a value or an error";
    }
    sdfg_validate(s);
    return wrong;
}

static void replace_each(const char *file, int step)
{
    struct ir *ir = ir_new();
    size_t size;
    char *text = file_read(ir->arena, ir->diags, file, &size);
    CHECK(text);
    num_sites = 0;
    values(text);
    CHECK(num_sites <= MOST);
    for (int i = 1; i < num_sites; i++)
        for (int k = (i % step); k < OTHERS; k += step) {
            struct ir *own = ir_new();
            const char *changed =
                arena_printf(own->arena, "%.*s%s%s", (int)(sites[i].begin - text), text, others[k], sites[i].end);
            const char *wrong = outcome(own, changed, strlen(changed));
            if (wrong) {
                check_failures++;
                printf("%s: %.*s is %s: %s\n", file,
                       (int)(sites[i].end - sites[i].begin < 60 ? sites[i].end - sites[i].begin : 60), sites[i].begin,
                       others[k], wrong);
            }
            ir_free(own);
        }
    ir_free(ir);
}

TEST(each_value_is_another_one)
{
    replace_each("read/types.sdfg", 6);
    replace_each("read/v2.0.sdfg", 4);
    replace_each("read/v0.9.sdfg", 17);
    replace_each("read/v0.16.sdfg", 5);
    replace_each("../examples/nested.sdfg", 13);
}

CHECK_MAIN
