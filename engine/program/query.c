#include "base/sized.h"
#include "engine/program/program.h"

#include <string.h>

/* Questions about a loaded program; everything was computed when it was loaded. */

const char *sdfg_program_name(const sdfg_program *p) { return p ? p->name : ""; }

const char *sdfg_program_dace_version(const sdfg_program *p) { return p ? p->dace_version : ""; }

const char *sdfg_program_hash(const sdfg_program *p) { return p ? p->hash : ""; }

static void fill(const struct leaf *l, sdfg_argument *out)
{
    sdfg_argument a = {
        .name = l->name,
        .kind = l->kind,
        .dtype = l->dtype,
        .type = l->type_text,
        .lanes = (int)l->lanes,
        .rank = (int)l->rank,
        .shape = l->shape_texts,
        .strides = l->strides_texts,
        .total_size = l->total_size.text ? l->total_size.text : "",
        .storage = l->storage,
        .lifetime = l->lifetime,
        .transient = l->transient,
        .optional = l->optional,
        .returned = l->returned,
        .written = l->written,
        .solvable = l->solvable,
        .num_members = l->num_members,
        .bytes = l->memory_size,
        .offset = l->placed ? (ptrdiff_t)l->offset : -1,
    };
    sized_give(out, &a, sizeof a);
}

size_t sdfg_program_num_arguments(const sdfg_program *p) { return p ? p->num_arguments : 0; }

bool sdfg_program_argument(const sdfg_program *p, size_t index, sdfg_argument *out)
{
    if (!p || !out || index >= p->num_arguments)
        return false;
    fill(&p->arguments[index], out);
    return true;
}

ptrdiff_t sdfg_program_find_argument(const sdfg_program *p, const char *name)
{
    for (uint32_t i = 0; p && name && i < p->num_arguments; i++)
        if (!strcmp(p->arguments[i].name, name))
            return i;
    return -1;
}

bool sdfg_program_lookup(const sdfg_program *p, const char *name, sdfg_argument *out)
{
    const struct leaf *l = p && name && out ? program_lookup(p, name) : NULL;
    if (l)
        fill(l, out);
    return l != NULL;
}

bool sdfg_program_member(const sdfg_program *p, const char *name, size_t index, sdfg_argument *out)
{
    const struct leaf *l = p && name && out ? program_lookup(p, name) : NULL;
    if (!l || index >= l->num_members)
        return false;
    fill(&l->members[index], out);
    return true;
}

size_t sdfg_program_num_transients(const sdfg_program *p) { return p ? p->num_transients : 0; }

bool sdfg_program_transient(const sdfg_program *p, size_t index, sdfg_argument *out)
{
    if (!p || !out || index >= p->num_transients)
        return false;
    fill(&p->transients[index], out);
    return true;
}

size_t sdfg_program_num_constraints(const sdfg_program *p) { return p ? p->constraints.count : 0; }

const char *sdfg_program_constraint(const sdfg_program *p, size_t index)
{
    return p && index < p->constraints.count ? p->constraints.items[index] : NULL;
}

const sdfg_error *sdfg_program_warnings(const sdfg_program *p) { return p ? p->warnings : NULL; }
