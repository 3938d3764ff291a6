"""docs/api.md is what the public headers say: each type, function and macro with its comment. SDFG_BLESS=1 writes it."""
import os
import re

import project

PAGE = project.TOP / "docs/api.md"
HEADERS = [("sdfg.h", "Programs and calls"), ("sdfg_graph.h", "Graphs made in C"), ("sdfg_plugin.h", "Plug-ins")]
HEAD = """# Reference of the C interface

Made of the headers by `SDFG_BLESS=1 ctest -R lint/api`. [c-api.md](c-api.md) is the tour, [plugins.md](plugins.md) that of plug-ins.

"""
TOKEN = re.compile(r"(?P<comment>/\*.*?\*/)|(?P<directive>^[ \t]*#(?:[^\n\\]|\\\n|\\.)*)|(?P<blank>\n[ \t]*\n)|(?P<space>\s+)|(?P<code>.)", re.S | re.M)
NOT_SHOWN = re.compile(r"SDFG_H|SDFG_GRAPH_H|SDFG_PLUGIN_H|SDFG_API|SDFG_PLUGIN_VISIBLE")


def sentence(comment):
    """The text of a comment as Markdown; indented lines are examples, or items of lists where they have two blanks."""
    lines = [re.sub(r"^ \* ?| *$", "", line) for line in ("\n" + comment[2:-2].strip("\n")).split("\n")][1:]
    lines[0] = lines[0].strip()
    out = []
    for line in lines:
        joins = out and out[-1] and line and not line.startswith(("    ", "- ", "  ")) and not out[-1].startswith("    ")
        if joins:
            out[-1] += " " + line.strip()
        elif line.startswith("    ") or not line:
            out.append(line)
        else:
            out.append(("- " if line.startswith("  ") else "") + line.strip())
    if not out[0].startswith("libsdfg"):
        out[0] = out[0][:1].upper() + out[0][1:]
    return "\n".join(re.sub(r"<(?=[a-z_.])", "\\<", line) if not line.startswith("    ") else line for line in out).strip("\n")


def name_of(code):
    """What a declaration declares; None: nothing that has a name."""
    code = project.without_comments(code)
    for pattern in (r"^(?:typedef\s+)?(?:struct|enum)\s+(\w+)\s*\{", r"#\s*define\s+(\w+)", r"SDFG_API\b[^(]*?\b(sdfg_\w+)\s*\(", r"typedef[^(]*\(\s*\*?\s*(\w+)\)", r"typedef[^{]*?\b(\w+)\s*\([^{]*$",
                    r"typedef[^;{]*?\b(\w+)\s*;"):
        found = re.search(pattern, code.strip(), flags=re.S)
        if found:
            return found.group(1)
    return "constants" if re.match(r"enum\s*\{", code.strip()) else None


def parts(text):
    """("section", heading), ("text", comment) and ("code", comment, declaration) in the order of a header."""
    comment, code, depth = None, "", 0
    for match in TOKEN.finditer(text):
        kind, token = match.lastgroup, match.group(0)
        if code:
            code += token
            depth += token.count("{") - token.count("}") if kind == "code" else 0
            if kind == "code" and token == ";" and depth == 0:
                behind = re.match(r"[ \t]*(/\*.*?\*/)", text[match.end():], flags=re.S)
                yield "code", comment or (behind.group(1) if behind else None), code
                comment, code = None, ""
        elif kind == "comment":
            heading = re.fullmatch(r"/\* ---- (.*?) ----(.*?)\*/", token, flags=re.S)
            same_line = "\n" not in text[text.rfind(";", 0, match.start()) + 1:match.start()] and ";" in text[:match.start()]
            if heading:
                yield "section", heading.group(1)
                if heading.group(2).strip(" *\n"):
                    yield "text", "/*" + heading.group(2).lstrip(" *\n") + "*/"
            elif not same_line:
                if comment:
                    yield "text", comment
                comment = token
        elif kind == "blank":
            if comment:
                yield "text", comment
            comment = None
        elif kind == "directive":
            macro = re.match(r"#\s*define\s+(SDFG_\w+(?:\([^)]*\))?)", token)
            if macro and not NOT_SHOWN.fullmatch(re.match(r"\w+", macro.group(1)).group(0)):
                yield "code", comment, "#define " + macro.group(1)
            elif comment:
                yield "text", comment
            comment = None
        elif kind == "code":
            code, depth = token, 0


def page():
    out, names = HEAD, []
    for header, title in HEADERS:
        text = project.read(f"engine/include/{header}")
        text = re.sub(r'#ifdef __cplusplus\n(extern "C" \{|\})\n#endif\n', "", text)
        out += f"## {title}: `{header}`\n\n"
        for part in parts(text):
            if part[0] == "section":
                out += f"### {part[1][0].upper() + part[1][1:]}\n\n"
            elif part[0] == "text":
                out += sentence(part[1]) + "\n\n"
            elif name_of(part[2]):
                name = name_of(part[2])
                names.append(name)
                code = re.sub(r"\bSDFG_API ", "", part[2]).strip()
                out += f"#### `{name}`\n\n```c\n{code}\n```\n\n" + (sentence(part[1]) + "\n\n" if part[1] else "")
    return out.rstrip("\n") + "\n", names


made, shown = page()
headers = "\n".join(project.without_comments(project.read(f"engine/include/{header}")) for header, _ in HEADERS)
wanted = set(re.findall(r"SDFG_API\b[^;(#]*?\b(sdfg_\w+)\s*\(", headers)) | set(re.findall(r"\b(?:struct|enum) (sdfg_\w+)\s*\{", headers))
offenders = [f"docs/api.md: {name} is not shown" for name in sorted(wanted - set(shown))]
if os.environ.get("SDFG_BLESS"):
    PAGE.write_text(made, encoding="utf-8")
if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != made:
    offenders.append("docs/api.md: differs from the headers; SDFG_BLESS=1 writes it")
project.finish(offenders, len(shown))
