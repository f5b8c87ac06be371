// The transfer function over the histogram: points of opacity in the graph, colors in the bar below. Drawn here,
// changed in gestures.ts.

import type { Histogram } from "./look.ts";
import { type Part, type Transfer, colorAt } from "./transfer.ts";

/** The place of graph and bar in a canvas, in pixels. */
export interface Plot {
  width: number;
  height: number; // of both
  lowest: number; // values at the edges
  highest: number;
}

export interface Chosen {
  part: Part;
  index: number;
}

const inset = 7; // for points at the edges
const bar = 16;
export const pointRadius = 5;

const graphHeight = (plot: Plot) => plot.height - bar - inset;

export function plotOf(width: number, height: number, histogram: Histogram, transfer: Transfer): Plot {
  const values = [...transfer.opacity, ...transfer.color].map((point) => point[0]);
  const lowest = Math.min(histogram.lowest, ...values);
  const highest = Math.max(histogram.highest, ...values);
  return { width, height, lowest, highest: highest > lowest ? highest : lowest + 1 };
}

export function xOf(plot: Plot, value: number): number {
  return inset + ((value - plot.lowest) / (plot.highest - plot.lowest)) * (plot.width - 2 * inset);
}

export function valueAt(plot: Plot, x: number): number {
  const share = Math.min(Math.max((x - inset) / (plot.width - 2 * inset), 0), 1);
  return plot.lowest + share * (plot.highest - plot.lowest);
}

export function yOf(plot: Plot, opacity: number): number {
  return graphHeight(plot) - opacity * (graphHeight(plot) - inset);
}

export function opacityIn(plot: Plot, y: number): number {
  return Math.min(Math.max((graphHeight(plot) - y) / (graphHeight(plot) - inset), 0), 1);
}

/** Where a point is drawn. */
export function placeOf(plot: Plot, transfer: Transfer, { part, index }: Chosen): { x: number; y: number } {
  if (part === "color") return { x: xOf(plot, transfer.color[index]?.[0] ?? 0), y: plot.height - bar / 2 };
  const [value, opacity] = transfer.opacity[index] ?? [0, 0];
  return { x: xOf(plot, value), y: yOf(plot, opacity) };
}

/** The point below a place; of several the nearest. */
export function pointAt(plot: Plot, transfer: Transfer, x: number, y: number): Chosen | null {
  let found: Chosen | null = null;
  let nearest = pointRadius + 4;
  for (const part of ["opacity", "color"] as const)
    transfer[part].forEach((_, index) => {
      const place = placeOf(plot, transfer, { part, index });
      const distance = Math.hypot(place.x - x, place.y - y);
      if (distance > nearest) return;
      nearest = distance;
      found = { part, index };
    });
  return found;
}

/** Which of both a place belongs to. */
export function partAt(plot: Plot, y: number): Part {
  return y > plot.height - bar - 2 ? "color" : "opacity";
}

const css = ([r, g, b]: readonly [number, number, number]) => `rgb(${[r, g, b].map((c) => Math.round(255 * c)).join(" ")})`;

function drawHistogram(context: CanvasRenderingContext2D, plot: Plot, histogram: Histogram, color: string): void {
  const most = Math.log1p(Math.max(...histogram.counts));
  const width = (histogram.highest - histogram.lowest) / histogram.counts.length;
  context.fillStyle = color;
  histogram.counts.forEach((count, i) => {
    const left = xOf(plot, histogram.lowest + i * width);
    const right = xOf(plot, histogram.lowest + (i + 1) * width);
    const top = yOf(plot, most > 0 ? Math.log1p(count) / most : 0);
    context.fillRect(left, top, right - left + 0.5, yOf(plot, 0) - top);
  });
}

function drawBar(context: CanvasRenderingContext2D, plot: Plot, transfer: Transfer): void {
  const left = inset;
  const right = plot.width - inset;
  const gradient = context.createLinearGradient(left, 0, right, 0);
  const span = plot.highest - plot.lowest;
  for (const value of [plot.lowest, ...transfer.color.map((point) => point[0]), plot.highest])
    gradient.addColorStop(Math.min(Math.max((value - plot.lowest) / span, 0), 1), css(colorAt(transfer, value)));
  context.fillStyle = gradient;
  context.fillRect(left, plot.height - bar, right - left, bar);
}

function drawLine(context: CanvasRenderingContext2D, plot: Plot, transfer: Transfer, color: string): void {
  const first = transfer.opacity[0]?.[1] ?? 0;
  const last = transfer.opacity.at(-1)?.[1] ?? 0;
  context.strokeStyle = color;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(inset, yOf(plot, first));
  for (const [value, opacity] of transfer.opacity) context.lineTo(xOf(plot, value), yOf(plot, opacity));
  context.lineTo(plot.width - inset, yOf(plot, last));
  context.stroke();
}

/** Colors of the page's theme. */
export interface Inks {
  text: string;
  quiet: string;
  accent: string;
  ground: string;
}

export function drawEditor(
  context: CanvasRenderingContext2D,
  plot: Plot,
  histogram: Histogram,
  transfer: Transfer,
  chosen: Chosen | null,
  inks: Inks,
): void {
  context.clearRect(0, 0, plot.width, plot.height);
  drawHistogram(context, plot, histogram, inks.quiet);
  drawBar(context, plot, transfer);
  drawLine(context, plot, transfer, inks.text);
  for (const part of ["opacity", "color"] as const)
    transfer[part].forEach(([value], index) => {
      const { x, y } = placeOf(plot, transfer, { part, index });
      const isChosen = chosen?.part === part && chosen.index === index;
      context.beginPath();
      context.arc(x, y, pointRadius, 0, 2 * Math.PI);
      context.fillStyle = css(colorAt(transfer, value));
      context.fill();
      context.lineWidth = isChosen ? 3 : 1.5;
      context.strokeStyle = isChosen ? inks.accent : inks.text;
      context.stroke();
    });
}
