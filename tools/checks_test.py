#!/usr/bin/env python3
"""Plants violations in a throw-away tree and expects each check to find exactly them."""

import os
import subprocess
import sys
import tempfile
import unittest

TOOLS = os.path.dirname(os.path.abspath(__file__))


class CheckTest(unittest.TestCase):

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def plant(self, path, text):
        path = os.path.join(self.folder.name, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def run_check(self, name):
        done = subprocess.run(
            [sys.executable, os.path.join(TOOLS, name), "--root", self.folder.name],
            capture_output=True, text=True, check=False)
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.returncode, 1 if done.stdout else 0)
        return done.stdout


class IncludesTest(CheckTest):

    def found(self, path, line):
        self.plant(path, line + "\n")
        return self.run_check("check_includes")

    def test_an_empty_tree_passes(self):
        self.assertEqual(self.run_check("check_includes"), "")

    def test_core_may_include_sdk_and_libraries(self):
        self.plant("core/base/a.h", "#pragma once\n#include <vector>\n")
        self.assertEqual(self.found("core/base/a.cc", '#include "core/base/a.h"\n'
                                    '#include <berth/kernel.h>\n#include "sdk/cpp/k.h"\n'
                                    '#include "absl/base/a.h"\n#include <leveldb/db.h>'), "")

    def test_sdk_may_not_include_core(self):
        self.assertIn("sdk/cpp/a.h:1: sdk may not include core/base/status.h",
                      self.found("sdk/cpp/a.h", '#include "core/base/status.h"'))

    def test_the_c_headers_may_not_include_the_cpp_layer(self):
        self.assertIn("sdk/include may not include sdk/cpp/k.h",
                      self.found("sdk/include/berth/a.h", '#include "sdk/cpp/k.h"'))

    def test_core_may_not_include_client_plugins_or_kernels(self):
        for target in ("client/scope.h", "plugins/cpu/plugin.h", "kernels-cpu/relu.h"):
            self.assertIn(f"core may not include {target}",
                          self.found("core/base/a.cc", f'#include "{target}"'))

    def test_angle_brackets_hide_nothing(self):
        self.assertIn("core may not include client/scope.h",
                      self.found("core/base/a.cc", "  #  include <client/scope.h>"))

    def test_kernels_may_not_include_core_or_the_c_api(self):
        for target in ("core/base/status.h", "berth/c_api.h", "plugins/cpu/plugin.h"):
            self.assertIn(f"kernels-cpu may not include {target}",
                          self.found("kernels-cpu/a.cc", f'#include "{target}"'))

    def test_a_plugin_may_not_include_another_or_core(self):
        for target in ("plugins/cuda/device.h", "core/base/status.h"):
            self.assertIn(f"plugins may not include {target}",
                          self.found("plugins/cpu/a.cc", f'#include "{target}"'))
        self.assertEqual(self.found("plugins/cpu/a.cc", '#include "plugins/cpu/device.h"'), "")

    def test_conformance_sees_sdk_loader_and_c_api_only(self):
        self.assertEqual(self.found("conformance/a.cc", '#include "core/plugin/loader.h"\n'
                                    "#include <berth/c_api.h>\n#include <berth/kernel.h>"), "")
        for target in ("core/session/session.h", "client/scope.h", "kernels-cpu/relu.h"):
            self.assertIn(f"conformance may not include {target}",
                          self.found("conformance/a.cc", f'#include "{target}"'))

    def test_the_tutorial_plugin_sees_the_sdk_only(self):
        self.assertIn("examples/custom-plugin may not include client/scope.h", self.found(
            "examples/custom-plugin/a.cc", '#include "client/scope.h"'))

    def test_includes_start_at_the_root(self):
        self.plant("core/base/b.h", "")
        self.assertIn("write the path from the root",
                      self.found("core/base/a.cc", '#include "b.h"'))

    def test_core_names_no_plugin(self):
        self.assertIn("core names libberth_cpu",
                      self.found("core/plugin/a.cc", 'Load("libberth_cpu.so");'))
        self.assertIn("core names berth::kernels_",
                      self.found("core/CMakeLists.txt", "link(berth::kernels_cpu)"))


class LayoutTest(CheckTest):

    def test_a_tree_within_the_budgets_passes(self):
        self.plant("core/README.md", "text\n" * 20)
        self.plant("core/base/README.md", "text\n")
        self.plant("core/base/a.cc", "//\n" * 800)
        self.assertEqual(self.run_check("check_layout"), "")

    def test_a_folder_without_readme_is_found(self):
        self.plant("core/README.md", "text\n")
        self.plant("core/base/a.cc", "")
        self.assertEqual(self.run_check("check_layout"),
                         "core/base: no README.md (what it holds, what it may include)\n")

    def test_a_long_readme_is_found(self):
        self.plant("core/README.md", "text\n" * 21)
        self.assertIn("core/README.md: 21 lines", self.run_check("check_layout"))

    def test_a_long_file_is_found(self):
        self.plant("core/README.md", "text\n")
        self.plant("core/a.cc", "//\n" * 801)
        self.assertIn("core/a.cc: 801 lines", self.run_check("check_layout"))

    def test_kernel_files_have_the_smaller_budget(self):
        self.plant("kernels-cpu/README.md", "text\n")
        self.plant("kernels-cpu/a.cc", "//\n" * 401)
        self.plant("kernels-cpu/a_test.cc", "//\n" * 401)
        self.plant("plugins/README.md", "text\n")
        self.plant("plugins/opencl/README.md", "text\n")
        self.plant("plugins/opencl/kernels/a.cl", "//\n" * 401)
        found = self.run_check("check_layout")
        self.assertIn("kernels-cpu/a.cc: 401 lines", found)
        self.assertIn("plugins/opencl/kernels/a.cl: 401 lines", found)
        self.assertNotIn("a_test.cc", found)


if __name__ == "__main__":
    unittest.main()
