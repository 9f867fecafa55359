"""The files that the source checks look at."""

import os

SKIPPED_FOLDERS = {"build", "__pycache__", "node_modules"}
CODE_SUFFIXES = (".c", ".cc", ".h", ".hpp", ".cu", ".cuh", ".cl", ".inc")


def walk(root):
    """Yields the path, relative to root, of each file outside build output, sorted."""
    for folder, names, files in os.walk(root):
        names[:] = sorted(
            n for n in names if n not in SKIPPED_FOLDERS and not n.startswith("."))
        for name in sorted(files):
            yield os.path.relpath(os.path.join(folder, name), root)


def is_code(path):
    return path.endswith(CODE_SUFFIXES)


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        return file.read()
