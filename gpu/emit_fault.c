/* Checked mode: kernels record their faults in a struct sdfg_rt_device_fault, whose address is their last parameter. */
#include "gpu/emit_text.h"
#include "runtime/abi.h"

#include <string.h>

_Static_assert(3 * SDFG_RT_MAX_RANK == 99, "as the record in PIECE_FAULT has it");

struct cuda gpu_faults(struct gpu_func *f, const struct tree_expr *e)
{
    (void)e;
    gpu_need(f->module, PIECE_FAULT);
    return gpu_text_of(CUDA_POSTFIX, "sd_faults");
}

/* The text knows an access by its number; what the host tells of it stays with the host. */
static unsigned number_of(struct gpu_module *m, const struct sdfg_rt_access *a)
{
    uint32_t number = 0;
    while (number < m->accesses.count && m->accesses.items[number] != a)
        number++;
    if (number == m->accesses.count)
        vec_push(m->arena, &m->accesses, a);
    return number;
}

bool gpu_fault_call(struct gpu_func *f, const char *name, struct tree_expr *const *args, struct cuda *out)
{
    struct gpu_module *m = f->module;
    if (!strcmp(name, "sdfg_rt_stopped")) {
        *out = gpu_print(f, CUDA_POSTFIX, "sd_stopped(%s)", gpu_expr(f, args[0]).s);
        return true;
    }
    if (strcmp(name, "sdfg_rt_fault"))
        return false;
    if (args[1]->op != EXPR_DATA) {
        gpu_unsupported(m, "a fault of an access that is not known");
        return true;
    }
    const struct sdfg_rt_access *a = (const struct sdfg_rt_access *)args[1]->data;
    *out = gpu_print(f, CUDA_POSTFIX, "sd_fault(%s, %u, %d, %s)", gpu_expr(f, args[0]).s, number_of(m, a),
                     3 * (int)a->rank, gpu_expr(f, args[2]).s);
    return true;
}
