// Slices over a link of 20 Mbit/s and 40 ms, as behind an SSH tunnel: what a user waits for who scrolls through a large
// volume. Prints the times of this machine, which has the browser, too.
//
//   TESELA=build/bin/tesela node --test test/browser_link.mjs
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { folder, goOnWith, needsProgram, openPage, page, painted, program } from "./browser_page.mjs";
import { startProgram } from "./program.mjs";
import { writeNoise } from "./volume.mjs";

const link = { latency: 40, downloadThroughput: 20e6 / 8, uploadThroughput: 20e6 / 8 };
const scrolled = 12; // slices
const part = (values, share) => [...values].sort((a, b) => a - b)[Math.round(share * (values.length - 1))];

/** Scrolls on by a slice; gives when samples of the new one were painted, and when all were, in ms. */
function scroll(element) {
  return new Promise((done) => {
    const started = performance.now();
    const before = Number(element.dataset.painted.split(":")[1]);
    let preview = null;
    const observer = new MutationObserver(() => {
      const [, index, step] = element.dataset.painted.split(":").map(Number);
      if (index === before) return;
      const now = performance.now() - started;
      preview ??= { time: now, step };
      if (step > 1) return;
      observer.disconnect();
      done({ preview: preview.time, step: preview.step, full: now });
    });
    observer.observe(element, { attributes: true, attributeFilter: ["data-painted"] });
    element.dispatchEvent(new WheelEvent("wheel", { deltaY: 120, bubbles: true, cancelable: true }));
  });
}

test("over a slow link a preview comes soon, and all samples behind it", needsProgram, async () => {
  writeNoise(join(folder, "large.nii.gz"), [512, 512, 40]);
  const own = await startProgram(program, folder, ["large.nii.gz"]);
  await page.close();
  goOnWith(await openPage(own.url));
  await painted();
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", { offline: false, ...link });
  const slice = page.locator("canvas.slice").first();
  const all = [];
  for (let i = 0; i < scrolled; ++i) all.push(await slice.evaluate(scroll));
  const [, ...later] = all; // the first one finds out how slow the link is
  const [preview, full] = ["preview", "full"].map((what) => part(later.map((times) => times[what]), 0.95));
  console.log(`slice over 20 Mbit/s and 40 ms: preview ${preview.toFixed(0)} ms, full ${full.toFixed(0)} ms (95th percentile)`);
  assert.ok(later.every(({ step }) => step > 1), "each had a preview");
  assert.ok(preview < full / 1.5, `a preview after ${preview} ms, all after ${full} ms`);
  await page.close();
  await own.end();
});
