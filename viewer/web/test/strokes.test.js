import assert from "node:assert/strict";
import test from "node:test";
import { LabelChanges } from "../src/labels/changes.ts";
import { StrokeOverlay } from "../src/labels/overlay.ts";
import { paintWay, sidesOf } from "../src/labels/strokes.ts";

const lengths = [20, 24, 10];
const spacing = [0.5, 1, 3];
const grid = { lengths, spacing };

function sliceOf(axis, index, change = {}) {
  const [column, row] = sidesOf(axis);
  const [width, height] = [lengths[column], lengths[row]];
  const key = { image: 7, axis, index, t: 0, channel: null, step: 1, revision: 3, ...change };
  return { key, width, height, channels: 1, data: new Uint32Array(width * height) };
}

const stroke = (points, change = {}) => ({
  image: 7, label: 5, points, radius: 3, across: 2, over: null, t: 0, confirmed: null, ...change,
});

function paintAll(slice, drawn) {
  drawn.points.forEach((_, i) => paintWay(slice, grid, drawn, i));
  return slice;
}

/** The least distance of a voxel from the path, by many points along it. */
function distance(voxel, points, across) {
  let least = Infinity;
  for (let i = 0; i < points.length; ++i)
    for (let part = 0; part <= 400; ++part) {
      const [a, b] = [points[Math.max(i - 1, 0)], points[i]];
      const apart = [0, 1, 2].map((axis) =>
        axis === across ? 0 : (voxel[axis] - a[axis] - (b[axis] - a[axis]) * (part / 400)) * spacing[axis]);
      least = Math.min(least, Math.hypot(...apart));
    }
  return least;
}

function check(slice, drawn) {
  const [column, row] = sidesOf(slice.key.axis);
  let painted = 0;
  for (let y = 0; y < slice.height; ++y)
    for (let x = 0; x < slice.width; ++x) {
      const voxel = [0, 0, 0];
      voxel[slice.key.axis] = slice.key.index;
      voxel[column] = x;
      voxel[row] = y;
      const label = slice.data[y * slice.width + x];
      const there = distance(voxel, drawn.points, drawn.across);
      if (Math.abs(there - drawn.radius) < 1e-2) continue; // the reference is no closer
      const isInSlice = drawn.across === null || voxel[drawn.across] === Math.floor(drawn.points[0][drawn.across] + 0.5);
      assert.equal(label, isInSlice && there < drawn.radius ? drawn.label : 0, `${voxel}: ${there}`);
      painted += label === 0 ? 0 : 1;
    }
  return painted;
}

test("a disc is round in millimeters, in its slice alone", () => {
  const drawn = stroke([[8.3, 9.1, 4], [12.7, 15.2, 4]]);
  assert.ok(check(paintAll(sliceOf(2, 4), drawn), drawn) > 100);
  assert.equal(check(paintAll(sliceOf(2, 5), drawn), drawn), 0);
  assert.ok(check(paintAll(sliceOf(0, 10), drawn), drawn) > 5); // a line along y
});

test("a ball reaches as far as its millimeters say along every axis", () => {
  const drawn = stroke([[8.3, 9.1, 4.2], [12.7, 15.2, 5.1]], { across: null, radius: 3.4 });
  for (const [axis, index] of [[2, 4], [2, 5], [2, 6], [1, 12], [0, 9]])
    assert.ok(check(paintAll(sliceOf(axis, index), drawn), drawn) > 5, `${axis} ${index}`);
  assert.equal(check(paintAll(sliceOf(2, 8), drawn), drawn), 0);
});

test("centers at the radius itself are inside", () => {
  const slice = paintAll(sliceOf(2, 4), stroke([[10, 12, 4]], { radius: 3 }));
  assert.equal(slice.data[12 * 20 + 16], 5); // 6 of 0.5 mm
  assert.equal(slice.data[12 * 20 + 17], 0);
  assert.equal(slice.data[15 * 20 + 10], 5); // 3 of 1 mm
  assert.equal(slice.data[16 * 20 + 10], 0);
});

test("a thin brush leaves no gaps, and stays within the image", () => {
  const slice = paintAll(sliceOf(2, 4), stroke([[1, 1, 4], [18, 1, 4], [30, 40, 4]], { radius: 0.1 }));
  for (let x = 1; x <= 18; ++x) assert.equal(slice.data[20 + x], 5);
  assert.equal(slice.data[0], 0);
});

test("it paints over the label that was chosen, alone", () => {
  const slice = sliceOf(2, 4);
  slice.data.fill(2, 0, 12 * 20);
  paintAll(slice, stroke([[10, 12, 4]], { over: 2, label: 0 }));
  assert.equal(slice.data[11 * 20 + 10], 0);
  assert.equal(slice.data[2], 2);
  const other = sliceOf(2, 4);
  paintAll(other, stroke([[10, 12, 4]], { over: 2 }));
  assert.ok(other.data.every((label) => label === 0));
});

test("previews have the samples of the whole slice", () => {
  const drawn = stroke([[8, 9, 4], [12, 15, 4]]);
  const whole = paintAll(sliceOf(2, 4), drawn);
  const preview = { ...sliceOf(2, 4, { step: 4 }), width: 5, height: 6, data: new Uint32Array(30) };
  paintAll(preview, drawn);
  assert.ok(preview.data.some((label) => label === 5));
  preview.data.forEach((label, i) => assert.equal(label, whole.data[Math.floor(i / 5) * 4 * 20 + (i % 5) * 4]));
});

test("strokes lie on slices that are older than they are, and grow on the same copy", () => {
  const overlay = new StrokeOverlay();
  const slice = sliceOf(2, 4);
  assert.equal(overlay.on(slice, [], grid), slice);
  const drawn = stroke([[5, 5, 4]]);
  const first = overlay.on(slice, [drawn], grid);
  assert.notEqual(first, slice);
  assert.ok(slice.data.every((label) => label === 0));
  assert.equal(overlay.takeDirty(), null); // all is new
  drawn.points.push([12, 5, 4]);
  assert.equal(overlay.on(slice, [drawn], grid), first);
  const dirty = overlay.takeDirty();
  assert.ok(dirty.left <= 5 && dirty.right > 12 && dirty.top <= 5);
  assert.equal(first.data[5 * 20 + 12], 5);
  drawn.confirmed = 4;
  assert.equal(overlay.on(slice, [drawn], grid), first); // the slice is of revision 3
  const newer = sliceOf(2, 4, { revision: 4 });
  assert.equal(overlay.on(newer, [drawn], grid), newer);
  assert.equal(overlay.on(slice, [], grid), slice); // one that was refused is taken away
});

test("only slices that an edit crossed are of a newer revision", () => {
  const changes = new LabelChanges();
  assert.equal(changes.revisionOf(7, 2, 4), 0);
  changes.reset(7, 3);
  changes.note(7, 5, [[2, 3, 4], [6, 8, 4]]);
  assert.equal(changes.revisionOf(7, 2, 4), 5);
  assert.equal(changes.revisionOf(7, 2, 5), 3);
  assert.equal(changes.revisionOf(7, 0, 6), 5);
  assert.equal(changes.revisionOf(7, 0, 7), 3);
  assert.equal(changes.revisionOf(8, 0, 7), 0);
  for (let revision = 6; revision < 300; ++revision) changes.note(7, revision, [[0, 0, 0], [0, 0, 0]]);
  assert.ok(changes.revisionOf(7, 2, 9) > 200); // too many to be kept apart
});
