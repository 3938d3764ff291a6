/* The driver of the pass table. */
#include "engine/compile.h"

#include <assert.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool compile_run(struct compile *c)
{
    for (const struct pass *p = pipeline; p->run; p++) {
        if (p->condition && !p->condition(c))
            continue;
        assert((c->facts & p->needs) == p->needs && "pass order");
        c->pass = p;
        double begin = now();
        bool ok = p->run(c);
        vec_push(c->ir->arena, &c->times, ((struct pass_time){ p->name, now() - begin }));
        c->facts = (c->facts & ~p->breaks) | p->makes;
        if (c->dump)
            c->dump(c, p->name); /* after a failure too: that is when one looks */
        if (!ok || (c->verify && !c->verify(c, p->name)))
            return false;
    }
    return true;
}
