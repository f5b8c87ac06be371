// The images that the server has: which there are, what is known of them, and which one is looked at.

import { addLayer } from "../panels/images.ts";
import { removeSeedsOf } from "../seeds/seeds.ts";
import { showImage } from "../slices/navigate.ts";
import { type AppStore, type Result, setView } from "../store/state.ts";
import type { ImageInfo, ListedImage } from "../store/wire.ts";
import { type Client, textOf } from "./client.ts";

export class Images {
  constructor(
    private readonly store: AppStore,
    private readonly client: Client,
    private readonly forgetSlices: (image: number) => void,
  ) {}

  /** All that there are, at the start and after a lost connection. */
  async list(all: readonly ListedImage[]): Promise<void> {
    const { images } = this.store.get();
    for (const id of images.keys()) if (!all.some((image) => image.id === id)) this.drop(id);
    this.store.set({ listed: all });
    const known = all.filter(({ id, is_file }) => !is_file || images.has(id));
    await Promise.all(known.map(({ id }) => this.open(id)));
  }

  /** Takes what an image is; a label map of a file lies over its image, one of a job comes with its job. */
  take(image: ImageInfo): void {
    const { images, layers, listed, hidden } = this.store.get();
    const { id, name, role, of } = image;
    const known = images.get(id);
    if (known && JSON.stringify(known) === JSON.stringify(image)) return;
    if (known) this.forgetSlices(id);
    const held = listed.find((other) => other.id === id);
    this.store.set({
      images: new Map(images).set(id, image),
      listed: held ? listed : [...listed, { id, name, role, of, is_file: false, editable: image.editable === true }],
    });
    if (role === "labels" && (held?.is_file || image.editable) && !layers.some((layer) => layer.image === id))
      addLayer(this.store, { slot: `image ${id}`, image: id, shown: !hidden.includes(id) });
  }

  /** Forgets an image that the server has forgotten. */
  drop(id: number): void {
    const { images, layers, listed, view, results } = this.store.get();
    const rest = new Map(images);
    rest.delete(id);
    const isLeft = ({ job }: Result) => {
      const outputs = Object.values(job.outputs ?? {});
      return !outputs.includes(id) || outputs.some((output) => rest.has(output));
    };
    this.forgetSlices(id);
    const next = view.image === id ? (images.get(id)?.of ?? [...rest.keys()][0] ?? null) : view.image;
    if (next !== view.image && next !== null && rest.has(next)) showImage(this.store, next);
    this.store.set({
      images: rest,
      listed: listed.filter((image) => image.id !== id),
      layers: layers.filter((layer) => layer.image !== id),
      results: results.filter(isLeft),
    });
    if (next === null) setView(this.store, { image: null });
    removeSeedsOf(this.store, id);
  }

  /** Asks what an image is; null, with a reason in the list, where it cannot be read. */
  async open(id: number): Promise<ImageInfo | null> {
    try {
      const image = await this.client.image(id);
      this.take(image);
      this.note(id, null);
      return image;
    } catch (error) {
      this.note(id, textOf(error));
      return null;
    }
  }

  /** Looks at an image, together with the label maps that were opened for it; false where it cannot be read. */
  async look(id: number): Promise<boolean> {
    const image = this.store.get().images.get(id) ?? (await this.open(id));
    if (!image) return false;
    showImage(this.store, id);
    const { listed, images } = this.store.get();
    const maps = listed.filter((other) => other.is_file && other.role === "labels" && other.of === id);
    const others = [...maps.map((map) => map.id), ...(image.of === null ? [] : [image.of])];
    await Promise.all(others.filter((other) => !images.has(other)).map((other) => this.open(other)));
    return true;
  }

  private note(id: number, reason: string | null): void {
    const unreadable = new Map(this.store.get().unreadable);
    if (reason === null ? unreadable.delete(id) : unreadable.set(id, reason)) this.store.set({ unreadable });
  }
}
