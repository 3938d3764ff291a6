/* Trials: a function or map is lowered without building anything, to find out whether it can be. */
#include "frontend/lower.h"

struct fe_trial fe_trial_begin(struct fe *f, struct fe_host *h)
{
    struct fe_trial t = { .kept = *f, .host = h, .errors = diags_count(f->ir->diags), .mark = h->begin(h) };
    f->dry = true;
    f->ordered = false;
    return t;
}

void fe_trial_end(struct fe *f, struct fe_trial *t, bool good)
{
    t->host->end(t->host, t->mark, good);
    diags_reset(f->ir->diags, t->errors);
    t->ordered = f->ordered;
    t->kept.used_names = f->used_names; /* tables only grow */
    t->kept.used_labels = f->used_labels;
    t->kept.born = f->born;
    t->kept.library = f->library;
    t->kept.symbol_types = f->symbol_types;
    t->kept.program_symbols.items = f->program_symbols.items;
    t->kept.program_symbols.count = f->program_symbols.count;
    t->kept.program_symbols.capacity = f->program_symbols.capacity;
    bool ordered = t->kept.ordered | f->ordered;
    *f = t->kept;
    f->ordered = ordered;
    f->said = false;
}
