"""python_folder.py PREFIX: prints where below PREFIX the packages of this Python lie; python_folder.py is called by install.cmake."""
import os
import site
import sys

prefix = sys.argv[1].rstrip("/")
# That of /usr lies beside /usr/local's in the list, which is another prefix.
found = [f for f in site.getsitepackages() if f.startswith(prefix + "/") and not f.startswith(prefix + "/local/")]
print(os.path.relpath(found[0], prefix) if found else f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages")
