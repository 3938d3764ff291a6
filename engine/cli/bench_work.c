#include "engine/cli/bench.h"
#include "ir/json/json.h"

/* Negative: not known. */
static double number_of(const struct json *object, const char *key)
{
    double value;
    return json_real(json_get(object, key), &value) ? value : -1;
}

static void add_nest(struct bench *b, const struct json *nest)
{
    const char *path = json_string(json_get(nest, "path"));
    struct nest n = { .path = path ? path : "" };
    n.runs = number_of(nest, "runs");
    n.flops = number_of(nest, "flops");
    n.bytes = number_of(nest, "bytes");
    vec_push(b->arena, &b->nests, n);
}

void bench_work(struct bench *b)
{
    char *text = NULL;
    size_t size = 0;
    sdfg_error *e = sdfg_args_emit(&text, &size, b->sides[0].in.args, SDFG_EMIT_WORK);
    sdfg_error_free(e); /* a program that runs but cannot be counted */
    if (!text)
        return;
    const char *copy = arena_strndup(b->arena, text, size);
    sdfg_text_free(text);
    const struct json *work = json_parse(b->arena, diags_new(b->arena), copy, size);
    b->flops = number_of(work, "flops");
    b->bytes = number_of(work, "bytes");
    const struct json *nests = json_get(work, "nests");
    for (const struct json *n = nests ? nests->first : NULL; n; n = n->next)
        add_nest(b, n);
}
