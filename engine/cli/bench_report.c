#include "engine/cli/bench.h"
#include "ir/json/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void bench_note(struct bench *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vec_push(b->arena, &b->notes, arena_vprintf(b->arena, format, args));
    va_end(args);
}

const char *bench_duration(double seconds, char buffer[32])
{
    double scale = seconds >= 1 ? 1 : seconds >= 1e-3 ? 1e3 : seconds >= 1e-6 ? 1e6 : 1e9;
    snprintf(buffer, 32, "%.3g %s", seconds * scale,
             seconds >= 1      ? "s"
             : seconds >= 1e-3 ? "ms"
             : seconds >= 1e-6 ? "us"
                               : "ns");
    return buffer;
}

/* ---- verdicts ---- */

static double median_of(const struct bench *b, const struct side *s, size_t offset)
{
    struct samples part = { NEW_ARRAY(b->arena, double, s->cold.count + 1), s->cold.count };
    for (int i = 0; i < s->cold.count; i++)
        memcpy(&part.values[i], (const char *)&s->colds[i] + offset, sizeof *part.values);
    return samples_estimate(&part).median;
}

/* After n more calls ours have cost cold + n * call. */
static void find_break_even(struct verdict *v, double cold, double call, double their_cold, double their_call)
{
    double behind = cold - their_cold, gain = their_call - call;
    if (behind <= 0 && gain >= 0)
        v->break_even = 1;
    else if (gain > 0)
        v->break_even = 1 + ceil(behind / gain);
    else if (behind < 0) {
        v->break_even = 1 + floor(behind / gain);
        v->until = true;
    }
}

struct verdict bench_verdict(const struct bench *b, const struct side *s)
{
    const struct side *first = &b->sides[0];
    struct verdict v = { .cold = samples_estimate(&s->cold), .ratio = samples_estimate(&s->ratios) };
    for (int how = 0; how < NUM_CALL_KINDS; how++)
        v.calls[how] = samples_estimate(&s->calls[how]);
    v.parts = (struct cold){ median_of(b, s, offsetof(struct cold, load)), median_of(b, s, offsetof(struct cold, make)),
                             median_of(b, s, offsetof(struct cold, first)) };
    if (s != first)
        find_break_even(&v, samples_estimate(&first->cold).median, samples_estimate(&first->calls[CALL_BOUND]).median,
                        v.cold.median, v.calls[CALL_BOUND].median);
    return v;
}

/* "after 120 calls": when the first side has taken less time than this one. */
const char *bench_paid(const struct verdict *v, char buffer[64])
{
    if (v->until)
        snprintf(buffer, 64, "until call %.0f", v->break_even);
    else if (v->break_even <= 0)
        snprintf(buffer, 64, "never");
    else if (v->break_even <= 1)
        snprintf(buffer, 64, "at once");
    else
        snprintf(buffer, 64, v->break_even < 1e9 ? "after %.0f calls" : "after %.3g calls", v->break_even);
    return buffer;
}

/* ---- text ---- */

static void print_side(const struct bench *b, const struct side *s)
{
    char cold[32], warm[32], bound[32], least[32], low[32], high[32], ahead[32], paid[64];
    struct verdict v = bench_verdict(b, s);
    const struct estimate *e = &v.calls[CALL_BOUND];
    printf("%-16s %9s %9s %9s %9s   %9s .. %-9s %9s", s->name, s->ahead > 0 ? bench_duration(s->ahead, ahead) : "-",
           bench_duration(v.cold.median, cold),
           v.calls[CALL_WARM].count ? bench_duration(v.calls[CALL_WARM].median, warm) : "-",
           bench_duration(e->median, bound), bench_duration(e->low, low), bench_duration(e->high, high),
           bench_duration(e->least, least));
    if (s == b->sides)
        printf(" %6s   %s\n", "1", "-");
    else
        printf(" %6.3f   %s\n", v.ratio.median, bench_paid(&v, paid));
}

double bench_floor(const struct bench *b, const struct nest *n)
{
    if (!b->roofs.measured || n->flops < 0 || n->bytes < 0)
        return -1;
    double compute = n->flops / b->roofs.flops_per_second, memory = n->bytes / b->roofs.bytes_per_second;
    return compute > memory ? compute : memory;
}

static const char *number(double value, double scale, char buffer[32])
{
    snprintf(buffer, 32, value < 0 ? "?" : "%.4g", value / scale);
    return buffer;
}

/* What each nest would take if the machine did nothing but what binds it. */
static void print_nests(const struct bench *b)
{
    enum { WIDTH = 44, MOST = 12 };
    char runs[32], flops[32], bytes[32], least[32];
    printf("\n%-*s %9s %10s %10s %10s   %s\n", WIDTH, "loop nest", "runs", "MFLOP", "MB", "at least", "bound by");
    for (uint32_t i = 0; i < b->nests.count && i < MOST; i++) {
        const struct nest *n = &b->nests.items[i];
        double floor = bench_floor(b, n);
        size_t length = strlen(n->path);
        printf("%-*s %9s %10s %10s %10s   %s\n", WIDTH, length > WIDTH ? n->path + length - WIDTH : n->path,
               number(n->runs, 1, runs), number(n->flops, 1e6, flops), number(n->bytes, 1e6, bytes),
               floor < 0 || n->runs < 0 ? "?" : bench_duration(floor * n->runs, least),
               floor < 0                                      ? "?"
               : floor > n->bytes / b->roofs.bytes_per_second ? "arithmetic"
                                                              : "memory");
    }
    if (b->nests.count > MOST)
        printf("and %u more (--json)\n", b->nests.count - MOST);
}

static void print_roofs(const struct bench *b)
{
    double seconds = bench_verdict(b, b->sides).calls[CALL_BOUND].median;
    printf("\nmachine, %d thread%s: triad %.3g GB/s, fused multiply-add %.4g GFLOP/s (%s)\n", b->roofs.threads,
           b->roofs.threads == 1 ? "" : "s", b->roofs.bytes_per_second / 1e9, b->roofs.flops_per_second / 1e9,
           b->roofs.vectors);
    if (b->bytes >= 0)
        printf("%s touches %.4g MB a call: %.3g GB/s, %.0f %% of triad\n", b->sides[0].name, b->bytes / 1e6,
               b->bytes / seconds / 1e9, 100 * b->bytes / seconds / b->roofs.bytes_per_second);
    if (b->flops >= 0)
        printf("%s does %.4g MFLOP a call: %.4g GFLOP/s, %.0f %% of the peak\n", b->sides[0].name, b->flops / 1e6,
               b->flops / seconds / 1e9, 100 * b->flops / seconds / b->roofs.flops_per_second);
}

void bench_print_program(const struct side *s)
{
    printf("%s", sdfg_program_name(s->in.program));
    sdfg_argument a = { .struct_size = sizeof a };
    int64_t value;
    for (size_t i = 0; sdfg_program_argument(s->in.program, i, &a); i++)
        if (a.kind == SDFG_KIND_SYMBOL && sdfg_args_value(s->in.args, a.name, &value))
            printf(" %s=%lld", a.name, (long long)value);
}

void bench_print(const struct bench *b)
{
    bench_print_program(b->sides);
    printf(", %d thread%s, %d rounds of %d call%s\n\n", b->threads, b->threads == 1 ? "" : "s", b->rounds, b->calls,
           b->calls == 1 ? "" : "s");
    printf("%-16s %9s %9s %9s %9s   %22s %9s %6s   %s\n", "", "ahead", "cold", "warm", "bound", "95 % of bound    ",
           "least", "ratio", "jit has paid");
    for (int i = 0; i < b->num_sides; i++)
        print_side(b, &b->sides[i]);
    if (b->roofs.measured)
        print_roofs(b);
    if (b->roofs.measured && b->nests.count)
        print_nests(b);
    if (b->notes.count)
        putchar('\n');
    for (uint32_t i = 0; i < b->notes.count; i++)
        printf("note: %s\n", b->notes.items[i]);
}

/* ---- JSON ---- */

static void write_estimate(struct json_writer *w, const char *key, const struct estimate *e, const struct samples *s)
{
    if (!e->count) {
        json_write_null(w, key);
        return;
    }
    json_begin(w, key, '{');
    json_write_real(w, "median", e->median);
    json_write_real(w, "low", e->low);
    json_write_real(w, "high", e->high);
    json_write_real(w, "least", e->least);
    json_write_real(w, "spread", e->spread);
    json_begin(w, "samples", '[');
    for (int i = 0; i < s->count; i++)
        json_write_real(w, NULL, s->values[i]);
    json_end(w, ']');
    json_end(w, '}');
}

static void write_side(struct json_writer *w, const struct bench *b, const struct side *s)
{
    struct verdict v = bench_verdict(b, s);
    json_begin(w, NULL, '{');
    json_write_string(w, "name", s->name);
    json_write_real(w, "ahead", s->ahead);
    write_estimate(w, "cold", &v.cold, &s->cold);
    json_begin(w, "cold_parts", '{');
    json_write_real(w, "load", v.parts.load);
    json_write_real(w, "make", v.parts.make);
    json_write_real(w, "first", v.parts.first);
    json_end(w, '}');
    write_estimate(w, "warm", &v.calls[CALL_WARM], &s->calls[CALL_WARM]);
    write_estimate(w, "bound", &v.calls[CALL_BOUND], &s->calls[CALL_BOUND]);
    write_estimate(w, "ratio", &v.ratio, &s->ratios);
    if (s != b->sides && v.break_even > 0)
        json_write_real(w, v.until ? "paid_until" : "paid_after", v.break_even);
    else
        json_write_null(w, "paid_after");
    json_write_string(w, "note", *s->note ? s->note : NULL);
    json_end(w, '}');
}

static void write_known(struct json_writer *w, const char *key, double value)
{
    if (value >= 0)
        json_write_real(w, key, value);
    else
        json_write_null(w, key);
}

void bench_json(const struct bench *b, struct text *out)
{
    struct json_writer w = { .out = out };
    const struct inputs *in = &b->sides[0].in;
    json_begin(&w, NULL, '{');
    json_write_string(&w, "program", sdfg_program_name(in->program));
    json_write_string(&w, "version", sdfg_version());
    json_begin(&w, "symbols", '{');
    sdfg_argument a = { .struct_size = sizeof a };
    int64_t value;
    for (size_t i = 0; sdfg_program_argument(in->program, i, &a); i++)
        if (a.kind == SDFG_KIND_SYMBOL && sdfg_args_value(in->args, a.name, &value))
            json_write_int(&w, a.name, value);
    json_end(&w, '}');
    json_write_int(&w, "threads", b->threads);
    json_write_int(&w, "rounds", b->rounds);
    json_write_int(&w, "calls_per_sample", b->calls);
    json_begin(&w, "builds", '[');
    for (int i = 0; i < b->num_sides; i++)
        write_side(&w, b, &b->sides[i]);
    json_end(&w, ']');
    json_begin(&w, "machine", '{');
    write_known(&w, "triad_bytes_per_second", b->roofs.measured ? b->roofs.bytes_per_second : -1);
    write_known(&w, "peak_flops_per_second", b->roofs.measured ? b->roofs.flops_per_second : -1);
    json_write_string(&w, "vectors", b->roofs.measured ? b->roofs.vectors : NULL);
    json_end(&w, '}');
    json_begin(&w, "work", '{');
    write_known(&w, "bytes", b->bytes);
    write_known(&w, "flops", b->flops);
    json_begin(&w, "nests", '[');
    for (uint32_t i = 0; i < b->nests.count; i++) {
        const struct nest *n = &b->nests.items[i];
        json_begin(&w, NULL, '{');
        json_write_string(&w, "path", n->path);
        write_known(&w, "runs", n->runs);
        write_known(&w, "flops", n->flops);
        write_known(&w, "bytes", n->bytes);
        write_known(&w, "at_least", bench_floor(b, n));
        json_end(&w, '}');
    }
    json_end(&w, ']');
    json_end(&w, '}');
    json_begin(&w, "notes", '[');
    for (uint32_t i = 0; i < b->notes.count; i++)
        json_write_string(&w, NULL, b->notes.items[i]);
    json_end(&w, ']');
    json_end(&w, '}');
    text_addc(out, '\n');
}

/* ---- CSV ---- */

static void add_lines(struct text *out, const struct side *s, const char *kind, const struct samples *samples)
{
    for (int i = 0; i < samples->count; i++) {
        text_addc(out, '"');
        for (const char *at = s->name; *at; at++)
            text_printf(out, *at == '"' ? "\"\"" : "%c", *at);
        text_printf(out, "\",%s,%d,%.9g\n", kind, i, samples->values[i]);
    }
}

void bench_csv(const struct bench *b, struct text *out)
{
    text_add(out, "build,call,round,seconds\n");
    for (int i = 0; i < b->num_sides; i++) {
        const struct side *s = &b->sides[i];
        add_lines(out, s, "cold", &s->cold);
        add_lines(out, s, "warm", &s->calls[CALL_WARM]);
        add_lines(out, s, "bound", &s->calls[CALL_BOUND]);
    }
}
