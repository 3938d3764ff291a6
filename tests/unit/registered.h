/* The lowering with what is registered with an engine without plug-ins. */
#ifndef TESTS_UNIT_REGISTERED_H
#define TESTS_UNIT_REGISTERED_H

#include "engine/compile/compile_target.h"
#include "engine/engine.h"

/* Targets and operations; everything else of the options is 0. They live until the test program ends. */
static inline struct lower_options registered_options(struct arena *a)
{
    static sdfg_engine *e;
    struct lower_options o = { .targets = NULL };
    sdfg_options plain = SDFG_OPTIONS_INIT;
    sdfg_error_free(e ? NULL : sdfg_engine_new(&e, &plain));
    compile_take_added(a, &e->registry.added, &o);
    return o;
}

#endif
