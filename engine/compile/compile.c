/* The plugin's side of the border: one request, one compilation, one result. */
#include "engine/compile/compile.h"

#include "base/fatal.h"
#include "base/machine.h"
#include "engine/compile/compile_target.h"
#include "lower/opt/device/offload_cost.h"
#include "lower/tree/tree_assume.h"
#include "lower/tree/tree_callee.h"
#include "lower/tree/tree_facts.h"
#include "lower/tree/tree_memory.h"
#include "lower/tree/tree_print.h"
#include "lower/tree/tree_work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a result owns: in the end only the code and a little data, unless ORC linked. */
struct result_owner {
    struct ir *ir;
    struct jit *jit;
    struct placed *placed;
    struct arena *arena;            /* of what a caller still reads when `ir` and `jit` are gone */
    struct codegen_message message; /* of a compilation that was abandoned */
    char reason[300];
};

bool compile_is_word(const char *words, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = words; p && (p = strstr(p, word)); p += n)
        if ((p == words || p[-1] == ',') && (p[n] == 0 || p[n] == ','))
            return true;
    return false;
}

static const char *printed(struct compile *c)
{
    struct text t = text_new(c->ir->arena);
    if (c->tree)
        tree_print(c->tree, &t);
    else if (c->sdfg)
        sdfg_print(c->sdfg, &t);
    return text_get(&t);
}

static void dump(struct compile *c, const char *pass)
{
    const struct codegen_request *r = c->request;
    if (!r->dump)
        return;
    bool asked = r->dump_after && (!strcmp(r->dump_after, pass) || !strcmp(r->dump_after, "all"));
    if (asked || (compile_is_word(r->debug_words, "ir") && !c->tree) ||
        (compile_is_word(r->debug_words, "tree") && c->tree))
        r->dump(r->dump_user, pass, printed(c));
}

/* How often facts about statements were kept. */
static void dump_facts(struct compile *c)
{
    const struct codegen_request *r = c->request;
    if (!r->dump || !c->tree || !compile_is_word(r->debug_words, "facts"))
        return;
    struct text t = text_new(c->ir->arena);
    for (int i = 0; i < TREE_FACTS; i++) {
        struct tree_fact_count n = tree_fact_count(c->tree, (enum tree_fact)i);
        text_printf(&t, "%-34s asked %u, found out %u, kept %u\n", tree_fact_name((enum tree_fact)i), n.asked,
                    n.asked - n.found, n.found);
    }
    r->dump(r->dump_user, "facts", text_get(&t));
}

static void take_messages(struct compile *c, struct codegen_result *out)
{
    struct diags *d = c->ir->diags;
    out->num_messages = diags_count(d);
    out->messages = NEW_ARRAY(c->ir->arena, struct codegen_message, out->num_messages + 1);
    for (uint32_t i = 0; i < out->num_messages; i++) {
        const struct diag *g = diags_get(d, i);
        out->messages[i] = (struct codegen_message){
            .class_id = (int)diag_class_of(g->code),
            .warning = g->warning,
            .code = diag_name(g->code),
            .message = g->message,
            .path = g->path,
            .source = g->source,
            .excerpt = g->excerpt,
        };
    }
}

static const char *param_type(struct compile *c, const struct tree_param *p)
{
    const struct type *t = p->var->type;
    if (!p->by_value && t->kind == TYPE_POINTER)
        t = t->elem;
    if (t->kind == TYPE_STRUCT)
        return arena_printf(c->ir->arena, "struct:%s", t->name);
    return type_text(c->ir, t);
}

static void take_params(struct compile *c, struct codegen_result *out)
{
    const struct tree_func *f = c->tree->functions.items[0];
    out->num_params = f->params.count;
    out->params = NEW_ARRAY(c->ir->arena, struct codegen_param, out->num_params + 1);
    for (uint32_t i = 0; i < out->num_params; i++) {
        const struct tree_param *p = &f->params.items[i];
        out->params[i] = (struct codegen_param){ p->name, p->by_value, p->host_code, param_type(c, p) };
    }
    out->num_slots = c->tree->num_slots;
    out->cache_least = c->tree->same_cache.least;
    out->cache_most = c->tree->same_cache.most;
}

static void take_objects(struct compile *c, struct codegen_result *out)
{
    const struct code_object *objects;
    uint32_t count = jit_objects(c->jit, &objects);
    out->num_objects = count + compile_num_kept(c);
    out->objects = NEW_ARRAY(c->ir->arena, struct code_object, out->num_objects);
    memcpy(out->objects, objects, count * sizeof *objects);
    compile_kept(c, out->objects + count);
}

static bool take_code(struct compile *c, struct codegen_result *out)
{
    void *address = jit_address(c->jit, "sdfg_main");
    if (!address)
        return diag_error(c->ir->diags, NULL, DIAG_BUG, "the compiled program has no entry point");
    memcpy(&out->main, &address, sizeof address);
    address = jit_address(c->jit, "sdfg_init");
    memcpy(&out->init, &address, sizeof address);
    address = jit_address(c->jit, "sdfg_exit");
    memcpy(&out->exit, &address, sizeof address);
    address = jit_address(c->jit, "sdfg_workspace");
    memcpy(&out->workspace, &address, sizeof address);
    out->quick = c->quick;
    out->code_bytes = jit_code_bytes(c->jit);
    take_objects(c, out);
    return true;
}

static void assume_values(struct compile *c)
{
    const struct codegen_request *r = c->request;
    struct tree_assumption *values = NEW_ARRAY(c->ir->arena, struct tree_assumption, r->num_values);
    for (uint32_t i = 0; i < r->num_values; i++)
        values[i] = (struct tree_assumption){ r->values[i].name, r->values[i].value };
    tree_assume(c->tree, values, r->num_values);
}

static void weigh(struct compile *c, struct codegen_result *out)
{
    long cores = c->request->num_threads ? c->request->num_threads : sysconf(_SC_NPROCESSORS_ONLN);
    struct offload_cost x = offload_cost(c->tree, &c->tree_options, cores < 1 ? 1 : (int)cores);
    out->cost = (struct codegen_cost){ x.known, x.cpu, x.gpu, x.launches, x.kernels };
}

static bool find_noticed(void *user, struct tree_stmt *s)
{
    const char **found = user;
    if (s->kind == STMT_CALL && callee_is_noticed(stmt_callee(s)))
        *found = s->pointer ? "what a pointer leads to" : s->name;
    return true;
}

static const char *noticed_call(const struct tree *t)
{
    const char *found = NULL;
    for (uint32_t i = 0; i < t->functions.count; i++)
        stmt_visit(t->functions.items[i]->body, find_noticed, &found);
    return found;
}

static bool take_text(struct compile *c, struct codegen_result *out)
{
    static const enum jit_text kinds[] = {
        [CODEGEN_EMIT_LL] = JIT_TEXT_LL,
        [CODEGEN_EMIT_LL_OPT] = JIT_TEXT_LL_OPT,
        [CODEGEN_EMIT_ASM] = JIT_TEXT_ASM,
        [CODEGEN_EMIT_OBJECT] = JIT_TEXT_OBJECT,
    };
    struct text t = text_new(c->ir->arena);
    const char *text;
    size_t size;
    switch (c->request->emit) {
    case CODEGEN_EMIT_SDFG:
        sdfg_write(c->sdfg, &t);
        break;
    case CODEGEN_EMIT_TREE:
        if (compile_is_word(c->request->debug_words, "places"))
            tree_print_places(c->tree, &t);
        else
            tree_print(c->tree, &t);
        out->noticed = noticed_call(c->tree);
        break;
    case CODEGEN_EMIT_REMARKS:
        if (!jit_text(c->jit, JIT_TEXT_LL_OPT, &text, &size))
            return false;
        if (c->request->device_why)
            remark(c->ir->remarks, &c->sdfg->region.block.place, NULL, REMARK_CHOSEN, c->request->device_why);
        if (c->request->tuned)
            remark(c->ir->remarks, &c->sdfg->region.block.place, NULL, REMARK_TUNED, c->request->tuned);
        remarks_print(c->ir->remarks, &t);
        break;
    case CODEGEN_EMIT_MAP:
        if (!jit_map(c->jit, c->places, &t))
            return false;
        break;
    case CODEGEN_EMIT_MEMORY:
        assume_values(c);
        tree_memory(c->tree, &t);
        break;
    case CODEGEN_EMIT_WORK:
        assume_values(c);
        tree_work(c->tree, machine_last_cache(&c->machine), &t);
        if (c->request->device)
            weigh(c, out);
        break;
    case CODEGEN_EMIT_CUDA:
    case CODEGEN_EMIT_PTX:
    case CODEGEN_EMIT_CUBIN:
        text = device_bytes(c, &size);
        text_addn(&t, text, size);
        break;
    default:
        if (!jit_text(c->jit, kinds[c->request->emit], &text, &size))
            return false;
        text_addn(&t, text, size);
        break;
    }
    out->text_size = t.length;
    out->text = arena_strndup(c->ir->arena, text_get(&t), t.length);
    return true;
}

/* The passes, and the parts of the longest one: summed over its threads. */
static void take_phases(struct compile *c, struct codegen_result *out)
{
    struct arena *a = c->ir->arena;
    if (c->jit) {
        double optimize, emit, link;
        jit_times(c->jit, &optimize, &emit, &link);
        vec_push(a, &c->times, ((struct pass_time){ "llvm.optimize", optimize, 0 }));
        vec_push(a, &c->times, ((struct pass_time){ "llvm.emit", emit, 0 }));
    }
    out->num_phases = c->times.count;
    out->phases = NEW_ARRAY(a, struct codegen_phase, out->num_phases + 1);
    for (uint32_t i = 0; i < out->num_phases; i++)
        out->phases[i] =
            (struct codegen_phase){ c->times.items[i].name, c->times.items[i].seconds, c->times.items[i].budget };
}

/* Gives back everything of the compiler but the code: graph, tree, contexts and machines of LLVM. */
static void keep_code_only(struct result_owner *o, struct codegen_result *out)
{
    o->placed = jit_take_placed(o->jit);
    if (!o->placed) {
        out->kept_bytes = out->peak_bytes + out->code_bytes;
        return;
    }
    struct arena *a = o->arena = arena_new();
    out->messages = NULL;
    out->num_messages = 0;
    out->params = arena_copy(a, out->params, out->num_params * sizeof *out->params);
    for (uint32_t i = 0; i < out->num_params; i++) {
        out->params[i].name = arena_strdup(a, out->params[i].name);
        out->params[i].type = arena_strdup(a, out->params[i].type);
    }
    out->objects = arena_copy(a, out->objects, out->num_objects * sizeof *out->objects);
    for (uint32_t i = 0; i < out->num_objects; i++) {
        out->objects[i].name = arena_strdup(a, out->objects[i].name);
        out->objects[i].bytes = code_object_bytes(a, out->objects[i].bytes, out->objects[i].size);
    }
    out->phases = arena_copy(a, out->phases, out->num_phases * sizeof *out->phases);
    for (uint32_t i = 0; i < out->num_phases; i++)
        out->phases[i].name = arena_strdup(a, out->phases[i].name);
    out->kept_bytes = arena_bytes(a) + place_memory(o->placed);
    jit_free(o->jit);
    ir_free(o->ir);
    o->jit = NULL;
    o->ir = NULL;
}

/* One compilation as far as it has come. */
struct attempt {
    const struct codegen_request *request;
    struct codegen_result *out;
    struct result_owner *owner;
    struct compile *compile;
};

static void end_attempt(void *unused)
{
    (void)unused;
    compile_end();
}

/* What lies in no arena. Objects of LLVM stay: nobody knows what state they are in. */
static void drop_code(void *attempt)
{
    struct attempt *t = attempt;
    if (t->compile)
        device_drop(t->compile);
    place_free(t->owner->placed);
    t->owner->placed = NULL;
    if (t->compile && t->compile->jit)
        place_free(jit_take_placed(t->compile->jit));
}

static struct compile *begin(struct attempt *t)
{
    const struct codegen_request *request = t->request;
    struct result_owner *o = t->owner;
    o->ir = request->graph ? request->graph->ir : ir_new();
    if (!request->graph)
        enums_extend(o->ir, request->members);
    arena_guard(o->ir->arena, guard_innermost()); /* the graph comes from elsewhere */
    arena_guard(o->ir->scratch, guard_innermost());
    if (request->emit == CODEGEN_EMIT_REMARKS)
        o->ir->remarks = remarks_new(o->ir->arena);
    struct compile *c = NEW(o->ir->arena, struct compile);
    c->ir = o->ir;
    if (request->emit == CODEGEN_EMIT_MAP)
        c->places = remarks_new(o->ir->arena);
    c->request = request;
    c->dump = dump;
    return t->compile = c;
}

static const char *why_not(bool may)
{
    return may ? "LLVM ran out of memory in this process while it was set up" : "the process ends";
}

static void attempt(void *a)
{
    struct attempt *t = a;
    const struct codegen_request *request = t->request;
    struct codegen_result *out = t->out;
    struct result_owner *o = t->owner;
    struct cleanup code, begun;
    cleanup_push(&code, drop_code, t);
    struct compile *c = begin(t);
    bool lost = jit_lost(), may = !lost && compile_begin();
    if (may)
        cleanup_push(&begun, end_attempt, NULL);
    out->ok = may ? compile_run(c) : diag_error(c->ir->diags, NULL, DIAG_CODEGEN_OPEN, why_not(lost));
    dump_facts(c);
    o->jit = c->jit;
    device_drop(c);
    if (out->ok)
        out->ok = request->emit == CODEGEN_EMIT_CODE ? take_code(c, out) : take_text(c, out);
    if (out->ok && c->tree)
        take_params(c, out);
    if (!out->ok && !diags_errors(c->ir->diags))
        diag_error(c->ir->diags, NULL, DIAG_BUG, "a pass failed without a message");
    take_messages(c, out);
    take_phases(c, out);
    out->peak_bytes = arena_bytes(o->ir->arena);
    if (out->ok && request->emit == CODEGEN_EMIT_CODE)
        keep_code_only(o, out);
    if (may) {
        cleanup_pop(&begun);
        compile_end();
    }
    cleanup_pop(&code);
}

/* Memory was exhausted, or LLVM gave up. */
static void abandon(struct attempt *t, const struct guard *failed)
{
    struct result_owner *o = t->owner;
    jit_abandoned();
    *t->out = (struct codegen_result){ .owner = o, .memory = failed->memory };
    *o = (struct result_owner){ 0 };
    if (failed->memory)
        return;
    snprintf(o->reason, sizeof o->reason, "LLVM gave up: %s", failed->message);
    o->message = (struct codegen_message){ .class_id = DIAG_CLASS_BUG,
                                           .code = diag_name(DIAG_LLVM),
                                           .message = o->reason,
                                           .path = "",
                                           .source = "",
                                           .excerpt = NULL };
    t->out->messages = &o->message;
    t->out->num_messages = 1;
}

static void compile(const struct codegen_request *request, struct codegen_result *out)
{
    struct attempt t = { .request = request, .out = out, .owner = calloc(1, sizeof(struct result_owner)) };
    struct guard failed;
    *out = (struct codegen_result){ .owner = t.owner, .memory = !t.owner };
    if (t.owner && !guard_run(attempt, &t, &failed))
        abandon(&t, &failed);
    if (!t.owner && request->graph)
        ir_free(request->graph->ir);
}

static void release(struct codegen_result *result)
{
    struct result_owner *o = result->owner;
    if (!o)
        return;
    place_free(o->placed);
    if (o->jit && compile_begin()) { /* else it stays, as the process ends */
        jit_free(o->jit);
        compile_end();
    }
    if (o->ir)
        ir_free(o->ir);
    arena_free(o->arena);
    free(o);
    *result = (struct codegen_result){ 0 };
}

extern const struct codegen_api sdfg_codegen_api;

__attribute__((visibility("default"))) const struct codegen_api sdfg_codegen_api = {
    .abi = CODEGEN_ABI,
    .compile = compile,
    .release = release,
    .version = jit_version,
    .abandoned = jit_num_abandoned,
    .list = compile_list,
};
