#!/bin/sh
# report_in_dace.sh BUILD: what --report writes is read by DaCe's InstrumentationReport: durations, counters, events of a GPU (of the
# stand-in for one); and what --save-data writes by its InstrumentedDataReport: containers in several versions, and symbols.
set -eu
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
python=$("$here/dace.sh" "$build") || { echo "$python" && exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

sed 's/"name": "axpy"/&, "hash": "0123abcd"/' "$here/../examples/axpy.sdfg" >axpy.sdfg
"$build/sdfg-run" axpy.sdfg --N=100 --no-cache --repeat=3 --instrument=timer:maps --report=report-1.json >/dev/null 2>&1
"$build/sdfg-run" axpy.sdfg --N=100 --no-cache --repeat=3 --plugin="$build/libplugin-provider.so" --instrument=Example_Usage:maps \
    --report=report-2.json >/dev/null 2>&1
if [ -e "$build/libstandin-cuda.so" ]; then
    SDFG_CUDA="$build/libstandin-cuda.so" SDFG_NVRTC="$build/libstandin-nvrtc.so" SDFG_CUBLAS=none "$build/sdfg-run" axpy.sdfg --N=100 --no-cache \
        --repeat=3 --warmup=0 --device=cuda --instrument=GPU_Events:maps --report=report-3.json >/dev/null 2>&1
fi
"$python" - <<'END'
import dace

graph = dace.SDFG("saved")
graph.add_array("A", [dace.symbol("N")], dace.float64)
body = graph.add_state("double")
body.add_mapped_tasklet("elements", {"i": "0:N"}, {"a": dace.Memlet("A[i]")}, "b = 2 * a", {"b": dace.Memlet("A[i]")}, external_edges=True)
body.sink_nodes()[0].instrument = dace.DataInstrumentationType.Save
body.symbol_instrument = dace.DataInstrumentationType.Save
graph.save("saved.sdfg")
END
"$build/sdfg-run" saved.sdfg --N=5 --A=iota --no-cache --repeat=1 --warmup=1 --save-data=data >/dev/null 2>&1
"$python" - <<'END'
import os

import dace
from dace.codegen.instrumentation.data.data_report import InstrumentedDataReport
from dace.codegen.instrumentation.report import InstrumentationReport

times, counts = InstrumentationReport("report-1.json"), InstrumentationReport("report-2.json")
assert times.sdfg_hash == "0123abcd"
assert [len(t) for names in times.durations.values() for t in names["Map elements"].values()] == [3], dict(times.durations)
assert list(times.durations) == [(0, 0, 4)]
found = {counter for names in counts.counters.values() for counter in names["Map elements"]}
assert found == {"page_faults", "context_switches"}, found
if os.path.exists("report-3.json"):
    device = InstrumentationReport("report-3.json")
    names = {name.split(" ")[0]: times for all in device.durations.values() for name, threads in all.items() for times in threads.values()}
    assert set(names) == {"Kernel", "Transfer", "Wait"} and len(names["Kernel"]) == 3, names
    assert device.sdfg_hash == "0123abcd" and all(e.category == "GPU_Events" and e.duration >= 0 for e in device.events)
    assert {e.additional_info["bytes"] for e in device.events if e.name.startswith("Transfer")} == {800}
data = InstrumentedDataReport(dace.SDFG.from_file("saved.sdfg"), "data")
assert set(data.keys()) == {"A", "N"}
versions = data["A"]
assert len(versions) == 2 and versions[0].tolist() == [0, 2, 4, 6, 8], versions
assert versions[1].tolist() in ([0, 2, 4, 6, 8], [0, 4, 8, 12, 16]), versions
assert data.get_first_version("A").tolist() == versions[0].tolist() and data["N"] == [5, 5], data["N"]
assert "Map elements" in str(times) and "page_faults" in str(counts)
END
