import assert from "node:assert/strict";
import test from "node:test";
import { bordersOf, insideOf, liesOn } from "../src/slide/label_layer.ts";
import { barFor, lengthText } from "../src/slide/scale_bar.ts";
import { ShapeLayer } from "../src/slide/shape_layer.ts";
import { forms, parseShapes } from "../src/slide/shapes.ts";
import { addressOfTile, lookOf } from "../src/slide/source.ts";
import { TileCache } from "../src/slide/tile_cache.ts";
import { fittingScale, levelFor, onSlide, pixelAt, rectOf, seenBy, tilesIn, toSlide } from "../src/slide/viewport.ts";
import { physicalText } from "../src/slices/status.ts";
import { packed, slide, tissueMap } from "./slides.js";

const view = { left: 1000, top: 500, scale: 0.5, width: 800, height: 600 };

test("places of the pane are places of the slide", () => {
  assert.deepEqual(toSlide(view, 100, 50), [1200, 600]);
  assert.deepEqual(seenBy(view), { left: 1000, top: 500, right: 2600, bottom: 1700 });
  assert.equal(fittingScale(slide(), 800, 300), 0.1);
});

test("the level that is shown has pixels of at most one and a half of the screen", () => {
  const { levels } = slide();
  const at = (scale) => levelFor(levels, onSlide, scale);
  assert.deepEqual([4, 1, 0.75, 0.74, 0.5, 0.25, 0.01].map(at), [0, 0, 1, 1, 1, 2, 3]);
  assert.equal(levelFor(levels, { left: 0, top: 0, scale: [8, 8] }, 0.1), 0);
});

test("tiles that are seen come from the middle outward, within the level", () => {
  const { levels } = slide();
  const keys = tilesIn(seenBy(view), 1, levels, onSlide);
  assert.deepEqual(new Set(keys.slice(0, 2).map(({ column }) => column)), new Set([1]));
  assert.deepEqual(new Set(keys.map(({ column, row }) => `${column},${row}`)), new Set(["0,0", "1,0", "2,0", "0,1", "1,1", "2,1"]));
  assert.deepEqual(tilesIn({ left: -900, top: -900, right: 9000, bottom: 9000 }, 3, levels, onSlide), [{ level: 3, column: 0, row: 0 }]);
  assert.deepEqual(tilesIn({ left: 5000, top: 0, right: 6000, bottom: 100 }, 0, levels, onSlide), []);
});

test("a tile at the border is cut, and one of a map lies where the map does", () => {
  const { levels } = slide();
  assert.deepEqual(rectOf({ level: 2, column: 1, row: 1 }, levels, onSlide), { left: 2048, top: 2048, right: 4000, bottom: 3000 });
  const map = tissueMap({ place: { left: 10, top: -20, scale: [64, 32] } });
  assert.deepEqual(rectOf({ level: 0, column: 0, row: 0 }, map.levels, map.place), { left: 10, top: -20, right: 10 + 63 * 64, bottom: -20 + 47 * 32 });
});

test("a pixel of a map is found from a place of the slide", () => {
  const map = tissueMap();
  assert.deepEqual(pixelAt(map, map.place, 130, 63.9), [2, 0]);
  assert.equal(pixelAt(map, map.place, -0.1, 0), null);
  assert.equal(pixelAt(map, map.place, 63 * 64, 0), null);
  assert.ok(liesOn(slide(), map));
  assert.ok(!liesOn(slide({ id: 5 }), map));
  assert.ok(!liesOn(slide(), { ...map, levels: undefined }));
});

test("the bar is as long as a round length", () => {
  assert.deepEqual(barFor(slide(), 1), { text: "50 µm", pixels: 100 });
  assert.deepEqual(barFor(slide(), 0.02), { text: "2 mm", pixels: 80 });
  assert.deepEqual(barFor(slide({ has_geometry: false }), 1), { text: "100 px", pixels: 100 });
  assert.deepEqual(barFor(slide({ unit: "mm", spacing: [0.5, 0.5, 1] }), 1), { text: "50 mm", pixels: 100 });
  assert.equal(lengthText(0.2), "200 nm");
});

test("the place on a slide is told in millimeters", () => {
  assert.equal(physicalText(slide(), [2000, 100, 0]), "1.0000  0.0500 mm");
});

test("tiles of colors are asked for as they are, others by window and channel", () => {
  assert.equal(lookOf(slide(), undefined), "");
  assert.equal(lookOf(slide(), [{ shown: true, color: "#fff", window: [10, 200] }]), "&low=10&high=200");
  const gray = slide({ is_color: false, pixel_type: "u16", channels: [{ window: [5, 900] }, { window: [7, 800] }] });
  assert.equal(lookOf(gray, undefined), "&channel=0&low=5&high=900");
  assert.equal(lookOf(gray, [{ shown: false, window: [5, 900] }, { shown: true, window: [7, 80] }]), "&channel=1&low=7&high=80");
  assert.equal(addressOfTile(3, 1, 4, 5, "&quality=80"), "images/3/tile?level=1&column=4&row=5&size=512&quality=80");
});

test("the border of a label is where a neighbor is another one, also beyond the tile", () => {
  // A margin of one pixel around 3 x 3: the left neighbor of the first column is the same label.
  const data = Uint16Array.from([0, 0, 0, 0, 0, 7, 7, 7, 7, 0, 7, 7, 7, 7, 0, 7, 7, 7, 7, 0, 7, 7, 7, 7, 0]);
  const samples = { width: 5, height: 5, channels: 1, data };
  assert.deepEqual([...bordersOf(samples).data], [7, 7, 7, 0, 0, 7, 0, 0, 7]);
  assert.deepEqual([...insideOf(samples).data], [7, 7, 7, 7, 7, 7, 7, 7, 7]);
});

const square = (x, y, side) => [x, y, x + side, y, x + side, y + side, x, y + side];

test("shapes are found by place, and areas by what they cover", () => {
  const shapes = parseShapes(packed([
    { classOf: 1, form: forms.area, rings: [square(0, 0, 100), square(40, 40, 20)] },
    { classOf: 0, form: forms.lines, rings: [[300, 300, 400, 350]] },
    { classOf: 2, form: forms.points, rings: [[10, 900, 900, 10]] },
  ]));
  assert.deepEqual([...shapes.within({ left: 90, top: 90, right: 350, bottom: 310 })], [0, 1, 2]);
  assert.deepEqual([...shapes.within({ left: 101, top: 0, right: 120, bottom: 5 })], []);
  assert.deepEqual(shapes.areasAt(20, 20), [0]);
  assert.deepEqual(shapes.areasAt(50, 50), []); // the hole
  assert.equal(shapes.within({ left: 0, top: 0, right: 1000, bottom: 1000 }, 2), null);
  assert.deepEqual([...parseShapes(packed([])).within({ left: 0, top: 0, right: 9, bottom: 9 })], []);
  assert.throws(() => parseShapes(packed([{ classOf: 0, form: 2, rings: [square(0, 0, 1)] }]).slice(0, 40)), /incomplete/);
});

test("a hundred thousand polygons are found as a search of all of them finds them", () => {
  const side = 316;
  const all = Array.from({ length: side * side }, (_, i) => ({
    classOf: i % 3,
    form: forms.area,
    rings: [square((i % side) * 30, Math.floor(i / side) * 30, 8 + (i % 40))],
  }));
  const body = packed(all);
  const begin = performance.now();
  const shapes = parseShapes(body);
  const rect = { left: 4001, top: 3007, right: 4555, bottom: 3333 };
  const found = shapes.within(rect);
  const took = performance.now() - begin;
  const expected = all.flatMap(({ rings: [r] }, i) => (r[0] <= rect.right && r[1] <= rect.bottom && r[4] >= rect.left && r[5] >= rect.top ? [i] : []));
  assert.deepEqual([...found], expected);
  assert.ok(took < 2000, `${took} ms`);
});

test("tiles that left the view are canceled, and no more than two are asked for at once", async () => {
  const asked = [];
  const cache = new TileCache(
    (key, signal) => new Promise((done, failed) => {
      asked.push({ key, signal, done });
      signal.addEventListener("abort", () => failed(new DOMException("gone", "AbortError")));
    }),
    () => {},
    assert.fail,
  );
  const keys = [0, 1, 2, 3].map((column) => ({ level: 0, column, row: 0 }));
  cache.want(keys);
  assert.equal(asked.length, 2);
  cache.want(keys.slice(1));
  assert.deepEqual(asked.map(({ signal }) => signal.aborted), [true, false]);
  await new Promise((done) => setTimeout(done));
  cache.want(keys.slice(1));
  assert.deepEqual(asked.slice(2).map(({ key }) => key.column), [2]);
  asked[1].done("tile");
  await new Promise((done) => setTimeout(done));
  assert.equal(cache.get(keys[1]), "tile");
  assert.equal(cache.get(keys[0]), undefined);
});

test("all tiles that are wanted are kept, however many they are", async () => {
  let loads = 0;
  const cache = new TileCache(async () => ++loads, () => {}, assert.fail);
  const tiles = (level) => Array.from({ length: 150 }, (_, column) => ({ level, column, row: 0 }));
  const load = async (keys) => {
    for (let i = 0; i < keys.length; ++i) {
      cache.want(keys);
      await new Promise((done) => setImmediate(done));
    }
  };
  await load(tiles(0));
  assert.ok(tiles(0).every((key) => cache.get(key)));
  assert.equal(loads, 150);
  await load(tiles(1).slice(0, 50));
  assert.equal([...cache.all()].length, 96);
});

test("a raster of many shapes on a large screen has no holes, and each of its tiles is made once", () => {
  let made = 0;
  let drawn = 0;
  const context = new Proxy({}, { get: (_, key) => () => (key === "drawImage" && ++drawn), set: () => true });
  globalThis.document = { createElement: () => (++made, { getContext: () => context }) };
  const screen = { left: 0, top: 0, scale: 0.51, width: 3200, height: 2000 }; // 13 x 8 tiles
  let again = 0;
  const layer = new ShapeLayer({ within: (_, most) => (most ? null : new Uint32Array()) }, () => ++again);
  for (let frame = 0; frame < 200; ++frame) {
    const before = again;
    drawn = 0;
    layer.draw(context, screen, 1, "color");
    if (again === before && frame > 0) break;
  }
  assert.deepEqual([made, drawn], [104, 104]);
});
