import assert from "node:assert/strict";
import test from "node:test";
import { colorText, colorsOf, labelColor, parseColor, safeColor } from "../src/colors/labels.ts";

// Of label_color in src/core/color.cpp, compiled by g++ 12.
const known = [
  [0, [0, 0, 0]],
  [1, [90, 124, 205]],
  [2, [156, 218, 67]],
  [3, [235, 44, 212]],
  [4, [28, 237, 202]],
  [5, [240, 163, 74]],
  [6, [91, 49, 223]],
  [7, [120, 241, 115]],
  [8, [218, 32, 94]],
  [9, [47, 165, 235]],
  [10, [223, 233, 107]],
  [100, [209, 51, 244]],
  [255, [91, 146, 224]],
  [256, [199, 251, 75]],
  [65535, [252, 27, 220]],
  [65536, [41, 229, 201]],
  [1000000, [253, 80, 92]],
  [123456789, [135, 96, 202]],
  [2147483647, [228, 61, 180]],
  [2147483648, [109, 228, 228]],
  [4294967295, [79, 208, 116]],
];

test("labels have the colors of overlays", () => {
  for (const [label, color] of known) assert.deepEqual(labelColor(label), color, `label ${label}`);
});

test("two hundred thousand labels have them, too", () => {
  let hash = 0; // as the same loop in C++ gives it
  for (let i = 0; i < 200000; ++i)
    for (const part of labelColor(Math.imul(i, 2654435761) >>> 0)) hash = (Math.imul(hash, 31) + part) >>> 0;
  assert.equal(hash, 1880137881);
});

test("the safe palette repeats no color in its first rounds", () => {
  const colors = new Set(Array.from({ length: 21 }, (_, i) => colorText(safeColor(i + 1))));
  assert.equal(colors.size, 21);
});

test("a color of the file comes first, and a safe palette ignores it", () => {
  const named = [{ label: 3, name: "liver", color: "#c08080" }];
  assert.deepEqual(colorsOf("tesela", named)(3), [192, 128, 128]);
  assert.deepEqual(colorsOf("tesela", named)(1), labelColor(1));
  assert.deepEqual(colorsOf("safe", named)(3), safeColor(3));
});

test("colors are written as they are read", () => {
  assert.equal(colorText(parseColor("#0a80ff")), "#0a80ff");
});
