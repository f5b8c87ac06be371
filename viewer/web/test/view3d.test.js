import assert from "node:assert/strict";
import test from "node:test";
import { initialState } from "../src/store/state.ts";
import { add, dot, fitted, frameOf, isCamera, moved, pointOf, project, turned, wholeBox, zoomed } from "../src/volume/camera.ts";
import { facesOf } from "../src/volume/cube.ts";
import { opacityIn, partAt, placeOf, plotOf, pointAt, valueAt, xOf, yOf } from "../src/volume/editor.ts";
import { shrinkFor } from "../src/volume/feed.ts";
import { bodyOf, initialLook, labelsOf, lookText, parseLook } from "../src/volume/look.ts";
import { addPoint, colorAt, isTransfer, moveColor, moveOpacity, opacityAt, paintColor, removePoint, shifted } from "../src/volume/transfer.ts";
import { orientations, volume } from "./images.js";

// Looks at the face: from the front (-y) to the back, the head upward.
const front = { position: [10, -100, 30], target: [10, 20, 30], up: [0, 0, 1], height: 80 };
const near = (found, wanted, what) => found.forEach((value, i) => assert.ok(Math.abs(value - wanted[i]) < 1e-9, `${what}: ${found}`));
const seen = (camera, point) => {
  const { x, y } = project(camera, point, 200, 160);
  return [x, y];
};

test("the patient's left is on the right of a picture of the face, the head at the top", () => {
  near(seen(front, [10, 20, 30]), [100, 80], "target");
  near(seen(front, [20, 20, 30]), [120, 80], "left");
  near(seen(front, [10, 0, 40]), [100, 60], "head");
});

test("what is in front follows the mouse as it turns, and the way back is the same", () => {
  const nose = [10, 10, 30];
  assert.ok(seen(turned(front, 0.3, 0), nose)[0] > 100.5);
  assert.ok(seen(turned(front, 0, 0.3), nose)[1] > 80.5);
  const ear = seen(turned(front, 0, 0, 0.3), [20, 20, 30]);
  assert.ok(ear[1] > 80.5 && ear[0] > 100, `clockwise: ${ear}`);
  for (const camera of [turned(turned(front, 0.7, 0), -0.7, 0), turned(turned(front, 0, 0.7), 0, -0.7)])
    near([...camera.position, ...camera.up], [...front.position, ...front.up], "back");
});

test("however a camera was turned, its axes stand upright on each other and its distance stays", () => {
  let camera = front;
  for (let i = 0; i < 400; ++i) camera = turned(camera, Math.sin(i), Math.cos(3 * i), 0.1);
  const { right, down, forward } = frameOf(camera);
  near([dot(right, down), dot(right, forward), dot(down, forward)], [0, 0, 0], "upright");
  const arm = add(camera.position, camera.target, -1);
  assert.ok(Math.abs(Math.sqrt(dot(arm, arm)) - 120) < 1e-6);
});

test("what is moved stays below the mouse, and zoom has limits", () => {
  const perPixel = front.height / 160;
  near(seen(moved(front, 7 * perPixel, -5 * perPixel), front.target), [107, 75], "moved");
  assert.equal(zoomed(front, 2, 80).height, 40);
  assert.equal(zoomed(front, 1e9, 80).height, 80 / 200);
  assert.equal(zoomed(front, 1e-9, 80).height, 640);
  assert.equal(fitted(front, 2), front);
  assert.equal(fitted(front, 0.5).height, 160);
});

test("voxels have their places in millimeters, also of micrometers and without a unit", () => {
  assert.deepEqual(pointOf(volume(), [1, 1, 1]), [11, 22, 33]);
  assert.deepEqual(pointOf(volume("RPS"), [1, 0, 0]), [9, 20, 30]);
  assert.deepEqual(pointOf(volume("LPS", { unit: "", has_geometry: false }), [1, 1, 1]), [11, 22, 33]);
  near(pointOf(volume("LPS", { unit: "um" }), [1, 1, 1]), [0.011, 0.022, 0.033], "micrometers");
  assert.deepEqual(wholeBox(volume()), [[0, 0, 0], [19, 29, 39]]);
});

test("the cube shows the sides that face the eye, whatever way the voxels run", () => {
  for (const to of orientations()) {
    const [face, ...others] = facesOf(front, volume(to));
    assert.equal(face.letter, "A");
    assert.equal(others.length, 0);
  }
  const letters = facesOf(turned(front, 0.5, 0.5), volume()).map((face) => face.letter).sort();
  assert.deepEqual(letters, ["A", "R", "S"]);
  assert.deepEqual(facesOf(front, volume("LPS", { axes: undefined })).map((face) => face.letter), [""]);
});

const transfer = {
  format: "tesela-transfer",
  version: 1,
  name: "",
  units: "file",
  reference_length_mm: 1,
  color: [[0, 0, 0, 0], [100, 1, 0.5, 0]],
  opacity: [[10, 0], [50, 0.2], [90, 1]],
  gradient_opacity: [],
};

test("opacity and color are linear between points and constant beyond them", () => {
  assert.equal(opacityAt(transfer, -5), 0);
  assert.equal(opacityAt(transfer, 30), 0.1);
  assert.equal(opacityAt(transfer, 500), 1);
  assert.deepEqual(colorAt(transfer, 50), [0.5, 0.25, 0]);
  assert.deepEqual(colorAt(transfer, 200), [1, 0.5, 0]);
  const step = { ...transfer, opacity: [[10, 0], [10, 1]] };
  assert.equal(opacityAt(step, 9), 0);
  assert.equal(opacityAt(step, 10), 1);
});

test("points are moved between their neighbors alone, added without a change, and one stays", () => {
  assert.deepEqual(moveOpacity(transfer, 1, 300, 2).opacity[1], [90, 1]);
  assert.deepEqual(moveOpacity(transfer, 1, 0, -1).opacity[1], [10, 0]);
  assert.deepEqual(moveColor(transfer, 0, 400).color[0], [100, 0, 0, 0]);
  assert.deepEqual(paintColor(transfer, 1, [0, 1, 0]).color[1], [100, 0, 1, 0]);
  const [more, index] = addPoint(transfer, "opacity", 70);
  assert.equal(index, 2);
  for (const value of [0, 20, 60, 70, 80, 95]) assert.ok(Math.abs(opacityAt(more, value) - opacityAt(transfer, value)) < 1e-12);
  const [colored, at] = addPoint(transfer, "color", 25);
  assert.deepEqual(colored.color[at], [25, 0.25, 0.125, 0]);
  const one = removePoint(removePoint(transfer, "opacity", 0), "opacity", 0);
  assert.deepEqual(one.opacity, [[90, 1]]);
  assert.equal(removePoint(one, "opacity", 0), one);
});

test("a transfer function is shifted, and spread about its middle", () => {
  assert.deepEqual(shifted(transfer, 5, 1).opacity, [[15, 0], [55, 0.2], [95, 1]]);
  assert.deepEqual(shifted(transfer, 0, 2).color.map((point) => point[0]), [-50, 150]);
});

test("the editor draws points where the mouse finds them", () => {
  const histogram = { lowest: -20, highest: 100, counts: [1, 2, 3] };
  const plot = plotOf(260, 130, histogram, transfer);
  assert.ok(Math.abs(valueAt(plot, xOf(plot, 33)) - 33) < 1e-9);
  assert.ok(Math.abs(opacityIn(plot, yOf(plot, 0.3)) - 0.3) < 1e-9);
  for (const chosen of [{ part: "opacity", index: 1 }, { part: "color", index: 1 }]) {
    const { x, y } = placeOf(plot, transfer, chosen);
    assert.deepEqual(pointAt(plot, transfer, x + 3, y - 2), chosen);
    assert.equal(partAt(plot, y), chosen.part);
  }
  assert.equal(pointAt(plot, transfer, 20, 20), null);
  assert.equal(valueAt(plot, -50), -20);
  assert.equal(plotOf(260, 130, { lowest: 5, highest: 5, counts: [3] }, { ...transfer, color: [[5, 0, 0, 0]], opacity: [[5, 1]] }).highest, 6);
});

const labels = { ...volume(), id: 7, role: "labels" };
const scene = { level: 0, range: [0, 100], histogram: null, presets: [], cameras: { anterior: front } };
const state = (look = {}) => ({
  ...initialState(),
  images: new Map([[1, volume()], [7, labels]]),
  layers: [{ slot: "a", image: 7, shown: true }],
  scenes: new Map([[1, scene]]),
  view: { ...initialState().view, image: 1 },
  volume: { ...initialLook, image: 1, ...look },
});

test("a picture is a call of tesela render", () => {
  assert.deepEqual(bodyOf(state(), "tab", 200, 100), {
    view: "tab",
    inputs: { input: { image: 1 }, camera: { text: JSON.stringify(front) }, labels: { image: 7 } },
    options: { size: "200x100" },
  });
  const all = bodyOf(state({ mode: "isosurface", iso: 30, clip: [[1, 2, 3], [4, 5, 6]], shading: false, labels: false, preset: "mr", transfer }), "tab", 200, 100);
  assert.deepEqual(all.options, { size: "200x100", mode: "isosurface", iso: "30", "clip-box": "1,2,3,4,5,6", "no-shading": true });
  assert.deepEqual(Object.keys(all.inputs), ["input", "camera"]);
  assert.deepEqual(bodyOf(state({ preset: "mr" }), "tab", 9, 9).inputs.transfer, { text: "mr" });
  assert.deepEqual(bodyOf(state({ preset: "mr", transfer }), "tab", 9, 9).inputs.transfer, { text: JSON.stringify(transfer) });
  assert.equal(bodyOf({ ...state(), scenes: new Map() }, "tab", 9, 9), null);
});

test("labels are seen where they are shown and the mode can show them", () => {
  assert.equal(labelsOf(state())?.id, 7);
  assert.equal(labelsOf(state({ mode: "mip" })), null);
  assert.equal(labelsOf(state({ labels: false })), null);
  assert.equal(labelsOf({ ...state(), layers: [{ slot: "a", image: 7, shown: false }] }), null);
  assert.equal(labelsOf({ ...state(), images: new Map([[1, volume()], [7, { ...labels, shape: { ...labels.shape, x: 3 } }]]) }), null);
});

test("the address keeps what was changed, and takes nothing that it does not understand", () => {
  assert.equal(lookText({ ...initialLook, image: 3 }), "");
  const look = { ...initialLook, image: 3, mode: "mip", preset: "mr", transfer, camera: front, iso: 2.5, clip: [[1, 2, 3], [4, 5, 6]], shading: false, labels: false, shown: false };
  assert.deepEqual({ ...initialLook, ...parseLook(lookText(look)) }, look);
  for (const text of ["", "{", "7", "null", '{"mode":"x","camera":{"position":[1,2]},"transfer":{"format":"?"},"clip":[[1],[2]],"iso":"a"}'])
    assert.deepEqual(parseLook(text), {});
  assert.ok(!isCamera({ ...front, height: -1 }));
  assert.ok(!isCamera({ ...front, up: [0, 0, null] }));
  assert.ok(!isTransfer({ ...transfer, opacity: [] }));
  assert.ok(!isTransfer({ ...transfer, color: [[1, 2, 3]] }));
});

test("pictures shrink until they come in time", () => {
  assert.equal(shrinkFor(100 * 100, 0), 1);
  assert.equal(shrinkFor(1000 * 1000, 0), 2);
  assert.equal(shrinkFor(1000 * 1000, 0.0005), 3);
  assert.equal(shrinkFor(1000 * 1000, 1), 6);
});
