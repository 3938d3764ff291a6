/* Trees before and after the pass nontemporal; what it makes is run in test_pass_run.c. */
#include "tests/unit/machine.h"
#include "tests/unit/tree_sample.h"

enum { CACHE = 64 << 10 };

/* for i { for j { A[i * row + j] = B[i * row + j] } } */
struct rows {
    struct sample s;
    struct array a, b;
    struct tree_stmt *i, *j;
    struct tree_expr *at;
};

static struct rows rows_new(int64_t rows, int64_t columns, int64_t row)
{
    struct rows r = { .s = sample_new() };
    struct sample *s = &r.s;
    set_machine(s->t, 0, false, CACHE);
    r.a = array_new(s, "A");
    r.b = array_new(s, "B");
    r.i = loop(s, s->body, "i", i64(s, 0), i64(s, rows));
    r.j = loop(s, r.i->body, "j", i64(s, 0), i64(s, columns));
    r.at = plus(s, expr_binary(s->t, EXPR_MUL, var(s, r.i->var), i64(s, row)), var(s, r.j->var));
    store(s, r.j->body, r.a, r.at, load(s, r.b, r.at));
    return r;
}

/* Does the store go past the caches? */
static bool passes(struct rows *r)
{
    opt_nontemporal(r->s.t, &r->s.options);
    bool found = strstr(shown(&r->s), "nontemporal") != NULL;
    ir_free(r->s.ir);
    return found;
}

TEST(large_results_go_past_the_caches)
{
    struct rows r = rows_new(16, 512, 512);
    opt_nontemporal(r.s.t, &r.s.options);
    CHECK_STR(shown(&r.s), "for i = 0 to 16 step 1 independent {\n"
                           "    past = (int64(&A[i * 512]) & 63) / 8\n"
                           "    for j#6 = -past to 512 step 128 independent {\n"
                           "        low = max(j#6, 0)\n"
                           "        high = min(j#6 + 128, 512)\n"
                           "        block = stack float64[128]\n"
                           "        for j = low to high step 1 independent {\n"
                           "            block[j - j#6] = B[i * 512 + j]\n"
                           "        }\n"
                           "        copy nontemporal float64[high - low] at &A[i * 512 + low] from &block[low - j#6]\n"
                           "    }\n"
                           "}\n"
                           "sdfg_rt_nontemporal_end()\n");
    CHECK_STR(remarks_text(r.s.ir),
              "done   stores      A[i * 512 + j]: is stored past the caches: it is larger than the largest "
              "one of 65536 bytes\n");
    ir_free(r.s.ir);
}

TEST(what_fits_stays)
{
    struct rows r = rows_new(15, 512, 512);
    CHECK(!passes(&r));
    r = rows_new(16, 512, 511); /* rows overlap: elements are stored twice */
    CHECK(!passes(&r));
    r = rows_new(1000, 256, 256); /* short rows */
    CHECK(!passes(&r));
    r = rows_new(16, 512, 512);
    set_machine(r.s.t, 0, false, 0); /* not known */
    CHECK(!passes(&r));
    r = rows_new(16, 512, 600);
    CHECK(passes(&r));
}

TEST(arrays_of_which_the_nest_does_more_stay)
{
    struct rows r = rows_new(16, 512, 512);
    store(&r.s, r.j->body, r.b, r.at, load(&r.s, r.a, r.at)); /* is loaded in the same iteration */
    CHECK(!passes(&r));
    r = rows_new(16, 512, 512);
    struct tree_stmt *k = loop(&r.s, r.i->body, "k", i64(&r.s, 0), i64(&r.s, 512));
    store(&r.s, k->body, r.b, var(&r.s, k->var), load(&r.s, r.a, var(&r.s, k->var))); /* in another loop of the row */
    CHECK(!passes(&r));
    r = rows_new(16, 512, 512);
    struct array other = { r.b.var, 0 }; /* may be any memory */
    store(&r.s, r.i->body, r.b, i64(&r.s, 0), load(&r.s, other, i64(&r.s, 0)));
    CHECK(!passes(&r));
}

/* Rows that a loop between them repeats are in cache when they are stored again. */
TEST(repeated_stores_stay)
{
    struct rows r = rows_new(16, 512, 512);
    struct sample *s = &r.s;
    struct tree_stmt *t = loop(s, s->body, "t", i64(s, 0), i64(s, 4)),
                     *j = loop(s, t->body, "j", i64(s, 0), i64(s, 4096));
    store(s, j->body, r.b, var(s, j->var), load(s, r.a, i64(s, 0)));
    opt_nontemporal(s->t, &s->options);
    const char *text = shown(s);
    CHECK(strstr(text, "at &A[") != NULL);
    CHECK(strstr(text, "at &B[") == NULL);
    ir_free(s->ir);
}

TEST(stores_under_conditions_stay)
{
    struct rows r = rows_new(16, 512, 512);
    struct tree_stmt *s = r.j->body->items.items[0];
    r.j->body = stmt_block(r.s.t);
    struct tree_expr *odd = expr_binary(r.s.t, EXPR_AND, var(&r.s, r.j->var), i64(&r.s, 1));
    stmt_append(r.s.t, stmt_if(r.s.t, r.j->body, expr_truth(r.s.t, odd))->body, s);
    CHECK(!passes(&r));
}

/* What the decisions say of other machines: the store has 16 * 512 elements of 8 bytes. */
TEST(for_which_caches_the_code_is_the_same)
{
    enum { BYTES = 16 * 512 * 8 };
    for (int64_t cache = BYTES / 2; cache <= 2 * BYTES; cache *= 2) {
        struct rows r = rows_new(16, 512, 512);
        struct tree *t = r.s.t;
        set_machine(t, 0, false, cache);
        bool found = cache <= BYTES;
        CHECK(t->same_cache.least == 0 && t->same_cache.most == INT64_MAX);
        opt_nontemporal(t, &r.s.options);
        CHECK((strstr(shown(&r.s), "nontemporal") != NULL) == found);
        CHECK(t->same_cache.least <= cache && cache <= t->same_cache.most);
        CHECK(found ? t->same_cache.most == BYTES : t->same_cache.least == BYTES + 1);
        ir_free(r.s.ir);
    }
}

TEST(large_fills_go_past_the_caches)
{
    for (int64_t count = CACHE / 8 - 1; count <= CACHE / 8; count++) {
        struct sample s = sample_new();
        struct array a = array_new(&s, "A");
        set_machine(s.t, 0, false, CACHE);
        stmt_zero(s.t, s.body, s.f64, var(&s, a.var), a.alias, i64(&s, count));
        opt_nontemporal(s.t, &s.options);
        CHECK((strstr(shown(&s), "zero nontemporal") != NULL) == (count == CACHE / 8));
        ir_free(s.ir);
    }
}

CHECK_MAIN
