// The page in a browser, as people use it: with a mouse, by keyboard alone, in both themes.
//
//   TESELA=build/bin/tesela node --test test/browser.mjs     with the program
//   TESELA_PAGE=build/viewer/web node --test test/browser.mjs     with the stand-in of the server
//
// TESELA_CHROMIUM names the browser, TESELA_SHOTS a folder for pictures of the page.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { chromium } from "playwright-core";
import { FakeServer } from "./fake_server.mjs";
import { startProgram as startVolumes } from "./program.mjs";
import { size, spacing, writeHead, writeRamp } from "./volume.mjs";

const program = process.env.TESELA && resolve(process.env.TESELA);
const shots = process.env.TESELA_SHOTS;
const folder = mkdtempSync(join(tmpdir(), "tesela-page-"));
const saveTo = join(folder, "saved");

const startProgram = (...options) => startVolumes(program, folder, ["head.nii.gz", "ramp.nii.gz"], ...options);

async function startFake() {
  const fake = new FakeServer(process.env.TESELA_PAGE ?? resolve("../../build/viewer/web"));
  return { fake, url: await fake.listen(), end: () => fake.close() };
}

let browser, server, page;
let complaints = []; // of the browser
const patience = 60_000; // ms, on machines that do other things, too
const ofTests = [/willReadFrequently/]; // what reading pixels provokes
let expected = []; // patterns of complaints that a test provokes

before(async () => {
  writeHead(join(folder, "head.nii.gz"));
  writeRamp(join(folder, "ramp.nii.gz"));
  mkdirSync(saveTo);
  if (shots) mkdirSync(shots, { recursive: true });
  browser = await chromium.launch({ executablePath: process.env.TESELA_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
  server = program ? await startProgram("--save-to", saveTo) : await startFake();
});

after(async () => {
  await browser?.close();
  await server?.end();
  rmSync(folder, { recursive: true, force: true });
});

async function openPage(url = server.url, options = {}) {
  const opened = await browser.newPage({ viewport: { width: 1440, height: 900 }, ...options });
  opened.setDefaultTimeout(patience);
  const origin = new URL(url).origin;
  opened.on("console", (message) => {
    const isKnown = expected.some((pattern) => pattern.test(message.text()));
    if (["error", "warning"].includes(message.type()) && !isKnown) complaints.push(message.text());
  });
  opened.on("pageerror", (error) => complaints.push(String(error)));
  opened.on("request", (request) => {
    if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== origin) complaints.push(`foreign: ${request.url()}`);
  });
  await opened.goto(url);
  return opened;
}

beforeEach(async () => {
  complaints = [];
  expected = [...ofTests];
  page = await openPage();
  await painted();
});

afterEach(async () => {
  await page.close();
  assert.deepEqual(complaints, []);
});

const canvas = (index = 0) => page.locator("canvas.slice").nth(index);
const statusText = () => page.locator(".status-line").innerText();

/** Waits until a slice is painted with all of its samples. */
async function painted(index = 0, slice = /:1$/) {
  await page.waitForFunction(
    ([i, pattern]) => new RegExp(pattern).test(document.querySelectorAll("canvas.slice")[i]?.dataset.painted ?? ""),
    [index, slice.source],
  );
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/** Where a voxel is in a pane that the image fits, in pixels of the pane; radiological. */
async function placeOf(index, voxel) {
  const box = await canvas(index).boundingBox();
  const lengths = [size.x, size.y, size.z];
  const [across, down] = [[0, 1], [0, 2], [1, 2]][index];
  const [width, height] = [across, down].map((axis) => lengths[axis] * spacing[axis]);
  const scale = 0.96 * Math.min(box.width / width, box.height / height);
  const isUpward = index > 0; // the head is at the top
  const u = (voxel[across] + 0.5 - lengths[across] / 2) * spacing[across] * scale;
  const v = (voxel[down] + 0.5 - lengths[down] / 2) * spacing[down] * scale * (isUpward ? -1 : 1);
  return { x: box.width / 2 + u, y: box.height / 2 + v, left: box.x, top: box.y };
}

async function colorAt(index, voxel) {
  const { x, y } = await placeOf(index, voxel);
  return canvas(index).evaluate(
    (element, [px, py]) => Array.from(element.getContext("2d").getImageData(Math.round(px), Math.round(py), 1, 1).data.slice(0, 3)),
    [x, y],
  );
}

async function click(index, voxel, options) {
  const { x, y } = await placeOf(index, voxel);
  await canvas(index).click({ position: { x, y }, ...options });
}

async function shoot(name) {
  if (shots) await page.screenshot({ path: join(shots, `${name}.png`) });
}

function assertNear(found, wanted, by, what) {
  assert.ok(found.every((value, i) => Math.abs(value - wanted[i]) <= by), `${what}: ${found} instead of ${wanted}`);
}

const spot = [90, 80, 30];
const tissue = [40, 60, 30];
const labelOne = [90, 124, 205];

async function chooseTissueWindow() {
  await page.getByLabel("Preset of Window").selectOption({ label: "CT soft tissue" }); // -160 to 240
  await painted();
}

async function openGrowth() {
  await page.keyboard.press("/");
  await page.keyboard.type("grow tol");
  await page.keyboard.press("Enter");
  await page.locator(".form").waitFor();
}

async function setTolerance(value) {
  const field = page.getByLabel("Tolerance", { exact: true }).and(page.locator("input[type=number]"));
  await field.fill(String(value));
  await field.press("Enter");
}

async function resultDone(image = undefined) {
  await page.waitForFunction(
    (before) => {
      const cards = [...document.querySelectorAll(".result")];
      const isRunning = document.querySelector(".run-bar.is-running") !== null;
      return cards.length > 0 && !isRunning && !document.querySelector(".badge") && (before === undefined || cards[0].dataset.job !== before);
    },
    image,
  );
  await page.waitForTimeout(150);
}

test("three slices are painted, left on the right side as radiologists have it", async () => {
  for (const index of [0, 1, 2]) await painted(index);
  await chooseTissueWindow();
  assertNear(await colorAt(0, spot), [255, 255, 255], 0, "the spot");
  assertNear(await colorAt(0, tissue), [128, 128, 128], 12, "tissue");
  assertNear(await colorAt(0, [3, 3, 30]), [0, 0, 0], 0, "air");
  assertNear(await colorAt(0, [30, 80, 30]), [128, 128, 128], 12, "the other side");
  assertNear(await colorAt(1, [90, 70, 26]), [255, 255, 255], 0, "the spot, coronal");
  assert.equal(await page.title(), "head.nii.gz – Tesela");
  await page.getByRole("radio", { name: "Neurological" }).check();
  await painted();
  assertNear(await colorAt(0, [size.x - 1 - spot[0], spot[1], 30]), [255, 255, 255], 0, "the spot, neurological");
  assertNear(await colorAt(0, [size.x - 1 - 30, 80, 30]), [128, 128, 128], 12, "the other side");
});

test("the status line has the place, the value and millimeters", async () => {
  const { x, y } = await placeOf(0, spot);
  await canvas(0).hover({ position: { x, y } });
  await page.waitForFunction(() => document.querySelector(".status-value").textContent === "value 300");
  assert.match(await statusText(), /x 90\s+y 80\s+z 30/);
  assert.match(await statusText(), /L 30\.0\s+P 10\.0\s+S 0\.0 mm/);
  await page.waitForFunction(() => /value 300/.test(document.querySelector(".status [aria-live=polite]").textContent));
});

test("clicks, wheel, keys and sliders move the slices together", async () => {
  await click(0, spot);
  await painted(2, /:90:1$/);
  await painted(1, /:80:1$/);
  await page.mouse.wheel(0, 120);
  await painted(0, /:31:1$/);
  await page.keyboard.press("PageDown");
  await page.keyboard.press("PageDown");
  await painted(0, /:29:1$/);
  await page.keyboard.press("ArrowLeft");
  await painted(2, /:89:1$/);
  await page.keyboard.press("End");
  await painted(0, /:59:1$/);
  await page.getByLabel("Coronal slice", { exact: true }).and(page.locator("input")).fill("12");
  await painted(1, /:12:1$/);
  await page.keyboard.press("m");
  assert.equal(await canvas(0).isVisible(), false);
  await page.keyboard.press("m");
  assert.equal(await canvas(0).isVisible(), true);
});

test("the right button drags the window, Ctrl and the wheel zoom", async () => {
  const number = () => page.getByLabel("Window: white").inputValue().then(Number);
  const before = await number();
  const { x, y, left, top } = await placeOf(0, tissue);
  await page.mouse.move(left + x, top + y);
  await page.mouse.down({ button: "right" });
  await page.mouse.move(left + x + 40, top + y + 60, { steps: 4 });
  await page.mouse.up({ button: "right" });
  assert.ok((await number()) > before);
  await page.keyboard.press("w");
  assert.equal(await number(), before);
  await page.mouse.move(left + x, top + y);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -200);
  await page.keyboard.up("Control");
  await page.waitForFunction(() => /zoom=1\.\d/.test(location.hash));
  assert.match(await statusText(), /x 40\s+y 60/); // what was below the pointer still is
  await page.keyboard.press("0");
  await page.waitForFunction(() => !location.hash.includes("zoom="));
});

test("seeds grow, a slider makes them grow anew, and the result is saved", async () => {
  await chooseTissueWindow();
  await openGrowth();
  await setTolerance(20);
  await page.keyboard.press("Escape");
  await page.keyboard.press("s");
  const started = Date.now();
  await click(0, tissue);
  await resultDone();
  console.log(`click to labels: ${Date.now() - started} ms`);
  await page.mouse.move(5, 5);
  const gray = 128 + (Math.round(8 * Math.sin(8) * Math.cos(60 / 7)) * 255) / 400;
  assertNear(await colorAt(0, [30, 70, 30]), labelOne.map((c) => (c + gray) / 2), 14, "label 1 over tissue");
  assertNear(await colorAt(0, spot), [255, 255, 255], 0, "the spot has no label");
  await click(0, [50, 90, 30]);
  await page.waitForFunction(() => document.querySelectorAll(".seed-list li").length === 2);
  await resultDone();

  const before = await page.locator(".result").first().getAttribute("data-job");
  const slider = page.getByLabel("Tolerance", { exact: true }).and(page.locator("input[type=range]"));
  const box = await slider.boundingBox();
  await page.mouse.move(box.x + 10, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + box.height / 2, { steps: 12 });
  await page.mouse.up();
  await resultDone(before);
  assertNear(await colorAt(0, spot), labelOne.map((c) => (c + 255) / 2), 3, "the spot has the label");
  assert.equal(await page.locator(".result").count(), 1);
  await canvas(0).hover({ position: await placeOf(0, spot) });
  await page.waitForFunction(() => document.querySelector(".status-label").textContent === "label 1");
  await page.keyboard.press("o");
  await page.waitForTimeout(100);
  assertNear(await colorAt(0, spot), [255, 255, 255], 0, "outlines leave the inside free");
  await page.keyboard.press("o");
  await shoot("growth-dark");

  await page.getByRole("button", { name: /^Save/ }).click();
  await page.getByLabel(/^File name/).press("Enter");
  await page.getByText("Saved as head-grow-tolerance.nii.gz").waitFor();
  expected = [...ofTests, /409/];
  await page.getByLabel(/^File name/).press("Enter");
  await page.getByRole("button", { name: "Replace it", exact: true }).click();
  await page.getByText("Saved as head-grow-tolerance.nii.gz").waitFor();
  await page.locator(".result").getByText("Command and Python").click();
  const command = await page.getByLabel("command", { exact: true }).innerText();
  if (program) assertSameAsCommand(command);
});

/** The shown line gives the bits that were saved. */
function assertSameAsCommand(command) {
  const before = new Set(execFileSync("ls", { cwd: folder, encoding: "utf8" }).split("\n"));
  const path = `${resolve(program, "..")}:${process.env.PATH}`;
  execFileSync("bash", ["-c", command], { cwd: folder, env: { ...process.env, PATH: path } });
  const made = execFileSync("ls", { cwd: folder, encoding: "utf8" }).split("\n").filter((name) => !before.has(name) && /\.nii(\.gz)?$/.test(name));
  assert.equal(made.length, 1, `${command} made ${made}`);
  const voxels = (file) => {
    const bytes = readFileSync(file);
    const plain = file.endsWith(".gz") ? gunzipSync(bytes) : bytes;
    return plain.subarray(plain.readFloatLE(108));
  };
  assert.ok(voxels(join(folder, made[0])).equals(voxels(join(saveTo, "head-grow-tolerance.nii.gz"))));
}

test("all comes back when the page is loaded again", async () => {
  await openGrowth();
  await setTolerance(20);
  await page.keyboard.press("Escape");
  await page.keyboard.press("s");
  await click(0, tissue);
  await resultDone();
  await page.waitForFunction(() => location.hash.includes("seeds=1:40,60,30,0:1"));
  const results = await page.locator(".result").count();
  assert.ok(!page.url().includes("token"));
  await page.reload();
  await painted();
  await page.locator(".result").first().waitFor();
  assert.equal(await page.locator(".result").count(), results);
  assert.equal(await page.locator(".seed-list li").count(), 1);
  const field = page.getByLabel("Tolerance", { exact: true }).and(page.locator("input[type=number]"));
  await page.locator(".form").waitFor();
  assert.equal(await field.inputValue(), "20");
  assert.match(await statusText(), /x 40\s+y 60\s+z 30/);
  await page.waitForFunction(() => document.querySelector(".status-label").textContent === "label 1");
  await page.locator(".result").first().getByLabel("Show labels").click();
  await page.waitForTimeout(500); // until it is in the address
  await page.reload();
  await painted();
  await page.locator(".result").first().waitFor();
  await page.waitForTimeout(300);
  assert.equal(await page.locator(".status-label").innerText(), "");
});

// Labels that are edited -----------------------------------------------------------------------------

const needsProgram = { skip: !program && "needs the program" };

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

test("what nobody saved is kept when the viewer ends", needsProgram, async () => {
  const own = await startProgram();
  await page.close();
  page = await openPage(own.url);
  await painted();
  await beginLabels("empty labels");
  await page.keyboard.press("d");
  await stroke(0, [30, 5, 30], [60, 5, 30]);
  await edited("brush");
  expected = [...ofTests, /ERR_/];
  const text = await own.end();
  assert.match(text, /'labels of head.nii.gz' was not saved: it is in '.*state\/tesela\/labels-of-head-.*\.nii\.gz'/);
  readFileSync(/it is in '([^']*)'/.exec(text)[1]);
});

test("by keyboard alone: search, seed, run, list of keys", async () => {
  await page.keyboard.press("h");
  assert.ok(await page.getByRole("heading", { name: "Keys and mouse" }).isVisible());
  await shoot("keys");
  await page.keyboard.press("Escape");
  await page.keyboard.press("/");
  await page.keyboard.type("grow tolerance");
  await page.keyboard.press("Enter");
  await page.locator(".form").waitFor();
  const field = page.getByLabel("Tolerance", { exact: true }).and(page.locator("input[type=number]"));
  for (let i = 0; i < 30 && !(await field.evaluate((element) => element === document.activeElement)); ++i)
    await page.keyboard.press("Tab");
  await page.keyboard.type("15");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape"); // out of the field
  await page.keyboard.press("Escape"); // to the slices
  for (let i = 0; i < 5; ++i) await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("l");
  await page.keyboard.press("Enter");
  await resultDone();
  assert.match(await page.locator(".seed-list").innerText(), /55, 70, 30/);
  assert.equal(await page.locator(".seed-list input").inputValue(), "2");
  const eye = page.locator(".result").first().getByLabel("Show labels");
  await eye.focus();
  await page.keyboard.press("Space");
  await page.waitForFunction(() => document.activeElement.getAttribute("aria-pressed") === "false");
  await page.keyboard.press("Space"); // the focus is still there
  await page.waitForFunction(() => document.activeElement.getAttribute("aria-pressed") === "true");
  await page.keyboard.press("Delete");
  assert.equal(await page.locator(".seed-list li").count(), 0);
});

test("an operation that is opened again waits for a change", async () => {
  await openGrowth();
  await setTolerance(20);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Enter");
  await resultDone();
  const newest = () => page.locator(".result").first().getAttribute("data-job");
  const before = await newest();
  await openGrowth();
  await page.waitForTimeout(400);
  assert.equal(await newest(), before);
  assert.equal(await page.locator(".run-bar.is-running").count(), 0);
});

test("labels lie over images of their own size alone", { skip: !program && "needs the program" }, async () => {
  await openGrowth();
  await setTolerance(20);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Enter");
  await resultDone();
  await page.getByRole("button", { name: /^ramp.nii.gz/ }).click();
  await page.waitForFunction(() => document.querySelectorAll("canvas.slice").length === 1);
  await painted();
  await page.waitForTimeout(300);
  assert.equal(await page.locator(".status-label").innerText(), "");
  assert.equal(await page.locator(".status-message").innerText(), "");
  await shoot("picture");
});

test("an option that is wrong or missing is told beside its field", async () => {
  expected = [...ofTests, /400/];
  await openGrowth();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Enter"); // a seed, and no tolerance
  await page.locator(".option.is-wrong").filter({ hasText: "Tolerance" }).waitFor();
  await setTolerance(-1);
  await page.getByText(/Tolerance .*0/).first().waitFor();
  await page.getByLabel("Default of Tolerance").click();
});

/** Text that is seen, with its contrast to what lies behind it. */
function faintTexts() {
  const channel = (c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  const parse = (text) => {
    const numbers = (text.match(/[\d.]+/g) ?? []).map(Number);
    const isUnit = text.startsWith("color(");
    return { rgb: numbers.slice(0, 3).map((n) => (isUnit ? n : n / 255)), alpha: numbers[3] ?? 1 };
  };
  const luminance = (rgb) => rgb.map(channel).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !element.checkVisibility() || element.closest(":disabled, .visually-hidden, option")) continue;
    let behind = element;
    while (behind && parse(getComputedStyle(behind).backgroundColor).alpha < 0.99) behind = behind.parentElement;
    const [a, b] = [getComputedStyle(element).color, behind ? getComputedStyle(behind).backgroundColor : "rgb(0,0,0)"].map((color) => luminance(parse(color).rgb));
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) found.push(`${walker.currentNode.textContent.trim()}: ${contrast.toFixed(2)}`);
  }
  return found;
}

/** Controls without a name for screen readers. */
function namelessControls() {
  return [...document.querySelectorAll("button, input, select, canvas, progress, [role]")]
    .filter((element) => element.checkVisibility())
    .filter((element) => !["status", "alert"].includes(element.getAttribute("role")))
    .filter((element) => {
      const labels = [...(element.labels ?? [])].map((label) => label.textContent).join("");
      return !(element.getAttribute("aria-label") || labels.trim() || element.textContent.trim() || element.title);
    })
    .map((element) => element.outerHTML.slice(0, 120));
}

for (const colorScheme of ["dark", "light"])
  test(`the ${colorScheme} theme: contrast 4.5:1, a name for each control`, async () => {
    await page.close();
    page = await openPage(server.url, { colorScheme });
    await painted();
    await shoot(`start-${colorScheme}`);
    await openGrowth();
    await page.getByText("Advanced", { exact: true }).click();
    await setTolerance(20);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Enter");
    await resultDone();
    for (const summary of await page.locator(".result summary").all()) await summary.click();
    await shoot(`form-${colorScheme}`);
    assert.deepEqual(await page.evaluate(faintTexts), []);
    assert.deepEqual(await page.evaluate(namelessControls), []);
    const scroll = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.equal(scroll[0], scroll[1]);
  });

test("without its token the page says what to do", async () => {
  const other = await openPage(server.url.replace(/#.*/, ""));
  await other.getByText("does not know its token").waitFor();
  expected = [...ofTests, /401/];
  const wrong = await openPage(server.url.replace(/token=.*/, "token=00000000000000000000000000000000"));
  await wrong.getByText("does not know its token").waitFor();
  await other.close();
  await wrong.close();
});

test("a server that went away is waited for", async () => {
  const own = await startFake();
  const lost = await openPage(own.url);
  const port = Number(new URL(own.url).port);
  await lost.waitForFunction(() => document.body.dataset.connection === "open");
  expected = [...ofTests, /ERR_/];
  await own.end();
  await lost.getByText("Connection lost").waitFor();
  await own.fake.listen(port);
  await lost.waitForFunction(() => document.body.dataset.connection === "open");
  await lost.close();
  await own.end();
});

test("while the user scrolls, a slow server is asked for what can be shown alone", async () => {
  const own = await startFake();
  const slow = await openPage(own.url);
  await slow.locator("canvas.slice[data-painted]").first().waitFor();
  await slow.waitForTimeout(500);
  own.fake.slow = 150;
  own.fake.requests.length = 0;
  await slow.locator("canvas.slice").first().evaluate(async (element) => {
    for (let i = 0; i < 20; ++i) {
      element.dispatchEvent(new WheelEvent("wheel", { deltaY: 120, bubbles: true, cancelable: true }));
      await new Promise((done) => setTimeout(done, 20));
    }
  });
  await slow.waitForFunction(() => document.querySelector("canvas.slice").dataset.painted === "1:50:1");
  const asked = own.fake.requests.filter((request) => request.includes("axis=z"));
  assert.ok(asked.length <= 12, `${asked.length} slices for 20 notches: ${asked}`);
  assert.match(asked.at(-1), /index=50/);
  await slow.close();
  await own.end();
});

test("two tabs have one stream of events, and both see a result", async () => {
  const own = await startFake();
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 } });
  context.setDefaultTimeout(patience);
  const tabs = [await context.newPage(), await context.newPage()];
  for (const tab of tabs) {
    await tab.goto(own.url);
    await tab.waitForFunction(() => document.body.dataset.connection === "open");
  }
  assert.equal(own.fake.requests.filter((request) => request.includes("/api/events")).length, 1);
  await tabs[0].keyboard.press("/");
  await tabs[0].keyboard.type("smooth");
  await tabs[0].keyboard.press("Enter");
  await tabs[0].getByRole("button", { name: "Run" }).click();
  for (const tab of tabs) await tab.locator(".result").waitFor();
  await tabs[0].close();
  const later = await context.newPage();
  await later.goto(own.url);
  await later.locator(".result").waitFor();
  assert.equal(own.fake.requests.filter((request) => request.includes("/api/events")).length, 1);
  await context.close();
  await own.end();
});

test("a read-only viewer offers no saving", { skip: !program && "needs the program" }, async () => {
  const own = await startProgram("--read-only");
  const other = await openPage(own.url);
  await other.locator("canvas.slice[data-painted]").first().waitFor();
  await other.getByText("This viewer is read-only").waitFor();
  assert.equal(await other.locator(".operation-row").first().isVisible(), false);
  await other.close();
  await own.end();
});
