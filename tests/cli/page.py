"""page.py [FILE]: what a page of sdfg-run --emit=html holds, from its data: the name of the program, of the graph, the lines of the tree and
the events of the report."""
import base64
import json
import re
import sys
import zlib

text = open(sys.argv[1], encoding="utf-8").read() if len(sys.argv) > 1 else sys.stdin.read()
found = re.search(r'<script[^>]* id="data">\s*([A-Za-z0-9+/=]+)\s*</script>', text)
data = json.loads(zlib.decompress(base64.b64decode(found[1], validate=True)))
report = data["report"]
print(data["name"], data["sdfg"]["attributes"]["name"], "tree" if "for " in data["tree"] else data["tree"],
      "remarks" if data["remarks"] else "no remarks", len(report["traceEvents"]) if report else "no report")
