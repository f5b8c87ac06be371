// Draws annotations: the shapes themselves where few are seen, and a raster of them, tile by tile, where there are many.

import { type Shapes, forms } from "./shapes.ts";
import { type Rect, type Viewport, seenBy } from "./viewport.ts";

const mostShapes = 3000; // that are drawn one by one
const tile = 512; // side of a tile of the raster, in pixels of it
const mostTiles = 96; // that are kept, or as many as are seen
const budget = 12; // ms of a frame, for tiles that are made
const small = 3; // pixels: what is smaller is a spot

const none = new Uint32Array();

export type ColorOfClass = (index: number) => string | null; // null: it is hidden

interface Ground {
  context: CanvasRenderingContext2D;
  left: number; // of the slide, at the left edge of the canvas
  top: number;
  scale: number; // pixels of the canvas for one of the slide
}

function trace(shapes: Shapes, shape: number, { context, left, top, scale }: Ground): void {
  context.beginPath();
  shapes.eachRing(shape, (from, to) => {
    for (let i = from; i < to; ++i) {
      const [x, y] = [(shapes.points[2 * i]! - left) * scale, (shapes.points[2 * i + 1]! - top) * scale];
      i === from ? context.moveTo(x, y) : context.lineTo(x, y);
    }
    if (shapes.form[shape] === forms.area) context.closePath();
  });
}

function drawShape(shapes: Shapes, shape: number, ground: Ground, line: number): void {
  const { context, left, top, scale } = ground;
  const b = 4 * shape;
  const [x, y] = [(shapes.boxes[b]! - left) * scale, (shapes.boxes[b + 1]! - top) * scale];
  const [width, height] = [(shapes.boxes[b + 2]! - shapes.boxes[b]!) * scale, (shapes.boxes[b + 3]! - shapes.boxes[b + 1]!) * scale];
  if (shapes.form[shape] === forms.points) {
    const side = 4 * line;
    shapes.eachRing(shape, (from, to) => {
      for (let i = from; i < to; ++i)
        context.fillRect((shapes.points[2 * i]! - left) * scale - side / 2, (shapes.points[2 * i + 1]! - top) * scale - side / 2, side, side);
    });
    return;
  }
  if (Math.max(width, height) < small * line) return context.fillRect(x, y, Math.max(width, 1), Math.max(height, 1));
  trace(shapes, shape, ground);
  if (shapes.form[shape] === forms.area) {
    context.globalAlpha = 0.25;
    context.fill("evenodd");
    context.globalAlpha = 1;
  }
  context.stroke();
}

function drawAll(shapes: Shapes, list: Uint32Array, ground: Ground, line: number, colorOf: ColorOfClass): void {
  const { context } = ground;
  context.lineWidth = line;
  context.lineJoin = "round";
  let last = -1;
  let color: string | null = null;
  for (const shape of list) {
    const index = shapes.classes[shape] as number;
    if (index !== last) {
      last = index;
      color = colorOf(index);
      if (color) context.fillStyle = context.strokeStyle = color;
    }
    if (color) drawShape(shapes, shape, ground, line);
  }
}

/** The annotations of one file. */
export class ShapeLayer {
  private readonly raster = new Map<string, HTMLCanvasElement>(); // the one shown last at the end
  private colorOf: ColorOfClass | null = null;
  isRaster = false; // how they were drawn last

  constructor(readonly shapes: Shapes, private readonly changed: () => void) {}

  draw(context: CanvasRenderingContext2D, view: Viewport, ratio: number, colorOf: ColorOfClass): void {
    if (this.colorOf !== colorOf) this.raster.clear();
    this.colorOf = colorOf;
    const seen = seenBy(view);
    const list = this.shapes.within(seen, mostShapes);
    const scale = view.scale * ratio;
    this.isRaster = list === null;
    if (!list) return this.drawRaster(context, view, seen, scale, ratio, colorOf);
    drawAll(this.shapes, list, { context, left: view.left, top: view.top, scale }, 1.5 * ratio, colorOf);
  }

  /** Scales of tiles are powers of two, so that a tile serves until the view is twice as large. */
  private drawRaster(context: CanvasRenderingContext2D, view: Viewport, seen: Rect, scale: number, ratio: number, colorOf: ColorOfClass): void {
    const power = Math.ceil(Math.log2(scale));
    const side = tile / 2 ** power; // on the slide
    const begin = performance.now();
    let isComplete = true;
    let shown = 0;
    let isFirst = true; // that is made: the raster grows in any case
    context.imageSmoothingEnabled = true;
    for (let row = Math.floor(seen.top / side); row * side < seen.bottom; ++row)
      for (let column = Math.floor(seen.left / side); column * side < seen.right; ++column) {
        const name = `${power}/${column}/${row}`;
        let made = this.raster.get(name);
        if (!made && (isFirst || performance.now() - begin < budget)) {
          made = this.make(column * side, row * side, 2 ** power, ratio, colorOf);
          isFirst = false;
        }
        if (!made) {
          isComplete = false;
          continue;
        }
        ++shown;
        this.raster.delete(name);
        this.raster.set(name, made);
        context.drawImage(made, (column * side - view.left) * scale, (row * side - view.top) * scale, side * scale, side * scale);
      }
    for (const oldest of this.raster.keys()) {
      if (this.raster.size <= Math.max(mostTiles, shown)) break;
      this.raster.delete(oldest);
    }
    if (!isComplete) this.changed();
  }

  private make(left: number, top: number, scale: number, ratio: number, colorOf: ColorOfClass): HTMLCanvasElement {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = tile;
    const context = canvas.getContext("2d") as CanvasRenderingContext2D;
    const around = (small * ratio) / scale; // of lines of shapes beyond the border
    const rect = { left: left - around, top: top - around, right: left + tile / scale + around, bottom: top + tile / scale + around };
    drawAll(this.shapes, this.shapes.within(rect) ?? none, { context, left, top, scale }, ratio, colorOf);
    return canvas;
  }
}
