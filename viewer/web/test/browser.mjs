// The page in a browser, as people use it: with a mouse, by keyboard alone, in both themes.
//
//   TESELA=build/bin/tesela node --test test/browser.mjs     with the program
//   TESELA_PAGE=build/viewer/web node --test test/browser.mjs     with the stand-in of the server
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import {
  assertNear,
  browser,
  canvas,
  chooseTissueWindow,
  click,
  colorAt,
  expectComplaints,
  faintTexts,
  folder,
  goOnWith,
  labelOne,
  namelessControls,
  needsProgram,
  openGrowth,
  openPage,
  page,
  painted,
  patience,
  placeOf,
  program,
  resultDone,
  saveTo,
  seriousFindings,
  server,
  setTolerance,
  shoot,
  spot,
  startFake,
  startProgram,
  statusText,
  tissue,
} from "./browser_page.mjs";
import { size } from "./volume.mjs";

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
  // A slice that was asked for as a newer result took the place of its own; no other 404.
  expectComplaints(/ 404 .*\/images\/\d+\/slice\?/);
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
  expectComplaints(/409/);
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

test("by keyboard alone: search, seed, run, list of keys", async () => {
  await page.keyboard.press("h");
  assert.ok(await page.getByRole("heading", { name: "Keys and mouse" }).isVisible());
  assert.deepEqual(await seriousFindings(), []);
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

test("labels lie over images of their own size alone", needsProgram, async () => {
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
  expectComplaints(/400/);
  await openGrowth();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Enter"); // a seed, and no tolerance
  await page.locator(".option.is-wrong").filter({ hasText: "Tolerance" }).waitFor();
  await setTolerance(-1);
  await page.getByText(/Tolerance .*0/).first().waitFor();
  await page.getByLabel("Default of Tolerance").click();
});

for (const colorScheme of ["dark", "light"])
  test(`the ${colorScheme} theme: contrast 4.5:1, a name for each control`, async () => {
    await page.close();
    goOnWith(await openPage(server.url, { colorScheme }));
    await painted();
    await shoot(`start-${colorScheme}`);
    assert.deepEqual(await seriousFindings(), []);
    await openGrowth();
    await page.getByText("Advanced", { exact: true }).click();
    await setTolerance(20);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Enter");
    await resultDone();
    for (const summary of await page.locator(".result summary").all()) await summary.click();
    await shoot(`form-${colorScheme}`);
    assert.deepEqual(await seriousFindings(), []);
    assert.deepEqual(await page.evaluate(faintTexts), []);
    assert.deepEqual(await page.evaluate(namelessControls), []);
    const scroll = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.equal(scroll[0], scroll[1]);
  });

test("what would be a serious finding is one", async () => {
  assert.deepEqual(await seriousFindings(), []);
  await page.evaluate(() => document.querySelector(".toolbar, main").append(document.createElement("button")));
  assert.match((await seriousFindings()).join(), /^button-name/);
});

test("nothing moves by itself for who asks for reduced motion", async () => {
  await page.close();
  goOnWith(await openPage(server.url, { reducedMotion: "reduce" }));
  await painted();
  const moving = () =>
    [...document.querySelectorAll("*")].filter((element) => {
      const { transitionDuration, animationName } = getComputedStyle(element);
      return animationName !== "none" || transitionDuration.split(",").some((time) => Number.parseFloat(time) > 0);
    }).length;
  assert.equal(await page.evaluate(moving), 0);
  await page.emulateMedia({ reducedMotion: "no-preference" });
  assert.ok((await page.evaluate(moving)) > 0);
});

test("without its token the page says what to do", async () => {
  const other = await openPage(server.url.replace(/#.*/, ""));
  await other.getByText("does not know its token").waitFor();
  expectComplaints(/401/);
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
  expectComplaints(/ERR_/);
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

test("a read-only viewer offers no saving", needsProgram, async () => {
  const own = await startProgram("--read-only");
  const other = await openPage(own.url);
  await other.locator("canvas.slice[data-painted]").first().waitFor();
  await other.getByText("This viewer is read-only").waitFor();
  assert.equal(await other.locator(".operation-row").first().isVisible(), false);
  await other.close();
  await own.end();
});
