// What lies over the slices: cross-hair, seeds, letters and a scale bar. Black borders keep all of it
// readable on bright images.

import { colorText } from "../colors/labels.ts";
import type { Rgb } from "../colors/labels.ts";
import type { Seed } from "../store/state.ts";
import type { ImageInfo, Triple } from "../store/wire.ts";
import { type Placement, type PlaneView, type Size, sampleTransform, toScreen } from "./geometry.ts";
import type { Bitmap } from "./layers.ts";
import type { ColorOf } from "./paint.ts";
import type { Slice } from "./samples.ts";

export type Context = CanvasRenderingContext2D;

/** One for each slice: vermilion, green and blue that color-blind people tell apart on black. */
export const planeColors = ["#ff8a3c", "#4cd0a5", "#6cbcff"] as const;

const ink = "#ffffff";
const border = "rgb(0 0 0 / 75%)";

/** In pixels of the style sheet; the ratio is that of the screen. */
export function drawBitmap(context: Context, ratio: number, place: Placement, { canvas, slice }: Bitmap, smooth: boolean): void {
  context.save();
  context.scale(ratio, ratio);
  context.transform(...sampleTransform(place, slice.key.step));
  context.imageSmoothingEnabled = smooth;
  context.imageSmoothingQuality = "high";
  context.drawImage(canvas, 0, 0);
  context.restore();
}

export function drawOutlines(
  context: Context,
  ratio: number,
  place: Placement,
  outlines: { slice: Slice; paths: { label: number; path: Path2D }[] },
  colorOf: ColorOf,
): void {
  const transform = new DOMMatrix(sampleTransform(place, outlines.slice.key.step)).scaleSelf(1, 1);
  context.save();
  context.lineWidth = 1.75;
  context.lineCap = "square";
  context.scale(ratio, ratio);
  for (const { label, path } of outlines.paths) {
    const color = colorOf(label);
    if (!color) continue;
    const onScreen = new Path2D();
    onScreen.addPath(path, transform);
    context.strokeStyle = colorText(color);
    context.stroke(onScreen);
  }
  context.restore();
}

/** Two lines with a gap around the voxel, each in the color of the slice that it shows. */
export function drawCrosshair(context: Context, place: Placement, size: Size, at: Triple, views: readonly PlaneView[]): void {
  const { x, y } = toScreen(place, at);
  const gap = Math.max(8, Math.min(place.scaleX, place.scaleY));
  const colorOf = (axis: number) => planeColors[views.findIndex((view) => view.normal === axis) as 0 | 1 | 2] ?? ink;
  const line = (color: string, ...points: number[]) => {
    context.strokeStyle = color;
    context.beginPath();
    for (let i = 0; i < points.length; i += 4) {
      context.moveTo(points[i] as number, points[i + 1] as number);
      context.lineTo(points[i + 2] as number, points[i + 3] as number);
    }
    context.stroke();
  };
  context.save();
  context.lineWidth = 1;
  context.globalAlpha = 0.85;
  const px = Math.round(x) + 0.5;
  const py = Math.round(y) + 0.5;
  line(colorOf(place.view.across.axis), px, 0, px, y - gap, px, y + gap, px, size.height);
  line(colorOf(place.view.down.axis), 0, py, x - gap, py, x + gap, py, size.width, py);
  context.restore();
}

function drawText(context: Context, text: string, x: number, y: number): void {
  context.lineWidth = 3;
  context.strokeStyle = border;
  context.fillStyle = ink;
  context.strokeText(text, x, y);
  context.fillText(text, x, y);
}

export function drawLetters(context: Context, place: Placement, size: Size, font: string): void {
  const { letters } = place.view;
  if (!letters) return;
  context.save();
  context.font = `600 13px ${font}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  const inset = 14;
  drawText(context, letters.left, inset, size.height / 2);
  drawText(context, letters.right, size.width - inset, size.height / 2);
  drawText(context, letters.top, size.width / 2, inset);
  drawText(context, letters.bottom, size.width / 2, size.height - inset);
  context.restore();
}

/** A round length that takes up to a fifth of the pane, and how it is called. */
export function scaleBar(perUnit: number, unit: string, width: number): { pixels: number; text: string } | null {
  const most = width / 5 / perUnit;
  if (!(most > 0) || !Number.isFinite(most)) return null;
  const power = 10 ** Math.floor(Math.log10(most));
  const length = power * ([5, 2, 1].find((n) => n * power <= most) ?? 1);
  return { pixels: length * perUnit, text: `${Number(length.toPrecision(1))} ${unit}` };
}

export function drawScaleBar(context: Context, place: Placement, size: Size, image: ImageInfo, font: string): void {
  const perUnit = place.scaleX / image.spacing[place.view.across.axis];
  const bar = scaleBar(perUnit, image.has_geometry ? image.unit.replace("um", "µm") : "px", size.width);
  if (!bar) return;
  const x = 12;
  const y = size.height - 12;
  context.save();
  context.font = `11px ${font}`;
  for (const [color, width] of [[border, 4], [ink, 2]] as const) {
    context.strokeStyle = color;
    context.lineWidth = width;
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x + bar.pixels, y);
    context.stroke();
  }
  context.textBaseline = "bottom";
  drawText(context, bar.text, x, y - 4);
  context.restore();
}

function drawTwice(context: Context, draw: () => void): void {
  for (const [color, width] of [[border, 3], [ink, 1]] as const) {
    context.strokeStyle = color;
    context.lineWidth = width;
    context.beginPath();
    draw();
    context.stroke();
  }
}

/** How far a brush of a radius in the unit of the image reaches about a point of the pane. */
export function drawBrush(context: Context, place: Placement, spacing: Triple, at: { x: number; y: number }, radius: number): void {
  const { across, down } = place.view;
  const [a, b] = [(radius * place.scaleX) / spacing[across.axis], (radius * place.scaleY) / spacing[down.axis]];
  drawTwice(context, () => context.ellipse(at.x, at.y, a, b, 0, 0, 2 * Math.PI));
}

/** The voxels of a box, where it crosses the slice. */
export function drawBox(context: Context, place: Placement, box: readonly [Triple, Triple], at: Triple): void {
  const { normal } = place.view;
  if (at[normal] < box[0][normal] || at[normal] > box[1][normal]) return;
  const ends = box.map((corner) => toScreen(place, corner));
  const left = Math.min(...ends.map(({ x }) => x)) - place.scaleX / 2;
  const top = Math.min(...ends.map(({ y }) => y)) - place.scaleY / 2;
  const width = Math.max(...ends.map(({ x }) => x)) + place.scaleX / 2 - left;
  const height = Math.max(...ends.map(({ y }) => y)) + place.scaleY / 2 - top;
  drawTwice(context, () => context.rect(left, top, width, height));
}

export const seedRadius = 7;

/** Seeds of the slice, those of up to two slices away as rings. */
export function drawSeeds(
  context: Context,
  place: Placement,
  seeds: readonly Seed[],
  at: Triple,
  selected: number | null,
  colorOf: (label: number) => Rgb,
  font: string,
): void {
  const { normal } = place.view;
  context.save();
  context.font = `600 10px ${font}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (const seed of seeds) {
    const away = Math.abs(seed.at[normal] - at[normal]);
    if (away > 2) continue;
    const { x, y } = toScreen(place, seed.at);
    const color = colorOf(seed.label);
    context.beginPath();
    context.arc(x, y, seedRadius, 0, 2 * Math.PI);
    context.lineWidth = seed.id === selected ? 5 : 3.5;
    context.strokeStyle = "#000";
    context.stroke();
    context.lineWidth = seed.id === selected ? 3 : 1.5;
    context.strokeStyle = away === 0 ? "#fff" : colorText(color);
    context.stroke();
    if (away > 0) continue;
    context.fillStyle = colorText(color);
    context.fill();
    context.fillStyle = isBright(color) ? "#000" : "#fff";
    context.fillText(String(seed.label), x, y + 0.5);
  }
  context.restore();
}

function isBright([r, g, b]: Rgb): boolean {
  return 0.299 * r + 0.587 * g + 0.114 * b > 128;
}
