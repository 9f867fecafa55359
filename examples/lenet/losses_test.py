#!/usr/bin/env python3
"""Checks that the demo trains alike on every placement: 50 losses within 1e-3 of the CPU's."""

import re
import subprocess
import sys
import tempfile

STEPS = 50
LOSS = re.compile(r"^loss (\d+) (\S+)$", re.MULTILINE)


def losses(program, flag, device, folder):
    arguments = [program, "train", "--losses", f"--steps={STEPS}", f"--dir={folder}"]
    done = subprocess.run(arguments + [f"--device={flag}"], check=True, text=True,
                          stdout=subprocess.PIPE)
    # The printed placement says whether the layers went where they were asked for.
    for op in ["Conv2D", "Conv2DBackpropFilter", "MatMul", "MaxPoolGrad"]:
        if not re.search(rf"× {op}\s+{device}\b", done.stdout):
            raise SystemExit(f"no {op} on {device}:\n{done.stdout}")
    return [float(value) for _, value in LOSS.findall(done.stdout)]


def main():
    with tempfile.TemporaryDirectory() as folder:
        cpu = losses(sys.argv[1], "/cpu:0", "CPU:0", folder)
        mixed = losses(sys.argv[1], "/gpu:0", "OPENCL:0", folder)
    if len(cpu) != STEPS or len(mixed) != STEPS:
        raise SystemExit(f"{len(cpu)} and {len(mixed)} losses instead of {STEPS}")
    worst = max(abs(m - c) / abs(c) for m, c in zip(mixed, cpu))
    print(f"largest relative difference of {STEPS} losses: {worst:.2g}")
    # NaN compares false.
    return 0 if worst <= 1e-3 else 1


if __name__ == "__main__":
    sys.exit(main())
