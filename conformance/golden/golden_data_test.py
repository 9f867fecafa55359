#!/usr/bin/env python3
"""Checks that the golden data are unpacked whole: golden_data_test.py FOLDER."""

import json
import os
import sys
import unittest

ROOT = ""
INDEX = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ops_index.json")
MODELS = ["alexnet_v2", "inception_v3", "lenet5", "lenet_train_ref", "lenet_train_ref_adam",
          "lenet_train_ref_dropout_decay", "lenet_train_resource", "resnet_v1_50"]


class GoldenDataTest(unittest.TestCase):

    def test_every_listed_op_case_is_there(self):
        with open(INDEX, encoding="utf-8") as file:
            index = json.load(file)
        missing = [f"{op}/{case}" for op, cases in index.items() for case in cases
                   if not os.path.isfile(os.path.join(ROOT, "ops", op, case, "case.json"))]
        self.assertEqual(missing, [])
        self.assertGreaterEqual(len(index), 340)

    def test_files_that_case_json_names_are_there(self):
        with open(INDEX, encoding="utf-8") as file:
            index = json.load(file)
        missing = []
        for op, cases in index.items():
            for case in cases:
                folder = os.path.join(ROOT, "ops", op, case)
                with open(os.path.join(folder, "case.json"), encoding="utf-8") as file:
                    steps = json.load(file).get("steps", [])
                named = [entry.get("file") for step in steps
                         for entry in step.get("feeds", []) + step.get("fetches", [])]
                missing += [os.path.join(op, case, name) for name in named
                            if name and not os.path.exists(os.path.join(folder, name))]
        self.assertEqual(missing, [])

    def test_placement_cases_have_graph_config_and_expectation(self):
        cases = os.path.join(ROOT, "placement", "cases")
        self.assertEqual(len(os.listdir(cases)), 95)
        for case in os.listdir(cases):
            for name in ("graph.pb", "config.pb", "expected.json"):
                self.assertTrue(os.path.isfile(os.path.join(cases, case, name)), (case, name))

    def test_models_are_there(self):
        self.assertEqual(sorted(os.listdir(os.path.join(ROOT, "models"))), MODELS)
        for model in MODELS:
            for name in ("graph.pb", "expected.json"):
                self.assertTrue(os.path.isfile(os.path.join(ROOT, "models", model, name)), model)

    def test_files_are_there(self):
        for name in ("checkpoint_v1", "checkpoint_v2_basic", "checkpoint_v2_sharded", "corrupt"):
            self.assertTrue(os.path.isdir(os.path.join(ROOT, "files", name)), name)


if __name__ == "__main__":
    ROOT = sys.argv.pop(1)
    unittest.main()
