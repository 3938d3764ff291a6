/* A page that needs nothing else: style and plots are inside. */
#include "engine/cli/bench.h"

#include <math.h>

enum { WIDTH = 720, LEFT = 130, RIGHT = 110, ROW = 34, HEIGHT = 300 };

static const char *const colours[] = { "#1f77b4", "#d95f02", "#1b9e77", "#7570b3", "#e7298a", "#666666" };

static const char *colour(int i) { return colours[i % (int)(sizeof colours / sizeof *colours)]; }

static void add_escaped(struct text *out, const char *s)
{
    for (; *s; s++)
        if (*s == '&' || *s == '<' || *s == '>' || *s == '"')
            text_printf(out, "&#%d;", *s);
        else
            text_addc(out, *s);
}

static void add_label(struct text *out, double x, double y, const char *anchor, const char *s)
{
    text_printf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    add_escaped(out, s);
    text_add(out, "</text>\n");
}

static void add_box(struct text *out, double x, double y, double width, const char *fill, double opacity)
{
    text_printf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"18\" fill=\"%s\" opacity=\"%g\"/>\n", x, y,
                width, fill, opacity);
}

static void add_line(struct text *out, double x1, double y1, double x2, double y2, const char *stroke)
{
    text_printf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n", x1, y1, x2, y2, stroke);
}

static void begin_plot(struct text *out, const char *title, int height)
{
    text_printf(out, "<h2>%s</h2>\n<svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\">\n", title, WIDTH,
                height, WIDTH, height);
}

/* ---- bars ---- */

static void add_bound(const struct bench *b, const struct verdict *v, struct text *out)
{
    char text[32];
    double most = 0;
    for (int i = 0; i < b->num_sides; i++)
        most = fmax(most, v[i].calls[CALL_BOUND].high);
    begin_plot(out, "Bound call: median and 95 % interval", b->num_sides * ROW + 8);
    for (int i = 0; i < b->num_sides; i++) {
        const struct estimate *e = &v[i].calls[CALL_BOUND];
        double y = i * ROW + 6, scale = (WIDTH - LEFT - RIGHT) / most;
        add_label(out, LEFT - 8, y + 14, "end", b->sides[i].name);
        add_box(out, LEFT, y, e->median * scale, colour(i), 0.8);
        add_line(out, LEFT + e->low * scale, y + 9, LEFT + e->high * scale, y + 9, "#000");
        add_line(out, LEFT + e->low * scale, y + 4, LEFT + e->low * scale, y + 14, "#000");
        add_line(out, LEFT + e->high * scale, y + 4, LEFT + e->high * scale, y + 14, "#000");
        add_label(out, LEFT + e->high * scale + 8, y + 14, "start", bench_duration(e->median, text));
    }
    text_add(out, "</svg>\n");
}

static void add_cold(const struct bench *b, const struct verdict *v, struct text *out)
{
    char text[32];
    double most = 0;
    for (int i = 0; i < b->num_sides; i++)
        most = fmax(most, v[i].parts.load + v[i].parts.make + v[i].parts.first);
    begin_plot(out, "Cold call: loading (light), compiling or reading code, first run (dark)", b->num_sides * ROW + 8);
    for (int i = 0; i < b->num_sides; i++) {
        double y = i * ROW + 6, x = LEFT, scale = (WIDTH - LEFT - RIGHT) / most;
        const double parts[] = { v[i].parts.load, v[i].parts.make, v[i].parts.first };
        const double shades[] = { 0.3, 0.6, 1 };
        add_label(out, LEFT - 8, y + 14, "end", b->sides[i].name);
        for (int k = 0; k < 3; k++) {
            add_box(out, x, y, parts[k] * scale, colour(i), shades[k]);
            x += parts[k] * scale;
        }
        add_label(out, x + 8, y + 14, "start", bench_duration(v[i].cold.median, text));
    }
    text_add(out, "</svg>\n");
}

/* ---- lines on logarithmic axes ---- */

struct axes {
    double low_x, high_x, low_y, high_y; /* powers of ten */
};

static double at_x(const struct axes *a, double x)
{
    return LEFT + (log10(x) - a->low_x) / (a->high_x - a->low_x) * (WIDTH - LEFT - RIGHT);
}

static double at_y(const struct axes *a, double y)
{
    return HEIGHT - 40 - (log10(y) - a->low_y) / (a->high_y - a->low_y) * (HEIGHT - 60);
}

static void add_axes(struct text *out, const struct axes *a, const char *x, const char *y)
{
    char text[32];
    for (int e = (int)a->low_x; e <= (int)a->high_x; e++) {
        double at = at_x(a, pow(10, e));
        add_line(out, at, 20, at, HEIGHT - 40, "#ddd");
        snprintf(text, sizeof text, "1e%d", e);
        add_label(out, at, HEIGHT - 24, "middle", text);
    }
    for (int e = (int)a->low_y; e <= (int)a->high_y; e++) {
        double at = at_y(a, pow(10, e));
        add_line(out, LEFT, at, WIDTH - RIGHT, at, "#ddd");
        snprintf(text, sizeof text, "1e%d", e);
        add_label(out, LEFT - 8, at + 4, "end", text);
    }
    add_label(out, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 6, "middle", x);
    add_label(out, LEFT, 12, "start", y);
}

static void add_total(const struct bench *b, const struct verdict *v, struct text *out)
{
    enum { POINTS = 60 };
    double most_calls = 10, least = 1e9, most = 0;
    for (int i = 1; i < b->num_sides; i++)
        most_calls = fmax(most_calls, v[i].break_even * 10);
    most_calls = pow(10, ceil(log10(fmin(most_calls, 1e9))));
    for (int i = 0; i < b->num_sides; i++) {
        least = fmin(least, v[i].cold.median);
        most = fmax(most, v[i].cold.median + most_calls * v[i].calls[CALL_BOUND].median);
    }
    struct axes a = { 0, log10(most_calls), floor(log10(least)), ceil(log10(most)) };
    begin_plot(out, "Time in all, from the start of the process", HEIGHT);
    add_axes(out, &a, "calls", "seconds");
    for (int i = 0; i < b->num_sides; i++) {
        text_printf(out, "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"%s\" points=\"", colour(i));
        for (int k = 0; k <= POINTS; k++) {
            double calls = pow(most_calls, (double)k / POINTS);
            text_printf(out, "%.1f,%.1f ", at_x(&a, calls),
                        at_y(&a, v[i].cold.median + (calls - 1) * v[i].calls[CALL_BOUND].median));
        }
        text_add(out, "\"/>\n");
        add_box(out, WIDTH - RIGHT + 8, 20 + i * 24, 10, colour(i), 1);
        add_label(out, WIDTH - RIGHT + 24, 34 + i * 24, "start", b->sides[i].name);
    }
    text_add(out, "</svg>\n");
}

static void add_roofline(const struct bench *b, const struct verdict *v, struct text *out)
{
    if (!b->roofs.measured || b->flops <= 0 || b->bytes <= 0)
        return;
    double peak = b->roofs.flops_per_second, width = b->roofs.bytes_per_second, intensity = b->flops / b->bytes;
    double least = peak;
    for (int i = 0; i < b->num_sides; i++)
        least = fmin(least, b->flops / v[i].calls[CALL_BOUND].median);
    struct axes a = { -2, 3, floor(log10(fmin(least, peak / 100))), ceil(log10(peak)) };
    a.low_x = fmin(a.low_x, floor(log10(intensity)));
    a.high_x = fmax(a.high_x, ceil(log10(intensity)));
    double ridge = peak / width, first = fmax(pow(10, a.low_x), pow(10, a.low_y) / width);
    begin_plot(out, "Roofline: operations per second by operations per byte touched", HEIGHT);
    add_axes(out, &a, "operations per byte", "operations per second");
    add_line(out, at_x(&a, first), at_y(&a, first * width), at_x(&a, ridge), at_y(&a, peak), "#000");
    add_line(out, at_x(&a, ridge), at_y(&a, peak), WIDTH - RIGHT, at_y(&a, peak), "#000");
    for (int i = 0; i < b->num_sides; i++) {
        text_printf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"%s\"/>\n", at_x(&a, intensity),
                    at_y(&a, b->flops / v[i].calls[CALL_BOUND].median), colour(i));
        add_box(out, WIDTH - RIGHT + 8, 20 + i * 24, 10, colour(i), 1);
        add_label(out, WIDTH - RIGHT + 24, 34 + i * 24, "start", b->sides[i].name);
    }
    text_add(out, "</svg>\n");
}

/* ---- the page ---- */

static void add_table(const struct bench *b, const struct verdict *v, struct text *out)
{
    char a[32], c[32], w[32], m[32], low[32], high[32], paid[64];
    text_add(out, "<table>\n<tr><th></th><th>ahead</th><th>cold</th><th>warm</th><th>bound</th><th>95 %</th>"
                  "<th>ratio</th><th>jit has paid</th></tr>\n");
    for (int i = 0; i < b->num_sides; i++) {
        const struct side *s = &b->sides[i];
        const struct estimate *e = &v[i].calls[CALL_BOUND];
        bool warm = v[i].calls[CALL_WARM].count > 0;
        text_add(out, "<tr><th>");
        add_escaped(out, s->name);
        text_printf(out,
                    "</th><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s .. %s</td><td>%.3f</td><td>%s</td></tr>\n",
                    s->ahead > 0 ? bench_duration(s->ahead, a) : "", bench_duration(v[i].cold.median, c),
                    warm ? bench_duration(v[i].calls[CALL_WARM].median, w) : "", bench_duration(e->median, m),
                    bench_duration(e->low, low), bench_duration(e->high, high), v[i].ratio.median,
                    i ? bench_paid(&v[i], paid) : "");
    }
    text_add(out, "</table>\n");
}

void bench_html(const struct bench *b, struct text *out)
{
    struct verdict *v = NEW_ARRAY(b->arena, struct verdict, b->num_sides);
    for (int i = 0; i < b->num_sides; i++)
        v[i] = bench_verdict(b, &b->sides[i]);
    text_add(out, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>sdfg-bench: ");
    add_escaped(out, sdfg_program_name(b->sides[0].in.program));
    text_add(out,
             "</title>\n<style>body{font:15px sans-serif;max-width:760px;margin:2em auto;padding:0 1em}"
             "table{border-collapse:collapse}td,th{padding:.2em .6em;text-align:right;border-bottom:1px solid #ccc}"
             "h2{font-size:1em;margin:1.6em 0 .4em}svg{max-width:100%;height:auto}svg text{font-size:12px}</style>"
             "</head><body>\n<h1>");
    add_escaped(out, sdfg_program_name(b->sides[0].in.program));
    text_printf(out, "</h1>\n<p>%d thread%s, %d rounds of %d call%s.</p>\n", b->threads, b->threads == 1 ? "" : "s",
                b->rounds, b->calls, b->calls == 1 ? "" : "s");
    add_table(b, v, out);
    add_bound(b, v, out);
    add_cold(b, v, out);
    add_total(b, v, out);
    add_roofline(b, v, out);
    for (uint32_t i = 0; i < b->notes.count; i++) {
        text_add(out, "<p>Note: ");
        add_escaped(out, b->notes.items[i]);
        text_add(out, "</p>\n");
    }
    text_add(out, "</body></html>\n");
}
