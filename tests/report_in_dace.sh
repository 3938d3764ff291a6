#!/bin/sh
# report_in_dace.sh BUILD: what --report writes is read by DaCe's InstrumentationReport, durations and counters.
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
"$python" - <<'END'
from dace.codegen.instrumentation.report import InstrumentationReport

times, counts = InstrumentationReport("report-1.json"), InstrumentationReport("report-2.json")
assert times.sdfg_hash == "0123abcd"
assert [len(t) for names in times.durations.values() for t in names["Map elements"].values()] == [3], dict(times.durations)
assert list(times.durations) == [(0, 0, 4)]
found = {counter for names in counts.counters.values() for counter in names["Map elements"]}
assert found == {"page_faults", "context_switches"}, found
assert "Map elements" in str(times) and "page_faults" in str(counts)
END
