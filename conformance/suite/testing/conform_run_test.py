"""The runner: what becomes of cases that pass, fail, crash, hang, exit and print, and of the processes."""

import os
import re
import shlex
import signal
import subprocess
import time
import unittest

import conform_command as conform


def alive(pid):
    """Whether the process is there and is no zombie that only init has yet to bury."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def eventually(condition, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return condition()


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
        return [int(word) for word in file.read().split()]


class VerdictTest(conform.ConformTest):
    def one(self, name, *arguments, code=conform.FAILURES):
        """The report of one case."""
        _, cases = self.report("--case", name, *arguments, code=code)
        self.assertEqual(list(cases), [name])
        return cases[name]

    def test_passes_and_failures(self):
        report, cases = self.report("--op", "Pass,Wrong", "--match", "op/*float*",
                                    code=conform.FAILURES)
        self.assertEqual(report["summary"], {"passed": 3, "failed": 1, "expected": 0,
                                             "unsupported": 0, "crashed": 0, "hung": 0})
        wrong = cases["op/Wrong/float/0"]
        self.assertEqual((wrong["verdict"], wrong["fault"], wrong["margin"]),
                         ("failed", "wrong value", 3.25))
        self.assertEqual(cases["op/Pass/float/0"]["margin"], 0.125)

    def test_a_crash_is_named_by_its_signal_with_its_stack(self):
        for name, sign in (("op/Crash/float/segv", "SIGSEGV"), ("op/Crash/int32/abort", "SIGABRT")):
            case = self.one(name)
            self.assertEqual((case["verdict"], case["fault"]), ("crashed", "crash"))
            self.assertIn(sign, case["message"])
            self.assertIn("libc.so", case["output"])
        self.assertIn("about to write where nothing may be written",
                      self.one("op/Crash/float/segv")["output"])

    def test_an_overflown_stack_is_a_crash_with_its_stack(self):
        case = self.one("op/Recurse/float/0")
        self.assertEqual((case["verdict"], case["fault"]), ("crashed", "crash"))
        self.assertIn("SIGSEGV", case["message"])
        self.assertIn("fake-conform(", case["output"])

    def test_a_hang_ends_at_the_limit_with_the_stack(self):
        case = self.one("op/Hang/float/0", "--case-limit", "0.5")
        self.assertEqual((case["verdict"], case["fault"]), ("hung", "hang"))
        self.assertIn("0.5 s", case["message"])
        self.assertIn("waiting for an event", case["output"])
        self.assertIn("pause", case["output"])
        self.assertLess(case["seconds"], 5)

    def test_a_hang_that_ignores_the_signal_is_killed(self):
        case = self.one("op/Hang/half/deaf", "--case-limit", "0.5")
        self.assertEqual((case["verdict"], case["fault"]), ("hung", "hang"))

    def test_a_limit_of_the_case_itself_grows_with_that_of_the_run(self):
        # 4 s at the default of 20.
        case = self.one("op/Hang/int32/own-limit", "--case-limit", "2.5")
        self.assertIn("not done after 0.5 s", case["message"])

    def test_exit_in_the_middle_is_a_crash(self):
        case = self.one("op/Exit/float/0")
        self.assertEqual((case["verdict"], case["fault"]), ("crashed", "crash: exited"))
        self.assertIn("exit code 0", case["message"])

    def test_out_of_memory_is_named(self):
        for name in ("op/Memory/float/throws", "op/Memory/float/noexcept"):
            case = self.one(name, "--memory-limit", "1GB")
            self.assertEqual((case["verdict"], case["fault"]), ("crashed", "out of memory"))

    def test_an_exception_is_a_crash_with_its_text(self):
        case = self.one("op/Throw/float/0")
        self.assertEqual((case["verdict"], case["fault"]), ("crashed", "exception"))
        self.assertIn("thrown on purpose", case["message"])

    def test_closing_foreign_descriptors_is_the_fault_of_who_did_it(self):
        _, cases = self.report("--op", "Close,Refuse", "--jobs", "1", code=conform.FAILURES)
        close = cases["op/Close/float/0"]
        self.assertEqual((close["verdict"], close["fault"]), ("crashed", "crash: exited"))
        self.assertIn("after the case had ended", close["message"])
        text = self.call("--op", "Close,Refuse", "--jobs", "1", code=conform.FAILURES)
        self.assertIn("\n3 cases in ", text)
        self.assertEqual(cases["op/Refuse/half/optional"]["verdict"], "unsupported")

    def test_writing_to_foreign_descriptors_is_named(self):
        self.assertEqual(self.one("op/Garbage/float/0")["fault"], "broken channel")

    def test_a_failure_that_needs_company_is_told_from_one_that_does_not(self):
        report, cases = self.report("--op", "Stateful,Wrong", "--jobs", "1",
                                    code=conform.FAILURES)
        suffers = cases["op/Stateful/float/suffers"]
        self.assertEqual((suffers["verdict"], suffers["fault"]), ("failed", "wrong value"))
        self.assertIn("it passes when it runs alone", suffers["message"])
        self.assertNotIn("alone", cases["op/Wrong/float/0"]["message"])
        self.assertEqual(report["notes"], ["op/Stateful/float/suffers passes when it runs alone"])

    def test_a_case_that_is_gone_after_a_reload_fails(self):
        _, cases = self.report("--op", "Exit,Refuse", "--jobs", "1", "--option",
                               f"shrinks={self.path('loads')}", code=conform.FAILURES)
        gone = cases["op/Refuse/float/0"]
        self.assertEqual((gone["verdict"], gone["fault"]), ("failed", "unstable case list"))

    def test_the_seed_reaches_the_suite(self):
        self.assertEqual(self.call("--list", "--op", "Seed", "--seed", "4",
                                   code=conform.AS_EXPECTED), "op/Seed/float/drawn-4\n")

    def test_noise_is_kept_shortened_and_goes_with_its_case(self):
        _, cases = self.report("--op", "Noise,Pass", "--jobs", "1", code=conform.AS_EXPECTED)
        output = cases["op/Noise/float/0"]["output"]
        self.assertTrue(output.startswith("first line of noise\n"), output[:80])
        self.assertIn("bytes left out", output)
        self.assertIn("last line of noise", output)
        self.assertLess(len(output), 9000)
        self.assertEqual(cases["op/Pass/float/0"]["output"], "")
        text = self.call("--op", "Noise", code=conform.AS_EXPECTED)
        self.assertNotIn("noise on stderr", text)

    def test_the_run_goes_on_after_every_fault(self):
        report, cases = self.report("--match", "op/[!SF]*", "--match", "contract/*",
                                    "--case-limit", "2", "--memory-limit", "1GB", "--jobs", "3",
                                    code=conform.FAILURES)
        self.assertEqual(report["summary"], {"passed": 9, "failed": 4, "expected": 0,
                                             "unsupported": 1, "crashed": 9, "hung": 3})
        # In the order of the suite, whatever ended first.
        listed = self.call("--list", "--match", "op/[!SF]*", "--match", "contract/*",
                           code=conform.AS_EXPECTED).splitlines()
        self.assertEqual(list(cases), listed)


class LoadTest(conform.ConformTest):
    def load(self, *arguments):
        report, cases = self.report(*arguments, "--load-limit", "2", "--op", "Pass",
                                    code=conform.NOT_LOADED)
        self.assertEqual(list(cases), ["contract/load"])
        self.assertFalse(report["complete"])
        return cases["contract/load"]

    def test_what_goes_wrong_in_init_is_named(self):
        for init, verdict, fault, message in (
                ("crash", "crashed", "crash in init", "SIGSEGV"),
                ("hang", "hung", "hang in init", "2.0 s"),
                ("exit", "crashed", "crash in init", "exit code 4"),
                ("throw", "crashed", "crash in init", "exit code 1"),
                ("refuse", "failed", "not loaded", "needs driver 470")):
            with self.subTest(init):
                case = self.load("--option", f"init={init}")
                self.assertEqual((case["verdict"], case["fault"]), (verdict, fault))
                self.assertIn(message, case["message"])

    def test_load_is_a_case_like_any_other(self):
        _, cases = self.report("--case", "contract/load", code=conform.AS_EXPECTED)
        self.assertEqual(cases["contract/load"]["verdict"], "passed")
        listed = self.call("--list", code=conform.AS_EXPECTED).splitlines()
        self.assertEqual((listed[0], listed[-1]), ("contract/load", "contract/unload"))

    def test_what_goes_wrong_at_the_end_is_named(self):
        for shutdown, verdict, fault in (("crash", "crashed", "crash in shutdown"),
                                         ("hang", "hung", "hang in shutdown"),
                                         ("exit", "crashed", "crash in shutdown")):
            with self.subTest(shutdown):
                _, cases = self.report("--option", f"shutdown={shutdown}", "--op", "Pass",
                                       "--load-limit", "2", code=conform.FAILURES)
                case = cases["contract/unload"]
                self.assertEqual((case["verdict"], case["fault"]), (verdict, fault))
                self.assertEqual(cases["op/Pass/float/0"]["verdict"], "passed")

    def test_a_plugin_that_loads_only_once_leaves_no_case_untold(self):
        report, cases = self.report("--option", f"loads={self.path('loads')}", "--jobs", "1",
                                    "--op", "Pass,Crash,Exit", code=conform.FAILURES)
        self.assertEqual(cases["contract/load"]["fault"], "crash in init")
        self.assertEqual(cases["op/Crash/float/segv"]["fault"], "crash")
        for name in ("op/Crash/int32/abort", "op/Exit/float/0"):
            self.assertEqual((cases[name]["verdict"], cases[name]["fault"]),
                             ("failed", "not run"))
        self.assertEqual(report["summary"]["passed"], 5)

    def test_a_name_for_two_cases_is_refused(self):
        done = subprocess.run(self.command("--option", "names=twice"), capture_output=True,
                              encoding="utf-8", timeout=conform.LIMIT_S, check=False)
        self.assertEqual(done.returncode, conform.NOT_LOADED)
        self.assertIn("op/Pass/float/0", done.stderr)


class ProcessTest(conform.ConformTest):
    def start(self, *arguments):
        process = subprocess.Popen(self.command(*arguments), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, encoding="utf-8")
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def running(self, process, number):
        """The workers, once there are as many."""
        self.assertTrue(eventually(lambda: len(children(process.pid)) == number))
        return children(process.pid)

    def test_an_interrupt_gives_a_partial_report_and_no_orphan(self):
        process = self.start("--op", "Pass,Sleep", "--jobs", "2", "--verbose", "--html",
                             self.path("report.html"), "--json", self.path("report.json"))
        for line in process.stdout:
            if "op/Pass/float/4" in line:
                break
        workers = children(process.pid)
        self.assertTrue(workers)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=20)
        self.assertEqual(process.returncode, conform.INTERRUPTED)
        self.assertIn("Interrupted", out)
        self.assertIn('"interrupted": true', self.read("report.json"))
        self.assertIn('"complete": false', self.read("report.json"))
        self.assertIn("op/Pass/float/4", self.read("report.json"))
        self.assertNotIn("op/Sleep", self.read("report.json"))
        self.assertTrue(os.path.exists(self.path("report.html")))
        for worker in workers:
            self.assertFalse(alive(worker))

    def test_an_interrupt_while_loading_ends_at_once(self):
        process = self.start("--option", "init=hang")
        workers = self.running(process, 1)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)
        self.assertEqual(process.returncode, conform.INTERRUPTED)
        self.assertFalse(alive(workers[0]))

    def test_a_parent_that_is_killed_leaves_no_worker(self):
        process = self.start("--op", "Sleep,Hang", "--jobs", "2")
        workers = self.running(process, 2)
        process.kill()
        process.wait()
        self.assertTrue(eventually(lambda: not any(map(alive, workers))))

    def test_what_a_plugin_started_ends_with_its_worker(self):
        self.call("--op", "Fork", "--option", f"pid_file={self.path('pid')}",
                  code=conform.AS_EXPECTED)
        pid = int(self.read("pid"))
        self.assertTrue(eventually(lambda: not alive(pid)))

    def test_no_zombie_stays_during_a_run(self):
        # One lane sleeps, the other has lost three workers by then.
        process = self.start("--op", "Sleep,Crash,Exit,Throw", "--jobs", "2", "--verbose")
        for line in process.stdout:
            if "op/Throw" in line:
                break
        self.assertIn(len(children(process.pid)), (1, 2))


class SelectionTest(conform.ConformTest):
    def names(self, *arguments):
        return self.call("--list", *arguments, code=conform.AS_EXPECTED).splitlines()

    def test_filters(self):
        self.assertEqual(self.names("--op", "Wrong", "--dtype", "float"), ["op/Wrong/float/0"])
        self.assertEqual(self.names("--match", "contract/mem*"), ["contract/memory/alignment"])
        self.assertEqual(self.names("--tier", "performance"), ["op/Measure/float/0"])
        self.assertEqual(self.names("--tier", "optional,performance"),
                         ["op/Measure/float/0", "op/Refuse/half/optional"])
        self.assertNotIn("op/Measure/float/0", self.names())

    def test_shards_part_the_suite(self):
        parts = [self.names("--shard", f"{i}/3") for i in (1, 2, 3)]
        self.assertEqual(sorted(sum(parts, [])), sorted(self.names()))
        self.assertTrue(all(parts))

    def test_a_selection_of_nothing_is_an_error_that_says_what_there_is(self):
        self.assertIn("--op Conv3D fits nothing; there is: Close, Crash",
                      self.usage("--op", "Conv3D"))
        self.assertIn("float, half, int32", self.usage("--dtype", "int64"))
        self.assertIn("--list", self.usage("--case", "op/Pass/float/99"))
        self.assertIn("shard 7 of 9", self.usage("--shard", "7/9", "--op", "Pass"))
        self.assertIn("fits all of the filters", self.usage("--op", "Pass", "--dtype", "int32"))

    def test_bad_usage(self):
        for arguments, part in ((("--device", "GPU:x"), "TYPE:INDEX"),
                                (("--shard", "3/2"), "I/N"),
                                (("--shard", "a"), "I/N"),
                                (("--tier", "top"), "mandatory, optional, performance"),
                                (("--option", "x"), "KEY=VALUE"),
                                (("--in-process",), "--case"),
                                (("--quiet", "--verbose"), "not both"),
                                (("--jobs", "0"), "--jobs"),
                                (("--case-limit", "0"), "--case-limit"),
                                (("--fly",), "--fly"),
                                (("fly",), "fly"),
                                (("--json", "/no/such/folder/x.json"), "/no/such/folder"),
                                (("--json", "/tmp"), "folder"),
                                (("--expect", "/no/such/file"), "/no/such/file")):
            with self.subTest(arguments):
                self.assertIn(part, self.usage(*arguments))

    def test_help_names_exit_codes_and_flags(self):
        text = self.call("--help", code=conform.AS_EXPECTED)
        for part in ("130 interrupted", "--plugin", "--device", "--op", "--dtype", "--match",
                     "--tier", "--shard", "--list", "--jobs", "--seed", "--option", "--expect",
                     "--json", "--junit", "--html", "--quiet", "--verbose", "--case",
                     "--in-process", "--case-limit", "--memory-limit"):
            self.assertIn(part, text)
        self.assertNotIn("--worker", text)

    def test_a_failure_prints_the_line_that_reruns_it(self):
        text = self.call("--op", "Wrong", "--dtype", "half", "--seed", "5", "--device", "FAKE:2",
                         "--option", "note=it's", code=conform.FAILURES)
        line = re.search(r"^    rerun: (.*)$", text, re.M).group(1)
        words = shlex.split(line)
        self.assertEqual(words, [conform.PROGRAM, "--plugin", self.plugin, "--device", "FAKE:2",
                                 "--option", "note=it's", "--seed", "5", "--case",
                                 "op/Wrong/half/it's 'quoted'"])
        again = subprocess.run(line, shell=True, capture_output=True, encoding="utf-8",
                               timeout=conform.LIMIT_S, check=False)
        self.assertEqual(again.returncode, conform.FAILURES)
        self.assertIn("FAILED op/Wrong/half/it's 'quoted': wrong value", again.stdout)

    def test_in_process_runs_the_case_in_the_parent(self):
        text = self.call("--case", "op/Wrong/float/0", "--in-process", code=conform.FAILURES)
        self.assertIn("FAILED op/Wrong/float/0", text)
        crash = subprocess.run(self.command("--case", "op/Crash/float/segv", "--in-process"),
                               capture_output=True, timeout=conform.LIMIT_S, check=False)
        self.assertEqual(crash.returncode, -signal.SIGSEGV)


class ExpectTest(conform.ConformTest):
    def expect(self, text):
        return "--expect", self.write("expect.json", text)

    def test_all_as_declared_exits_with_0(self):
        text = ('{"unsupported": [{"match": "op/Refuse/*", "reason": "no rank 5"}],'
                ' "expected_failures": [{"match": "op/Wrong/*", "reason": "ticket 12"},'
                ' {"match": "op/Crash/*", "reason": "ticket 13"}]}')
        report, cases = self.report("--op", "Pass,Refuse,Wrong,Crash", *self.expect(text),
                                    code=conform.AS_EXPECTED)
        self.assertEqual(report["summary"], {"passed": 5, "failed": 0, "expected": 4,
                                             "unsupported": 2, "crashed": 0, "hung": 0})
        crash = cases["op/Crash/float/segv"]
        self.assertEqual((crash["verdict"], crash["fault"], crash["reason"]),
                         ("expected", "crash", "ticket 13"))
        self.assertEqual(report["notes"], [])

    def test_an_unexpected_pass_fails(self):
        text = '{"expected_failures": [{"match": "op/Pass/half/*", "reason": "ticket 1"}]}'
        report, cases = self.report("--op", "Pass", *self.expect(text), code=conform.FAILURES)
        self.assertEqual(cases["op/Pass/half/1"]["fault"], "unexpected pass")
        self.assertEqual((report["summary"]["passed"], report["summary"]["failed"]), (3, 2))

    def test_an_entry_that_fits_nothing_is_noted(self):
        text = '{"unsupported": [{"match": "op/Conv9D/*", "reason": "none"}]}'
        arguments = ("--op", "Pass", *self.expect(text))
        report, _ = self.report(*arguments, code=conform.AS_EXPECTED)
        self.assertEqual(len(report["notes"]), 1)
        self.assertIn("op/Conv9D/*", report["notes"][0])
        self.assertIn("Note: ", self.call(*arguments, code=conform.AS_EXPECTED))

    def test_a_reason_is_mandatory(self):
        self.assertIn("reason", self.usage(*self.expect('{"unsupported": [{"match": "*"}]}')))

    def test_nothing_but_refusals_proves_nothing(self):
        report, _ = self.report("--case", "op/Refuse/half/optional", code=conform.FAILURES)
        self.assertIn("nothing has been shown", report["notes"][0])


if __name__ == "__main__":
    conform.main()
