// What was drawn on a slide, as the server sends it: points, lines and areas by the hundred thousand, found by place.

import type { Rect } from "./viewport.ts";

export const forms = { points: 0, lines: 1, area: 2 } as const;

const cellsAcross = 128; // of the grid by which shapes are found

export class Shapes {
  /** left, top, right, bottom of each shape */
  readonly boxes: Float32Array;
  private readonly bounds: Rect;
  private readonly cell: number; // side, in pixels of the slide
  private readonly cellEnds: Uint32Array;
  private readonly inCells: Uint32Array;
  private readonly seen: Uint32Array; // the number of the search that found a shape last
  private searches = 0;

  constructor(
    readonly classes: Uint32Array,
    readonly form: Uint32Array,
    readonly ringEnds: Uint32Array, // for each shape, behind its last ring
    readonly pointEnds: Uint32Array, // for each ring, behind its last point
    readonly points: Float32Array, // x and y of each
  ) {
    this.boxes = this.boxesOf();
    this.bounds = this.boundsOf();
    const { left, top, right, bottom } = this.bounds;
    this.cell = Math.max(right - left, bottom - top, 1) / cellsAcross;
    this.seen = new Uint32Array(this.count);
    this.cellEnds = new Uint32Array(cellsAcross * cellsAcross);
    for (let i = 0; i < this.count; ++i) this.eachCell(this.boxOf(i), (cell) => void ++this.cellEnds[cell]!);
    let sum = 0;
    for (let cell = 0; cell < this.cellEnds.length; ++cell) {
      const count = this.cellEnds[cell] as number;
      this.cellEnds[cell] = sum; // its beginning, until it is filled
      sum += count;
    }
    this.inCells = new Uint32Array(sum);
    for (let i = 0; i < this.count; ++i)
      this.eachCell(this.boxOf(i), (cell) => {
        this.inCells[this.cellEnds[cell]!++] = i;
      });
  }

  get count(): number {
    return this.classes.length;
  }

  boxOf(shape: number): Rect {
    const [left, top, right, bottom] = this.boxes.subarray(4 * shape, 4 * shape + 4) as unknown as [number, number, number, number];
    return { left, top, right, bottom };
  }

  /** Shapes whose boxes meet a rectangle, in the order of the file; null: they are more than `most`. */
  within(rect: Rect, most = Infinity): Uint32Array | null {
    const search = ++this.searches;
    const found: number[] = [];
    this.eachCell(rect, (cell) => {
      if (found.length > most) return;
      for (let k = cell === 0 ? 0 : (this.cellEnds[cell - 1] as number); k < (this.cellEnds[cell] as number); ++k) {
        const shape = this.inCells[k] as number;
        if (this.seen[shape] === search) continue;
        this.seen[shape] = search;
        if (this.meets(shape, rect)) found.push(shape);
      }
    });
    return found.length > most ? null : Uint32Array.from(found).sort();
  }

  /** Calls `take` with the first point and the one behind the last of each ring, by their numbers. */
  eachRing(shape: number, take: (from: number, to: number) => void): void {
    for (let ring = shape === 0 ? 0 : (this.ringEnds[shape - 1] as number); ring < (this.ringEnds[shape] as number); ++ring)
      take(ring === 0 ? 0 : (this.pointEnds[ring - 1] as number), this.pointEnds[ring] as number);
  }

  /** The areas that cover a point, those behind first. */
  areasAt(x: number, y: number): number[] {
    const at = { left: x, top: y, right: x, bottom: y };
    return [...(this.within(at) ?? [])].filter((shape) => this.form[shape] === forms.area && this.covers(shape, x, y));
  }

  private covers(shape: number, x: number, y: number): boolean {
    let isInside = false;
    this.eachRing(shape, (from, to) => {
      for (let i = from, j = to - 1; i < to; j = i++) {
        const [xi, yi, xj, yj] = [this.points[2 * i]!, this.points[2 * i + 1]!, this.points[2 * j]!, this.points[2 * j + 1]!];
        if (yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) isInside = !isInside;
      }
    });
    return isInside;
  }

  private meets(shape: number, { left, top, right, bottom }: Rect): boolean {
    const b = 4 * shape;
    return this.boxes[b]! <= right && this.boxes[b + 1]! <= bottom && this.boxes[b + 2]! >= left && this.boxes[b + 3]! >= top;
  }

  private eachCell(rect: Rect, take: (cell: number) => void): void {
    const { left, top, right, bottom } = this.bounds;
    if (rect.right < left || rect.bottom < top || rect.left > right || rect.top > bottom) return;
    const clamp = (v: number) => Math.min(Math.max(Math.floor(v / this.cell), 0), cellsAcross - 1);
    const [x0, x1, y0, y1] = [clamp(rect.left - left), clamp(rect.right - left), clamp(rect.top - top), clamp(rect.bottom - top)];
    for (let y = y0; y <= y1; ++y) for (let x = x0; x <= x1; ++x) take(y * cellsAcross + x);
  }

  private boxesOf(): Float32Array {
    const boxes = new Float32Array(4 * this.count);
    for (let shape = 0; shape < this.count; ++shape) {
      const box = [Infinity, Infinity, -Infinity, -Infinity] as [number, number, number, number];
      this.eachRing(shape, (from, to) => {
        for (let i = from; i < to; ++i) {
          const [x, y] = [this.points[2 * i]!, this.points[2 * i + 1]!];
          box[0] = Math.min(box[0], x);
          box[1] = Math.min(box[1], y);
          box[2] = Math.max(box[2], x);
          box[3] = Math.max(box[3], y);
        }
      });
      boxes.set(box, 4 * shape);
    }
    return boxes;
  }

  private boundsOf(): Rect {
    const bounds = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
    for (let i = 0; i < this.boxes.length; i += 4) {
      bounds.left = Math.min(bounds.left, this.boxes[i]!);
      bounds.top = Math.min(bounds.top, this.boxes[i + 1]!);
      bounds.right = Math.max(bounds.right, this.boxes[i + 2]!);
      bounds.bottom = Math.max(bounds.bottom, this.boxes[i + 3]!);
    }
    return bounds;
  }
}

/** Reads what viewer/README.md describes. */
export function parseShapes(body: ArrayBuffer): Shapes {
  const words = body.byteLength / 4;
  const [shapes = 0, rings = 0, points = 0] = new Uint32Array(body, 0, Math.min(3, Math.floor(words)));
  if (words !== 3 + 3 * shapes + rings + 2 * points) throw new Error("The annotations came incomplete: load the page again.");
  let at = 12;
  const list = (length: number) => {
    const part = new Uint32Array(body, at, length);
    at += 4 * length;
    return part;
  };
  return new Shapes(list(shapes), list(shapes), list(shapes), list(rings), new Float32Array(body, at, 2 * points));
}
