// The volume in three dimensions in a browser, with the program: turned, edited and clicked with a mouse.
//
//   TESELA=build/bin/tesela node --test test/browser_volume.mjs
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { chromium } from "playwright-core";
import { startProgram } from "./program.mjs";
import { writeHead } from "./volume.mjs";

const program = process.env.TESELA && resolve(process.env.TESELA);
const shots = process.env.TESELA_SHOTS;
const folder = mkdtempSync(join(tmpdir(), "tesela-volume-"));
const patience = 60_000; // ms
const only = { skip: !program && "needs the program" };
let browser, server, page;
let complaints = [];

before(async () => {
  if (!program) return;
  writeHead(join(folder, "head.nii.gz"));
  if (shots) mkdirSync(shots, { recursive: true });
  browser = await chromium.launch({ executablePath: process.env.TESELA_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
  server = await startProgram(program, folder, ["head.nii.gz"]);
});
after(async () => {
  await browser?.close();
  await server?.end();
  rmSync(folder, { recursive: true, force: true });
});

beforeEach(async () => {
  if (!program) return;
  complaints = [];
  page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(patience);
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error" && !/409/.test(message.text())) complaints.push(message.text());
  });
  await page.goto(server.url);
  await full();
});
afterEach(async () => {
  await page?.close();
  assert.deepEqual(complaints, []);
});

const canvas = () => page.locator("canvas.volume");
/** Some of the picture, as all of it takes seconds on its way. */
const samples = () =>
  canvas().evaluate((element) =>
    Array.from(element.getContext("2d").getImageData(0, 0, element.width, element.height).data.filter((_, i) => i % 101 === 0)),
  );
const painted = (what) =>
  page.waitForFunction((wanted) => document.querySelector("canvas.volume")?.dataset.painted?.endsWith(wanted), what);

/** Waits until the picture at rest is there. */
async function full() {
  await page.waitForTimeout(200);
  await painted(":full");
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

async function pixel(shareX, shareY) {
  return canvas().evaluate(
    (element, [x, y]) => Array.from(element.getContext("2d").getImageData(Math.round(x * element.width), Math.round(y * element.height), 1, 1).data.slice(0, 3)),
    [shareX, shareY],
  );
}

async function drag(dx, dy, options = {}) {
  const box = await canvas().boundingBox();
  const [x, y] = [box.x + 0.6 * box.width, box.y + 0.4 * box.height];
  await page.mouse.move(x, y);
  if (options.key) await page.keyboard.down(options.key);
  await page.mouse.down({ button: options.button ?? "left" });
  await page.mouse.move(x + dx / 2, y + dy / 2, { steps: 4 });
  await page.mouse.move(x + dx, y + dy, { steps: 4 });
  await page.mouse.up({ button: options.button ?? "left" });
  if (options.key) await page.keyboard.up(options.key);
  await full();
}

const look = () => page.waitForTimeout(400).then(() => page.evaluate(() => {
  const text = new URLSearchParams(location.hash.slice(1)).get("volume");
  return text ? JSON.parse(text) : {};
}));
const differs = (a, b) => a.length !== b.length || a.some((value, i) => Math.abs(value - b[i]) > 40);

async function shoot(name) {
  if (shots) await page.screenshot({ path: join(shots, `${name}.png`) });
}

test("the volume stands beside its slices: bone in the middle, background at the corner", only, async () => {
  assert.ok(Math.max(...(await pixel(0.6, 0.4))) > 60);
  assert.deepEqual(await pixel(0.02, 0.02), [0, 0, 0]);
  await shoot("volume");
});

test("it turns with the mouse and by keys, moves and zooms, and comes back with the address", only, async () => {
  const before = await samples();
  await drag(90, 30);
  const { camera } = await look();
  assert.ok(camera.position[0] < -50, `the camera went to the patient's right: ${camera.position}`);
  assert.ok(differs(await samples(), before));
  await drag(20, 0, { button: "right" });
  const moved = (await look()).camera;
  assert.notDeepEqual(moved.target, camera.target);
  assert.equal(moved.height, camera.height);
  await page.mouse.wheel(0, -200);
  await full();
  assert.ok((await look()).camera.height < moved.height);
  await canvas().focus();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("+");
  await full();
  const last = await look();
  const seen = await samples();
  await page.reload();
  await full();
  assert.deepEqual((await look()).camera, last.camera);
  assert.ok(!differs(await samples(), seen));
  await page.getByRole("button", { name: "From the left" }).click();
  await full();
  assert.ok((await look()).camera.position[0] > 100);
  await canvas().focus();
  await page.keyboard.press("0");
  await full();
  assert.equal((await look()).camera, undefined);
});

test("a click moves the cross-hair to what is seen; with the seed tool it sets a seed there", only, async () => {
  const box = await canvas().boundingBox();
  await canvas().click({ position: { x: box.width / 2, y: box.height / 2 } });
  // The face is seen: the shell's front is at y 8.
  await page.waitForFunction(() => /x (59|60|61)\s+y ([6-9]|1[0-2])\s+z (29|30|31)/.test(document.querySelector(".status-line").innerText));
  await page.keyboard.press("s");
  await canvas().click({ position: { x: box.width / 2, y: box.height / 2 } });
  await page.waitForFunction(() => /seeds=1:(59|60|61),([6-9]|1[0-2]),/.test(location.hash));
  await canvas().click({ position: { x: 3, y: 3 } }); // nothing is there
  await page.waitForTimeout(300);
  assert.equal((await page.evaluate(() => location.hash.match(/seeds=([^&]*)/)[1])).split(";").length, 1);
});

test("the transfer function is edited over the histogram, and by dragging in the view", only, async () => {
  await page.keyboard.press("4");
  await full();
  const before = await samples();
  const editor = page.locator("canvas.transfer");
  const box = await editor.boundingBox();
  await page.mouse.move(box.x + 0.3 * box.width, box.y + 0.5 * box.height);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.35 * box.width, box.y + 0.2 * box.height, { steps: 5 });
  await page.mouse.up();
  await full();
  assert.ok(differs(await samples(), before));
  assert.equal(await page.getByLabel("Preset", { exact: true }).inputValue(), "*");
  const { transfer } = await look();
  await shoot("volume-transfer");
  await drag(0, 60, { key: "Control" });
  assert.ok((await look()).transfer.opacity[0][0] > transfer.opacity[0][0]);
  await editor.focus();
  const points = (await look()).transfer.opacity.length;
  await page.keyboard.press("Insert");
  await page.keyboard.press("ArrowUp");
  assert.equal((await look()).transfer.opacity.length, points + 1);
  await page.keyboard.press("Delete");
  assert.equal((await look()).transfer.opacity.length, points);
  await page.getByLabel("Preset", { exact: true }).selectOption("ct-soft");
  await full();
  assert.equal((await look()).preset, "ct-soft");
  assert.equal((await look()).transfer, undefined);
});

test("modes, clip box and labels are seen, and the lines say what to type", only, async () => {
  await page.getByLabel("Shows", { exact: true }).selectOption("mip");
  await full();
  assert.ok(Math.min(...(await pixel(0.5, 0.5))) > 150, "bone is the maximum");
  await page.getByLabel("Shows", { exact: true }).selectOption("composite");
  await page.getByText("Clip box").click();
  await page.getByLabel("First voxel along y").fill("70");
  await full();
  assert.deepEqual((await look()).clip, [[0, 70, 0], [119, 139, 59]]);
  await page.getByText("Command and Python").first().click();
  const command = page.getByLabel("command", { exact: true });
  await command.filter({ hasText: "--clip-box 0,70,0,119,139,59" }).waitFor();
  assert.match(await command.innerText(), /^tesela render head\.nii\.gz --camera '\{"position".*-o view\.png$/);
  await page.keyboard.press("/");
  await page.keyboard.type("threshold otsu");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Run" }).click();
  await page.waitForFunction(() => document.querySelector("canvas.volume").dataset.labels > "0");
  await full();
  await shoot("volume-labels");
});

test("the volume fills the window and goes, and is all there by keyboard", only, async () => {
  await canvas().dblclick({ position: { x: 5, y: 5 } });
  assert.equal(await page.locator("canvas.slice").first().isVisible(), false);
  await full();
  await page.keyboard.press("m");
  assert.equal(await page.locator("canvas.slice").first().isVisible(), true);
  await page.getByLabel("Show", { exact: true }).uncheck();
  assert.equal(await canvas().isVisible(), false);
  assert.equal(await page.locator("canvas.slice").first().isVisible(), true);
});
