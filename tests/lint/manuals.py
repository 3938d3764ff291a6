"""Manual pages say what the tools and the header say: the parts between '.\\" generated' and '.\\" end' are made of each tool's --help and
of sdfg.h and sdfg_graph.h. SDFG_BLESS=1 writes them. The argument is the folder of the tools."""
import os
import pathlib
import re
import subprocess
import sys

import project

BEGIN, END = '.\\" generated\n', '.\\" end\n'


def escape(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def section_of_help(text):
    """Synopsis, description and options of a page."""
    blocks = [b.rstrip() for b in re.split(r"\n\s*\n", text.strip("\n"))]
    usage = [re.sub(r"^usage:", "", line).strip() for line in blocks[0].splitlines()]
    out = ".SH SYNOPSIS\n.nf\n" + "".join(escape(line) + "\n" for line in usage) + ".fi\n"
    description = options = ""
    for block in blocks[1:]:
        lines = block.splitlines()
        if block.startswith("Exit codes:"):
            continue
        heading = lines.pop(0) if not lines[0].startswith("  ") and any(l.startswith("  ") for l in lines) else None
        if not lines[0].startswith("  "):
            description += escape(" ".join(lines)) + "\n"
            continue
        options += f".SS {escape(heading)}\n" if heading else ""
        for line in lines:
            left, right = re.match(r"  (\S.*?)(?:  +| (?=[a-z])(?<=^.{26}))(.*)", line).groups()
            options += f".TP\n.B {escape(left)}\n{escape(right)}\n"
    return out + (".SH DESCRIPTION\n" + description if description else "") + ".SH OPTIONS\n" + options


def section_of_header():
    header = "".join(project.read(f"engine/include/{name}") for name in ("sdfg.h", "sdfg_graph.h"))
    out = ".SH FUNCTIONS\n"
    for heading, body in re.findall(r"/\* ---- (.*?) ---- \*/\n(.*?)(?=/\* ---- |\Z)", header, flags=re.S):
        code = project.without_comments(body)
        prototypes = [re.sub(r"\s+", " ", p) for p in re.findall(r"SDFG_API (.*?;)", code, flags=re.S)]
        if prototypes:
            out += f".SS {escape(heading.split(':')[0].capitalize())}\n.nf\n"
            out += "".join(escape(p) + "\n" for p in prototypes) + ".fi\n"
    return out


offenders, pages = [], sorted(pathlib.Path(project.TOP / "man").glob("*.[13]"))
for path in pages:
    page, name = path.read_text(), path.relative_to(project.TOP)
    if path.suffix == ".1":
        tool = pathlib.Path(sys.argv[1]) / path.stem
        made = section_of_help(subprocess.run([tool, "--help"], check=True, text=True, capture_output=True).stdout)
    else:
        made = section_of_header()
    if page.count(BEGIN) != 1 or page.count(END) != 1:
        offenders.append(f"{name}: has no generated part")
        continue
    head, rest = page.split(BEGIN)
    wanted = head + BEGIN + made + END + rest.split(END)[1]
    if os.environ.get("SDFG_BLESS"):
        path.write_text(wanted)
    elif wanted != page:
        offenders.append(f"{name}: differs from {'--help' if path.suffix == '.1' else 'sdfg.h'}; SDFG_BLESS=1 writes it")
tools = {p.name for p in pathlib.Path(sys.argv[1]).glob("sdfg-*") if os.access(p, os.X_OK) and p.is_file()}
offenders += [f"man/{tool}.1 is missing" for tool in sorted(tools - {p.stem for p in pages})]
project.finish(offenders, len(pages))
