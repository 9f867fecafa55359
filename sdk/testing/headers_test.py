#!/usr/bin/env python3
"""Compiles each header of the SDK alone, as a vendor's compiler would see it.

Usage: headers_test.py COMPILER... (C compilers: gcc, clang). Prints what fails; exits with 1 then.
A compiler that is not there fails too: the set-up installs both.
"""

import concurrent.futures
import os
import subprocess
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-Wshadow", "-Wundef"]
CXX = {"gcc": "g++", "clang": "clang++", "cc": "c++"}


def headers(folder):
    return sorted(os.path.join(folder, name) for name in os.listdir(os.path.join(ROOT, folder))
                  if name.endswith(".h"))


def jobs(compilers):
    """Yields (compiler, language, standard, header as included)."""
    for compiler in compilers:
        for header in headers("sdk/include/berth"):
            include = "<" + os.path.relpath(header, "sdk/include") + ">"
            for standard in ("c99", "c11"):
                yield compiler, "c", standard, include
            for standard in ("c++17", "c++20"):
                yield CXX[compiler], "c++", standard, include
        for standard in ("c++17", "c++20"):
            yield CXX[compiler], "c++", standard, '"sdk/cpp/sdk.h"'
    # What a header of the layer includes does not depend on the compiler.
    for header in headers("sdk/cpp"):
        yield CXX[compilers[0]], "c++", "c++17", f'"{header}"'


def compile_one(job):
    compiler, language, standard, include = job
    # Twice: the guard is tried as well.
    source = f"#include {include}\n#include {include}\nint berth_test_unit;\n"
    command = [compiler, f"-std={standard}", *WARNINGS, "-fsyntax-only", f"-I{ROOT}",
               f"-I{ROOT}/sdk/include", "-x", language, "-"]
    try:
        result = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return f"{compiler} is not installed"
    if result.returncode == 0:
        return None
    return f"{compiler} -std={standard} {include}\n{result.stderr}"


def main():
    compilers = sys.argv[1:] or ["gcc", "clang"]
    todo = list(jobs(compilers))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = [failure for failure in pool.map(compile_one, todo) if failure]
    for failure in failures:
        print(failure)
    print(f"{len(todo)} compilations, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
