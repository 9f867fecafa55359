#!/usr/bin/env python3
"""Prints the layout of every struct of the plugin ABI, or compares it with a file.

Usage: layout.py --cc COMPILER [--check FILE]. The structs and fields are read from the headers in
sdk/include/berth; the compiler says where they lie. With --check it fails on any difference and
says how to accept it.
"""

import argparse
import difflib
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
HEADERS = os.path.join(ROOT, "sdk/include/berth")
# The application's API has rules of its own.
NOT_PLUGIN_ABI = {"c_api.h"}


def field_name(declaration):
    """The name that a member declaration declares."""
    function = re.search(r"\(\s*\*\s*(\w+)\s*\)\s*\(", declaration)
    if function:
        return function.group(1)
    return re.search(r"(\w+)\s*(?:\[[^\]]*\]\s*)*$", declaration).group(1)


def structs_of(text):
    """Yields (name, [field]) for each struct that a header defines."""
    text = re.sub(r"//[^\n]*", "", text)
    for match in re.finditer(r"typedef struct (\w+) \{(.*?)\} (\w+);", text, re.DOTALL):
        assert match.group(1) == match.group(3), match.group(1)
        declarations = [d.strip() for d in match.group(2).split(";") if d.strip()]
        yield match.group(1), [field_name(d) for d in declarations]


def program():
    lines = ["#include <berth/berth.h>", "#include <stdio.h>", "int main(void) {"]
    for header in sorted(os.listdir(HEADERS)):
        if not header.endswith(".h") or header in NOT_PLUGIN_ABI:
            continue
        with open(os.path.join(HEADERS, header), encoding="utf-8") as file:
            for name, fields in structs_of(file.read()):
                lines.append(f'  printf("{name} %zu\\n", sizeof({name}));')
                lines += [f'  printf("  %zu {field}\\n", offsetof({name}, {field}));'
                          for field in fields]
    return "\n".join(lines + ["  return 0;", "}", ""])


def layout(compiler):
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "layout.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(program())
        binary = os.path.join(folder, "layout")
        subprocess.run([compiler, "-std=c99", "-I", os.path.dirname(HEADERS), source, "-o", binary],
                       check=True)
        return subprocess.run([binary], check=True, capture_output=True, text=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--check")
    options = parser.parse_args()
    now = layout(options.cc)
    if not options.check:
        print(now, end="")
        return 0
    with open(options.check, encoding="utf-8") as file:
        expected = file.read()
    if now == expected:
        return 0
    print("The layout of the ABI changed. If fields were only appended and the version was raised,\n"
          "accept it: conformance/abi/layout.py --cc cc > conformance/abi/layout.txt")
    print("".join(difflib.unified_diff(expected.splitlines(True), now.splitlines(True),
                                       options.check, "the headers")))
    return 1


if __name__ == "__main__":
    sys.exit(main())
