import assert from "node:assert/strict";
import test from "node:test";
import { scaleBar } from "../src/slices/draw.ts";
import { labelText, physicalText, valueText } from "../src/slices/status.ts";
import { draggedWindow, fromLevel, isHounsfield, levelOf, presetsOf, rounded } from "../src/slices/window.ts";
import { volume } from "./images.js";

const ct = volume("LPS", { channels: [{ name: "", color: "#ffffff", lowest: -1024, highest: 3071, window: [-1000, 800] }] });

test("presets of tomography are for values like Hounsfield's alone", () => {
  assert.ok(isHounsfield(ct));
  assert.ok(!isHounsfield(volume()));
  assert.ok(!isHounsfield({ ...ct, role: "labels" }));
  const names = presetsOf(ct, 0).map((preset) => preset.name);
  assert.deepEqual(names, ["0.5–99.5 %", "Full range", "CT soft tissue", "CT bone", "CT lung"]);
  assert.deepEqual(presetsOf(ct, 0)[2].window, [-160, 240]);
  assert.deepEqual(presetsOf(ct, 0)[0].window, [-1000, 800]);
  assert.deepEqual(presetsOf(ct, 0)[1].window, [-1024, 3071]);
  assert.equal(presetsOf(volume(), 0).length, 2);
});

test("a window is its middle and its width", () => {
  assert.deepEqual(levelOf(fromLevel(40, 400)), { level: 40, width: 400 });
});

test("a drag to the right widens, one downwards raises; the width stays above nothing", () => {
  assert.deepEqual(levelOf(draggedWindow([0, 100], 512, 10, 20)), { level: 70, width: 110 });
  const narrow = levelOf(draggedWindow([0, 100], 512, -1000, 0));
  assert.ok(narrow.width > 0 && narrow.level === 50);
});

test("numbers have the digits that their window needs", () => {
  assert.equal(rounded(123.456, 1000), 123);
  assert.equal(rounded(0.123456, 0.5), 0.123);
  assert.equal(rounded(-1e-9, 1000), -0);
});

test("places in a patient have letters instead of signs", () => {
  assert.equal(physicalText(volume("LPS"), [1, 2, 3]), "L 11.0  P 24.0  S 39.0 mm");
  assert.equal(physicalText(volume("RAS", { origin: [-10, -20, -30] }), [1, 2, 3]), "R 11.0  A 24.0  I 21.0 mm");
  assert.equal(physicalText(volume("LPS", { axes: undefined, unit: "um" }), [0, 0, 0]), "10.0  20.0  30.0 µm");
  assert.equal(physicalText(volume("LPS", { has_geometry: false }), [0, 0, 0]), "");
});

test("values and labels are written for people", () => {
  assert.equal(valueText(volume(), [12]), "12");
  assert.equal(valueText(volume(), [0.123456]), "0.1");
  const named = volume("LPS", { labels: [{ label: 3, name: "liver" }] });
  assert.equal(labelText(named, 3), "3 liver");
  assert.equal(labelText(named, 4), "4");
});

test("scale bars are round and at most a fifth of the pane", () => {
  assert.deepEqual(scaleBar(2, "mm", 500), { pixels: 100, text: "50 mm" });
  assert.deepEqual(scaleBar(100, "µm", 500), { pixels: 100, text: "1 µm" });
  assert.deepEqual(scaleBar(1000, "mm", 500), { pixels: 100, text: "0.1 mm" });
  assert.equal(scaleBar(Number.POSITIVE_INFINITY, "mm", 500), null);
});
