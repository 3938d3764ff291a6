/* Functions made of pieces of others: bodies of parallel regions, and parts of functions that are too large for one
 * unit.
 *
 * The variables of the outer function that a piece reads travel in a struct, by value. A part also assigns some: the
 * struct then carries them back. */
#include "lower/llvm/llvm_emit.h"

/* ---- what goes into the struct ---- */

static void add_fields(struct llvm_unit *u, struct tree_var *const *vars, uint32_t count, LLVMTypeRef *fields,
                       unsigned *n)
{
    for (uint32_t i = 0; i < count; i++) {
        LLVMTypeRef type = llvm_type(u, vars[i]->type);
        fields[(*n)++] = type;
        if (llvm_type_is_complex(vars[i]->type))
            fields[(*n)++] = type;
    }
}

static LLVMTypeRef data_type(struct llvm_unit *u, const struct llvm_job *job)
{
    LLVMTypeRef *fields = NEW_ARRAY(u->emitter->arena, LLVMTypeRef, 2 * (job->captured.count + job->shared.count));
    unsigned n = 0;
    add_fields(u, job->captured.items, job->captured.count, fields, &n);
    add_fields(u, job->shared.items, job->shared.count, fields, &n);
    return LLVMStructTypeInContext(u->context, fields, n, false);
}

static unsigned num_fields(const struct tree_var *v) { return llvm_type_is_complex(v->type) ? 2 : 1; }

/* One walk over the fields of a struct, in the order of data_type. */
struct fields {
    struct llvm_func *f;
    LLVMTypeRef type;
    LLVMValueRef data;
    unsigned next;
};

static void put_field(struct fields *w, LLVMValueRef v)
{
    LLVMBuildStore(w->f->builder, v, LLVMBuildStructGEP2(w->f->builder, w->type, w->data, w->next++, ""));
}

static LLVMValueRef get_field(struct fields *w, const struct tree_var *v)
{
    LLVMValueRef at = LLVMBuildStructGEP2(w->f->builder, w->type, w->data, w->next++, "");
    return LLVMBuildLoad2(w->f->builder, llvm_type(w->f->unit, v->type), at, v->name);
}

static void put_variable(struct fields *w, const struct tree_var *v)
{
    struct llvm_value value = llvm_variable_read(w->f, v);
    put_field(w, value.v);
    if (value.im)
        put_field(w, value.im);
}

static void put_captured(struct fields *w, const struct llvm_job *job)
{
    for (uint32_t i = 0; i < job->captured.count; i++)
        put_variable(w, job->captured.items[i]);
}

/* A variable that only the part assigns has no value yet. */
static void put_shared(struct fields *w, const struct llvm_job *job)
{
    for (uint32_t i = 0; i < job->shared.count; i++) {
        const struct llvm_variable *x = llvm_variable(w->f->emitter, job->shared.items[i]);
        if (x->in_memory || x->set)
            put_variable(w, job->shared.items[i]);
        else
            w->next += num_fields(job->shared.items[i]);
    }
}

static void get_variables(struct fields *w, struct tree_var *const *vars, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct llvm_value v = { get_field(w, vars[i]), NULL };
        if (llvm_type_is_complex(vars[i]->type))
            v.im = get_field(w, vars[i]);
        llvm_variable_write(w->f, vars[i], v);
    }
}

static unsigned skipped_fields(struct tree_var *const *vars, uint32_t count)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < count; i++)
        n += num_fields(vars[i]);
    return n;
}

/* ---- inside the outlined function ---- */

LLVMTypeRef llvm_job_type(struct llvm_unit *u, const struct llvm_job *job)
{
    LLVMTypeRef params[4] = { u->pointer, u->pointer, u->i64, u->i64 };
    if (job->kind == LLVM_JOB_PART)
        return LLVMFunctionType(u->i1, params, 2, false);
    return LLVMFunctionType(u->nothing, params, job->kind == LLVM_JOB_PARALLEL ? 4 : 2, false);
}

void llvm_job_load_data(struct llvm_func *f)
{
    struct fields w = { f, data_type(f->unit, f->job), f->data, 0 };
    get_variables(&w, f->job->captured.items, f->job->captured.count);
    get_variables(&w, f->job->shared.items, f->job->shared.count);
}

void llvm_job_store_data(struct llvm_func *f)
{
    struct fields w = { f, data_type(f->unit, f->job), f->data, 0 };
    w.next = skipped_fields(f->job->captured.items, f->job->captured.count);
    put_shared(&w, f->job);
}

/* ---- in the outer function ---- */

static struct fields fill_data(struct llvm_func *f, const struct llvm_job *job)
{
    struct fields w = { f, data_type(f->unit, job), NULL, 0 };
    if (job->captured.count + job->shared.count == 0) {
        w.data = LLVMConstNull(f->unit->pointer);
        return w;
    }
    w.data = llvm_alloca(f, w.type, "data");
    put_captured(&w, job);
    put_shared(&w, job);
    return w;
}

static LLVMValueRef declare(struct llvm_func *f, const struct llvm_job *job)
{
    return llvm_function_get(f->unit, job->name, llvm_job_type(f->unit, job));
}

void llvm_stmt_parallel(struct llvm_func *f, const struct tree_stmt *s)
{
    struct llvm_job *job = map_get(&f->emitter->by_stmt, s);
    LLVMValueRef count = s->count ? llvm_expr(f, s->count).v : llvm_int(f->unit->i64, 0);
    struct fields w = fill_data(f, job);
    llvm_runtime(f, "sdfg_rt_parallel", (LLVMValueRef[]){ f->context, declare(f, job), w.data, count }, 4);
    if (job->may_fail)
        llvm_return_if_failed(f);
}

void llvm_stmt_part(struct llvm_func *f, struct llvm_job *part)
{
    struct fields w = fill_data(f, part);
    LLVMValueRef args[2] = { f->context, w.data };
    LLVMValueRef left = LLVMBuildCall2(f->builder, llvm_job_type(f->unit, part), declare(f, part), args, 2, "");
    w.next = skipped_fields(part->captured.items, part->captured.count);
    get_variables(&w, part->shared.items, part->shared.count);
    if (part->may_return || part->may_fail)
        llvm_flow_return_if(f, left);
}

/* ---- planning ---- */

struct planner {
    struct llvm_emitter *emitter;
    const struct llvm_job *outer;
};

static void search_failure(void *user, const struct tree_stmt *s)
{
    bool *found = user;
    *found =
        *found || s->kind == STMT_WAIT || s->kind == STMT_MIRROR || (s->kind == STMT_ALLOC && s->where != TREE_STACK);
    if (!*found)
        llvm_children(s, search_failure, user);
}

struct llvm_job *llvm_job_new(struct llvm_emitter *e, const struct llvm_job *outer, enum llvm_job_kind kind,
                              const struct tree_stmt *body)
{
    struct llvm_job *job = NEW(e->arena, struct llvm_job);
    const char *noun = kind == LLVM_JOB_PART ? "part" : "parallel";
    job->kind = kind;
    job->root = outer->root;
    job->name = arena_printf(e->arena, "%s.%s%u", outer->root, noun, e->num_outlined++);
    job->body = body;
    job->cost = llvm_cost(body);
    job->unit = llvm_unit_for(e, job->cost);
    job->stoppable = outer->stoppable && kind == LLVM_JOB_PART;
    search_failure(&job->may_fail, body);
    job->may_fail |= job->stoppable && llvm_cancel_in(body);
    vec_push(e->arena, &e->jobs, job);
    return job;
}

static void make_parallel(struct planner *p, const struct tree_stmt *s)
{
    struct llvm_emitter *e = p->emitter;
    struct llvm_job *job = llvm_job_new(e, p->outer, LLVM_JOB_PARALLEL, s->body);
    struct llvm_scan scan;
    job->parallel = s;
    llvm_scan(e, s->body, &scan);
    for (uint32_t i = 0; i < scan.touched.count; i++) {
        struct tree_var *v = scan.touched.items[i];
        if (!llvm_variable(e, v)->assignments && v != s->var && v != s->var2)
            vec_push(e->arena, &job->captured, v);
    }
    map_put(e->arena, &e->by_stmt, s, job);
}

static void plan_stmt(void *user, const struct tree_stmt *s)
{
    struct planner *p = user;
    if (s->kind == STMT_PARALLEL) {
        make_parallel(p, s);
        return;
    }
    if (s->kind != STMT_BLOCK) {
        llvm_children(s, plan_stmt, user);
        return;
    }
    for (uint32_t i = 0; i < s->items.count; i++) {
        const struct llvm_job *part = map_get(&p->emitter->by_stmt, s->items.items[i]);
        if (part && part->kind == LLVM_JOB_PART && part != p->outer)
            i += part->num_items - 1;
        else
            plan_stmt(p, s->items.items[i]);
    }
}

void llvm_outline_plan(struct llvm_emitter *e, const struct llvm_job *job)
{
    struct planner p = { .emitter = e, .outer = job };
    llvm_split(e, job);
    plan_stmt(&p, job->body);
}
