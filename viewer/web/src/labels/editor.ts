// Labels that are edited: one request after the other, and what the server tells of them.

import { addLayer } from "../panels/images.ts";
import { type Client, type SaveOptions, type Saved, ServerError, textOf } from "../session/client.ts";
import { type AppStore, type Stroke, shownImage } from "../store/state.ts";
import { type ImageInfo, type LabelEdit, type LabelsChange, type Triple, axisNames } from "../store/wire.ts";
import { LabelChanges } from "./changes.ts";
import { millimetersIn } from "./sizes.ts";

const mostStrokes = 64; // that are kept for slices on their way
const listAfter = 120; // ms after a change, until the list is asked for again

/** What the server is sent of a stroke. */
export function editOf(stroke: Stroke, image: ImageInfo): LabelEdit {
  return {
    edit: "stroke",
    label: stroke.label,
    points: stroke.points,
    radius: stroke.radius * millimetersIn(image),
    t: stroke.t,
    ...(stroke.across === null ? {} : { across: axisNames[stroke.across] }),
    ...(stroke.over === null ? {} : { over: stroke.over }),
  };
}

export class LabelEditor {
  readonly changes = new LabelChanges();
  private search = "";
  private last: Promise<unknown> = Promise.resolve();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly store: AppStore,
    private readonly client: Client,
    private readonly openImage: (id: number) => Promise<ImageInfo | null>,
  ) {}

  /** The image whose labels the tools change. */
  image(): ImageInfo | undefined {
    const { editing, images } = this.store.get();
    return editing ? images.get(editing.id) : undefined;
  }

  /** Begins with a copy of the labels of an image, or with empty ones on the grid of the shown one. */
  async begin(from: number | null): Promise<void> {
    const shown = shownImage(this.store.get());
    if (from === null && !shown) return;
    await this.attempt(async () => {
      const start = from === null ? { of: (shown as ImageInfo).id } : { from };
      const { image } = await this.client.newLabels(start);
      // What was copied lies below: it would shine through.
      this.store.set((state) => ({
        layers: state.layers.map((layer) => (layer.image === from ? { ...layer, shown: false } : layer)),
      }));
      await this.choose(image);
    });
  }

  async choose(id: number): Promise<void> {
    const image = this.store.get().images.get(id) ?? (await this.openImage(id));
    if (!image?.editable) return;
    if (!this.store.get().layers.some((layer) => layer.image === id))
      addLayer(this.store, { slot: `image ${id}`, image: id, shown: true });
    this.search = "";
    this.store.set({ hiddenLabels: new Set(), labelProblem: null });
    await this.list(id);
  }

  leave(): void {
    const { tool } = this.store.get();
    this.store.set({ editing: null, boxDraft: null, tool: ["brush", "eraser", "box", "component"].includes(tool) ? "point" : tool });
  }

  /** The server has forgotten them. */
  drop(id: number): void {
    if (this.store.get().editing?.id === id) this.leave();
  }

  /** The labels whose name or number has these characters. */
  find(search: string): void {
    this.search = search;
    const { editing } = this.store.get();
    if (editing) void this.attempt(() => this.list(editing.id));
  }

  /** After a lost connection, or when the page begins: what all labels are at. */
  async reload(): Promise<void> {
    const { listed, editing } = this.store.get();
    await Promise.all(
      listed.filter((image) => image.editable).map(async ({ id }) => {
        const { revision } = await this.client.labels(id, "");
        if (revision === this.store.get().revisions.get(id)) return;
        this.changes.reset(id, revision);
        this.setRevision(id, revision);
      }),
    );
    if (editing) await (listed.some(({ id }) => id === editing.id) ? this.list(editing.id) : this.leave());
  }

  private async list(id: number): Promise<void> {
    const editing = await this.client.labels(id, this.search);
    const known = this.store.get().editing;
    if (known?.id === id && known.revision > editing.revision) return; // another one is on the way
    if (!this.store.get().revisions.has(id)) this.changes.reset(id, editing.revision);
    this.setRevision(id, editing.revision);
    this.store.set({ editing });
  }

  private setRevision(id: number, revision: number): void {
    this.store.set((state) => ({ revisions: new Map(state.revisions).set(id, revision) }));
  }

  /** Sends an edit behind those that are on their way; false where it was refused. */
  send(edit: LabelEdit): Promise<boolean> {
    const sent = this.last.then(() => this.sendNow(edit));
    this.last = sent;
    return sent;
  }

  private async sendNow(edit: LabelEdit): Promise<boolean> {
    const { editing, revisions } = this.store.get();
    if (!editing) return false;
    return this.attempt(async () => {
      const revision = revisions.get(editing.id) ?? editing.revision;
      this.take(await this.client.editLabels(editing.id, revision, edit));
    });
  }

  private async attempt(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      this.store.set({ labelProblem: null });
      return true;
    } catch (error) {
      this.store.set({ labelProblem: textOf(error) });
      if (error instanceof ServerError && error.status === 409) await this.reload().catch(() => undefined);
      return false;
    }
  }

  undo(): void {
    if (this.store.get().editing?.undo) void this.send({ edit: "undo" });
  }
  redo(): void {
    if (this.store.get().editing?.redo) void this.send({ edit: "redo" });
  }

  /** What the server tells, of this page's edits twice: with the answer and to all. */
  take(change: LabelsChange): void {
    const { id, revision, unsaved, undo, redo } = change;
    const known = this.store.get().revisions.get(id) ?? -1;
    if (revision < known) return;
    const { editing } = this.store.get();
    if (editing?.id === id) {
      this.store.set({ editing: { ...editing, revision, unsaved, undo, redo } });
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void this.attempt(() => this.list(id)), listAfter);
    }
    if (revision === known) return;
    if (change.box) this.changes.note(id, revision, change.box);
    this.setRevision(id, revision);
    if (change.table) void this.openImage(id);
  }

  /** A stroke begins; it is shown as it grows. */
  startStroke(start: Pick<Stroke, "label" | "points" | "across">): Stroke | null {
    const image = this.image();
    const { brush, view } = this.store.get();
    if (!image) return null;
    const t = Math.min(view.t, image.shape.t - 1);
    const stroke: Stroke = { ...start, image: image.id, radius: brush.size / 2, over: brush.over, t, confirmed: null };
    this.store.set((state) => ({ strokes: [...state.strokes.slice(-mostStrokes), stroke] }));
    return stroke;
  }

  extendStroke(stroke: Stroke, point: Triple): void {
    stroke.points.push(point);
    this.store.set((state) => ({ strokes: [...state.strokes] }));
  }

  async endStroke(stroke: Stroke): Promise<void> {
    const image = this.image();
    if (!image) return;
    const isDone = await this.send(editOf(stroke, image));
    const confirmed = this.store.get().revisions.get(stroke.image) ?? 0;
    // The same stroke, but for when it was confirmed: what is painted of it stays.
    stroke.confirmed = isDone ? confirmed : -1;
    this.store.set((state) => ({ strokes: state.strokes.filter((other) => isDone || other !== stroke) }));
  }

  save(name: string, options: SaveOptions): Promise<Saved> {
    const { editing } = this.store.get();
    if (!editing) return Promise.reject(new Error("There are no labels to save."));
    return this.client.saveImage(editing.id, name, options);
  }
}
