/* Messages between processes: functions of the host that take memory of the device, too (callee_reaches_devices). They
 * get addresses on the device, when its work is done; the runtime knows what the MPI library can do with them.
 *
 *     sdfg_rt_mpi_isend(context, place, grid, &A[8], ...)    ->    wait
 *                                                                  sdfg_rt_mpi_isend(context, place, grid, &A'[8], ...)
 *
 * Legality: While a message is under way the library reads or writes the memory at times that nobody knows. Kernels
 * leave it alone as the host's code did; but transfers of all that a pointer may lead to would not. So memory of such
 * messages stays on the host where statements need it there. */
#include "lower/opt/device/offload.h"
#include "lower/tree/tree_callee.h"
#include "lower/tree/tree_rewrite.h"

static struct memory *buffer(struct offload *o, const struct tree_stmt *s, uint32_t argument)
{
    if (o->no_messages || s->args[argument]->type->kind != TYPE_POINTER ||
        !callee_reaches_devices(stmt_callee(s), argument))
        return NULL;
    return offload_memory(o, s->args[argument]);
}

void offload_message_touches(struct offload *o, struct tree_stmt *s, offload_touch *see, void *user)
{
    for (uint32_t i = 0; s->kind == STMT_CALL && i < s->num_args; i++) {
        struct memory *m = buffer(o, s, i);
        if (m && m->device)
            see(user, m, callee_writes(stmt_callee(s), i));
    }
}

bool offload_message_keeps(struct offload *o, const struct tree_callee *callee, uint32_t argument)
{
    return !callee_forgets(callee, argument) && (o->no_messages || !callee_reaches_devices(callee, argument));
}

struct tree_stmt *offload_beside_message(struct offload *o, struct tree_stmt *s)
{
    struct tree_stmt *rest = stmt_clone(o->tree, s);
    for (uint32_t i = 0; s->kind == STMT_CALL && i < s->num_args; i++) {
        struct memory *m = buffer(o, s, i);
        if (m && m->device)
            rest->args[i] = expr_null(o->tree, s->args[i]->type);
    }
    return rest;
}

void offload_message(struct offload *o, struct tree_stmt *out, struct tree_stmt *s)
{
    bool waits = false;
    for (uint32_t i = 0; s->kind == STMT_CALL && i < s->num_args; i++) {
        struct memory *m = buffer(o, s, i);
        if (!m || !m->device)
            continue;
        s->args[i] = offload_twins(o, s->args[i]);
        waits = true;
    }
    if (waits)
        offload_wait(o, out);
}
