import assert from "node:assert/strict";
import test from "node:test";
import { labelColor } from "../src/colors/labels.ts";
import { outlinesOf, paintChannels, paintColors, paintLabels } from "../src/slices/paint.ts";
import { addressOf, parseSamples, samplesAt } from "../src/slices/samples.ts";

const white = [255, 255, 255];
const samples = (data, width = data.length, channels = 1) => ({ width, height: data.length / width / channels, channels, data });
const pixelsFor = (count) => new Uint8ClampedArray(4 * count);

test("the window's ends are black and white, what is beyond is cut", () => {
  for (const Numbers of [Int16Array, Float32Array, Uint8Array]) {
    const pixels = pixelsFor(5);
    paintChannels([{ samples: samples(Numbers.of(0, 10, 50, 110, 120)), window: [10, 110], color: white }], pixels);
    assert.deepEqual([...pixels.filter((_, i) => i % 4 === 0)], [0, 0, 102, 255, 255]);
    assert.ok(pixels.filter((_, i) => i % 4 === 3).every((alpha) => alpha === 255));
  }
});

test("large slices, which go through a table, look like small ones", () => {
  for (const [Numbers, lowest] of [[Int16Array, -300], [Uint16Array, 0], [Int8Array, -128], [Uint8Array, 0]]) {
    const data = Numbers.from({ length: 8192 }, (_, i) => lowest + (i % 250));
    const large = pixelsFor(data.length);
    const small = pixelsFor(250);
    const window = [lowest + 20, lowest + 213];
    paintChannels([{ samples: samples(data), window, color: white }], large);
    paintChannels([{ samples: samples(data.slice(0, 250)), window, color: white }], small);
    assert.deepEqual(large.slice(0, 1000), small);
  }
});

test("values that are no numbers are black", () => {
  const pixels = pixelsFor(1);
  paintChannels([{ samples: samples(Float32Array.of(Number.NaN)), window: [0, 1], color: white }], pixels);
  assert.deepEqual([...pixels], [0, 0, 0, 255]);
});

test("channels add up in their colors", () => {
  const pixels = pixelsFor(2);
  paintChannels(
    [
      { samples: samples(Uint8Array.of(255, 255)), window: [0, 255], color: [255, 0, 0] },
      { samples: samples(Uint8Array.of(0, 255)), window: [0, 255], color: [128, 255, 0] },
    ],
    pixels,
  );
  assert.deepEqual([...pixels], [255, 0, 0, 255, 255, 255, 0, 255]);
});

test("colors are red, green and blue, whatever comes behind", () => {
  const pixels = pixelsFor(1);
  paintColors(samples(Uint8Array.of(10, 20, 30, 99), 1, 4), [0, 255], pixels);
  assert.deepEqual([...pixels], [10, 20, 30, 255]);
});

test("labels have their colors, and nothing where there is none", () => {
  const pixels = pixelsFor(3);
  paintLabels(samples(Uint32Array.of(0, 7, 4294967295)), labelColor, pixels);
  assert.deepEqual([...pixels], [0, 0, 0, 0, ...labelColor(7), 255, ...labelColor(4294967295), 255]);
});

/** Unit sides of samples between a label and something else, as sorted texts. */
function unitSides(lines) {
  const sides = [];
  for (let i = 0; i < lines.length; i += 4) {
    const [x0, y0, x1, y1] = lines.slice(i, i + 4);
    const count = Math.abs(x1 - x0) + Math.abs(y1 - y0);
    for (let k = 0; k < count; ++k)
      sides.push(x0 === x1 ? `| ${x0} ${y0 + k}` : `- ${x0 + k} ${y0}`);
  }
  return sides.sort();
}

test("outlines are all sides of samples with another one beside", () => {
  const [width, height] = [13, 9];
  const data = Uint8Array.from({ length: width * height }, (_, i) => (Math.imul(i + 3, 2654435761) >>> 28) % 3);
  const outlines = outlinesOf({ width, height, channels: 1, data });
  const at = (x, y) => (x < 0 || y < 0 || x >= width || y >= height ? 0 : data[y * width + x]);
  for (const label of [1, 2]) {
    const expected = [];
    for (let y = 0; y < height; ++y)
      for (let x = 0; x < width; ++x) {
        if (at(x, y) !== label) continue;
        if (at(x - 1, y) !== label) expected.push(`| ${x} ${y}`);
        if (at(x + 1, y) !== label) expected.push(`| ${x + 1} ${y}`);
        if (at(x, y - 1) !== label) expected.push(`- ${x} ${y}`);
        if (at(x, y + 1) !== label) expected.push(`- ${x} ${y + 1}`);
      }
    assert.deepEqual(unitSides(outlines.get(label)), expected.sort());
  }
  assert.equal(outlines.get(0), undefined);
});

test("a square has four lines", () => {
  const data = Uint8Array.of(0, 0, 0, 0, 0, 5, 5, 0, 0, 5, 5, 0, 0, 0, 0, 0);
  assert.equal(outlinesOf({ width: 4, height: 4, channels: 1, data }).get(5).length, 16);
});

test("samples are read as their header says", () => {
  const read = parseSamples("3 1 int16 1", Int16Array.of(-5, 0, 700).buffer);
  assert.deepEqual([...read.data], [-5, 0, 700]);
  assert.equal(parseSamples("1 2 u8 3", new ArrayBuffer(6)).channels, 3);
  assert.throws(() => parseSamples("3 1 int16 1", new ArrayBuffer(5)), /5 bytes instead of 6/);
  assert.throws(() => parseSamples("3 1 int64 1", new ArrayBuffer(24)), /unknown type/);
  assert.throws(() => parseSamples(null, new ArrayBuffer(0)), /which is none/);
});

test("a voxel's samples are found in a slice with a step", () => {
  const key = { image: 1, axis: 2, index: 0, t: 0, channel: null, step: 2 };
  const slice = { ...samples(Uint8Array.from({ length: 12 }, (_, i) => i), 3, 2), key }; // 3 x 2 samples of 2 channels
  assert.deepEqual(samplesAt(slice, 0, 0), [0, 1]);
  assert.deepEqual(samplesAt(slice, 5, 3), [10, 11]);
  assert.deepEqual(samplesAt(slice, 6, 3), [10, 11]); // behind the last sample
});

test("addresses are those of the server", () => {
  const key = { image: 3, axis: 1, index: 40, t: 2, channel: null, step: 4 };
  assert.equal(addressOf(key), "images/3/slice?axis=y&index=40&t=2&step=4");
  assert.equal(addressOf({ ...key, channel: 1 }), "images/3/slice?axis=y&index=40&t=2&channel=1&step=4");
});
