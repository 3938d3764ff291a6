/* An implementation of a library node: class example.nodes.Clip moves every element of a vector into an interval.
 *
 *     cc embed_clip.c -lsdfg -o embed_clip && ./embed_clip clip.sdfg */
#include "sdfg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 9 };

static void check(sdfg_error *error)
{
    if (!error)
        return;
    fputs(sdfg_error_text(error), stderr);
    sdfg_error_free(error);
    exit(1);
}

/* The number behind "key": in the properties; enough for JSON as plain as this. */
static double property(const char *json, const char *key)
{
    const char *at = strstr(json, key);
    at = at ? strchr(at, ':') : NULL;
    return at ? strtod(at + 1, NULL) : 0;
}

/* Called by the program whenever it comes to a node of the class. */
static bool clip(void *user, const sdfg_node *node)
{
    int *calls = user;
    const sdfg_operand *x = sdfg_node_operand(node, "_x", false), *y = sdfg_node_operand(node, "_y", true);
    if (!x || !y || x->dtype != SDFG_F64 || y->dtype != SDFG_F64 || x->rank != 1 || y->rank != 1)
        return false; /* the call of the program fails */
    double low = property(node->properties, "\"low\""), high = property(node->properties, "\"high\"");
    for (int64_t i = 0; i < y->shape[0]; i++) {
        double value = ((const double *)x->data)[i * x->strides[0]];
        ((double *)y->data)[i * y->strides[0]] = value < low ? low : value > high ? high : value;
    }
    (*calls)++;
    return true;
}

int main(int argc, char **argv)
{
    double x[N], y[N];
    int calls = 0, wrong = 0;
    sdfg_engine *engine;
    sdfg_program *program;
    sdfg_args *args;
    for (int i = 0; i < N; i++)
        x[i] = (i - 4) / 2.0;
    check(sdfg_engine_new(&engine, NULL));
    check(sdfg_engine_implement(engine, "example.nodes.Clip", clip, &calls)); /* before programs are loaded */
    check(sdfg_program_load_file(&program, engine, argc > 1 ? argv[1] : "clip.sdfg"));
    check(sdfg_args_new(&args, program));
    check(sdfg_args_array(args, "X", SDFG_ARRAY(.data = x, .dtype = SDFG_F64, .rank = 1, .shape = { N })));
    check(sdfg_args_array(args, "Y", SDFG_ARRAY(.data = y, .dtype = SDFG_F64, .rank = 1, .shape = { N })));
    check(sdfg_call(program, args));

    for (int i = 0; i < N; i++) {
        double expected = i < 2 ? -1 : i > 6 ? 1 : x[i];
        printf("%g -> %g\n", x[i], y[i]);
        wrong += y[i] != expected;
    }
    sdfg_args_free(args);
    sdfg_program_free(program);
    sdfg_engine_free(engine);
    return wrong || calls != 1;
}
