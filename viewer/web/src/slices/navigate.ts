// Where the user looks: changes of the view that clicks, keys, wheels and sliders have in common.

import { type AppStore, type ChannelView, sameGrid, setView, shownImage } from "../store/state.ts";
import { type Axis, type ImageInfo, type Triple, isSlide, lengthsOf } from "../store/wire.ts";
import { type PlaneView, clampVoxel, planeViews } from "./geometry.ts";

const restAfter = 160; // ms without a change
const zooms = { lowest: 0.2, highest: 64 };
const smallestPane = 128; // pixels of the screen, for how far a slide may be enlarged
const deepest = 16; // pixels of the screen for one of a slide

/** A slide is enlarged until its pixels are large, however many it has. */
export function highestZoom(image: ImageInfo | undefined): number {
  return isSlide(image) ? Math.max(zooms.highest, (deepest * Math.max(image.shape.x, image.shape.y)) / smallestPane) : zooms.highest;
}


let timer: ReturnType<typeof setTimeout> | undefined;

/** Slices are previews until the user rests. */
export function moveOn(store: AppStore): void {
  clearTimeout(timer);
  if (!store.get().moving) store.set({ moving: true });
  timer = setTimeout(() => store.set({ moving: false }), restAfter);
}

export function middleOf(image: ImageInfo): Triple {
  return lengthsOf(image).map((length) => Math.floor(length / 2)) as unknown as Triple;
}

function centerOf(image: ImageInfo): Triple {
  return lengthsOf(image).map((length) => (length - 1) / 2) as unknown as Triple;
}

/** The channels as the server suggests them. */
export function channelViews(image: ImageInfo): ChannelView[] {
  return image.channels.map(({ color, window }) => ({ shown: true, color, window }));
}

/** Looks at another image; at the same place where it has the same voxels. */
export function showImage(store: AppStore, id: number): void {
  const state = store.get();
  const image = state.images.get(id);
  if (!image) return;
  const before = shownImage(state);
  const stays = before !== undefined && sameGrid(before, image);
  const channels = new Map(state.channels);
  if (!channels.has(id)) channels.set(id, channelViews(image));
  store.set({
    channels,
    view: {
      ...state.view,
      image: id,
      t: Math.min(state.view.t, image.shape.t - 1),
      ...(stays ? {} : { at: middleOf(image), center: centerOf(image), zoom: 1, main: 0 }),
    },
  });
}

/** The slices of the shown image. */
export function viewsOf(store: AppStore): PlaneView[] {
  const state = store.get();
  const image = shownImage(state);
  return image ? planeViews(image, state.view.convention) : [];
}

export function moveTo(store: AppStore, point: Triple): void {
  const state = store.get();
  const image = shownImage(state);
  if (!image) return;
  const at = clampVoxel(lengthsOf(image), point);
  if (at.every((v, axis) => v === state.view.at[axis as Axis])) return;
  moveOn(store);
  setView(store, { at });
}

/** Moves the cross-hair along one axis of the image. */
export function moveAlong(store: AppStore, axis: Axis, voxels: number): void {
  const at = [...store.get().view.at] as [number, number, number];
  at[axis] += voxels;
  moveTo(store, at);
}

export function moveInTime(store: AppStore, t: number): void {
  const state = store.get();
  const last = (shownImage(state)?.shape.t ?? 1) - 1;
  moveOn(store);
  setView(store, { t: Math.min(Math.max(t, 0), last) });
}

/** Enlarges about a point, which stays where it is on the screen. */
export function zoomAt(store: AppStore, factor: number, point: Triple): void {
  const { view } = store.get();
  const zoom = Math.min(Math.max(view.zoom * factor, zooms.lowest), highestZoom(shownImage(store.get())));
  const center = view.center.map(
    (c, axis) => (point[axis as Axis] as number) + ((c - (point[axis as Axis] as number)) * view.zoom) / zoom,
  ) as unknown as Triple;
  setView(store, { zoom, center });
}

export function fit(store: AppStore): void {
  const image = shownImage(store.get());
  if (image) setView(store, { zoom: 1, center: centerOf(image) });
}

/** Brings the cross-hair to the middles of the panes. */
export function centerCrosshair(store: AppStore): void {
  setView(store, { center: store.get().view.at });
}

/** The views of the channels of the shown image; of one that was never shown none. */
export function shownChannels(store: AppStore): readonly ChannelView[] {
  const state = store.get();
  return (state.view.image !== null && state.channels.get(state.view.image)) || [];
}

export function changeChannel(store: AppStore, index: number, change: Partial<ChannelView>): void {
  const { view, channels } = store.get();
  const list = view.image === null ? undefined : channels.get(view.image);
  if (view.image === null || !list) return;
  const changed = list.map((channel, i) => (i === index ? { ...channel, ...change } : channel));
  store.set({ channels: new Map(channels).set(view.image, changed) });
}

/** The channel whose window a drag changes: the first one that is shown. */
export function activeChannel(store: AppStore): number {
  return Math.max(0, shownChannels(store).findIndex((channel) => channel.shown));
}
