// Colors of labels. The first palette is that of Tesela's overlays, to the bit (src/core/color.cpp); the
// second one keeps labels apart for people who see fewer colors.

import type { Palette } from "../store/state.ts";

export type Rgb = readonly [number, number, number];

/** The color of a label in Tesela's overlays. Label 0 is black. */
export function labelColor(label: number): Rgb {
  if (label === 0) return [0, 0, 0];
  const hue = Math.imul(label, 0x9e3779b9) >>> 0;
  let hash = Math.imul((label ^ (label >>> 16)) >>> 0, 0x85ebca6b) >>> 0;
  hash = (hash ^ (hash >>> 13)) >>> 0;
  const high = 200 + (hash % 56);
  const low = Math.floor((high * (10 + (Math.floor(hash / 56) % 40))) / 100);
  // Six sectors of 2^32: the product has 35 bits, which a double holds.
  const position = hue * 6;
  const sector = Math.floor(position / 2 ** 32);
  const part = (position % 2 ** 32) >>> 24;
  const rising = low + Math.floor(((high - low) * part) / 255);
  const falling = high - Math.floor(((high - low) * part) / 255);
  const table: readonly Rgb[] = [
    [high, rising, low],
    [falling, high, low],
    [low, high, rising],
    [low, falling, high],
    [rising, low, high],
    [high, low, falling],
  ];
  return table[sector] as Rgb;
}

// Okabe and Ito, "Color universal design" (2008), without black and gray.
const safe: readonly Rgb[] = [
  [230, 159, 0],
  [86, 180, 233],
  [0, 158, 115],
  [240, 228, 66],
  [0, 114, 178],
  [213, 94, 0],
  [204, 121, 167],
];

/** One of seven hues; each further round of them is lighter or darker. */
export function safeColor(label: number): Rgb {
  if (label === 0) return [0, 0, 0];
  const color = safe[(label - 1) % safe.length] as Rgb;
  const round = Math.floor((label - 1) / safe.length) % 3;
  const toward = round === 1 ? 255 : 0;
  const share = round === 0 ? 0 : 0.4;
  return color.map((c) => Math.round(c + (toward - c) * share)) as unknown as Rgb;
}

export function parseColor(text: string): Rgb {
  const value = Number.parseInt(text.replace("#", ""), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

export function colorText([r, g, b]: Rgb): string {
  return `#${[r, g, b].map((c) => c.toString(16).padStart(2, "0")).join("")}`;
}

/** The color of each label of a map: that of the file where it has one. */
export function colorsOf(palette: Palette, named: readonly { label: number; color?: string }[] = []) {
  const byName = new Map<number, Rgb>();
  if (palette === "tesela")
    for (const { label, color } of named) if (color) byName.set(label, parseColor(color));
  const make = palette === "tesela" ? labelColor : safeColor;
  return (label: number): Rgb => byName.get(label) ?? make(label);
}
