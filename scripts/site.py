"""site.py [FOLDER]: the documents as one site with a search field, made by MkDocs (scripts/site.yml has the order of the pages), in
FOLDER (build/site). Broken links and pages without a place are errors. `setup.sh test` installs MkDocs; 77: it is not there."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parent.parent
ROOT_PAGES = {"README.md": "index.md", "CHANGELOG.md": "CHANGELOG.md", "CONTRIBUTING.md": "CONTRIBUTING.md", "SECURITY.md": "SECURITY.md"}
LINK = re.compile(r"(?<=\]\()([\w./-]+)(?=[#)])")

NAME = re.compile(r"\A(```\w+) \S+") # of the file that a block is, for the tests


def place(file):
    """Where a file of the project lies in the site."""
    path = file.relative_to(TOP).as_posix()
    return ROOT_PAGES.get(path, path.removeprefix("docs/"))


def copy(file, pages, done):
    """A page, and what it links to, with links between their places in the site."""
    if file in done:
        return
    done.add(file)
    to = pages / place(file)
    to.parent.mkdir(parents=True, exist_ok=True)
    if file.suffix != ".md":
        shutil.copy(file, to)
        return

    def linked(found):
        target = (file.parent / found.group(1)).resolve()
        if not target.is_file() or TOP not in target.parents:
            return found.group(1) # MkDocs says that it is broken
        copy(target, pages, done)
        up = "../" * place(file).count("/")
        return up + place(target)

    text = file.read_text()
    code = re.split(r"(^```.*?^```|`[^`\n]*`)", text, flags=re.S | re.M)
    to.write_text("".join(NAME.sub(r"\1", part) if i % 2 else LINK.sub(linked, part) for i, part in enumerate(code)))


def main():
    if not shutil.which("mkdocs"):
        print("skipped: there is no mkdocs")
        return 77
    site = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else TOP / "build/site").resolve()
    order = (TOP / "scripts/site.yml").read_text()
    files = [TOP / page for page in ROOT_PAGES] + sorted((TOP / "docs").glob("*.md"))
    missing = [place(file) for file in files if not re.search(rf": {re.escape(place(file))}$", order, flags=re.M)]
    if missing:
        print("scripts/site.yml has no place for", *missing)
        return 1
    with tempfile.TemporaryDirectory() as temporary:
        pages, done = pathlib.Path(temporary, "pages"), set()
        for file in files:
            copy(file, pages, done)
        shutil.copy(TOP / "scripts/site.yml", temporary)
        made = subprocess.run(["mkdocs", "build", "--strict", "--quiet", "--config-file", f"{temporary}/site.yml", "--site-dir", site], check=False)
    if made.returncode == 0:
        print(f"{site}/index.html")
    return made.returncode


sys.exit(main())
