"""NPBench programs of the corpus as command lines of sdfg-run, and what one of them takes."""
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent

WANTED = {"lenet": {"C_before_fc1": 1936}, "nbody": {"Nt": 100}}  # what the presets leave to the inputs


def commands(tool, folder, threads):
    """(sizes, command): the program with NPBench's preset S and inputs that sdfg-run makes, then with those of the case."""
    base = [str(tool), str(folder / "prog.sdfg")] + ([f"--threads={threads}"] if threads else [])
    case = json.loads((folder / "case.json").read_text())
    sizes = json.loads((folder / "sizes.json").read_text())["presets"].get("S", {}) if (folder / "sizes.json").exists() else {}
    symbols = {a["name"] for a in case["args"] if a["kind"] == "symbol"}
    scalars = [f"--{a['name']}={a['in']}" for a in case["args"] if a["kind"] == "scalar" and not isinstance(a["in"], dict)]
    if symbols and symbols <= set(sizes):
        yield "S", base + [f"--{n}={sizes[n]}" for n in sorted(symbols)] + scalars
    inputs = [f"--{a['name']}=@{folder / a['in']}" for a in case["args"] if a["kind"] == "array" and a.get("in")]
    values = [f"--{a['name']}={a['in']}" for a in case["args"] if a["kind"] == "symbol"]
    yield "case", base + values + scalars + inputs


def command_for(tool, folder, preset, threads, more):
    """The program with the sizes of a preset and of `more`, and inputs that sdfg-run makes; None if a size is missing. Scalars that the
    preset does not have are those of the case."""
    case = json.loads((folder / "case.json").read_text())
    sizes = json.loads((folder / "sizes.json").read_text())["presets"].get(preset, {}) if (folder / "sizes.json").exists() else {}
    command = [str(tool), str(folder / "prog.sdfg")] + ([f"--threads={threads}"] if threads else [])
    for a in case["args"]:
        value = more.get(a["name"], sizes.get(a["name"]))
        if a["kind"] == "scalar" and value is None and not isinstance(a["in"], dict):
            value = a["in"]
        if a["kind"] == "symbol" and value is None:
            return None
        if a["kind"] in ("symbol", "scalar") and value is not None:
            command.append(f"--{a['name']}={value}")
    return command


def npbench_command(tool, folder, npbench, preset, threads, store):
    """The program with the inputs that NPBench's own code makes for a preset; arrays are files below `store`. None if they are not all
    that the program asks for."""
    import numpy
    sys.path.insert(0, str(HERE / "npbench"))
    from inputs import Inputs
    inputs = Inputs(npbench, folder, preset)
    command = [str(tool), str(folder / "prog.sdfg")] + ([f"--threads={threads}"] if threads else [])
    for name, arg in inputs.args.items():
        value = inputs.given(name)
        if isinstance(value, numpy.ndarray):
            (store / folder.name).mkdir(parents=True, exist_ok=True)
            file = store / folder.name / f"{name}.npy"
            numpy.save(file, value)
            value = f"@{file}"
        if value is not None:
            command.append(f"--set={name}={value}")
        elif arg["kind"] != "array":
            return None
    return command


def timed(command, *options, timeout=120):
    """What --time=json says of one process, or None if it fails."""
    try:
        done = subprocess.run([*command, "--time=json", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=timeout)
    except subprocess.TimeoutExpired:
        return None
    text = done.stdout + done.stderr
    begin = text.find('{"started"')
    return json.JSONDecoder().raw_decode(text[begin:])[0] if done.returncode == 0 and begin >= 0 else None
