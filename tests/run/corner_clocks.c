/* std::chrono in C++ tasklets: clocks, and what is computed from durations. */
#include "tests/run/corner.h"

static struct corner_body cpp(struct corner *c, const char *code, const char *inputs, const char *outputs)
{
    struct corner_body b = corner_body(corner_state(c), NULL, code, inputs, outputs, NULL);
    b.tasklet->code.language = enum_builtin(c->ir, LANGUAGE_CPP);
    return b;
}

/* How long a program takes, as GT4Py measures it: one tasklet in front of it, one behind. */
static void measured(struct corner *c)
{
    corner_array(c, "int64 S[1]", "7", "0");
    corner_array(c, "float64 T[1]", "-1", "1");
    cpp(c,
        "auto now = std::chrono::high_resolution_clock::now();\n"
        "time = std::chrono::duration_cast<std::chrono::nanoseconds>(now.time_since_epoch()).count();",
        NULL, "time = S[0]");
    cpp(c,
        "auto run_cpp_end_time = std::chrono::high_resolution_clock::now();\n"
        "auto end = static_cast<int64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(\n"
        "    run_cpp_end_time.time_since_epoch()).count());\n"
        "double duration = static_cast<double>(end - start) * 1.e-9;\n"
        "time = start > 1500000000ll * 1000000000ll && duration >= 0 && duration < 60; was = 0;",
        "start = S[0]", "time = T[0], was = S[0]");
}

/* Clocks do not go back, and differences are durations of other units. */
static void clocks(struct corner *c)
{
    corner_array(c, "int32 R[4]", "4*-1", "1 1 1 1");
    cpp(c,
        "using namespace std::chrono;\n"
        "auto a = steady_clock::now(); auto b = steady_clock::now();\n"
        "system_clock::time_point s = system_clock::now();\n"
        "duration<double> d = b - a; std::chrono::duration<double, std::milli> m(b - a);\n"
        "r[0] = b >= a && steady_clock::is_steady && !system_clock::is_steady;\n"
        "r[1] = d.count() >= 0 && d.count() < 10 && m.count() >= d.count();\n"
        "r[2] = duration_cast<hours>(s.time_since_epoch()).count() > 400000;\n"
        "s += seconds(5); r[3] = s - seconds(10) < system_clock::now() && s + minutes(1) > system_clock::now();",
        NULL, "r = R[0:4]");
}

/* Conversions truncate, sums have the finer unit, and what has no remainder converts by itself. */
static void durations(struct corner *c)
{
    corner_array(c, "int64 R[8]", "8*-1", "1999 1 3723000 90500 -2 250 7 120");
    corner_array(c, "float64 Q[3]", "3*-1", "1.5 0.25 2.5");
    cpp(c,
        "using namespace std::chrono;\n"
        "auto v = nanoseconds(1999999); microseconds u = duration_cast<microseconds>(v);\n"
        "r[0] = u.count(); r[1] = duration_cast<milliseconds>(u).count();\n"
        "milliseconds m = hours(1) + minutes(2) + seconds(3); r[2] = m.count();\n"
        "auto h = seconds(90) + milliseconds(500); r[3] = h.count();\n"
        "r[4] = duration_cast<seconds>(milliseconds(-2999)).count();\n"
        "m = milliseconds(1000) / 4; r[5] = m.count(); r[6] = minutes(7) / minutes(1); m *= 2; m -= "
        "milliseconds(380);\n"
        "r[7] = (-m).count() * -1;\n"
        "q[0] = duration<double>(milliseconds(1500)).count();\n"
        "q[1] = duration_cast<duration<double, std::ratio<60>>>(seconds(15)).count();\n"
        "q[2] = (duration<double>(1.25) * 2).count();",
        NULL, "r = R[0:8], q = Q[0:3]");
}

const struct corner_row corner_clocks[] = {
    { "clock_measured", measured, false },
    { "clock_kinds", clocks, false },
    { "clock_durations", durations, false },
    { NULL, NULL, false },
};
