/* A target whose compiler makes code that only the target can run, as that of a device would: nodes example.nodes.Clip
 * become texts, the texts objects, and a C function runs an object. With FAULT 1 an object has no name, 2: two of one
 * name have different bytes, 3: nobody gives bytes, 4: the compiler gives bytes that nobody asked for, 5: an object
 * cannot be loaded, 6: the compiler gives nothing for a function, 7: bytes are given twice. */
#include <sdfg_plugin.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bounds {
    double low, high;
};

/* ---- when code is made ---- */

static bool is_clip(void *user, const sdfg_claim_site *site)
{
    (void)user;
    return !strcmp(site->class_path, "example.nodes.Clip");
}

static double property(const sdfg_claimed_node *node, const char *name)
{
    const char *at = strchr(strstr(node->properties, name), ':');
    return strtod(at + 1, NULL);
}

static enum sdfg_answer node(void *user, sdfg_code *code, const sdfg_claimed_node *n)
{
    const sdfg_area *x = code->operand(code, "_x", false), *y = code->operand(code, "_y", true);
    char text[256], name[64];
    (void)user;
    if (!x || !y)
        return SDFG_FAILED;
    long long number = code->unique(code);
    snprintf(name, sizeof name, "clip_%lld", number);
    snprintf(text, sizeof text, "%s %.17g %.17g", name, property(n, "\"low\""), property(n, "\"high\""));
    sdfg_code_object o = { .struct_size = sizeof o, .name = FAULT == 1 ? "" : name };
    if (FAULT == 2) {
        o.bytes = "a";
        o.size = 1;
        code->object(code, &o);
        o.bytes = "b";
    }
    code->source(code, text);
    if (FAULT == 6)
        code->invoke(code, "clip", NULL, 0);
    sdfg_value *program = code->object(code, &o), *again = code->object(code, &o);
    sdfg_value *arguments[] = {
        program, again, x->region.address, x->region.strides[0], y->region.address, y->region.strides[0], y->extents[0]
    };
    code->call(code, "run", arguments, sizeof arguments / sizeof *arguments);
    return SDFG_DONE;
}

/* Each line becomes an object. */
static bool compile(void *user, const sdfg_target_source *source, sdfg_give *give, void *to)
{
    (void)user, (void)give, (void)to;
    for (const char *line = source->text; *line; line = strchr(line, '\n') + 1) {
        char name[64];
        struct bounds b;
        sdfg_code_object o = { sizeof o, FAULT == 4 ? "nobody" : name, &b, sizeof b };
        if (FAULT == 3 || FAULT == 6 || sscanf(line, "%63s %lf %lf", name, &b.low, &b.high) != 3)
            return true;
        if (source->object(source, &o) == (FAULT == 4))
            return false;
        if (FAULT == 7)
            source->object(source, &o);
    }
    return true;
}

/* ---- when code is loaded, and when it runs ---- */

static bool load(sdfg_loaded_object *o, sdfg_give *give, void *to)
{
    static const char why[] = "the interpreter is full";
    fprintf(stderr, "load '%s', %zu bytes%s\n", o->object->name, o->object->size, o->value % 16 ? ", not aligned" : "");
    if (FAULT == 5)
        give(to, why, sizeof why - 1);
    return FAULT != 5;
}

static void unload(const sdfg_loaded_object *o) { fprintf(stderr, "unload '%s'\n", o->object->name); }

static bool run(sdfg_target_call *call)
{
    const int64_t *a = call->arguments;
    const struct bounds *b = (const void *)(intptr_t)a[0];
    for (int64_t i = 0; i < a[6]; i++) {
        double v = *(const double *)(intptr_t)(a[2] + i * a[3]);
        *(double *)(intptr_t)(a[4] + i * a[5]) = v < b->low ? b->low : v > b->high ? b->high : v;
    }
    return a[0] == a[1];
}

SDFG_PLUGIN("interpreter", "1", "example.nodes.Clip by an interpreter");

SDFG_PLUGIN_EXPORT bool sdfg_plugin_init(const sdfg_plugin_api *api)
{
    static const char *const names[] = { "LibraryNode", NULL };
    static const sdfg_claim claims[] = { { .kind = SDFG_CLAIM_NODE, .names = names, .holds = is_clip } };
    static const sdfg_target_entry functions[] = { { "run", run } };
    const sdfg_target target = { .struct_size = sizeof target,
                                 .name = "interpreter",
                                 .text = "bounds, and a function that knows what to do with them",
                                 .claims = claims,
                                 .num_claims = 1,
                                 .functions = functions,
                                 .num_functions = 1,
                                 .node = node,
                                 .compile = compile,
                                 .load = load,
                                 .unload = unload };
    return api->target(api->plugin, &target);
}
