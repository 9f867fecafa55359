"""Opens the HTML report in a real browser (headless chromium) and uses it.

A probe script is added to the page: it works the page as a person would and leaves what it saw in
an attribute.
"""

import html
import json
import re
import shutil
import subprocess
import sys
import unittest

import conform_command as conform

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# One start of the browser on a busy machine takes seconds by itself.
START_LIMIT_S = 90
# To apply a filter to 5,000 cases: software on a busy machine.
FILTER_LIMIT_MS = 500

ERRORS = """<script>
window.seenErrors = [];
window.addEventListener('error', e => window.seenErrors.push(String(e.message)));
</script>"""

PROBE = """<script>
(async () => {
  const seen = {};
  const wait = () => new Promise(r => setTimeout(r, 60));
  const one = selector => document.querySelector(selector);
  const all = selector => [...document.querySelectorAll(selector)];
  const names = () => all('.row').map(r => r.dataset.name);
  const count = () => one('#count span').textContent;
  const cell = (op, dtype) => one(`.cell[data-op="${op}"][data-dtype="${dtype}"]`);
  try { %s } catch (e) { window.seenErrors.push('probe: ' + e); }
  seen.errors = window.seenErrors;
  document.body.dataset.seen = JSON.stringify(seen);
})();
</script></body>"""

SMALL = """
  await wait();
  seen.ready = document.body.dataset.ready;
  seen.title = document.title;
  seen.subject = one('#subject').textContent;
  seen.count = count();
  seen.cards = all('.card').map(c => c.textContent);
  seen.notes = all('#notes div').map(n => n.textContent);
  seen.columns = all('#matrix thead th').map(t => t.textContent);
  seen.heads = all('#matrix tbody th').map(t => t.textContent);
  seen.cells = all('.cell').map(c => [c.dataset.op, c.dataset.dtype, c.classList[1], c.textContent]);
  const red = getComputedStyle(cell('Wrong', 'float')).backgroundColor;
  seen.coloursDiffer = red !== getComputedStyle(cell('Pass', 'float')).backgroundColor;
  // From the matrix to the case that failed.
  cell('Wrong', 'half').click();
  await wait();
  seen.drilled = [count(), names(), one('#detail h2').textContent, one('#rerun').textContent,
                  one('#detail').textContent, cell('Wrong', 'half').getAttribute('aria-pressed')];
  seen.address = location.hash;
  cell('Crash', 'float').click();
  await wait();
  seen.output = one('#output').textContent;
  seen.back = decodeURIComponent(seen.address);
  location.hash = seen.address;
  await wait();
  seen.again = [names(), one('#detail h2').textContent];
  one('#clear').click();
  await wait();
  seen.cleared = [count(), location.hash, one('#detail').textContent];
  one('.card[data-verdict="crashed"]').click();
  await wait();
  seen.crashed = names();
  one('#clear').click();
  one('#q').value = 'TICKET 12';
  one('#q').dispatchEvent(new Event('input'));
  await wait();
  seen.found = names();
  one('#clear').click();
  one('#dtype').value = 'int32';
  one('#dtype').dispatchEvent(new Event('input'));
  await wait();
  seen.int32 = names();
  seen.requests = performance.getEntriesByType('resource').length;
"""

# Without a wait, so that it runs while the page loads, in real time.
LARGE = """
  seen.count = count();
  seen.rowsInPage = all('.row').length;
  const start = performance.now();
  set({q: 'pass/half'});
  seen.filterMs = performance.now() - start;
  seen.filtered = count();
  one('#list').scrollTop = 1e6;
  one('#list').dispatchEvent(new Event('scroll'));
  seen.lastRow = names().at(-1);
"""


def browser():
    for name in BROWSERS:
        path = shutil.which(name)
        if path:
            return path
    sys.exit("conform_page_test: no chromium; tools/setup installs it")


class PageTest(conform.ConformTest):
    def browse(self, *arguments):
        command = [browser(), "--headless", "--no-sandbox", "--disable-gpu",
                   "--disable-extensions", "--disable-dev-shm-usage", "--hide-scrollbars",
                   "--no-first-run", f"--user-data-dir={self.path('profile')}",
                   "--window-size=1440,900", *arguments]
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=START_LIMIT_S, check=False).stdout.decode("utf-8", "replace")

    def probe(self, script, *arguments):
        """What the probe saw on the page of this run."""
        path = self.path("report.html")
        subprocess.run(self.command(*arguments, "--html", path), stdout=subprocess.DEVNULL,
                       timeout=conform.LIMIT_S, check=False)
        page = self.read("report.html")
        self.assertIn("<head>", page)
        page = page.replace("<head>", "<head>" + ERRORS, 1)
        at = page.rindex("</body>")
        probed = self.write("probe.html", page[:at] + PROBE.replace("%s", script) +
                            page[at + len("</body>"):])
        dom = self.browse(*(["--virtual-time-budget=20000"] if "await wait" in script else []),
                          "--dump-dom", "file://" + probed)
        match = re.search(r'data-seen="([^"]*)"', dom)
        self.assertIsNotNone(match, dom[-2000:])
        seen = json.loads(html.unescape(match.group(1)))
        self.assertEqual(seen["errors"], [])
        return seen

    def test_the_matrix_leads_to_the_case_that_failed(self):
        expect = self.write("expect.json", '{"expected_failures": [{"match": "op/Nan/*", "reason":'
                            ' "ticket 12"}, {"match": "op/None/*", "reason": "gone"}]}')
        seen = self.probe(SMALL, "--match", "contract/*,op/Pass/*,op/Wrong/*,op/Crash/*,"
                          "op/Nan/*,op/Refuse/*", "--expect", expect, "--seed", "11")
        self.assertEqual((seen["ready"], seen["count"], seen["requests"]),
                         ("1", "15 of 15 cases", 0))
        self.assertEqual(seen["title"], "fake 1.2 · conformance")
        for part in ("Fake <device>", "driver 7", "ABI 0.1", "seed 11", "a selection"):
            self.assertIn(part, seen["subject"])
        self.assertEqual(seen["cards"], ["8passed", "3failed", "2crashed", "0hung", "1expected",
                                         "1unsupported"])
        self.assertEqual(len(seen["notes"]), 1)
        self.assertEqual(seen["columns"], ["", "float", "half", "int32", "–"])
        self.assertEqual(seen["heads"], ["contract/load", "contract/memory", "contract/unload",
                                         "Crash", "Nan", "Pass", "Refuse", "Wrong"])
        cells = {(op, dtype): (worst, text) for op, dtype, worst, text in seen["cells"]}
        self.assertEqual(cells["Pass", "float"], ("passed", "✓ 3"))
        self.assertEqual(cells["Wrong", "half"], ("failed", "0 of 1"))
        self.assertEqual(cells["Crash", "int32"], ("crashed", "0 of 1"))
        self.assertEqual(cells["Nan", "float"], ("expected", "0 of 1"))
        self.assertEqual(cells["Refuse", "half"], ("unsupported", "0 of 1"))
        self.assertEqual(cells["contract/memory", "–"], ("passed", "✓ 1"))
        self.assertNotIn(("Pass", "int32"), cells)
        self.assertTrue(seen["coloursDiffer"])

        name = "op/Wrong/half/it's 'quoted'"
        count, names, head, rerun, detail, pressed = seen["drilled"]
        self.assertEqual((count, names, head, pressed), ("1 of 15 cases", [name], name, "true"))
        self.assertIn("--seed 11", rerun)
        self.assertIn("--case 'op/Wrong/half/it'\\''s '\\''quoted'\\'''", rerun)
        self.assertIn('element [0,3] is 1.5, the reference 1.25 <b>&"quoted"</b>', detail)
        self.assertEqual(seen["again"], [[name], name])
        self.assertIn("about to write where nothing may be written", seen["output"])
        self.assertEqual(seen["cleared"], ["15 of 15 cases", "", ""])
        self.assertEqual(seen["crashed"], ["op/Crash/float/segv", "op/Crash/int32/abort"])
        self.assertEqual(seen["found"], ["op/Nan/float/0"])
        self.assertEqual(seen["int32"], ["op/Crash/int32/abort"])

    def test_five_thousand_cases_stay_usable(self):
        seen = self.probe(LARGE, "--op", "Pass", "--option", "passes=5000", "--quiet")
        print(f"5,000 cases: a filter takes {seen['filterMs']:.0f} ms")
        self.assertEqual(seen["count"], "5,000 of 5,000 cases")
        self.assertTrue(0 < seen["rowsInPage"] < 80, seen["rowsInPage"])
        self.assertEqual(seen["filtered"], "2,500 of 5,000 cases")
        self.assertEqual(seen["lastRow"], "op/Pass/half/4999")
        self.assertLess(seen["filterMs"], FILTER_LIMIT_MS)

    def test_it_needs_nothing_from_elsewhere(self):
        self.call("--op", "Pass", "--html", self.path("report.html"), code=conform.AS_EXPECTED)
        page = self.read("report.html")
        self.assertEqual(re.findall(r'(?:src|href)\s*=|url\(|@import|https?://', page), [])


if __name__ == "__main__":
    conform.main()
