"""viewer.py BUILD: pages of sdfg-run --emit=html in a browser without a screen: what opens, keys, search, remarks, times of a report.
`viewer.py BUILD FILE.sdfg TEXT` prints what one page shows and how long it took to open, TEXT being searched for."""
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

build = pathlib.Path(sys.argv[1]).resolve()
here = pathlib.Path(__file__).resolve().parent
examples = here.parent.parent / "examples"
browser = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)
if not browser:
    print("skipped: there is no Chromium")
    raise SystemExit(77)


def emitted(folder, program, *options):
    page = pathlib.Path(folder, "page.html")
    subprocess.run([build / "sdfg-run", program, "--emit=html", "-o", page, *options], check=True)
    return page


def look(folder, page, searched, line=""):
    script = (here / "viewer.js").read_text().replace("SEARCHED", json.dumps(searched)).replace("LINE", json.dumps(line))
    tried = pathlib.Path(folder, "tried.html")
    tried.write_text(page.read_text().replace("</body>", f"<script>{script}</script></body>"))
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile", "--window-size=1400,900",
               "--virtual-time-budget=20000", "--dump-dom", tried.as_uri()]
    dom = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=120,
                         env={**os.environ, "HOME": folder}).stdout
    found = re.search(r'data-seen="([^"]*)"', dom)
    assert found, "the page did not get to its end: " + dom[-2000:]
    return json.loads(html.unescape(found[1]))


with tempfile.TemporaryDirectory() as folder:
    if len(sys.argv) > 2:
        print(json.dumps(look(folder, emitted(folder, sys.argv[2]), sys.argv[3]), indent=1))
        raise SystemExit
    page = emitted(folder, examples / "softmax.sdfg", "--N=100", "--M=20")
    assert not re.search(r'(src|href)="', page.read_text()), "the page needs other files"
    seen = look(folder, page, "powers", "exp(")
    assert seen["title"] == "softmax"
    assert seen["closed"] == ["▾ softmax", "▸ maximum", "▸ powers", "▸ divide"], seen["closed"]
    assert seen["tree"].startswith("softmax main("), seen["tree"]
    assert seen["remarks"] > 5
    assert seen["zooms"] and seen["fits"] and seen["pans"] and seen["collapsed"] and seen["toggled"] and seen["inside"], seen
    assert "reduce" in seen["expanded"] and "largest" in seen["expanded"], seen["expanded"]
    assert seen["focus"] == "search"
    assert seen["found"] == "1 of 2" # the state and the map
    assert seen["chosen"] == seen["entered"] == "power", seen
    assert seen["lines"]["tab"] == "tree" and seen["lines"]["there"] and seen["back"] == "details" and seen["unmarked"] == 0, seen
    assert not any("for " in text for text in seen["lines"]["marked"]), seen["lines"]
    assert "SDFGState" in seen["details"] and "powers" in seen["details"], seen["details"]

    # Times: events as --report writes them, of the state and of a node in it.
    report = pathlib.Path(folder, "report.json")
    report.write_text(json.dumps({"traceEvents": [
        {"name": "State powers", "ph": "X", "ts": 0, "dur": dur, "args": {"cfg_id": 0, "state_id": 1}} for dur in (1500, 2500, 1900)]}))
    seen = look(folder, emitted(folder, examples / "softmax.sdfg", f"--report={report}"), "power")
    assert seen["times"] == ["1.90 ms"], seen["times"]

    # Nested SDFGs, loops and branches; a remark leads to its element.
    seen = look(folder, emitted(folder, examples / "nested.sdfg"), "sum")
    assert any("sum" in label for label in seen["shown"]), seen["shown"]
    seen = look(folder, emitted(folder, examples / "while_loop.sdfg"), "while")
    assert any("while_not_one" in label for label in seen["closed"]), seen["closed"]
    failed = subprocess.run([build / "sdfg-run", examples / "axpy.sdfg", "--emit=html", f"--report={folder}/none.json"],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert failed.returncode == 3 and "none.json" in failed.stderr, failed
