"""schema.py NAME...: reads what sdfg-bench --json=- prints and says whether it has the form that docs/sdfg-bench.md promises, for
these builds."""
import json
import sys

NUMBER = (int, float)
ESTIMATE = {"median": NUMBER, "low": NUMBER, "high": NUMBER, "least": NUMBER, "spread": NUMBER, "samples": [NUMBER]}
MAYBE = type(None)
NEST = {"path": str, "runs": (*NUMBER, MAYBE), "flops": (*NUMBER, MAYBE), "bytes": (*NUMBER, MAYBE), "at_least": (*NUMBER, MAYBE)}
FORM = {
    "program": str, "version": str, "symbols": dict, "threads": int, "rounds": int, "calls_per_sample": int,
    "builds": [{"name": str, "ahead": NUMBER, "cold": ESTIMATE,
                "cold_parts": {"load": NUMBER, "make": NUMBER, "first": NUMBER}, "warm": (ESTIMATE, MAYBE),
                "bound": ESTIMATE, "ratio": ESTIMATE, "note": (str, MAYBE)}],
    "machine": {"triad_bytes_per_second": (*NUMBER, MAYBE), "peak_flops_per_second": (*NUMBER, MAYBE), "vectors": (str, MAYBE)},
    "work": {"bytes": (*NUMBER, MAYBE), "flops": (*NUMBER, MAYBE), "nests": [NEST]},
    "notes": [str],
}


def check(value, form, path):
    if isinstance(form, tuple):
        if not any(check(value, f, path) is None for f in form):
            return f"{path}: {value!r}"
    elif isinstance(form, dict):
        if not isinstance(value, dict) or not form.keys() <= value.keys():
            return f"{path}: keys are {value!r:.200}"
        return next(filter(None, (check(value[k], f, f"{path}.{k}") for k, f in form.items())), None)
    elif isinstance(form, list):
        if not isinstance(value, list):
            return f"{path}: no list"
        return next(filter(None, (check(v, form[0], f"{path}[{i}]") for i, v in enumerate(value))), None)
    elif not isinstance(value, form) or isinstance(value, bool):
        return f"{path}: {value!r} is no {form.__name__}"
    return None


def problems(record):
    yield check(record, FORM, "")
    names = [b["name"] for b in record["builds"]]
    if names != sys.argv[1:]:
        yield f"builds are {names}"
    for b in record["builds"]:
        paid = b.get("paid_until", b.get("paid_after"))
        if paid is not None and paid < 1:
            yield f"{b['name']} paid {paid}"
        for kind in "cold", "warm", "bound":
            e = b[kind]
            if e and not 0 < e["least"] <= e["low"] <= e["median"] <= e["high"] <= max(e["samples"]):
                yield f"{b['name']}.{kind}: {e}"
    if len(record["builds"][0]["bound"]["samples"]) != record["rounds"]:
        yield "samples are not rounds"


text = sys.stdin.read()
try:
    found = [p for p in problems(json.loads(text)) if p]
except ValueError as e:
    found = [f"{e}: {text:.500}"]
print("\n".join(found) or "as promised")
