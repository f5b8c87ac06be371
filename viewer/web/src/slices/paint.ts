// Samples to pixels of a canvas (red, green, blue, opacity, a byte each).

import type { Rgb } from "../colors/labels.ts";
import type { Range } from "../store/wire.ts";
import type { Numbers, Samples } from "./samples.ts";

export interface PaintedChannel {
  samples: Samples; // of one channel
  window: Range;
  color: Rgb;
}

type Level = (value: number) => number; // 0 to 255

function levelOf([low, high]: Range): Level {
  const scale = 255 / (high - low || 1e-30);
  return (value) => {
    const level = (value - low) * scale;
    return level > 0 ? (level < 255 ? level : 255) : 0; // NaN is black
  };
}

/** Of integers of up to 16 bits: a table of all values, and where 0 is in it. */
function tableOf(data: Numbers, level: Level): { table: Uint8ClampedArray; zero: number } | null {
  const bits = data.BYTES_PER_ELEMENT * 8;
  if (bits > 16) return null;
  const zero = data instanceof Int8Array || data instanceof Int16Array ? 2 ** (bits - 1) : 0;
  const table = new Uint8ClampedArray(2 ** bits);
  for (let i = 0; i < table.length; ++i) table[i] = level(i - zero);
  return { table, zero };
}

function levels(data: Numbers, window: Range): Uint8ClampedArray {
  const level = levelOf(window);
  const made = new Uint8ClampedArray(data.length);
  const lookUp = data.length >= 4096 ? tableOf(data, level) : null;
  if (lookUp) {
    const { table, zero } = lookUp;
    for (let i = 0; i < made.length; ++i) made[i] = table[(data[i] as number) + zero] as number;
  } else {
    for (let i = 0; i < made.length; ++i) made[i] = level(data[i] as number);
  }
  return made;
}

/** Channels in their colors, added up. */
export function paintChannels(channels: readonly PaintedChannel[], pixels: Uint8ClampedArray): void {
  pixels.fill(0);
  for (const { samples, window, color } of channels) {
    const bright = levels(samples.data, window);
    const [r, g, b] = color.map((c) => c / 255) as [number, number, number];
    for (let i = 0, p = 0; i < bright.length; ++i, p += 4) {
      const level = bright[i] as number;
      pixels[p] = (pixels[p] as number) + level * r;
      pixels[p + 1] = (pixels[p + 1] as number) + level * g;
      pixels[p + 2] = (pixels[p + 2] as number) + level * b;
    }
  }
  for (let p = 3; p < pixels.length; p += 4) pixels[p] = 255;
}

/** Colors of a photograph or a section: the first three channels are red, green and blue. */
export function paintColors(samples: Samples, window: Range, pixels: Uint8ClampedArray): void {
  const bright = levels(samples.data, window);
  for (let i = 0, p = 0; p < pixels.length; i += samples.channels, p += 4) {
    pixels[p] = bright[i] as number;
    pixels[p + 1] = bright[i + 1] as number;
    pixels[p + 2] = bright[i + 2] as number;
    pixels[p + 3] = 255;
  }
}

/** The color of a label; null: it is not shown. */
export type ColorOf = (label: number) => Rgb | null;

/** Labels in their colors; 0 is transparent. */
export function paintLabels(samples: Samples, colorOf: ColorOf, pixels: Uint8ClampedArray): void {
  const { data } = samples;
  let last = 0;
  let color: Rgb | null = null;
  const known = new Map<number, Rgb | null>();
  for (let i = 0, p = 0; i < data.length; ++i, p += 4) {
    const label = data[i] as number;
    if (label !== last) {
      last = label;
      let found = label === 0 ? null : known.get(label);
      if (found === undefined) known.set(label, (found = colorOf(label)));
      color = found;
    }
    if (!color) {
      pixels[p] = pixels[p + 1] = pixels[p + 2] = pixels[p + 3] = 0;
      continue;
    }
    pixels[p] = color[0];
    pixels[p + 1] = color[1];
    pixels[p + 2] = color[2];
    pixels[p + 3] = 255;
  }
}

/** Lines along the sides of samples, each from and to a corner of samples; by the label within. */
export type Outlines = Map<number, number[]>; // x0, y0, x1, y1 for each line

/** The borders of labels, as long straight lines as there are. */
export function outlinesOf({ width, height, data }: Samples): Outlines {
  const lines: Outlines = new Map();
  const at = (x: number, y: number): number =>
    x < 0 || y < 0 || x >= width || y >= height ? 0 : (data[y * width + x] as number);
  const add = (label: number, x0: number, y0: number, x1: number, y1: number) => {
    let list = lines.get(label);
    if (!list) lines.set(label, (list = []));
    list.push(x0, y0, x1, y1);
  };
  // Along each line between samples: runs of the same label on the same side of a border.
  const scan = (count: number, length: number, inside: (line: number, i: number) => number,
                outside: (line: number, i: number) => number, take: typeof add, across: boolean) => {
    for (let line = 0; line < count; ++line) {
      let begin = 0;
      let label = 0;
      for (let i = 0; i <= length; ++i) {
        const here = i < length ? inside(line, i) : 0;
        const now = here !== 0 && here !== outside(line, i) ? here : 0;
        if (now === label) continue;
        if (label !== 0) across ? take(label, begin, line, i, line) : take(label, line, begin, line, i);
        begin = i;
        label = now;
      }
    }
  };
  scan(height + 1, width, (y, x) => at(x, y), (y, x) => at(x, y - 1), add, true);
  scan(height + 1, width, (y, x) => at(x, y - 1), (y, x) => at(x, y), add, true);
  scan(width + 1, height, (x, y) => at(x, y), (x, y) => at(x - 1, y), add, false);
  scan(width + 1, height, (x, y) => at(x - 1, y), (x, y) => at(x, y), add, false);
  return lines;
}
