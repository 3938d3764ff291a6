// A plug-in that writes LLVM IR, in C++: a target that makes code for the nodes example.nodes.Clip of
// examples/clip.sdfg. The library verifies, optimizes and compiles it with the program.
//
//     c++ -shared -fPIC plugin_ir.cpp $(pkg-config --cflags sdfg) -o libir.so
//     sdfg-run clip.sdfg --N=8 --plugin=./libir.so --output=Y=-
#include <sdfg_plugin.h>

#include <cstring>
#include <sstream>

namespace {

bool is_clip(void *, const sdfg_claim_site *site) { return !std::strcmp(site->class_path, "example.nodes.Clip"); }

// y[i] = min(max(x[i], -1), 1) over n elements, strides in bytes
std::string function(const std::string &name)
{
    std::ostringstream out;
    out << "define i64 @" << name << "(i64 %x, i64 %dx, i64 %y, i64 %dy, i64 %n) {\n"
        << "entry:\n"
           "  %some = icmp sgt i64 %n, 0\n"
           "  br i1 %some, label %loop, label %done\n"
           "loop:\n"
           "  %i = phi i64 [ 0, %entry ], [ %next, %loop ]\n"
           "  %from.offset = mul i64 %i, %dx\n"
           "  %from.number = add i64 %x, %from.offset\n"
           "  %from = inttoptr i64 %from.number to ptr\n"
           "  %to.offset = mul i64 %i, %dy\n"
           "  %to.number = add i64 %y, %to.offset\n"
           "  %to = inttoptr i64 %to.number to ptr\n"
           "  %v = load double, ptr %from\n"
           "  %low = fcmp olt double %v, -1.0\n"
           "  %v.low = select i1 %low, double -1.0, double %v\n"
           "  %high = fcmp ogt double %v.low, 1.0\n"
           "  %v.high = select i1 %high, double 1.0, double %v.low\n"
           "  store double %v.high, ptr %to\n"
           "  %next = add i64 %i, 1\n"
           "  %more = icmp slt i64 %next, %n\n"
           "  br i1 %more, label %loop, label %done\n"
           "done:\n"
           "  ret i64 0\n"
           "}\n";
    return out.str();
}

sdfg_answer node(void *, sdfg_code *code, const sdfg_claimed_node *)
{
    const sdfg_area *x = code->operand(code, "_x", false), *y = code->operand(code, "_y", true);
    if (!x || !y)
        return SDFG_FAILED;
    if (x->rank != 1 || y->rank != 1 || std::strcmp(x->region.type, "float64")) {
        code->fail(code, "operands are vectors of float64");
        return SDFG_FAILED;
    }
    std::ostringstream name;
    name << "clip_ir_" << code->unique(code);
    code->source(code, function(name.str()).c_str());
    sdfg_value *arguments[] = { x->region.address, x->region.strides[0], y->region.address, y->region.strides[0],
                                y->extents[0] };
    code->invoke(code, name.str().c_str(), arguments, sizeof arguments / sizeof *arguments);
    return SDFG_DONE;
}

} // namespace

SDFG_PLUGIN("ir", "1.0", "example.nodes.Clip as LLVM IR");

SDFG_PLUGIN_EXPORT bool sdfg_plugin_init(const sdfg_plugin_api *api)
{
    static const char *const names[] = { "LibraryNode", nullptr };
    sdfg_claim claim = {};
    claim.kind = SDFG_CLAIM_NODE;
    claim.names = names;
    claim.holds = is_clip;
    sdfg_target target = {};
    target.struct_size = sizeof target;
    target.name = "ir";
    target.text = "LLVM IR";
    target.claims = &claim;
    target.num_claims = 1;
    target.node = node;
    return api->target(api->plugin, &target);
}
