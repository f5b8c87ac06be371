// Which samples of a slice a stroke paints, by the rule of the server (viewer/server/label_strokes.h): the
// page shows at once what the server will say.

import type { Slice } from "../slices/samples.ts";
import type { Stroke } from "../store/state.ts";
import type { Axis, Triple } from "../store/wire.ts";

/** Samples from the first to before the last column and row. */
export interface Rect {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

const axes: readonly Axis[] = [0, 1, 2];
const atRadius = 1 + 1e-6;

const nearest = (coordinate: number) => Math.floor(coordinate + 0.5);

export function union(a: Rect | null, b: Rect | null): Rect | null {
  if (!a || !b) return a ?? b;
  return {
    left: Math.min(a.left, b.left),
    top: Math.min(a.top, b.top),
    right: Math.max(a.right, b.right),
    bottom: Math.max(a.bottom, b.bottom),
  };
}

/** Lengths and spacing of the image. */
export interface Grid {
  lengths: Triple;
  spacing: Triple;
}

/** Along the axis that a disc lies across it paints the slice of its first point. */
function sliceOf(stroke: Stroke): number {
  const first = stroke.points[0] as Triple;
  return stroke.across === null ? 0 : nearest(first[stroke.across]);
}

/** Where voxels of a way may be: of none with the last below the first. */
function rangeOf(stroke: Stroke, grid: Grid, axis: Axis, a: number, b: number): [number, number] {
  if (stroke.across === axis) return [sliceOf(stroke), sliceOf(stroke)];
  const reach = (stroke.radius * atRadius) / grid.spacing[axis];
  const low = Math.min(Math.ceil(Math.min(a, b) - reach), nearest(Math.min(a, b)));
  const high = Math.max(Math.floor(Math.max(a, b) + reach), nearest(Math.max(a, b)));
  return [Math.max(low, 0), Math.min(high, grid.lengths[axis] - 1)];
}

function isNear(stroke: Stroke, grid: Grid, voxel: Triple, from: Triple, to: Triple): boolean {
  let along = 0;
  let length = 0;
  const offset = [0, 0, 0];
  const way = [0, 0, 0];
  for (const axis of axes) {
    if (stroke.across === axis) continue;
    const o = (offset[axis] = (voxel[axis] - from[axis]) * grid.spacing[axis]);
    const w = (way[axis] = (to[axis] - from[axis]) * grid.spacing[axis]);
    along += o * w;
    length += w * w;
  }
  const part = length > 0 ? Math.min(Math.max(along / length, 0), 1) : 0;
  let distance = 0;
  for (const axis of axes) distance += ((offset[axis] as number) - part * (way[axis] as number)) ** 2;
  return distance <= stroke.radius * stroke.radius * atRadius;
}

/** The columns and rows of a slice are these axes. */
export function sidesOf(normal: Axis): readonly [Axis, Axis] {
  return [normal === 0 ? 1 : 0, normal === 2 ? 1 : 2];
}

/**
 * Paints the way of a stroke from a point to the next one, or the first point alone, into the samples; gives
 * where, or null where the slice has none of it.
 */
export function paintWay(slice: Slice, grid: Grid, stroke: Stroke, index: number): Rect | null {
  const to = stroke.points[index] as Triple;
  const from = stroke.points[Math.max(index - 1, 0)] as Triple;
  const { axis: normal, index: at, step, t } = slice.key;
  if (t !== stroke.t) return null;
  const depth = rangeOf(stroke, grid, normal, from[normal], to[normal]);
  if (at < depth[0] || at > depth[1]) return null;
  const [column, row] = sidesOf(normal);
  const columns = rangeOf(stroke, grid, column, from[column], to[column]).map((v) => v / step);
  const rows = rangeOf(stroke, grid, row, from[row], to[row]).map((v) => v / step);
  const rect: Rect = {
    left: Math.ceil(columns[0] as number),
    right: Math.floor(columns[1] as number) + 1,
    top: Math.ceil(rows[0] as number),
    bottom: Math.floor(rows[1] as number) + 1,
  };
  if (rect.left >= rect.right || rect.top >= rect.bottom) return null;
  const put = (x: number, y: number) => {
    const i = y * slice.width + x;
    if (stroke.over === null || slice.data[i] === stroke.over) slice.data[i] = stroke.label;
  };
  const voxel: [number, number, number] = [0, 0, 0];
  voxel[normal] = at;
  for (let y = rect.top; y < rect.bottom; ++y)
    for (let x = rect.left; x < rect.right; ++x) {
      voxel[column] = x * step;
      voxel[row] = y * step;
      if (isNear(stroke, grid, voxel, from, to)) put(x, y);
    }
  paintLine(slice, stroke, from, to, rect, put);
  return rect;
}

/** The voxels that a way goes through, by points half a voxel apart. */
function paintLine(slice: Slice, stroke: Stroke, from: Triple, to: Triple, rect: Rect, put: (x: number, y: number) => void): void {
  const { axis: normal, index, step } = slice.key;
  const [column, row] = sidesOf(normal);
  const steps = Math.max(1, Math.ceil(2 * Math.max(...axes.map((axis) => Math.abs(to[axis] - from[axis])))));
  for (let i = 0; i <= steps; ++i) {
    const at = (axis: Axis) =>
      stroke.across === axis ? sliceOf(stroke) : nearest(from[axis] + (to[axis] - from[axis]) * (i / steps));
    if (at(normal) !== index || at(column) % step !== 0 || at(row) % step !== 0) continue;
    const [x, y] = [at(column) / step, at(row) / step];
    if (x >= rect.left && x < rect.right && y >= rect.top && y < rect.bottom) put(x, y);
  }
}
