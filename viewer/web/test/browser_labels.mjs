// Labels that are edited in a browser, with the program: by mouse, by keyboard alone, in two tabs.
//
//   TESELA=build/bin/tesela node --test test/browser_labels.mjs
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import {
  assertNear,
  canvas,
  chooseTissueWindow,
  click,
  colorAt,
  expectComplaints,
  faintTexts,
  goOnWith,
  labelOne,
  namelessControls,
  needsProgram,
  openGrowth,
  openPage,
  page,
  painted,
  placeOf,
  resultDone,
  saveTo,
  server,
  setTolerance,
  shoot,
  startProgram,
  tissue,
} from "./browser_page.mjs";
import { size } from "./volume.mjs";

async function beginLabels(what) {
  const select = page.locator(".labels-panel").getByLabel("Edit", { exact: true });
  await select.selectOption(await select.evaluate((element, text) => [...element.options].find((o) => o.text.startsWith(text)).value, what));
  await page.getByRole("button", { name: "Begin" }).click();
  await page.locator(".label-body").waitFor();
}

/** Waits until the server has the edit that can be taken back. */
async function edited(step) {
  await page.waitForFunction((name) => document.querySelector(".label-head .icon-undo")?.closest("button").title.startsWith(name), `Undo${step ? `: ${step}` : " (" }`);
  await painted();
}

async function stroke(index, from, to) {
  const [a, b] = [await placeOf(index, from), await placeOf(index, to)];
  await page.mouse.move(a.left + a.x, a.top + a.y);
  await page.mouse.down();
  await page.mouse.move(b.left + b.x, b.top + b.y, { steps: 8 });
  await page.mouse.up();
}

const half = (label, under) => label.map((c, i) => (c + under[i]) / 2);
const air = [0, 0, 0];

test("seeds grow, the result is painted on, taken back, saved, and there after a reload", needsProgram, async () => {
  await chooseTissueWindow();
  await openGrowth();
  await setTolerance(20);
  await page.keyboard.press("Escape");
  await page.keyboard.press("s");
  await click(0, tissue);
  await resultDone();
  await beginLabels("a copy of labels");
  await page.getByLabel("Size of the brush").fill("12");
  await page.getByLabel("Size of the brush").press("Enter");
  await page.keyboard.press("Escape");
  await page.keyboard.press("d");
  // Above the head, in air: painted before the server has it.
  const [a, b] = [await placeOf(0, [30, 5, 30]), await placeOf(0, [60, 5, 30])];
  await page.mouse.move(a.left + a.x, a.top + a.y);
  await page.mouse.down();
  await page.mouse.move(b.left + b.x, b.top + b.y, { steps: 8 });
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  assertNear(await colorAt(0, [50, 5, 30]), half(labelOne, air), 3, "a stroke that is drawn");
  const parts = [];
  const note = (response) => {
    const part = response.headers()["x-tesela-slice-part"];
    if (response.url().includes("/slice?") && response.url().includes("revision=")) parts.push(part?.split(" ").map(Number));
  };
  page.on("response", note);
  await page.mouse.up();
  await edited("brush");
  await page.mouse.move(5, 5);
  await page.waitForTimeout(200);
  assertNear(await colorAt(0, [50, 5, 30]), half(labelOne, air), 3, "a stroke");
  assertNear(await colorAt(0, [50, 1, 30]), half(labelOne, air), 3, "4 mm from its middle");
  assertNear(await colorAt(0, [22, 5, 30]), air, 3, "8 mm before its begin");
  await page.keyboard.press("Control+z");
  await edited("");
  await page.waitForTimeout(200);
  assertNear(await colorAt(0, [50, 5, 30]), air, 3, "a stroke that was taken back");
  page.off("response", note);
  assert.ok(parts.length >= 2, "slices came for the stroke and for its end");
  for (const part of parts) assert.ok(part && part[2] * part[3] < 0.5 * size.x * size.y, `a part of a slice: ${part}`);
  await page.keyboard.press("Control+Shift+z");
  await edited("brush");
  await page.getByLabel("Name of label 1").fill("tissue");
  await page.getByLabel("Name of label 1").press("Enter");
  await edited("describe");
  await shoot("labels-dark");
  await page.waitForFunction(() => location.hash.includes("edit="));
  await page.reload();
  await painted();
  await edited("describe");
  await page.waitForTimeout(300);
  assertNear(await colorAt(0, [50, 5, 30]), half(labelOne, air), 3, "a stroke after a reload");
  await page.getByText("unsaved").waitFor();
  await page.keyboard.press("Control+s");
  await page.keyboard.press("Enter");
  await page.locator(".save-dialog").getByText(/Saved as /).waitFor();
  const saved = readFileSync(join(saveTo, (await page.locator(".save-dialog").innerText()).match(/Saved as (\S+\.gz)/)[1]));
  const bytes = gunzipSync(saved);
  const voxels = bytes.subarray(bytes.readFloatLE(108));
  assert.equal(voxels[(30 * size.y + 5) * size.x + 50], 1);
  assert.equal(voxels[(30 * size.y + 5) * size.x + 22], 0);
  await page.keyboard.press("Escape");
  await page.getByText("unsaved").waitFor({ state: "hidden" });
});

test("labels by keyboard alone: box, eraser, names, undo", needsProgram, async () => {
  await page.getByLabel("Edit", { exact: true }).selectOption("");
  await page.getByRole("button", { name: "Begin" }).focus();
  await page.keyboard.press("Enter");
  await page.locator(".label-body").waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("g");
  await page.keyboard.press("Enter");
  for (let i = 0; i < 6; ++i) await page.keyboard.press("ArrowRight");
  for (let i = 0; i < 4; ++i) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await edited("box");
  await page.locator(".label-volume", { hasText: "70 mm³" }).waitFor(); // 7 x 5 voxels of 2 mm³
  await page.keyboard.press("e");
  await page.keyboard.press("Enter");
  await edited("erase");
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+z");
  await edited("");
  await page.keyboard.press("Control+y");
  await edited("box");
  assert.deepEqual(await page.evaluate(namelessControls), []);
  assert.deepEqual(await page.evaluate(faintTexts), []);
});

test("strokes are seeds that grow anew with each, and a component is taken in", needsProgram, async () => {
  await chooseTissueWindow();
  await beginLabels("empty labels");
  await page.keyboard.press("d");
  await stroke(0, [38, 60, 30], [42, 60, 30]);
  await edited("brush");
  await openGrowth();
  await page.getByLabel("Or labels of").selectOption({ label: await page.locator(".label-title").innerText() });
  await setTolerance(20);
  await resultDone();
  const before = await page.locator(".result").first().getAttribute("data-job");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "New label" }).click();
  await stroke(0, [60, 100, 30], [62, 100, 30]);
  await resultDone(before);
  await page.getByRole("button", { name: "Take in" }).click();
  await edited("take labels");
});

test("two tabs see each other's edits", needsProgram, async () => {
  await beginLabels("empty labels");
  const other = await openPage();
  await other.locator("canvas.slice[data-painted]").first().waitFor();
  const name = await page.locator(".label-title").innerText();
  await other.getByLabel("Edit", { exact: true }).selectOption({ label: name });
  await other.getByRole("button", { name: "Begin" }).click();
  await other.locator(".label-body").waitFor();
  await page.keyboard.press("d");
  await stroke(0, [30, 5, 30], [60, 5, 30]);
  await edited("brush");
  await other.waitForFunction(() => document.querySelector(".label-head .icon-undo").closest("button").title.startsWith("Undo: brush"));
  await other.keyboard.press("Control+z");
  await edited("");
  await other.close();
});

test("a name that is half typed stays while the list follows the labels", needsProgram, async () => {
  await beginLabels("empty labels");
  await page.keyboard.press("d");
  await stroke(0, [30, 5, 30], [60, 5, 30]);
  await edited("brush");
  const volume = () => page.locator(".label-volume").first().innerText();
  await page.locator(".label-volume", { hasText: /[1-9]/ }).first().waitFor();
  const before = await volume();
  const name = page.getByLabel("Name of label 1");
  await name.click();
  await page.keyboard.type("liv");
  const other = await openPage();
  await other.locator("canvas.slice[data-painted]").first().waitFor();
  await other.getByLabel("Edit", { exact: true }).selectOption({ label: await page.locator(".label-title").innerText() });
  await other.getByRole("button", { name: "Begin" }).click();
  await other.locator(".label-body").waitFor();
  await other.keyboard.press("Control+z");
  await edited("");
  await page.waitForFunction((text) => document.querySelector(".label-volume").textContent !== text, before);
  await other.close();
  await page.keyboard.type("er");
  await page.keyboard.press("Enter");
  await edited("describe");
  assert.equal(await name.inputValue(), "liver");
});

test("what nobody saved is kept when the viewer ends", needsProgram, async () => {
  const own = await startProgram();
  await page.close();
  goOnWith(await openPage(own.url));
  await painted();
  await beginLabels("empty labels");
  await page.keyboard.press("d");
  await stroke(0, [30, 5, 30], [60, 5, 30]);
  await edited("brush");
  expectComplaints(/ERR_/);
  const text = await own.end();
  assert.match(text, /'labels of head.nii.gz' was not saved: it is in '.*state\/tesela\/labels-of-head-.*\.nii\.gz'/);
  readFileSync(/it is in '([^']*)'/.exec(text)[1]);
});
