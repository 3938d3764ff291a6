"""documents.py BIN-DIR PAGE...: runs the examples of pages. Blocks of Python whose first line is `# NAME.py` become files, others are run one after
the other; lines of blocks of sh are commands, run beside the files, and what `# prints TEXT` behind one says must be what it prints."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def run(page, folder, tools):
    environment = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    count = 0
    for kind, text in re.findall(r"^```(python|sh)\n(.*?)^```", page.read_text(), re.M | re.S):
        first = text.splitlines()[0]
        if kind == "python":
            name = first[2:] if re.fullmatch(r"# \w+\.py", first) else f"block_{count}.py"
            pathlib.Path(folder, name).write_text(text)
            commands = [] if name == first[2:] else [(f"python {name}", None)]
        else:
            commands = [(line.partition("#")[0].strip(), (re.findall(r"# prints (.*)", line) or [None])[0]) for line in text.splitlines()]
        for command, printed in commands:
            words = command.split()
            words[:1] = [sys.executable, "-B"] if words[0] == "python" else words[:1]
            done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
            if done.returncode or (printed is not None and done.stdout.strip() != printed):
                sys.exit(f"{page.name}: {command}\n{done.stdout}{done.stderr}exit code {done.returncode}, expected output: {printed}")
            count += 1
    return count


def main():
    tools, *pages = sys.argv[1:]
    for page in pages:
        with tempfile.TemporaryDirectory() as folder:
            print(f"{page}: {run(pathlib.Path(page), folder, os.path.abspath(tools))} examples")


if __name__ == "__main__":
    main()
