// A slide in a browser, with the program: with its map, its annotations, by mouse and by keyboard.
//
//   TESELA=build/bin/tesela node --test test/browser_slide.mjs
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import {
  assertNear,
  faintTexts,
  folder,
  goOnWith,
  namelessControls,
  needsProgram,
  openPage,
  page,
  program,
  saveTo,
  setTolerance,
  shoot,
} from "./browser_page.mjs";
import { startProgram as startFiles } from "./program.mjs";

const [width, height] = [3072, 2048];
const polygons = 100_000;
let server;

/** Squares by the hundred thousand, of two classes. */
function writeCells(path) {
  const side = 400;
  const classes = [{ name: "Tumor", color: [200, 0, 0] }, { name: "Stroma", color: [0, 160, 80] }];
  const features = Array.from({ length: polygons }, (_, i) => {
    const [x, y] = [(i % side) * 7.5, Math.floor(i / side) * 8];
    const coordinates = [[[x, y], [x + 5, y], [x + 5, y + 5], [x, y + 5], [x, y]]];
    return { type: "Feature", geometry: { type: "Polygon", coordinates }, properties: { objectType: "detection", classification: classes[i % 2] } };
  });
  writeFileSync(path, JSON.stringify({ type: "FeatureCollection", features }));
}

before(async () => {
  if (!program) return;
  const at = (name) => join(folder, name);
  execFileSync(program, ["synthesize", "slide", "-o", at("slide.ome.tif"), "--labels", at("truth.ome.tif"), "--annotations", at("truth.geojson"), "--width", String(width), "--height", String(height), "--quiet"]);
  writeCells(at("cells.geojson"));
  server = await startFiles(program, folder, ["slide.ome.tif", "truth.geojson"], "--labels", "truth.ome.tif", "--save-to", saveTo);
});
after(() => server?.end());

const view = () => page.locator(".slide-view");
const status = () => page.locator(".status-line").innerText();

/** Waits until all tiles that are seen are there. */
async function shown() {
  await page.waitForFunction(() => {
    const { tiles, labels } = document.querySelector(".slide-view")?.dataset ?? {};
    return tiles === "all" && labels !== "loading";
  });
  await page.waitForTimeout(100);
}

async function openSlide(url = server.url, options = {}) {
  await page.close();
  goOnWith(await openPage(url, options));
  await view().waitFor();
  await shown();
}

/** Where a pixel of the slide is on the page, while all of it is shown. */
async function placeOf(x, y) {
  const box = await view().boundingBox();
  const scale = Math.min(box.width / width, box.height / height);
  return [box.x + box.width / 2 + (x - width / 2) * scale, box.y + box.height / 2 + (y - height / 2) * scale];
}

/** Colors of a canvas of the view around its middle: the slide itself is the first. */
const colors = (index, side = 40) =>
  view().evaluate((element, [i, length]) => {
    const canvases = [element.querySelector(".openseadragon-canvas canvas"), ...element.querySelectorAll(".slide-overlay")];
    const canvas = canvases[i];
    const data = canvas.getContext("2d").getImageData((canvas.width - length) / 2, (canvas.height - length) / 2, length, length).data;
    const found = new Set();
    for (let p = 0; p < data.length; p += 4) found.add(Array.from(data.slice(p, p + 4)).join());
    return [...found];
  }, [index, side]);

test("a slide with its map: tiles, labels in their colors, the place under the pointer", needsProgram, async () => {
  await openSlide();
  assert.ok((await colors(0, 200)).length > 200, "the section is seen");
  const [x, y] = await placeOf(1000, 700);
  await page.mouse.move(x, y);
  await page.waitForFunction(() => /label \d/.test(document.querySelector(".status-label").textContent));
  const text = await status();
  const [, px, py] = /x (\d+)\s+y (\d+)/.exec(text).map(Number);
  assertNear([px, py], [1000, 700], 4, "the pixel");
  const [, mx, my] = /([\d.]+)\s+([\d.]+) mm/.exec(text).map(Number);
  assertNear([mx, my], [px * 0.0005, py * 0.0005], 1e-4, "millimeters");
  assert.match(text, /Fibers|Mesh|Empty/); // the annotation there
  await page.waitForFunction(() => /label \d/.test(document.querySelector(".status [aria-live=polite]").textContent));
  assert.match(await page.locator(".scale-bar").innerText(), /^(1|2|5)0* (µm|mm)$/);
  await shoot("slide");
});

test("wheel, drag and keys move and enlarge it, and labels have sharp edges then", needsProgram, async () => {
  await openSlide();
  const zoom = () => page.evaluate(() => Number(/zoom=([\d.]+)/.exec(location.hash)?.[1] ?? 1));
  const [x, y] = await placeOf(1000, 700);
  await page.mouse.move(x, y);
  for (let i = 0; i < 4; ++i) await page.mouse.wheel(0, -200);
  await page.waitForFunction(() => /zoom=[\d.]+/.test(location.hash));
  await page.waitForTimeout(600);
  const after = await status();
  assertNear(/x (\d+)\s+y (\d+)/.exec(after).slice(1).map(Number), [1000, 700], 6, "what was below the pointer still is");
  await page.mouse.down();
  await page.mouse.move(x + 120, y + 40, { steps: 5 });
  await page.mouse.up();
  await page.keyboard.press("0");
  await page.waitForFunction(() => !location.hash.includes("zoom="));
  for (let i = 0; i < 18; ++i) await page.keyboard.press("+");
  await page.keyboard.press("ArrowRight");
  await shown();
  await page.waitForFunction(() => location.hash.includes("zoom="));
  assert.ok((await zoom()) > 20, `${await zoom()}`);
  // One color a label, none between them.
  const found = (await colors(1, 300)).filter((color) => !color.endsWith(",0"));
  assert.ok(found.length >= 1 && found.length <= 2, `${found}`);
  await page.keyboard.press("o");
  await page.waitForTimeout(200);
  await page.keyboard.press(" ");
  await page.waitForFunction(() => document.querySelectorAll(".slide-overlay").length === 1);
  await page.keyboard.press(" ");
  const hash = await page.evaluate(() => location.hash);
  await page.reload();
  await shown();
  await page.waitForTimeout(500);
  assert.equal(await page.evaluate(() => location.hash), hash);
});

test("classes of annotations are hidden and shown", needsProgram, async () => {
  await openSlide();
  await page.keyboard.press(" "); // without labels
  const drawn = () => colors(1, 600).then((list) => list.filter((color) => !color.endsWith(",0")).length);
  await page.waitForFunction(() => document.querySelector(".slide-view").dataset.shapes === "lines");
  await page.waitForTimeout(200);
  assert.ok((await drawn()) > 0);
  for (const name of ["Fibers", "Mesh", "Empty"]) await page.getByRole("button", { name: `Show ${name}` }).click();
  await page.waitForTimeout(200);
  assert.equal(await drawn(), 0);
});

test("a hundred thousand polygons are a raster from afar and lines from near", needsProgram, async () => {
  const own = await startFiles(program, folder, ["slide.ome.tif", "cells.geojson"]);
  const begin = Date.now();
  await openSlide(own.url);
  const shapes = (what) => page.waitForFunction((wanted) => document.querySelector(".slide-view").dataset.shapes === wanted, what);
  await shapes("raster");
  console.log(`${polygons} polygons are there after ${Date.now() - begin} ms`);
  await page.waitForTimeout(500);
  assert.ok((await colors(1, 100)).length > 1);
  await shoot("slide-cells");
  const frames = await view().evaluate(async (element) => {
    const took = [];
    for (let i = 0; i < 10; ++i) {
      document.dispatchEvent(new KeyboardEvent("keydown", { key: i % 2 ? "ArrowLeft" : "ArrowRight", bubbles: true }));
      const begin = performance.now();
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      took.push(performance.now() - begin);
    }
    return took.sort((a, b) => a - b);
  });
  console.log(`frames of ${polygons} polygons: median ${frames[5].toFixed(0)} ms, longest ${frames[9].toFixed(0)} ms`);
  assert.ok(frames[5] < 250, `${frames}`);
  for (let i = 0; i < 14; ++i) await page.keyboard.press("+");
  await shapes("lines");
  await page.close(); // it may wait for tiles
  await own.end();
});

test("an operation on the slide gives labels over it", needsProgram, async () => {
  await openSlide();
  await page.keyboard.press("/");
  await page.keyboard.type("threshold otsu");
  await page.keyboard.press("Enter");
  await page.locator(".form").waitFor();
  await page.getByRole("button", { name: "Run" }).click();
  await page.locator(".result").waitFor();
  await page.waitForFunction(() => document.querySelectorAll(".slide-overlay").length === 3);
  await shown();
  assert.ok((await colors(2, 400)).length >= 2);
});

test("a click with the seed tool grows a region on the slide", needsProgram, async () => {
  await openSlide();
  await page.keyboard.press("/");
  await page.keyboard.type("grow tol");
  await page.keyboard.press("Enter");
  await page.locator(".form").waitFor();
  await setTolerance(20);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Set seeds" }).click();
  await page.mouse.click(...(await placeOf(1500, 1980))); // empty glass
  await page.waitForFunction(() => document.querySelectorAll(".slide-overlay").length === 3);
  await shown();
  assert.match(await page.locator(".result code").first().textContent(), /--seeds '?1[45]\d\d,19[78]\d=1/);
  await shoot("slide-seed");
});

test("it is readable and named in both themes", needsProgram, async () => {
  for (const colorScheme of ["dark", "light"]) {
    await openSlide(server.url, { colorScheme });
    assert.deepEqual(await page.evaluate(faintTexts), []);
    assert.deepEqual(await page.evaluate(namelessControls), []);
    await shoot(`slide-${colorScheme}`);
  }
});

test("volumes beside it are shown as ever", needsProgram, async () => {
  const own = await startFiles(program, folder, ["slide.ome.tif", "head.nii.gz", "truth.geojson"]);
  await openSlide(own.url);
  await page.getByRole("button", { name: "head.nii.gz" }).click();
  await page.locator("canvas.slice[data-painted]").first().waitFor();
  assert.equal(await view().count(), 0);
  await page.getByText("Annotations are drawn on slides").waitFor();
  await page.getByRole("button", { name: "slide.ome.tif" }).click();
  await shown();
  await page.close();
  await own.end();
});
