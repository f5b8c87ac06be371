import assert from "node:assert/strict";
import test from "node:test";
import { boxOf, paintBox, takeComponent, useAtCrosshair } from "../src/labels/drag.ts";
import { LabelEditor } from "../src/labels/editor.ts";
import { stemOf, suggestedFile } from "../src/labels/export.ts";
import { millimetersIn, sizeText, unitOf, usualSize } from "../src/labels/sizes.ts";
import { ServerError } from "../src/session/client.ts";
import { coloringOf } from "../src/slices/layers.ts";
import { paintLabels } from "../src/slices/paint.ts";
import { initialState } from "../src/store/state.ts";
import { Store } from "../src/store/store.ts";
import { volume } from "./images.js";

const labels = volume("LPS", { id: 9, name: "head.nii.gz (edited)", role: "labels", of: 1, editable: true, pixel_type: "u32" });

/** A server that keeps edits, and answers when the test says so. */
class Client {
  sent = [];
  revision = 4;
  refuse = null;
  waiting = [];

  async newLabels(start) {
    this.started = start;
    return { image: 9 };
  }
  state() {
    return { id: 9, revision: this.revision, unsaved: true, undo: "brush", redo: null };
  }
  async labels(id, search) {
    this.search = search;
    return { ...this.state(), count: 1, next: 2, labels: [{ label: 1, name: "liver", color: "#ff0000", points: 10 }] };
  }
  async editLabels(id, revision, edit) {
    this.sent.push({ revision, ...edit });
    if (this.hold) await new Promise((done) => this.waiting.push(done));
    if (this.refuse) throw this.refuse;
    ++this.revision;
    return { ...this.state(), points: 3, table: false, box: [[1, 2, 3], [4, 5, 6]], t: 0 };
  }
}

async function begin() {
  const client = new Client();
  const store = new Store({ ...initialState(), images: new Map([[1, volume()], [9, labels]]), listed: [] });
  store.set((state) => ({ view: { ...state.view, image: 1, at: [5, 6, 7] }, listed: [{ id: 9, editable: true }] }));
  const editor = new LabelEditor(store, client, async (id) => store.get().images.get(id) ?? null);
  await editor.begin(null);
  return { client, store, editor };
}
const settled = async () => {
  for (let i = 0; i < 20; ++i) await new Promise((done) => setImmediate(done));
};

test("labels begin empty, on the grid of the shown image, as a layer over it", async () => {
  const { client, store } = await begin();
  assert.deepEqual(client.started, { of: 1 });
  assert.equal(store.get().editing.revision, 4);
  assert.deepEqual(store.get().layers, [{ slot: "image 9", image: 9, shown: true }]);
});

test("edits go one after the other, each with the revision of the one before", async () => {
  const { client, editor } = await begin();
  client.hold = true;
  const both = [editor.send({ edit: "delete", label: 1 }), editor.send({ edit: "undo" })];
  await settled();
  assert.equal(client.sent.length, 1);
  client.waiting.shift()();
  await settled();
  client.waiting.shift()();
  assert.deepEqual(await Promise.all(both), [true, true]);
  assert.deepEqual(client.sent.map(({ revision, edit }) => [revision, edit]), [[4, "delete"], [5, "undo"]]);
});

test("a stroke is there at once, and stays until slices have it", async () => {
  const { client, store, editor } = await begin();
  const stroke = editor.startStroke({ label: 1, points: [[3, 4, 5]], across: 2 });
  editor.extendStroke(stroke, [4, 4, 5]);
  assert.equal(store.get().strokes[0], stroke);
  assert.equal(stroke.confirmed, null);
  await editor.endStroke(stroke);
  assert.equal(stroke.confirmed, 5);
  assert.equal(editor.changes.revisionOf(9, 2, 5), 5);
  assert.equal(editor.changes.revisionOf(9, 2, 7), 4);
  const { radius, points, across, label } = client.sent[0];
  assert.deepEqual({ radius, points, across, label }, { radius: 2.5, points: [[3, 4, 5], [4, 4, 5]], across: "z", label: 1 });
});

test("a refused stroke goes, with a sentence; one of an old revision asks for the new state", async () => {
  const { client, store, editor } = await begin();
  client.refuse = new ServerError(413, "The stroke is too long.");
  const stroke = editor.startStroke({ label: 1, points: [[3, 4, 5]], across: null });
  await editor.endStroke(stroke);
  assert.deepEqual(store.get().strokes, []);
  assert.equal(store.get().labelProblem, "The stroke is too long.");
  client.refuse = new ServerError(409, "The labels have changed.");
  client.revision = 11;
  await editor.send({ edit: "split", label: 1, t: 0 });
  assert.equal(store.get().labelProblem, "The labels have changed.");
  assert.equal(store.get().editing.revision, 11);
  assert.equal(editor.changes.revisionOf(9, 0, 0), 11); // all slices may have changed
});

test("edits of another tab are taken, old news is not", async () => {
  const { client, store, editor } = await begin();
  editor.take({ ...client.state(), revision: 6, undo: "split", points: 5, box: [[0, 0, 2], [3, 3, 2]] });
  assert.equal(store.get().editing.undo, "split");
  assert.equal(store.get().revisions.get(9), 6);
  editor.take({ ...client.state(), revision: 5, undo: "old", points: 5, box: null });
  assert.equal(store.get().editing.undo, "split");
  editor.take({ ...client.state(), revision: 6, unsaved: false, points: 0, box: null }); // saved
  assert.equal(store.get().editing.unsaved, false);
});

test("boxes lie in the slice or, in 3-D, as deep as the brush is wide", async () => {
  const { client, store, editor } = await begin();
  store.set({ brush: { size: 12, ball: false, over: 0 }, activeLabel: 3 });
  assert.deepEqual(boxOf(store, labels, 2, [8, 9, 5], [2.4, 40, 5]), [[2, 9, 5], [8, 29, 5]]);
  store.set({ brush: { size: 12, ball: true, over: 0 } });
  store.set({ boxDraft: boxOf(store, labels, 2, [8, 9, 1], [2, 4, 1]) }); // 6 mm are 2 slices
  assert.deepEqual(store.get().boxDraft, [[2, 4, 0], [8, 9, 3]]);
  paintBox(editor, store);
  await settled();
  assert.deepEqual(client.sent, [{ revision: 4, edit: "box", label: 3, first: [2, 4, 0], last: [8, 9, 3], t: 0, over: 0 }]);
  assert.equal(store.get().boxDraft, null);
});

test("at the cross-hair the tools work without a mouse", async () => {
  const { client, store, editor } = await begin();
  store.set({ tool: "eraser" });
  useAtCrosshair(editor, store, 0, () => []);
  await settled();
  assert.deepEqual([client.sent[0].label, client.sent[0].points, client.sent[0].across], [0, [[5, 6, 7]], "x"]);
  store.set({ tool: "box" });
  useAtCrosshair(editor, store, 2, () => []);
  store.set((state) => ({ view: { ...state.view, at: [9, 2, 7] } }));
  useAtCrosshair(editor, store, 2, () => []);
  await settled();
  assert.deepEqual([client.sent[1].first, client.sent[1].last], [[5, 2, 7], [9, 6, 7]]);
});

test("a component is one of the labels or, where they have none, of another map", async () => {
  const { client, store, editor } = await begin();
  const at = [1, 2, 3];
  takeComponent(editor, store, at, () => [{ image: volume(), label: 4 }, { image: labels, label: 0 }]);
  takeComponent(editor, store, at, () => [{ image: volume(), label: 4 }, { image: labels, label: 2 }]);
  await settled();
  assert.deepEqual(client.sent.map(({ from }) => from), [1, undefined]);
});

test("sizes are in the units of the image", () => {
  assert.equal(sizeText(volume(), 100), "600 mm³");
  assert.equal(sizeText(volume(), 2000), "12 ml");
  const picture = volume("LPS", { shape: { x: 20, y: 30, z: 1, t: 1, channels: 1 }, unit: "um" });
  assert.equal(sizeText(picture, 10), "20 µm²");
  assert.equal(millimetersIn(picture), 1e-3);
  assert.equal(unitOf(picture), "µm");
  const plain = volume("LPS", { has_geometry: false });
  assert.equal(sizeText(plain, 1204), "1,204 voxels");
  assert.equal(unitOf(plain), "px");
  assert.equal(usualSize(volume()), 8);
});

test("names of files come from the image that labels lie on", async () => {
  const { store } = await begin();
  assert.equal(suggestedFile(store, { ...labels, name: "labels 3 (grow tolerance) (edited)" }), "head-labels.nii.gz");
  assert.equal(suggestedFile(store, { ...labels, of: null, name: "a.nii (edited)" }), "a-labels.nii.gz");
  assert.equal(stemOf("labels of scan.ome.tif"), "scan-labels");
  assert.equal(stemOf("labels 12 of scan.tif"), "scan-labels");
  assert.equal(stemOf("regions.nii (edited 2)"), "regions-labels");
});

test("hidden labels are transparent, those of other maps are not", () => {
  const state = { ...initialState(), editing: { id: 9 }, hiddenLabels: new Set([2]) };
  const pixels = new Uint8ClampedArray(12);
  paintLabels({ width: 3, height: 1, channels: 1, data: Uint32Array.of(1, 2, 0) }, coloringOf(labels, state), pixels);
  assert.deepEqual([pixels[3], pixels[7], pixels[11]], [255, 0, 0]);
  assert.equal(coloringOf(labels, state), coloringOf(labels, { ...state }));
  assert.ok(coloringOf(volume(), state)(2));
});
