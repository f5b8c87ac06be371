// Seeds: where regions begin, each with the label that it gives.

import { type AppStore, type Seed, type State, sameGrid, shownImage } from "../store/state.ts";
import type { ImageInfo, Triple } from "../store/wire.ts";

let lastId = 0;

/** The image whose voxels count: that on whose grid a result lies. */
function ownerOf(image: ImageInfo): number {
  return image.of ?? image.id;
}

/** The seeds that can be shown on an image. */
export function seedsOn(state: State, image: ImageInfo | undefined): Seed[] {
  if (!image) return [];
  return state.seeds.filter((seed) => {
    const owner = state.images.get(seed.image);
    return owner !== undefined && sameGrid(owner, image);
  });
}

/** As `--seeds` takes them: "12,30,9=1;40,8,9=2", in voxels. */
export function seedText(seeds: readonly Seed[], image: ImageInfo): string {
  const { z, t } = image.shape;
  return seeds
    .map((seed) => {
      const place = t > 1 ? [...seed.at, seed.t] : z > 1 ? seed.at : seed.at.slice(0, 2);
      return `${place.join(",")}=${seed.label}`;
    })
    .join(";");
}

/** Adds a seed with the active label; one that lies there already gets the label. */
export function addSeed(store: AppStore, at: Triple): void {
  const state = store.get();
  const image = shownImage(state);
  if (!image) return;
  const there = seedsOn(state, image).find(
    (seed) => seed.t === state.view.t && seed.at.every((v, axis) => v === at[axis as 0 | 1 | 2]),
  );
  if (there) return changeSeed(store, there.id, { label: state.activeLabel });
  const seed: Seed = { id: ++lastId, image: ownerOf(image), at, t: state.view.t, label: state.activeLabel };
  store.set({ seeds: [...state.seeds, seed], selectedSeed: seed.id });
}

/** From the address, say. */
export function setSeeds(store: AppStore, seeds: readonly Omit<Seed, "id">[]): void {
  store.set({ seeds: seeds.map((seed) => ({ ...seed, id: ++lastId })), selectedSeed: null });
}

export function changeSeed(store: AppStore, id: number, change: Partial<Pick<Seed, "at" | "label">>): void {
  store.set((state) => ({
    seeds: state.seeds.map((seed) => (seed.id === id ? { ...seed, ...change } : seed)),
    selectedSeed: id,
  }));
}

export function removeSeed(store: AppStore, id: number): void {
  store.set((state) => ({
    seeds: state.seeds.filter((seed) => seed.id !== id),
    selectedSeed: state.selectedSeed === id ? null : state.selectedSeed,
  }));
}

export function removeSeedsOf(store: AppStore, image: number): void {
  const { seeds } = store.get();
  const rest = seeds.filter((seed) => seed.image !== image);
  if (rest.length < seeds.length) store.set({ seeds: rest });
}

export function selectLabel(store: AppStore, label: number): void {
  store.set({ activeLabel: Math.min(Math.max(1, Math.round(label) || 1), 2 ** 32 - 1) });
}
