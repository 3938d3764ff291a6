"""What the functions of DaCe's own tests need, found in their text: "language" (programs, types, and what to_sdfg gives can do with a program),
"builds" (graphs built with add_*, too), or "other": graph queries, transformations, private attributes, another package."""
import ast
import pathlib
import re

# Names of DaCe's modules that programs use, and what one does with a program.
LANGUAGE = set("""program method function symbol map mapscope tasklet consume consumescope compiletime constant inline always_inline unroll nounroll
in_program callback struct vector define_local define_local_scalar define_stream define_streamarray stream ndarray reduce elementwise named bool_
int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128 string pyobject pointer opaque typeclass typeclasses
bool bool8 Config config set_temporary temporary_config dtypes data frontend python common parser newast interface SDFGConvertible DaceSyntaxError
DaceProgram StorageType ScheduleType DeviceType Language AllocationLifetime ReductionType InstrumentationType DebugInfo Array Scalar Structure
Stream Data _ ceil floor exp log sin cos tan sqrt sinh cosh tanh math comm sdfg from_file typeless NULL dace types
transformation auto auto_optimize optimizer optimization""".split())
METHODS = set("""to_sdfg compile simplify validate f name save expand_library_nodes coarsen_dataflow arg_names signature append set get get_bool
apply_strict_transformations""".split())
# Behind these any name may stand.
ENUMERATIONS = {"StorageType", "ScheduleType", "DeviceType", "Language", "AllocationLifetime", "ReductionType", "InstrumentationType",
                "Config", "DebugInfo", "int32", "int64", "float32", "float64", "_"}
# What builds graphs; every name that begins with add_ besides.
BUILD = set("""SDFG Memlet InterstateEdge LoopRegion ConditionalBlock ControlFlowRegion BreakBlock ContinueBlock ReturnBlock SDFGState state
memlet simple from_array nodes CodeNode Reduce Range Indices subsets properties CodeBlock from_string libraries standard blas stdlib library
View Reference ArrayView StructureView ArrayReference ContainerArray StreamArray make_array_memlet set_default_state is_start_block
from_json to_json specialize start_block make_const data_type reset_cfg_list fill_scope_connectors view dyn_len set_constant
add_arguments root_sdfg parent_graph members
arrays symbols free_symbols InvalidSDFGError code desc transient storage schedule implementation map strides states""".split())


def _public(folder):
    """Names of the methods and properties of the classes that make up a graph."""
    files = ["sdfg/sdfg.py", "sdfg/state.py", "sdfg/graph.py", "sdfg/nodes.py", "memlet.py", "subsets.py", "data/core.py",
             "frontend/python/parser.py", "codegen/compiled_sdfg.py"]
    found = set()
    for file in files:
        for node in ast.walk(ast.parse((folder / "dace" / file).read_text())):
            if isinstance(node, ast.ClassDef):
                found |= {f.name for f in node.body if isinstance(f, (ast.FunctionDef, ast.AsyncFunctionDef))}
                found |= {t.id for a in node.body if isinstance(a, ast.Assign) for t in a.targets if isinstance(t, ast.Name)}
    return found


class Functions:
    """The test functions of a checkout, by (file, function) as pytest names them."""

    def __init__(self, checkout):
        import numpy
        self.checkout = pathlib.Path(checkout)
        plain = {n for kind in (numpy.ndarray, str, list, dict, set, int) for n in dir(kind)}
        self.graph = {n for n in _public(self.checkout) if not n.startswith("_")} - plain - METHODS
        self.files = {} # of helpers: path -> (imports, definitions)

    def kinds(self, folders):
        """(file, "Class::function" or "function") -> (kind, the names that decide)."""
        found = {}
        for folder in folders:
            place = self.checkout / folder
            for path in sorted(place.rglob("*.py") if place.is_dir() else [place]):
                if path.name.endswith("_test.py") or path.name.startswith("test_"):
                    found.update(self._of_file(path))
        return found

    def _helper(self, file, path):
        """The definition behind a dotted name if it lies in the checkout beside the tests, with the names of its file; else None."""
        *parts, last = path.split(".")
        for place in (self.checkout, self.checkout / file.rpartition("/")[0]):
            found = place.joinpath(*parts).with_suffix(".py") if parts else None
            if found and found.is_file() and "dace" not in parts[:1]:
                if found not in self.files:
                    self.files[found] = _names(ast.parse(found.read_text()))
                module, defined = self.files[found]
                return (defined[last], {}, module, defined, True) if last in defined else None
        return None

    def _of_file(self, path):
        tree = ast.parse(path.read_text())
        module, defined = _names(tree)
        marks = ast.dump(defined["pytestmark"]) if "pytestmark" in defined else ""
        file = str(path.relative_to(self.checkout))
        for statement in tree.body:
            inside = {f.name: f for f in statement.body if isinstance(f, ast.FunctionDef)} if isinstance(statement, ast.ClassDef) else {}
            tests = [(statement.name, statement)] if isinstance(statement, ast.FunctionDef) else \
                [(f"{statement.name}::{name}", f) for name, f in inside.items()]
            for name, test in tests:
                if test.name.startswith("test"):
                    yield (file, name), self._kind(test, inside, module, defined, marks, file)

    def _kind(self, test, methods, module, defined, marks, file):
        used, seen, stack = set(), set(), [(test, methods, module, defined, False)]
        while stack: # with what it uses of its class and file, and what transforms graphs in the helpers beside it
            node, methods, module, defined, helper = stack.pop()
            names, reached = set(), []
            for n in ast.walk(node):
                if isinstance(n, (ast.Import, ast.ImportFrom)):
                    for path in _imported(n).values():
                        names.add(("import", path))
                elif isinstance(n, ast.Attribute):
                    root = _dotted(n)
                    path = module.get(root[0]) if root else None
                    if path is not None:
                        names.add(("import", ".".join([path, *root[1:]])))
                    elif root is None or root[0] != "self":
                        names.add(("attribute", n.attr))
                    elif root[1] in methods:
                        reached.append((methods[root[1]], methods, module, defined, helper))
                elif isinstance(n, ast.Name) and n.id in module:
                    names.add(("import", module[n.id]))
                if isinstance(n, ast.Name) and n.id in defined:
                    reached.append((defined[n.id], {}, module, defined, helper))
            for found in [self._helper(file, path) for how, path in names if how == "import"] + reached:
                if found and id(found[0]) not in seen:
                    seen.add(id(found[0]))
                    stack.append(found)
            used |= {name for name in names if not helper or re.search(r"dace\.transformation|^apply_transformations", name[1])}
        decorators = marks + "".join(ast.dump(d) for d in test.decorator_list)
        if any(f"'{mark}'" in decorators for mark in ("gpu", "mpi", "tensorflow", "mkl", "papi", "mlir", "sve", "torch", "fpga", "scalapack")):
            return "other", ["a machine or package"]
        if re.search("GPU|FPGA", ast.unparse(test)):
            return "other", ["a machine or package"]
        build, other = set(), set()
        for how, name in used:
            parts = name.split(".")
            if how == "attribute":
                if name.startswith("_") and not name.startswith("__") and name != "_":
                    other.add(name)
                elif name.startswith("add_") or name in BUILD and name in self.graph:
                    build.add(name)
                elif name in self.graph:
                    other.add(name)
            elif parts[0] == "dace":
                for part in parts[1:]:
                    if part in ENUMERATIONS:
                        break
                    if part in LANGUAGE:
                        continue
                    if part.startswith("add_") or part in BUILD:
                        build.add(part)
                    else:
                        other.add(name)
                        break
            elif parts[0] in ("torch", "cupy", "tensorflow", "jax", "onnx", "mpi4py", "sympy"):
                other.add(parts[0])
        return ("other", sorted(other)) if other else ("builds", sorted(build)) if build else ("language", [])


def _names(tree):
    """What a file imports: name -> dotted path, and what it defines: name -> statement."""
    module, defined = {}, {}
    for statement in tree.body:
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            module.update(_imported(statement))
        elif isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            defined[statement.name] = statement
        elif isinstance(statement, ast.Assign):
            defined.update({t.id: statement for t in statement.targets if isinstance(t, ast.Name)})
    return module, defined


def _imported(statement):
    """Name -> dotted path. A module that is only a package on the way to another one is not meant."""
    if isinstance(statement, ast.Import):
        return {(a.asname or a.name.split(".")[0]): (a.name if a.asname else a.name.split(".")[0]) for a in statement.names}
    return {(a.asname or a.name): f"{statement.module or ''}.{a.name}".strip(".") for a in statement.names}


def _dotted(node):
    """["dace", "data", "Array"] of an attribute of a name, else None."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return [node.id, *reversed(parts)] if isinstance(node, ast.Name) else None
