/* A plug-in that writes C: a target that makes code for the nodes example.nodes.Clip of examples/clip.sdfg as text, and
 * hands it to the compiler of the system (CC, or cc), whose object becomes part of the program.
 *
 *     cc -shared -fPIC plugin_source.c $(pkg-config --cflags sdfg) -o libsource.so
 *     sdfg-run clip.sdfg --N=8 --plugin=./libsource.so --output=Y=- */
#include <sdfg_plugin.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the compiler: text in, object out ---- */

static bool is_clip(void *user, const sdfg_claim_site *site)
{
    (void)user;
    return !strcmp(site->class_path, "example.nodes.Clip");
}

static bool give_file(const char *path, sdfg_give *give, void *to)
{
    FILE *f = fopen(path, "rb");
    long size = f && !fseek(f, 0, SEEK_END) ? ftell(f) : -1;
    char *bytes = size > 0 ? malloc((size_t)size) : NULL;
    bool good = bytes && !fseek(f, 0, SEEK_SET) && fread(bytes, 1, (size_t)size, f) == (size_t)size;
    if (good)
        give(to, bytes, (size_t)size);
    free(bytes);
    if (f)
        fclose(f);
    return good;
}

static bool compile(void *user, const sdfg_target_source *source, sdfg_give *give, void *to)
{
    static const char no_file[] = "no file can be written in /tmp", failed[] = "the C compiler failed";
    const char *cc = getenv("CC");
    char text[] = "/tmp/clip-XXXXXX.c", object[sizeof text + 1], command[256];
    int file = mkstemps(text, 2);
    FILE *f = file < 0 ? NULL : fdopen(file, "w");
    (void)user;
    if (!f)
        return give(to, no_file, sizeof no_file - 1), false;
    bool good = fwrite(source->text, 1, source->size, f) == source->size;
    good = !fclose(f) && good;
    snprintf(object, sizeof object, "%.*so", (int)strlen(text) - 1, text);
    snprintf(command, sizeof command, "%.100s -O2 -fPIC -fno-stack-protector -c %s -o %s", cc ? cc : "cc", text,
             object);
    good = good && !system(command) && give_file(object, give, to);
    if (!good)
        give(to, failed, sizeof failed - 1);
    remove(text);
    remove(object);
    return good;
}

/* ---- the text ---- */

static double property(const sdfg_claimed_node *node, const char *name, double otherwise)
{
    const char *at = strstr(node->properties, name);
    at = at ? strchr(at, ':') : NULL;
    return at ? strtod(at + 1, NULL) : otherwise;
}

static const char function[] = "#include <stdint.h>\n"
                               "int64_t clip_%lld(int64_t x, int64_t dx, int64_t y, int64_t dy, int64_t n)\n"
                               "{\n"
                               "    for (int64_t i = 0; i < n; i++) {\n"
                               "        double v = *(const double *)(x + i * dx);\n"
                               "        *(double *)(y + i * dy) = v < %.17g ? %.17g : v > %.17g ? %.17g : v;\n"
                               "    }\n"
                               "    return 0;\n"
                               "}\n";

static enum sdfg_answer node(void *user, sdfg_code *code, const sdfg_claimed_node *n)
{
    double low = property(n, "\"low\"", 0), high = property(n, "\"high\"", 1);
    const sdfg_area *x = code->operand(code, "_x", false), *y = code->operand(code, "_y", true);
    char text[1024], name[64];
    (void)user;
    if (!x || !y)
        return SDFG_FAILED;
    if (x->rank != 1 || y->rank != 1 || strcmp(x->region.type, "float64") || strcmp(y->region.type, "float64")) {
        code->fail(code, "operands are vectors of float64");
        return SDFG_FAILED;
    }
    long long number = code->unique(code);
    snprintf(text, sizeof text, function, number, low, low, high, high);
    snprintf(name, sizeof name, "clip_%lld", number);
    code->source(code, text);
    sdfg_value *arguments[] = { x->region.address, x->region.strides[0], y->region.address, y->region.strides[0],
                                y->extents[0] };
    code->invoke(code, name, arguments, sizeof arguments / sizeof *arguments);
    return SDFG_DONE;
}

SDFG_PLUGIN("source", "1.0", "example.nodes.Clip by the C compiler");

SDFG_PLUGIN_EXPORT bool sdfg_plugin_init(const sdfg_plugin_api *api)
{
    static const char *const names[] = { "LibraryNode", NULL };
    static const sdfg_claim claims[] = { { .kind = SDFG_CLAIM_NODE, .names = names, .holds = is_clip } };
    const sdfg_target target = { .struct_size = sizeof target,
                                 .name = "source",
                                 .text = "C text, compiled by cc",
                                 .claims = claims,
                                 .num_claims = sizeof claims / sizeof *claims,
                                 .node = node,
                                 .compile = compile };
    return api->target(api->plugin, &target);
}
