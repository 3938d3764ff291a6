#include "engine/cli/option_value.h"

#include "base/number.h"
#include "engine/cli/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool value_refused(const struct command *c, const struct option *o, const char *value, const char *expected)
{
    fprintf(stderr, "%s: --%s=%s: expected %s\n", tool_name(c->tool), o->name, value, expected);
    return false;
}

bool value_int(const struct command *c, const struct option *o, const char *value, int least, int most, int *out)
{
    char *end, expected[64];
    long n = strtol(value, &end, 10);
    if (end != value && !*end && n >= least && n <= most) {
        *out = (int)n;
        return true;
    }
    snprintf(expected, sizeof expected, "a number from %d to %d", least, most);
    return value_refused(c, o, value, expected);
}

bool value_real(const struct command *c, const struct option *o, const char *value, double *out)
{
    return (number_parse(value, out) && *out >= 0) || value_refused(c, o, value, "a number that is not negative");
}

/* A number of bytes, with K, M or G for powers of 1024. */
bool value_limit(struct command *c, const struct option *o, const char *value)
{
    static const char units[] = "KMG";
    char *end;
    errno = 0;
    unsigned long long n = strtoull(value, &end, 10);
    const char *unit = *end ? strchr(units, *end) : NULL;
    unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    if (end == value || *value == '-' || errno || (*end && (!unit || end[1])) || !n || n > UINT64_MAX >> shift)
        return value_refused(c, o, value, "a number of bytes, such as 65536, 64K, 512M or 2G");
    c->limits = (sdfg_limits){ sizeof c->limits, n << shift, n << shift };
    c->options.limits = &c->limits;
    file_set_limit(n << shift);
    return true;
}

/* One of the words, separated by spaces in `words`. */
bool value_word(const struct command *c, const struct option *o, const char *value, const char *words, int *out)
{
    size_t length = strlen(value);
    int index = 0;
    for (const char *at = words; *at; index++) {
        size_t n = strcspn(at, " ");
        if (n == length && !strncmp(at, value, n)) {
            *out = index;
            return true;
        }
        at += n + (at[n] == ' ');
    }
    char expected[128];
    snprintf(expected, sizeof expected, "one of: %s", words);
    return value_refused(c, o, value, expected);
}

/* timer:maps, PAPI_Counters ...; the engine knows who there is. */
bool value_instrument(struct command *c, const struct option *o, const char *value)
{
    size_t length = strcspn(value, ":");
    int word = 3;
    if (!length || length >= sizeof c->instrument)
        return value_refused(c, o, value, "timer or another name of --list=providers");
    if (value[length] && !value_word(c, o, value + length + 1, "maps states tasklets all", &word))
        return false;
    snprintf(c->instrument, sizeof c->instrument, "%.*s", (int)length, value);
    c->options.instrument = word < 3 ? 1u << word : SDFG_INSTRUMENT_ALL;
    c->options.instrument_with = strcmp(c->instrument, "timer") != 0 ? c->instrument : NULL;
    return true;
}

/* sm_90 is 90. */
bool value_arch(struct command *c, const struct option *o, const char *value)
{
    char *end = "";
    long arch = strncmp(value, "sm_", 3) ? 0 : strtol(value + 3, &end, 10);
    if (arch < 10 || arch > 999 || *end || value[3] < '1' || value[3] > '9')
        return value_refused(c, o, value, "sm_ and a number, such as sm_90");
    c->options.arch = (int)arch;
    return true;
}

void value_add_pair(struct pairs *p, char *name, const char *value)
{
    p->items[p->count++] = (struct pair){ name, value };
}

/* Splits NAME=VALUE in place. */
bool value_pair(const struct command *c, const struct option *o, char *text, struct pairs *p)
{
    char *sign = strchr(text, '=');
    if (!sign || sign == text)
        return value_refused(c, o, text, "NAME=VALUE");
    *sign = 0;
    value_add_pair(p, text, sign + 1);
    return true;
}
