// A slice of labels together with the strokes that it does not have yet.

import type { Slice } from "../slices/samples.ts";
import type { Stroke } from "../store/state.ts";
import { type Grid, type Rect, paintWay, union } from "./strokes.ts";

/** Whether the server may have sent a slice without the stroke. */
function isMissing(slice: Slice, stroke: Stroke): boolean {
  return stroke.image === slice.key.image && (stroke.confirmed === null || stroke.confirmed > (slice.key.revision ?? 0));
}

export class StrokeOverlay {
  private base: Slice | null = null;
  private painted: Slice | null = null;
  private readonly points = new Map<Stroke, number>(); // of each stroke, that are painted
  /** What was painted since somebody took it. */
  dirty: Rect | null = null;

  /** The slice as it is now: itself, or a copy that strokes are painted on. */
  on(base: Slice, strokes: readonly Stroke[], grid: Grid): Slice {
    const missing = strokes.filter((stroke) => isMissing(base, stroke));
    const isStale = base !== this.base || [...this.points.keys()].some((stroke) => !missing.includes(stroke));
    if (isStale) {
      this.base = base;
      this.painted = null;
      this.points.clear();
      this.dirty = null;
    }
    for (const stroke of missing) this.add(base, stroke, grid);
    return this.painted ?? base;
  }

  private add(base: Slice, stroke: Stroke, grid: Grid): void {
    for (let i = this.points.get(stroke) ?? 0; i < stroke.points.length; ++i) {
      this.points.set(stroke, i + 1);
      const copy = this.painted ?? { ...base, data: base.data.slice() };
      const rect = paintWay(copy, grid, stroke, i);
      if (!rect) continue;
      if (this.painted) this.dirty = union(this.dirty, rect);
      this.painted = copy;
    }
  }

  takeDirty(): Rect | null {
    const rect = this.dirty;
    this.dirty = null;
    return rect;
  }
}
