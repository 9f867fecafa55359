#!/usr/bin/env python3
"""Opens the placement page in a real browser (headless chromium) and uses it.

Called with the program explain_test, which writes the pages. A probe script is added to each
page: it works the page as a person would and leaves what it saw in an attribute.
"""

import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# One start of the browser on a busy machine takes seconds by itself.
START_LIMIT_S = 90
# For the 5,000 nodes: first paint, and a filter applied to all of them. Software rendering
# on a busy machine; a page that draws each frame in more than this is not usable.
PAINT_LIMIT_MS = 1000
FILTER_LIMIT_MS = 500

ERRORS = """<script>
window.seenErrors = [];
window.addEventListener('error', e => window.seenErrors.push(String(e.message)));
</script>"""

PROBE = """<script>
(async () => {
  const seen = {};
  const wait = () => new Promise(r => setTimeout(r, 60));
  const rows = () => [...document.querySelectorAll('.row')].map(r => r.dataset.name);
  const count = () => document.querySelector('#count span').textContent;
  const table = () => [...document.querySelectorAll('#rejected tbody tr')].map(
      r => [...r.children].map(c => c.textContent));
  try { %s } catch (e) { window.seenErrors.push('probe: ' + e); }
  seen.errors = window.seenErrors;
  document.body.dataset.seen = JSON.stringify(seen);
})();
</script></body>"""

SMALL = """
  await wait();
  seen.ready = document.body.dataset.ready;
  seen.count = count();
  seen.cards = [...document.querySelectorAll('.card')].map(c => c.textContent);
  seen.warnings = document.querySelectorAll('#warnings div').length;
  seen.legend = document.querySelector('#legend').textContent;
  const pixels = document.querySelector('canvas').getContext('2d').getImageData(
      0, 0, canvas.width, canvas.height).data;
  let painted = 0;
  for (let i = 3; i < pixels.length; i += 4) painted += pixels[i] > 0 ? 1 : 0;
  seen.painted = painted;
  location.hash = '#reason=soft_fallback';
  await wait();
  seen.byReason = [count(), rows()];
  location.hash = '#device=GPU%3A0&op=Const';
  await wait();
  seen.byDeviceAndOp = [count(), rows()];
  location.hash = '#q=does+not+exist';
  await wait();
  seen.byText = [count(), rows()];
  document.querySelector('#clear').click();
  await wait();
  seen.cleared = [count(), location.hash];
  document.querySelector('.row[data-name="text"]').click();
  await wait();
  seen.clicked = [table(), document.querySelector('#detail').textContent, location.hash];
  const search = document.querySelector('#q');
  search.value = 'layer1';
  search.dispatchEvent(new Event('input'));
  await wait();
  seen.typed = [count(), rows()];
  document.querySelector('#clear').click();
  // A click into the graph, where the node called "update" is drawn.
  const n = nodes[byName.get('update')], r = canvas.getBoundingClientRect();
  const at = {clientX: r.left + view.x + (px(n) + BW / 2) * view.k,
              clientY: r.top + view.y + (py(n) + BH / 2) * view.k, pointerId: 1, bubbles: true};
  canvas.setPointerCapture = () => {};
  canvas.dispatchEvent(new PointerEvent('pointerdown', at));
  canvas.dispatchEvent(new PointerEvent('pointerup', at));
  await wait();
  seen.inGraph = document.querySelector('#detail h2').textContent;
  const before = view.k;
  canvas.dispatchEvent(new WheelEvent('wheel', {deltaY: -300, clientX: r.left + 50, clientY: r.top + 50}));
  seen.zoomed = view.k > before;
"""

# Without a wait, so that it runs while the page loads, in real time.
LARGE = """
  seen.ready = document.body.dataset.ready;
  seen.count = count();
  seen.paintMs = Number(document.body.dataset.paintMs);
  seen.rowsInPage = document.querySelectorAll('.row').length;
  let start = performance.now();
  set({reason: 'fell_back'});
  seen.filterMs = performance.now() - start;
  seen.fell = count();
  start = performance.now();
  view.k = 1;
  paint();
  seen.closeMs = performance.now() - start;
  document.querySelector('#list').scrollTop = 1e6;
  document.querySelector('#list').dispatchEvent(new Event('scroll'));
  seen.lastRow = rows().at(-1);
  seen.expectedLast = nodes[shown.at(-1)][NAME];
"""


def browser():
    for name in BROWSERS:
        path = shutil.which(name)
        if path:
            return path
    sys.exit("explain_page_test: no chromium; tools/setup installs it")


def run_browser(folder, *arguments):
    command = [browser(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-extensions",
               "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
               "--allow-file-access-from-files", f"--user-data-dir={folder}/profile",
               "--window-size=1440,900", *arguments]
    start = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=START_LIMIT_S, check=False)
    return done.stdout.decode("utf-8", "replace"), time.monotonic() - start


def probe(folder, name, script, *arguments):
    """Opens the page with the probe in it; what the probe saw, and how long it took."""
    with open(f"{folder}/{name}.html", encoding="utf-8") as file:
        page = file.read()
    assert "</body>" in page and "<head>" in page
    page = page.replace("<head>", "<head>" + ERRORS, 1)
    at = page.rindex("</body>")
    path = f"{folder}/{name}_probe.html"
    with open(path, "w", encoding="utf-8") as file:
        file.write(page[:at] + PROBE.replace("%s", script) + page[at + len("</body>"):])
    dom, seconds = run_browser(folder, *arguments, "--dump-dom", "file://" + path)
    match = re.search(r'data-seen="([^"]*)"', dom)
    if match is None:
        sys.exit(f"{name}: the page did not run: {dom[-2000:]}")
    return json.loads(html.unescape(match.group(1))), seconds


FAILURES = []


def expect(what, condition, seen):
    if not condition:
        FAILURES.append(f"{what}: {seen}")


def check_small(folder):
    seen, _ = probe(folder, "small", SMALL, "--virtual-time-budget=20000")
    expect("no script errors", seen["errors"] == [], seen["errors"])
    expect("ready", seen.get("ready") == "1", seen.get("ready"))
    expect("count", seen["count"] == "8 of 8 nodes", seen["count"])
    cards = " | ".join(seen["cards"])
    expect("cards", "GPU:0" in cards and "CPU:0" in cards and "cannot be placed" in cards, cards)
    expect("warnings", seen["warnings"] >= 2, seen["warnings"])
    expect("legend", "GPU:0" in seen["legend"], seen["legend"])
    expect("the graph is drawn", seen["painted"] > 5000, seen["painted"])
    expect("filter by reason", seen["byReason"] == ["1 of 8 nodes", ["text"]], seen["byReason"])
    expect("filter by device and op", seen["byDeviceAndOp"] == ["1 of 8 nodes", ["x"]],
           seen["byDeviceAndOp"])
    expect("filter by text", "layer1/relu" in seen["byText"][1], seen["byText"])
    expect("clear", seen["cleared"] == ["8 of 8 nodes", ""], seen["cleared"])
    table, detail, address = seen["clicked"]
    expect("rejected devices", len(table) == 1 and table[0][:2] == ["GPU", "no_kernel"], table)
    expect("detail", "AsString" in detail and "/gpu:0" in detail, detail)
    expect("address", "node=text" in address, address)
    expect("typed filter", sorted(seen["typed"][1]) == ["layer1/mul", "layer1/relu"],
           seen["typed"])
    expect("click in the graph", seen["inGraph"] == "update", seen["inGraph"])
    expect("wheel zooms", seen["zoomed"], seen["zoomed"])


def check_large(folder):
    seen, seconds = probe(folder, "large", LARGE)
    print(f"large page: {seconds:.1f} s with the browser's start, first paint "
          f"{seen.get('paintMs')} ms, filter {seen.get('filterMs'):.0f} ms, close view "
          f"{seen.get('closeMs'):.0f} ms")
    expect("no script errors", seen["errors"] == [], seen["errors"])
    total = int(seen["count"].split(" of ")[1].split()[0])
    expect("5,000 nodes", total >= 5000, seen["count"])
    expect("only rows in view exist", 0 < seen["rowsInPage"] < 80, seen["rowsInPage"])
    expect("paint", seen["paintMs"] < PAINT_LIMIT_MS, seen["paintMs"])
    expect("paint close by", seen["closeMs"] < PAINT_LIMIT_MS, seen["closeMs"])
    expect("filter", seen["filterMs"] < FILTER_LIMIT_MS, seen["filterMs"])
    expect("some fell back", 0 < int(seen["fell"].split()[0]) < total, seen["fell"])
    expect("the list scrolls to its end", seen["lastRow"] == seen["expectedLast"], seen["lastRow"])


def check_screenshot(folder):
    path = f"{folder}/shot.png"
    run_browser(folder, "--virtual-time-budget=5000", f"--screenshot={path}",
                f"file://{folder}/small.html#reason=soft_fallback")
    with open(path, "rb") as file:
        head = file.read(24)
    expect("screenshot", head.startswith(b"\x89PNG") and
           int.from_bytes(head[16:20], "big") == 1440, head)


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "--gtest_filter=ExplainTest.WritesPages"], check=True,
                       env={**os.environ, "BERTH_PAGE_DIR": folder},
                       stdout=subprocess.DEVNULL)
        check_small(folder)
        check_large(folder)
        check_screenshot(folder)
    for failure in FAILURES:
        print("FAILED " + failure)
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())
