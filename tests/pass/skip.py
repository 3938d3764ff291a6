"""skip.py SDFG-RUN PROGRAM...: each pass over the loop tree is skipped alone, and all are that can be, and the results stay the same or a
pass says that it needs the one that was skipped. A program is FILE,OPTION,OPTION."""
import re
import subprocess
import sys

tool, programs = sys.argv[1], [p.split(",") for p in sys.argv[2:]]


def run(*arguments):
    return subprocess.run([tool, *arguments], text=True, capture_output=True, timeout=100)


rows = re.findall(r"^(\S+): .*\n  needs: (.*)", run("--list=passes").stdout, flags=re.M)
passes = [name for name, needs in rows if re.match(r"tree\b", needs) and "code: GPU" not in needs]
passes = passes[:passes.index("tier")] # what follows makes code
failures, needed = [], set()
for program in programs:
    usual = run(*program, "--no-cache").stdout
    for name in passes:
        done = run(*program, "--no-cache", f"--passes=-{name}")
        if re.match(r"error\[invalid\]: pass '\S+' needs '\S+', which no pass before it has made", done.stderr):
            needed.add(name)
        elif done.returncode or done.stdout != usual:
            failures.append(f"{program[0]} without {name}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    most = ",".join(f"-{name}" for name in passes if name not in needed)
    done = run(*program, "--no-cache", f"--passes={most}")
    if done.returncode or done.stdout != usual:
        failures.append(f"{program[0]} with {most}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
print(f"{len(passes)} passes, needed by others: {', '.join(sorted(needed))}")
print("\n".join(failures))
sys.exit(1 if failures or len(passes) < 20 or len(needed) == len(passes) else 0)
