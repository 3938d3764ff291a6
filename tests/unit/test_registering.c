/* What plug-ins may not register, and when: each mistake by its message. */
#include "engine/include/sdfg_graph.h"
#include "engine/include/sdfg_plugin.h"
#include "tests/unit/check.h"

#include <string.h>

/* Code and message of the error of a plug-in that registers this. */
static const char *said(const char *name, sdfg_plugin_function *f)
{
    static char text[512];
    sdfg_engine *e;
    sdfg_plugin_about about = { sizeof about, SDFG_PLUGIN_ABI, name, "1", NULL };
    CHECK(!sdfg_engine_new(&e, NULL));
    sdfg_error *error = sdfg_engine_extend(e, &about, f);
    snprintf(text, sizeof text, "%s", error ? sdfg_error_message(error) : "");
    sdfg_error_free(error);
    sdfg_engine_free(e);
    return text;
}

/* ---- functions that do nothing ---- */

static bool node(void *user, const sdfg_node *n) { return (void)user, n != NULL; }
static bool expand(void *user, const sdfg_expansion *x, sdfg_give *give, void *to)
{
    return (void)user, (void)x, (void)give, (void)to, true;
}
static bool run(void *user, const sdfg_pass_run *what, sdfg_give *give, void *to)
{
    return (void)user, (void)what, (void)give, (void)to, true;
}
static int64_t begin(void *user, const sdfg_probe *site) { return (void)user, (void)site, 0; }
static void stop(void *user, const sdfg_probe *site, int64_t begun, double *values)
{
    (void)user, (void)site, (void)begun, (void)values;
}
static enum sdfg_answer start(void *user, sdfg_code *code) { return (void)user, (void)code, (enum sdfg_answer)0; }
static bool called(sdfg_target_call *call) { return call != NULL; }
static void freed(void *user) { (void)user; }
static enum sdfg_answer enter(void *user, sdfg_code *code, const sdfg_map *map) { return (void)map, start(user, code); }
static enum sdfg_answer allocate(void *user, sdfg_code *code, sdfg_memory *memory)
{
    return (void)memory, start(user, code);
}
static enum sdfg_answer release(void *user, sdfg_code *code, const sdfg_memory *memory)
{
    return (void)memory, start(user, code);
}
static enum sdfg_answer copy(void *user, sdfg_code *code, const sdfg_transfer *transfer)
{
    return (void)transfer, start(user, code);
}
static enum sdfg_answer lower(void *user, sdfg_code *code, const sdfg_claimed_node *claimed)
{
    return (void)claimed, start(user, code);
}
static bool compile(void *user, const sdfg_target_source *source, sdfg_give *give, void *to)
{
    return (void)user, (void)source, (void)give, (void)to, true;
}
static bool holds(void *user, const sdfg_claim_site *site) { return (void)user, site != NULL; }

/* ---- after its function has returned ---- */

static const sdfg_plugin_api *kept;

static bool keep(const sdfg_plugin_api *api)
{
    kept = api;
    return true;
}

TEST(nothing_is_registered_later)
{
    sdfg_engine *e;
    sdfg_plugin_about about = { sizeof about, SDFG_PLUGIN_ABI, "late", "1", NULL };
    const sdfg_member member = { sizeof member, SDFG_ENUM_SCHEDULE, "Late", NULL, 0, NULL, NULL };
    const sdfg_environment environment = { sizeof environment, "late", NULL, NULL, NULL, 0, NULL, NULL };
    const sdfg_target target = { .struct_size = sizeof target, .name = "late" };
    const sdfg_pass pass = { .struct_size = sizeof pass, .name = "late", .run = run };
    const sdfg_provider provider = { .struct_size = sizeof provider,
                                     .enumeration = SDFG_ENUM_INSTRUMENT,
                                     .name = "GPU_TX_MARKERS" };
    const sdfg_convertible convertible = { .struct_size = sizeof convertible, .name = "late" };
    CHECK(!sdfg_engine_new(&e, NULL) && !sdfg_engine_extend(e, &about, keep));
    sdfg_plugin *p = kept->plugin;
    kept->fail(p, "too late");
    kept->at_free(p, freed, NULL);
    CHECK(!kept->implement(p, "a.b.C", NULL, node, NULL) && !kept->expand(p, "a.b.C", NULL, expand, NULL));
    CHECK(!kept->operation(p, "a.b.C", NULL, "blas.Gemm") && !kept->member(p, &member));
    CHECK(!kept->environment(p, &environment) && !kept->target(p, &target) && !kept->pass(p, &pass));
    CHECK(!kept->provider(p, &provider) && !kept->convertible(p, NULL, &convertible));
    sdfg_engine_free(e);
}

/* ---- rows: what a plug-in registers, and what its error says ---- */

#define ROW(id, ...)                                                                                                   \
    static bool id(const sdfg_plugin_api *api)                                                                         \
    {                                                                                                                  \
        sdfg_plugin *p = api->plugin;                                                                                  \
        return __VA_ARGS__;                                                                                            \
    }
#define PASS(...)     api->pass(p, &(sdfg_pass){ .struct_size = sizeof(sdfg_pass), __VA_ARGS__ })
#define PROVIDER(...) api->provider(p, &(sdfg_provider){ .struct_size = sizeof(sdfg_provider), __VA_ARGS__ })
#define TARGET(...)   api->target(p, &(sdfg_target){ .struct_size = sizeof(sdfg_target), __VA_ARGS__ })
#define ENVIRONMENT(...)                                                                                               \
    api->environment(p, &(sdfg_environment){ .struct_size = sizeof(sdfg_environment), __VA_ARGS__ })
#define MEMBER(...) api->member(p, &(sdfg_member){ .struct_size = sizeof(sdfg_member), __VA_ARGS__ })

static const char *const nobody[] = { "nobody", NULL }, *const heap[] = { "CPU_Heap", NULL }, *const none[] = { NULL },
                         *const sequential[] = { "Sequential", NULL }, *const own[] = { "Own", NULL },
                         *const both[] = { "Own", "CPU_Heap", NULL };
static const char *const many[] = { "a", "b", "c", "d", "e", "f", "g", "h", "i",
                                    "j", "k", "l", "m", "n", "o", "p", "q", NULL };
static const char *const blank[] = { "a b", NULL };

ROW(pass_null, api->pass(p, NULL))
ROW(pass_without_name, PASS(.run = run))
ROW(pass_with_empty_name, PASS(.name = "", .run = run))
ROW(pass_with_dash, PASS(.name = "-x", .run = run))
ROW(pass_with_comma, PASS(.name = "x,y", .run = run))
ROW(pass_without_function, PASS(.name = "x"))
ROW(pass_with_both, PASS(.name = "x", .run = run, .library = "licm"))
ROW(pass_of_nothing, PASS(.name = "x", .library = "nobody"))
ROW(pass_of_other_kind, PASS(.name = "x", .library = "licm", .kind = SDFG_PASS_GRAPH))
ROW(pass_kind, PASS(.name = "x", .run = run, .kind = (enum sdfg_pass_kind)77))
ROW(pass_where, PASS(.name = "x", .run = run, .where = (enum sdfg_pass_where)77))
ROW(pass_code, PASS(.name = "x", .run = run, .code = (enum sdfg_pass_code)77))
ROW(pass_rounds, PASS(.name = "x", .run = run, .rounds = 2))
ROW(pass_group, PASS(.name = "x", .run = run, .group = "g"))
ROW(pass_many_rounds, PASS(.name = "x", .run = run, .group = "g", .rounds = 1001))
ROW(pass_twice, PASS(.name = "x", .run = run) && PASS(.name = "x", .run = run))
ROW(pass_of_library_twice, PASS(.name = "licm", .run = run))

ROW(provider_null, api->provider(p, NULL))
ROW(provider_enumeration, PROVIDER(.name = "x", .enumeration = SDFG_ENUM_SCHEDULE))
ROW(provider_without_name, PROVIDER(.enumeration = SDFG_ENUM_INSTRUMENT))
ROW(provider_of_nobody, PROVIDER(.name = "x", .enumeration = SDFG_ENUM_DATA_INSTRUMENT))
ROW(provider_without_end, PROVIDER(.name = "LIKWID_GPU", .enumeration = SDFG_ENUM_INSTRUMENT, .begin = begin))
ROW(provider_counters,
    PROVIDER(.name = "LIKWID_GPU", .enumeration = SDFG_ENUM_INSTRUMENT, .begin = begin, .end = stop, .counters = many))
ROW(provider_counter,
    PROVIDER(.name = "LIKWID_GPU", .enumeration = SDFG_ENUM_INSTRUMENT, .begin = begin, .end = stop, .counters = blank))
ROW(provider_of_library, PROVIDER(.name = "Timer", .enumeration = SDFG_ENUM_INSTRUMENT))
ROW(provider_twice, PROVIDER(.name = "LIKWID_GPU", .enumeration = SDFG_ENUM_INSTRUMENT) &&
                        PROVIDER(.name = "LIKWID_GPU", .enumeration = SDFG_ENUM_INSTRUMENT))

ROW(environment_null, api->environment(p, NULL))
ROW(environment_without_name, ENVIRONMENT(.needs = none))
ROW(environment_with_empty_name, ENVIRONMENT(.name = ""))
ROW(environment_twice, ENVIRONMENT(.name = "x") && ENVIRONMENT(.name = "x"))
ROW(environment_symbols, ENVIRONMENT(.name = "x", .symbols = nobody))
ROW(environment_symbols_of_none, ENVIRONMENT(.name = "x", .symbols = nobody, .libraries = none))
ROW(environment_needs, ENVIRONMENT(.name = "x", .needs = nobody))

ROW(target_null, api->target(p, NULL))
ROW(target_without_name, TARGET(.text = "x"))
ROW(target_extends, TARGET(.name = "x", .extends = "nobody"))
ROW(target_functions, TARGET(.name = "x", .num_functions = 1))
ROW(target_function,
    TARGET(.name = "x", .functions = (const sdfg_target_entry[]){ { NULL, called } }, .num_functions = 1))
ROW(target_library, TARGET(.name = "x", .library = "nobody"))
ROW(target_library_begins, TARGET(.name = "x", .library = "cpu", .begin = start))
ROW(target_library_ends, TARGET(.name = "x", .library = "cpu", .end = start))
ROW(target_library_functions, TARGET(.name = "x", .library = "cpu",
                                     .functions = (const sdfg_target_entry[]){ { "f", called } }, .num_functions = 1))
ROW(target_library_enters, TARGET(.name = "x", .library = "cpu", .enter = enter))
ROW(target_library_leaves, TARGET(.name = "x", .library = "cpu", .leave = enter))
ROW(target_library_allocates, TARGET(.name = "x", .library = "cpu", .allocate = allocate))
ROW(target_library_releases, TARGET(.name = "x", .library = "cpu", .release = release))
ROW(target_library_copies, TARGET(.name = "x", .library = "cpu", .copy = copy))
ROW(target_library_node, TARGET(.name = "x", .library = "cpu", .node = lower))
ROW(target_library_compiles, TARGET(.name = "x", .library = "cpu", .compile = compile))
ROW(target_of_library, TARGET(.name = "x", .library = "openmp"))
ROW(target_of_target, TARGET(.name = "x", .library = "cpu") && TARGET(.name = "y", .library = "x"))
ROW(target_twice, TARGET(.name = "x") && TARGET(.name = "x"))
#define ONE(...) TARGET(.name = "x", .claims = (const sdfg_claim[]){ { __VA_ARGS__ } }, .num_claims = 1)
ROW(claim_rules, TARGET(.name = "x",
                        .claims = (const sdfg_claim[]){ { .kind = SDFG_CLAIM_STORAGE, .rule = "per-thread" },
                                                        { .kind = SDFG_CLAIM_NODE, .rule = "for-threads" },
                                                        { .kind = SDFG_CLAIM_NODE, .refused = "not today" } },
                        .num_claims = 3))
ROW(claim_rule_and_function, ONE(.kind = SDFG_CLAIM_NODE, .rule = "for-threads", .holds = holds))
ROW(claim_kind, ONE(.kind = (enum sdfg_claim_kind)77))
ROW(claim_rule, TARGET(.name = "x", .claims = (const sdfg_claim[]){ { .kind = SDFG_CLAIM_NODE, .rule = "per-thread" } },
                       .num_claims = 1))
ROW(claim_rule_of_schedule,
    TARGET(.name = "x", .claims = (const sdfg_claim[]){ { .kind = SDFG_CLAIM_SCHEDULE, .rule = "for-threads" } },
           .num_claims = 1))
ROW(claim_schedule,
    TARGET(.name = "x", .claims = (const sdfg_claim[]){ { .kind = SDFG_CLAIM_SCHEDULE, .names = nobody } },
           .num_claims = 1))
ROW(claim_around,
    TARGET(.name = "x", .claims = (const sdfg_claim[]){ { .kind = SDFG_CLAIM_COPY, .schedules = nobody } },
           .num_claims = 1))

/* Two targets that claim one element. */
#define TWO(first, second)                                                                                             \
    MEMBER(.enumeration = SDFG_ENUM_STORAGE, .name = "Own") &&                                                         \
        TARGET(.name = "x", .claims = (const sdfg_claim[]){ first }, .num_claims = 1) &&                               \
        TARGET(.name = "y", .claims = (const sdfg_claim[]){ second }, .num_claims = 1)
#define CLAIM(...)                                                                                                     \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }

ROW(claim_storage_twice,
    TWO(CLAIM(.kind = SDFG_CLAIM_STORAGE, .names = own), CLAIM(.kind = SDFG_CLAIM_STORAGE, .names = both)))
ROW(claim_all_twice, TWO(CLAIM(.kind = SDFG_CLAIM_NODE), CLAIM(.kind = SDFG_CLAIM_NODE)))
ROW(claim_all_and_one, TWO(CLAIM(.kind = SDFG_CLAIM_STORAGE), CLAIM(.kind = SDFG_CLAIM_STORAGE, .names = own)))
ROW(claim_other_kinds,
    TWO(CLAIM(.kind = SDFG_CLAIM_STORAGE, .names = own), CLAIM(.kind = SDFG_CLAIM_COPY, .names = own)))
ROW(claim_other_names,
    TWO(CLAIM(.kind = SDFG_CLAIM_STORAGE, .names = own), CLAIM(.kind = SDFG_CLAIM_STORAGE, .names = heap)))
ROW(claim_copies, TWO(CLAIM(.kind = SDFG_CLAIM_COPY, .names = own, .to = both, .schedules = sequential),
                      CLAIM(.kind = SDFG_CLAIM_COPY, .names = own, .to = heap, .schedules = sequential)))
ROW(claim_other_copies, TWO(CLAIM(.kind = SDFG_CLAIM_COPY, .names = own, .to = own, .schedules = sequential),
                            CLAIM(.kind = SDFG_CLAIM_COPY, .names = own, .to = heap, .schedules = sequential)))
ROW(claim_with_schedule, TWO(CLAIM(.kind = SDFG_CLAIM_COPY, .names = own, .schedules = sequential),
                             CLAIM(.kind = SDFG_CLAIM_COPY, .names = own)))

ROW(claim_from_and_to, TWO(CLAIM(.kind = SDFG_CLAIM_COPY, .names = own), CLAIM(.kind = SDFG_CLAIM_COPY, .to = heap)))
ROW(claim_to_and_from, TWO(CLAIM(.kind = SDFG_CLAIM_COPY, .to = heap), CLAIM(.kind = SDFG_CLAIM_COPY, .names = own)))
ROW(claim_first_holds, TWO(CLAIM(.kind = SDFG_CLAIM_NODE, .holds = holds), CLAIM(.kind = SDFG_CLAIM_NODE)))
ROW(claim_second_holds, TWO(CLAIM(.kind = SDFG_CLAIM_NODE), CLAIM(.kind = SDFG_CLAIM_NODE, .holds = holds)))
ROW(claim_first_rule, TWO(CLAIM(.kind = SDFG_CLAIM_NODE, .rule = "for-threads"), CLAIM(.kind = SDFG_CLAIM_NODE)))
ROW(claim_second_rule, TWO(CLAIM(.kind = SDFG_CLAIM_NODE), CLAIM(.kind = SDFG_CLAIM_NODE, .rule = "for-threads")))

ROW(member_null, api->member(p, NULL))
ROW(member_without_name, MEMBER(.enumeration = SDFG_ENUM_SCHEDULE))
ROW(member_number, MEMBER(.enumeration = (enum sdfg_enumeration)77))
ROW(member_of_format, MEMBER(.enumeration = SDFG_ENUM_LIFETIME))
ROW(member_digit, MEMBER(.enumeration = SDFG_ENUM_SCHEDULE, .name = "1a"))
ROW(member_twice,
    MEMBER(.enumeration = SDFG_ENUM_SCHEDULE, .name = "A") && MEMBER(.enumeration = SDFG_ENUM_SCHEDULE, .name = "A"))
ROW(member_of_two,
    MEMBER(.enumeration = SDFG_ENUM_SCHEDULE, .name = "A") && MEMBER(.enumeration = SDFG_ENUM_STORAGE, .name = "A"))
ROW(member_inside_itself,
    MEMBER(.enumeration = SDFG_ENUM_SCHEDULE, .name = "A", .schedule_inside = "A", .storage_inside = "Register"))
ROW(member_attribute, MEMBER(.enumeration = SDFG_ENUM_SCHEDULE, .name = "A",
                             .attributes = (const sdfg_attribute[]){ { 0 } }, .num_attributes = 1))

ROW(operation_of_nothing, api->operation(p, "a.b.C", NULL, NULL))
ROW(operation_of_nobody, api->operation(p, "a.b.C", NULL, "blas.Nobody"))
ROW(operation_twice, api->operation(p, "a.b.C", NULL, "blas.Gemm") && api->operation(p, "a.b.C", "text", "blas.Gemm"))
ROW(expansion_twice, api->expand(p, "a.b.C", NULL, expand, NULL) && api->implement(p, "a.b.C", NULL, node, NULL))
ROW(node_twice, api->implement(p, "a.b.C", NULL, node, NULL) && api->expand(p, "a.b.C", NULL, expand, NULL))
ROW(node_without_class, api->implement(p, NULL, NULL, node, NULL))
ROW(node_without_function, api->implement(p, "a.b.C", NULL, NULL, NULL))

ROW(convertible_null, api->convertible(p, NULL, NULL))
ROW(convertible_name,
    api->convertible(p, NULL, &(sdfg_convertible){ .struct_size = sizeof(sdfg_convertible), .name = "a b" }))
ROW(convertible_functions,
    api->convertible(p, NULL, &(sdfg_convertible){ .struct_size = sizeof(sdfg_convertible), .name = "a" }))

static bool says_nothing(const sdfg_plugin_api *api) { return api == NULL; }

static bool says_empty(const sdfg_plugin_api *api)
{
    api->fail(api->plugin, "");
    return true;
}

static bool says_why(const sdfg_plugin_api *api)
{
    api->fail(api->plugin, "no licence");
    api->at_free(api->plugin, NULL, NULL);
    return false;
}

TEST(mistakes)
{
    static const struct {
        const char *id;
        sdfg_plugin_function *f;
        const char *said;
    } rows[] = {
        { "pass_null", pass_null, "plug-in 'p' registers the pass '': struct sdfg_pass is NULL" },
        { "pass_without_name", pass_without_name,
          "plug-in 'p' registers the pass '': a name begins with no '-' and has no ','" },
        { "pass_with_empty_name", pass_with_empty_name,
          "plug-in 'p' registers the pass '': a name begins with no '-' and has no ','" },
        { "pass_with_dash", pass_with_dash,
          "plug-in 'p' registers the pass '-x': a name begins with no '-' and has no ','" },
        { "pass_with_comma", pass_with_comma,
          "plug-in 'p' registers the pass 'x,y': a name begins with no '-' and has no ','" },
        { "pass_without_function", pass_without_function, "plug-in 'p' registers the pass 'x': there is no function" },
        { "pass_with_both", pass_with_both,
          "plug-in 'p' registers the pass 'x': it has a function, and the library's" },
        { "pass_of_nothing", pass_of_nothing,
          "plug-in 'p' registers the pass 'x': the library has no pass 'nobody' of this kind" },
        { "pass_of_other_kind", pass_of_other_kind,
          "plug-in 'p' registers the pass 'x': the library has no pass 'licm' of this kind" },
        { "pass_kind", pass_kind,
          "plug-in 'p' registers the pass 'x': its kind, place or code is none of the enumeration" },
        { "pass_where", pass_where,
          "plug-in 'p' registers the pass 'x': its kind, place or code is none of the enumeration" },
        { "pass_code", pass_code,
          "plug-in 'p' registers the pass 'x': its kind, place or code is none of the enumeration" },
        { "pass_rounds", pass_rounds,
          "plug-in 'p' registers the pass 'x': a group has 1 to 1000 rounds, and rounds have a group" },
        { "pass_group", pass_group,
          "plug-in 'p' registers the pass 'x': a group has 1 to 1000 rounds, and rounds have a group" },
        { "pass_many_rounds", pass_many_rounds,
          "plug-in 'p' registers the pass 'x': a group has 1 to 1000 rounds, and rounds have a group" },
        { "pass_twice", pass_twice, "plug-in 'p' registers the pass 'x': plug-in 'p' has registered it" },
        { "pass_of_library_twice", pass_of_library_twice,
          "plug-in 'p' registers the pass 'licm': there is a pass 'licm'" },
        { "provider_null", provider_null, "plug-in 'p' registers the provider '': struct sdfg_provider is NULL" },
        { "provider_enumeration", provider_enumeration,
          "plug-in 'p' registers the provider 'x': its enumeration is SDFG_ENUM_INSTRUMENT or "
          "SDFG_ENUM_DATA_INSTRUMENT" },
        { "provider_without_name", provider_without_name,
          "plug-in 'p' registers the provider '': InstrumentationType has no such member" },
        { "provider_of_nobody", provider_of_nobody,
          "plug-in 'p' registers the provider 'x': DataInstrumentationType has no such member" },
        { "provider_without_end", provider_without_end,
          "plug-in 'p' registers the provider 'LIKWID_GPU': begin and end come together" },
        { "provider_counters", provider_counters,
          "plug-in 'p' registers the provider 'LIKWID_GPU': it has more than 16 counters" },
        { "provider_counter", provider_counter,
          "plug-in 'p' registers the provider 'LIKWID_GPU': names of counters are identifiers" },
        { "provider_of_library", provider_of_library,
          "plug-in 'p' registers the provider 'Timer': the library provides it" },
        { "provider_twice", provider_twice,
          "plug-in 'p' registers the provider 'LIKWID_GPU': plug-in 'p' has registered it" },
        { "environment_null", environment_null,
          "plug-in 'p' registers the environment '': struct sdfg_environment is NULL" },
        { "environment_without_name", environment_without_name,
          "plug-in 'p' registers the environment '': it has no name" },
        { "environment_with_empty_name", environment_with_empty_name,
          "plug-in 'p' registers the environment '': it has no name" },
        { "environment_twice", environment_twice,
          "plug-in 'p' registers the environment 'x': plug-in 'p' has registered it" },
        { "environment_symbols", environment_symbols,
          "plug-in 'p' registers the environment 'x': symbols are of a library, and there is none" },
        { "environment_symbols_of_none", environment_symbols_of_none,
          "plug-in 'p' registers the environment 'x': symbols are of a library, and there is none" },
        { "environment_needs", environment_needs,
          "plug-in 'p' registers the environment 'x': there is no environment 'nobody'" },
        { "target_null", target_null, "plug-in 'p' registers the target '': struct sdfg_target is NULL" },
        { "target_without_name", target_without_name, "plug-in 'p' registers the target '': it has no name" },
        { "target_extends", target_extends,
          "plug-in 'p' registers the target 'x': it extends 'nobody', which is no target" },
        { "target_functions", target_functions,
          "plug-in 'p' registers the target 'x': there are no claims or functions" },
        { "target_function", target_function,
          "plug-in 'p' registers the target 'x': functions have a name and an address" },
        { "target_library", target_library,
          "plug-in 'p' registers the target 'x': the library has no target 'nobody'" },
        { "target_library_begins", target_library_begins,
          "plug-in 'p' registers the target 'x': it has functions, and the library's" },
        { "target_library_ends", target_library_ends,
          "plug-in 'p' registers the target 'x': it has functions, and the library's" },
        { "target_library_functions", target_library_functions,
          "plug-in 'p' registers the target 'x': it has functions, and the library's" },
        { "target_library_enters", target_library_enters,
          "plug-in 'p' registers the target 'x': it has functions, and the library's" },
        { "target_library_leaves", target_library_leaves,
          "plug-in 'p' registers the target 'x': it has functions, and the library's" },
        { "target_library_allocates", target_library_allocates,
          "plug-in 'p' registers the target 'x': it has functions, and the library's" },
        { "target_library_releases", target_library_releases,
          "plug-in 'p' registers the target 'x': it has functions, and the library's" },
        { "target_library_copies", target_library_copies,
          "plug-in 'p' registers the target 'x': it has functions, and the library's" },
        { "target_library_node", target_library_node,
          "plug-in 'p' registers the target 'x': it has functions, and the library's" },
        { "target_library_compiles", target_library_compiles,
          "plug-in 'p' registers the target 'x': it has functions, and the library's" },
        { "target_of_library", target_of_library, "" },
        { "target_of_target", target_of_target, "plug-in 'p' registers the target 'y': the library has no target 'x'" },
        { "target_twice", target_twice, "plug-in 'p' registers the target 'x': there is a target of this name" },
        { "claim_rules", claim_rules, "" },
        { "claim_rule_and_function", claim_rule_and_function,
          "plug-in 'p' registers the target 'x': the library has no rule 'for-threads' for it" },
        { "claim_kind", claim_kind,
          "plug-in 'p' registers the target 'x': the kind of a claim is one of enum sdfg_claim_kind" },
        { "claim_from_and_to", claim_from_and_to,
          "plug-in 'p' registers the target 'y': target 'x' of plug-in 'p' claims the copies from storage 'Own', too" },
        { "claim_to_and_from", claim_to_and_from,
          "plug-in 'p' registers the target 'y': target 'x' of plug-in 'p' claims the copies from storage 'Own', too" },
        { "claim_first_holds", claim_first_holds, "" },
        { "claim_second_holds", claim_second_holds, "" },
        { "claim_first_rule", claim_first_rule, "" },
        { "claim_second_rule", claim_second_rule, "" },
        { "claim_rule", claim_rule,
          "plug-in 'p' registers the target 'x': the library has no rule 'per-thread' for it" },
        { "claim_rule_of_schedule", claim_rule_of_schedule,
          "plug-in 'p' registers the target 'x': the library has no rule 'for-threads' for it" },
        { "claim_schedule", claim_schedule,
          "plug-in 'p' registers the target 'x': ScheduleType has no member 'nobody'" },
        { "claim_around", claim_around, "plug-in 'p' registers the target 'x': ScheduleType has no member 'nobody'" },
        { "claim_storage_twice", claim_storage_twice,
          "plug-in 'p' registers the target 'y': target 'x' of plug-in 'p' claims the storage 'Own', too" },
        { "claim_all_twice", claim_all_twice,
          "plug-in 'p' registers the target 'y': target 'x' of plug-in 'p' claims the node 'of every name', too" },
        { "claim_all_and_one", claim_all_and_one, "" },
        { "claim_other_kinds", claim_other_kinds, "" },
        { "claim_other_names", claim_other_names, "" },
        { "claim_copies", claim_copies,
          "plug-in 'p' registers the target 'y': target 'x' of plug-in 'p' claims the copies from storage 'Own', too" },
        { "claim_other_copies", claim_other_copies, "" },
        { "claim_with_schedule", claim_with_schedule, "" },
        { "member_null", member_null, "plug-in 'p' registers the member '': struct sdfg_member is NULL" },
        { "member_without_name", member_without_name,
          "plug-in 'p' registers the ScheduleType '': names are identifiers" },
        { "member_number", member_number,
          "plug-in 'p' registers the member '': the enumeration is one of enum sdfg_enumeration" },
        { "member_of_format", member_of_format,
          "plug-in 'p' registers the AllocationLifetime '': its members are those of the format" },
        { "member_digit", member_digit, "plug-in 'p' registers the ScheduleType '1a': names are identifiers" },
        { "member_twice", member_twice, "plug-in 'p' registers the ScheduleType 'A': there is a member of this name" },
        { "member_of_two", member_of_two, "" },
        { "member_inside_itself", member_inside_itself, "" },
        { "member_attribute", member_attribute,
          "plug-in 'p' registers the ScheduleType 'A': names of attributes are identifiers other than 'type'" },
        { "operation_of_nothing", operation_of_nothing,
          "plug-in 'p' registers the library node 'a.b.C': the library has no operation ''" },
        { "operation_of_nobody", operation_of_nobody,
          "plug-in 'p' registers the library node 'a.b.C': the library has no operation 'blas.Nobody'" },
        { "operation_twice", operation_twice,
          "plug-in 'p' registers the library node 'a.b.C': plug-in 'p' has registered it" },
        { "expansion_twice", expansion_twice,
          "plug-in 'p' registers the library node 'a.b.C': plug-in 'p' has registered it" },
        { "node_twice", node_twice, "plug-in 'p' registers the library node 'a.b.C': plug-in 'p' has registered it" },
        { "node_without_class", node_without_class,
          "plug-in 'p' registers the library node '': the class path is empty" },
        { "node_without_function", node_without_function,
          "plug-in 'p' registers the library node 'a.b.C': there is no function" },
        { "convertible_null", convertible_null,
          "plug-in 'p' registers the convertible object '': struct sdfg_convertible is NULL" },
        { "convertible_name", convertible_name,
          "plug-in 'p' registers the convertible object 'a b': names are identifiers" },
        { "convertible_functions", convertible_functions,
          "plug-in 'p' registers the convertible object 'a': it needs the functions signature and sdfg" },
        { "says_nothing", says_nothing, "plug-in 'p' cannot be used: it did not say why" },
        { "says_empty", says_empty, "plug-in 'p' cannot be used: it did not say why" },
        { "says_why", says_why, "plug-in 'p' cannot be used: no licence" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *text = said("p", rows[i].f);
        if (strcmp(text, rows[i].said) != 0)
            printf("%s:\n", rows[i].id);
        CHECK_STR(text, rows[i].said);
    }
}

/* Library nodes that the embedding program implements are its own. */
TEST(the_embedding_program_was_first)
{
    sdfg_engine *e;
    sdfg_plugin_about about = { sizeof about, SDFG_PLUGIN_ABI, "p", NULL, NULL };
    CHECK(!sdfg_engine_new(&e, NULL) && !sdfg_engine_implement(e, "a.b.C", node, NULL));
    sdfg_error *error = sdfg_engine_extend(e, &about, node_twice);
    CHECK_STR(sdfg_error_message(error),
              "plug-in 'p' registers the library node 'a.b.C': the embedding program implements it");
    sdfg_error_free(error);
    about.name = NULL;
    error = sdfg_engine_extend(e, &about, keep);
    CHECK_STR(sdfg_error_message(error), "plug-in 'of the embedding program' has the name '', which is not 1 to 64 "
                                         "letters, digits, '_', '-' and '.'");
    sdfg_error_free(error);
    sdfg_engine_free(e);
}

CHECK_MAIN
