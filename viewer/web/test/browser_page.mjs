// A page of the viewer for the tests of a file: a browser, a server with a head and a ramp, a new page for each test, and
// what a hand does there.
//
// TESELA names the program; without it TESELA_PAGE names the built page, for the stand-in of the server. TESELA_CHROMIUM
// names the browser, TESELA_SHOTS a folder for pictures of the page.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, afterEach, before, beforeEach } from "node:test";
import { chromium } from "playwright-core";
import { FakeServer } from "./fake_server.mjs";
import { startProgram as startVolumes } from "./program.mjs";
import { size, spacing, writeHead, writeRamp } from "./volume.mjs";

export const program = process.env.TESELA && resolve(process.env.TESELA);
const shots = process.env.TESELA_SHOTS;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
export const folder = mkdtempSync(join(tmpdir(), "tesela-page-"));
export const saveTo = join(folder, "saved");

export const startProgram = (...options) => startVolumes(program, folder, ["head.nii.gz", "ramp.nii.gz"], ...options);

export async function startFake() {
  const fake = new FakeServer(process.env.TESELA_PAGE ?? resolve("../../build/viewer/web"));
  return { fake, url: await fake.listen(), end: () => fake.close() };
}

export let browser, server, page;
let complaints = []; // of the browser
export const patience = 60_000; // ms, on machines that do other things, too
const ofTests = [/willReadFrequently/]; // what reading pixels provokes
let expected = []; // patterns of complaints

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

export async function openPage(url = server.url, options = {}) {
  const opened = await browser.newPage({ viewport: { width: 1440, height: 900 }, ...options });
  opened.setDefaultTimeout(patience);
  const origin = new URL(url).origin;
  opened.on("console", (message) => {
    const said = `${message.text()} ${message.location().url}`;
    const isKnown = expected.some((pattern) => pattern.test(said));
    if (["error", "warning"].includes(message.type()) && !isKnown) complaints.push(said);
  });
  opened.on("pageerror", (error) => complaints.push(String(error)));
  opened.on("request", (request) => {
    if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== origin) complaints.push(`foreign: ${request.url()}`);
  });
  await opened.goto(url);
  return opened;
}

/** Complaints that a test provokes, beside those that reading pixels does. */
export function expectComplaints(...patterns) {
  expected = [...ofTests, ...patterns];
}

/** The page that a test goes on with. */
export function goOnWith(opened) {
  page = opened;
}

beforeEach(async () => {
  complaints = [];
  expectComplaints();
  page = await openPage();
  await painted();
});

afterEach(async () => {
  await page.close();
  assert.deepEqual(complaints, []);
});

export const canvas = (index = 0) => page.locator("canvas.slice").nth(index);
export const statusText = () => page.locator(".status-line").innerText();

/** Waits until a slice is painted with all of its samples. */
export async function painted(index = 0, slice = /:1$/) {
  await page.waitForFunction(
    ([i, pattern]) => new RegExp(pattern).test(document.querySelectorAll("canvas.slice")[i]?.dataset.painted ?? ""),
    [index, slice.source],
  );
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/** Where a voxel is in a pane that the image fits, in pixels of the pane; radiological. */
export async function placeOf(index, voxel) {
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

export async function colorAt(index, voxel) {
  const { x, y } = await placeOf(index, voxel);
  return canvas(index).evaluate(
    (element, [px, py]) => Array.from(element.getContext("2d").getImageData(Math.round(px), Math.round(py), 1, 1).data.slice(0, 3)),
    [x, y],
  );
}

export async function click(index, voxel, options) {
  const { x, y } = await placeOf(index, voxel);
  await canvas(index).click({ position: { x, y }, ...options });
}

export async function shoot(name) {
  const shot = await page.screenshot();
  if (shots) writeFileSync(join(shots, `${name}.png`), shot);
  return shot;
}

/** What axe-core finds on the page that is serious or worse, the parts that it is about behind it. */
export async function seriousFindings() {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe);
  return page.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, { resultTypes: ["violations"] });
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).join("; ")}`);
  });
}

export function assertNear(found, wanted, by, what) {
  assert.ok(found.every((value, i) => Math.abs(value - wanted[i]) <= by), `${what}: ${found} instead of ${wanted}`);
}

export const spot = [90, 80, 30];
export const tissue = [40, 60, 30];
export const labelOne = [90, 124, 205];

export async function chooseTissueWindow() {
  await page.getByLabel("Preset of Window").selectOption({ label: "CT soft tissue" }); // -160 to 240
  await painted();
}

export async function openGrowth() {
  await page.keyboard.press("/");
  await page.keyboard.type("grow tol");
  await page.keyboard.press("Enter");
  await page.locator(".form").waitFor();
}

export async function setTolerance(value) {
  const field = page.getByLabel("Tolerance", { exact: true }).and(page.locator("input[type=number]"));
  await field.fill(String(value));
  await field.press("Enter");
}

export async function resultDone(image = undefined) {
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

export const needsProgram = { skip: !program && "needs the program" };

/** Text that is seen, with its contrast to what lies behind it. */
export function faintTexts() {
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
export function namelessControls() {
  return [...document.querySelectorAll("button, input, select, canvas, progress, [role]")]
    .filter((element) => element.checkVisibility() && !element.closest("[aria-hidden=true]"))
    .filter((element) => !["status", "alert"].includes(element.getAttribute("role")))
    .filter((element) => {
      const labels = [...(element.labels ?? [])].map((label) => label.textContent).join("");
      return !(element.getAttribute("aria-label") || labels.trim() || element.textContent.trim() || element.title);
    })
    .map((element) => element.outerHTML.slice(0, 120));
}
