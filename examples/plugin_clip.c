/* A plug-in: library nodes of class example.nodes.Clip, which examples/clip.sdfg has, get an implementation.
 *
 *     cc -shared -fPIC plugin_clip.c $(pkg-config --cflags sdfg) -o libclip.so
 *     sdfg-run clip.sdfg --N=8 --plugin=./libclip.so --output=Y=-
 *
 * It uses no symbol of libsdfg, so nothing is linked. */
#include <sdfg_plugin.h>

#include <stdlib.h>
#include <string.h>

/* A number among the properties of the node, which are JSON. */
static double property(const sdfg_node *node, const char *name, double otherwise)
{
    const char *at = strstr(node->properties, name);
    at = at ? strchr(at, ':') : NULL;
    return at ? strtod(at + 1, NULL) : otherwise;
}

static bool clip(void *user, const sdfg_node *node)
{
    double low = property(node, "\"low\"", 0), high = property(node, "\"high\"", 1);
    const sdfg_operand *x = NULL, *y = NULL;
    (void)user;
    for (size_t i = 0; i < node->num_operands; i++)
        *(node->operands[i].output ? &y : &x) = &node->operands[i];
    if (!x || !y || x->dtype != SDFG_F64 || y->dtype != SDFG_F64 || x->rank != 1 || y->rank != 1)
        return false; /* the error of the call says that this node failed */
    for (int64_t i = 0; i < y->shape[0]; i++) {
        double v = ((const double *)x->data)[i * x->strides[0]];
        ((double *)y->data)[i * y->strides[0]] = v < low ? low : v > high ? high : v;
    }
    return true;
}

SDFG_PLUGIN("clip", "1.0", "an implementation of example.nodes.Clip");

SDFG_PLUGIN_EXPORT bool sdfg_plugin_init(const sdfg_plugin_api *api)
{
    return api->implement(api->plugin, "example.nodes.Clip", "moves the elements of an array into an interval", clip,
                          NULL);
}
