import assert from "node:assert/strict";
import test from "node:test";
import {
  clampVoxel,
  isTransposed,
  nearestVoxel,
  placementOf,
  planeViews,
  sampleTransform,
  toPhysical,
  toScreen,
  toVoxel,
} from "../src/slices/geometry.ts";
import { orientations, picture, volume } from "./images.js";

const pane = { width: 400, height: 300 };
const placeOf = (image, view) => placementOf(image, view, pane, 1.5, [9, 14, 19]);

/** Where a step of one voxel along an axis goes on the screen, and in the patient. */
function steps(image, view) {
  const place = placeOf(image, view);
  const start = [5, 5, 5];
  return [0, 1, 2].map((axis) => {
    const next = start.map((v, i) => (i === axis ? v + 1 : v));
    const [a, b] = [toScreen(place, start), toScreen(place, next)];
    const [p, q] = [toPhysical(image, start), toPhysical(image, next)];
    return { screen: [b.x - a.x, b.y - a.y], patient: q.map((v, i) => v - p[i]) };
  });
}

/** The directions of the patient (LPS) that the screen's right and down are. */
function screenDirections(image, view) {
  const found = { right: [0, 0, 0], down: [0, 0, 0] };
  for (const { screen, patient } of steps(image, view))
    for (const [i, side] of ["right", "down"].entries())
      if (Math.abs(screen[i]) > 1e-9) found[side] = patient.map((v) => Math.sign(v * screen[i]) || 0);
  return found;
}

test("each of 48 orientations is shown the same way, left where the convention says", () => {
  for (const to of orientations()) {
    const image = volume(to);
    const radiological = planeViews(image, "radiological");
    assert.deepEqual(radiological.map((view) => view.plane), ["axial", "coronal", "sagittal"], to);
    const [axial, coronal, sagittal] = radiological.map((view) => screenDirections(image, view));
    assert.deepEqual(axial, { right: [1, 0, 0], down: [0, 1, 0] }, to); // to the patient's left; to the back
    assert.deepEqual(coronal, { right: [1, 0, 0], down: [0, 0, -1] }, to); // to the feet
    assert.deepEqual(sagittal, { right: [0, 1, 0], down: [0, 0, -1] }, to);
    const neurological = planeViews(image, "neurological").map((view) => screenDirections(image, view));
    assert.deepEqual(neurological[0], { right: [-1, 0, 0], down: [0, 1, 0] }, to);
    assert.deepEqual(neurological[2], sagittal, to);
  }
});

test("letters are those of the sides", () => {
  const [axial, coronal, sagittal] = planeViews(volume("RAS"), "radiological");
  assert.deepEqual(axial.letters, { left: "R", right: "L", top: "A", bottom: "P" });
  assert.deepEqual(coronal.letters, { left: "R", right: "L", top: "S", bottom: "I" });
  assert.deepEqual(sagittal.letters, { left: "A", right: "P", top: "S", bottom: "I" });
  assert.equal(planeViews(volume("RAS"), "neurological")[0].letters.left, "L");
});

test("without a patient slices run along the axes; a picture is one", () => {
  const views = planeViews(volume("LPS", { axes: undefined }), "radiological");
  assert.deepEqual(views.map((view) => [view.plane, view.normal]), [["xy", 2], ["xz", 1], ["yz", 0]]);
  assert.ok(views.every((view) => view.letters === null && !view.across.flipped && !view.down.flipped));
  assert.equal(planeViews(picture(), "radiological").length, 1);
});

test("axes that name one direction twice are not believed", () => {
  const image = volume("LPS", { axes: { x: ["R", "L"], y: ["L", "R"], z: ["I", "S"] } });
  assert.equal(planeViews(image, "radiological")[0].plane, "xy");
});

test("voxels are as long as their spacing says", () => {
  const image = volume("LPS"); // 1 x 2 x 3 mm
  const [axial, coronal] = planeViews(image, "radiological").map((view) => placeOf(image, view));
  assert.ok(Math.abs(axial.scaleY / axial.scaleX - 2) < 1e-12);
  assert.ok(Math.abs(coronal.scaleY / coronal.scaleX - 3) < 1e-12);
});

test("an image fits its pane and lies in the middle", () => {
  const image = volume("LPS");
  const [axial] = planeViews(image, "radiological");
  const place = placementOf(image, axial, pane, 1, [9.5, 14.5, 19.5]); // 20 x 60 mm
  assert.ok(Math.abs(60 * (place.scaleX / 1) - 0.96 * 300) < 1e-9);
  assert.ok(Math.abs(place.left + 10 * place.scaleX - 200) < 1e-9);
  assert.ok(Math.abs(place.top + 15 * place.scaleY - 150) < 1e-9);
});

test("the screen's point of a voxel is that voxel", () => {
  for (const to of orientations())
    for (const view of planeViews(volume(to), "radiological")) {
      const place = placeOf(volume(to), view);
      const { x, y } = toScreen(place, [3, 7, 11]);
      const found = toVoxel(place, x, y, [3, 7, 11]);
      found.forEach((v, axis) => assert.ok(Math.abs(v - [3, 7, 11][axis]) < 1e-9, to));
    }
});

test("samples are painted where their voxels are, also those sent with a step", () => {
  for (const to of ["LPS", "RAS", "SPL", "AIR"])
    for (const view of planeViews(volume(to), "radiological"))
      for (const step of [1, 2, 4]) {
        const place = placeOf(volume(to), view);
        const [a, b, c, d, e, f] = sampleTransform(place, step);
        const [column, row] = [view.across.axis, view.down.axis].sort();
        const voxel = [0, 0, 0];
        voxel[column] = 2 * step; // sample (2, 3)
        voxel[row] = 3 * step;
        const at = toScreen(place, voxel);
        assert.ok(Math.abs(a * 2.5 + c * 3.5 + e - at.x) < 1e-9, `${to} ${view.plane} ${step}`);
        assert.ok(Math.abs(b * 2.5 + d * 3.5 + f - at.y) < 1e-9, `${to} ${view.plane} ${step}`);
        assert.equal(isTransposed(view), a === 0);
      }
});

test("only voxels of the image are found, and others are moved into it", () => {
  assert.deepEqual(nearestVoxel([20, 30, 40], [19.4, -0.4, 3]).map(Math.abs), [19, 0, 3]);
  assert.equal(nearestVoxel([20, 30, 40], [19.6, 0, 3]), null);
  assert.deepEqual(clampVoxel([20, 30, 40], [99, -3, 3.4]), [19, 0, 3]);
});

test("physical points go through origin, spacing and direction", () => {
  assert.deepEqual(toPhysical(volume("LPS"), [1, 2, 3]), [11, 24, 39]);
  assert.deepEqual(toPhysical(volume("RAS"), [1, 2, 3]), [9, 16, 39]);
  assert.equal(toPhysical(volume("LPS", { has_geometry: false }), [1, 2, 3]), null);
});
