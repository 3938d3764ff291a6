/* --emit=dot and --emit=html: the graph, to look at. */
#ifndef ENGINE_CLI_VIEW_PAGE_H
#define ENGINE_CLI_VIEW_PAGE_H

#include "engine/cli/inputs.h"

#include "base/diag.h"
#include "base/text.h"

/* The graph for Graphviz: control-flow regions, states and nested SDFGs are clusters. `sdfg` is what SDFG_EMIT_SDFG
 * gives. False: it cannot be read, which was reported to `d`. */
bool view_dot(struct text *out, struct diags *d, const char *sdfg, size_t size);
/* A page that needs nothing else: the graph, the loop tree or why there is none, remarks, and the times of a report
 * (JSON), if `report` is not NULL. False: there is no memory to compress it. */
bool view_html(struct text *out, const struct inputs *in, const char *sdfg, size_t size, const char *report);

#endif
