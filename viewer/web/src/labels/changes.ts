// Which slices of edited labels have changed, and when: those that have not stay in the cache.

import type { Axis, Triple } from "../store/wire.ts";

interface Change {
  revision: number;
  box: readonly [Triple, Triple];
}

const mostChanges = 256; // of one image, before all of its slices count as changed

export class LabelChanges {
  private readonly images = new Map<number, { base: number; changes: Change[] }>();

  /** From now on all slices are of this revision at least. */
  reset(image: number, revision: number): void {
    this.images.set(image, { base: revision, changes: [] });
  }

  note(image: number, revision: number, box: Change["box"]): void {
    const known = this.images.get(image);
    if (!known) return this.reset(image, revision);
    known.changes.push({ revision, box });
    if (known.changes.length > mostChanges) this.reset(image, revision);
  }

  /** The last revision that changed a slice; 0 for images that nobody edits. */
  revisionOf(image: number, axis: Axis, index: number): number {
    const known = this.images.get(image);
    if (!known) return 0;
    let last = known.base;
    for (const { revision, box } of known.changes)
      if (revision > last && box[0][axis] <= index && index <= box[1][axis]) last = revision;
    return last;
  }
}
