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


class SkipsTest(CheckTest):

    def judge(self, cases):
        self.plant("tests.xml", f"<testsuite>{cases}</testsuite>")
        return subprocess.run(
            [sys.executable, os.path.join(TOOLS, "check_skips"),
             os.path.join(self.folder.name, "tests.xml")],
            capture_output=True, text=True, check=False)

    def gtest(self, message):
        return ('<testcase name="t" status="run"><system-out>[ RUN      ] A.B\n'
                f"a_test.cc:3: Skipped\n{message}\n[  SKIPPED ] A.B (0 ms)\n"
                "[ RUN      ] A.C\nno GPU\n[       OK ] A.C (0 ms)\n"
                "</system-out></testcase>")

    def test_tests_that_ran_pass(self):
        done = self.judge('<testcase name="t" status="run"><system-out>ok</system-out>'
                          "</testcase>")
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_no_test_at_all_fails(self):
        done = self.judge("")
        self.assertEqual((done.returncode, done.stdout), (1, "check_skips: no test ran\n"))

    def test_a_case_that_skips_itself_fails(self):
        done = self.judge(self.gtest("not today"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("t: A.B was skipped", done.stdout)

    def test_an_absent_gpu_excuses_a_skip_but_not_absent_opencl(self):
        self.assertEqual(self.judge(self.gtest("no CUDA device here")).returncode, 0)
        self.assertEqual(self.judge(self.gtest("no GPU")).returncode, 0)
        self.assertEqual(self.judge(self.gtest("no OpenCL device")).returncode, 1)

    def test_disabled_cases_fail(self):
        done = self.judge('<testcase name="t" status="run"><system-out>'
                          "  YOU HAVE 2 DISABLED TESTS\n</system-out></testcase>")
        self.assertIn("t: 2 disabled case(s)", done.stdout)
        self.assertEqual(done.returncode, 1)

    def test_a_program_without_tests_fails(self):
        for output in ("[==========] Running 0 tests from 0 test suites.",
                       "Ran 0 tests in 0.000s\n\nOK"):
            done = self.judge(f'<testcase name="t" status="run"><system-out>{output}\n'
                              "</system-out></testcase>")
            self.assertEqual((done.returncode, done.stdout),
                             (1, "check_skips: t: holds no test\n"))

    def test_a_test_that_ctest_did_not_run_fails(self):
        ran = '<testcase name="r" status="run"/>'
        done = self.judge(ran + '<testcase name="t" status="notrun"><skipped message="S"/>'
                          "</testcase>")
        self.assertIn("t: did not run (S)", done.stdout)
        done = self.judge(ran + '<testcase name="t" status="disabled"/>')
        self.assertIn("t: disabled", done.stdout)


class SymbolsTest(CheckTest):

    def build(self, source, library="lib/berth/plugins/a.so"):
        self.plant("a.c", source)
        path = os.path.join(self.folder.name, library)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", path,
                        os.path.join(self.folder.name, "a.c")], check=True)

    def judge(self):
        done = subprocess.run(
            [sys.executable, os.path.join(TOOLS, "check_symbols"), self.folder.name],
            capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1 if done.stdout else 0)
        return done.stdout

    def test_one_symbol_passes(self):
        self.build("void berth_plugin_query(void) {}")
        self.assertEqual(self.judge(), "")

    def test_a_second_symbol_is_found(self):
        self.build("void berth_plugin_query(void) {} void other(void) {}")
        self.assertIn("exports berth_plugin_query, other", self.judge())

    def test_no_plugin_is_found(self):
        self.assertIn("no plugin", self.judge())

    def test_a_leak_of_libberth_is_found(self):
        self.build("void berth_plugin_query(void) {}")
        self.build("void berth_open(void) {} void _ZN4absl5Mutex4LockEv(void) {}",
                   "lib/libberth.so")
        self.assertIn("libberth.so: exports absl::Mutex::Lock()", self.judge())


class CommitsTest(unittest.TestCase):

    def judge(self, subject):
        return subprocess.run(
            [sys.executable, os.path.join(TOOLS, "check_commits"), "--stdin"],
            input=subject + "\n", capture_output=True, text=True, check=False)

    def test_subjects_of_the_house_pass(self):
        for subject in ("core: feed strings", "kernels-cpu: add Relu", "docs: say why",
                        "core/placer: explain", "build: find OpenCL"):
            self.assertEqual(self.judge(subject).returncode, 0, subject)

    def test_others_are_found(self):
        for subject, reason in (("no area", "not of the form"), ("kernels: add", "no folder"),
                                ("core: Add", "lower case"), ("core: added x", "imperative"),
                                ("core: adding x", "imperative"), ("core: add x.", "full stop"),
                                ("core: " + "a" * 67, "73 characters")):
            done = self.judge(subject)
            self.assertEqual(done.returncode, 1, subject)
            self.assertIn(reason, done.stdout)


if __name__ == "__main__":
    unittest.main()
