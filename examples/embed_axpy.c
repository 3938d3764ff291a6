/* One call of one program: Y = alpha * X + Y.
 *
 *     cc embed_axpy.c -lsdfg -o embed_axpy && ./embed_axpy axpy.sdfg */
#include "sdfg.h"

#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };

/* Errors are objects; a program that has nothing better to do prints them. */
static void check(sdfg_error *error)
{
    if (!error)
        return;
    fputs(sdfg_error_text(error), stderr);
    sdfg_error_free(error);
    exit(1);
}

int main(int argc, char **argv)
{
    static double x[N], y[N];
    sdfg_engine *engine;
    sdfg_program *program;
    sdfg_args *args;
    for (int i = 0; i < N; i++) {
        x[i] = i;
        y[i] = 1;
    }
    check(sdfg_engine_new(&engine, NULL));
    check(sdfg_program_load_file(&program, engine, argc > 1 ? argv[1] : "axpy.sdfg"));
    check(sdfg_args_new(&args, program));
    check(sdfg_args_f64(args, "alpha", 2));
    check(sdfg_args_array(args, "X", SDFG_ARRAY(.data = x, .dtype = SDFG_F64, .rank = 1, .shape = { N })));
    check(sdfg_args_array(args, "Y", SDFG_ARRAY(.data = y, .dtype = SDFG_F64, .rank = 1, .shape = { N })));
    check(sdfg_call(program, args)); /* N is solved from the shapes, the program is compiled for it and runs */

    int wrong = 0;
    for (int i = 0; i < N; i++)
        wrong += y[i] != 2.0 * i + 1;
    printf("Y[%d] = %g, %d elements are wrong\n", N - 1, y[N - 1], wrong);
    sdfg_args_free(args);
    sdfg_program_free(program);
    sdfg_engine_free(engine);
    return wrong ? 1 : 0;
}
