// Keeps the store and the server together: what is open, events, and the address.

import { addLayer } from "../panels/images.ts";
import { removeSeedsOf, setSeeds } from "../seeds/seeds.ts";
import { channelViews, showImage } from "../slices/navigate.ts";
import { clampVoxel } from "../slices/geometry.ts";
import { type AppStore, type Result, setView } from "../store/state.ts";
import { type ImageInfo, type Job, lengthsOf } from "../store/wire.ts";
import { type Client, ServerError } from "./client.ts";
import { parseFragment, toFragment } from "./fragment.ts";
import { followEvents } from "./hub.ts";

const addressAfter = 300; // ms of rest, until the address is written

export interface SessionParts {
  token: string;
  store: AppStore;
  client: Client;
  takeJob(job: Job): Promise<void>;
  forgetSlices(image: number): void;
}

/** A new or changed image. Label maps lie over the image on whose grid they are; those of jobs come with them. */
function takeImage({ store, forgetSlices }: SessionParts, image: ImageInfo, isEvent = false): void {
  const { images, layers } = store.get();
  const known = images.get(image.id);
  if (known && JSON.stringify(known) === JSON.stringify(image)) return;
  if (known) forgetSlices(image.id);
  store.set({ images: new Map(images).set(image.id, image) });
  const isOfJob = isEvent && image.of !== null;
  const isLayer = image.role === "labels" && !isOfJob && !layers.some((layer) => layer.image === image.id);
  if (isLayer) addLayer(store, { slot: `image ${image.id}`, image: image.id, shown: true });
}

function dropImage({ store, forgetSlices }: SessionParts, id: number): void {
  const { images, layers, view, results } = store.get();
  const rest = new Map(images);
  rest.delete(id);
  const isLeft = ({ job }: Result) => {
    const outputs = Object.values(job.outputs ?? {});
    return !outputs.includes(id) || outputs.some((output) => rest.has(output));
  };
  forgetSlices(id);
  const next = view.image === id ? (images.get(id)?.of ?? [...rest.keys()][0] ?? null) : view.image;
  if (next !== view.image && next !== null && rest.has(next)) showImage(store, next);
  store.set({
    images: rest,
    layers: layers.filter((layer) => layer.image !== id),
    results: results.filter(isLeft),
  });
  if (next === null) setView(store, { image: null });
  removeSeedsOf(store, id);
}

/** All that the server has open, at the start and after a lost connection. */
async function loadSession(parts: SessionParts): Promise<void> {
  const { store, client } = parts;
  const session = await client.session();
  const [operations, ...images] = await Promise.all([
    client.operations(),
    ...session.images.map((id) => client.image(id).catch(() => null)),
  ]);
  for (const id of store.get().images.keys()) if (!session.images.includes(id)) dropImage(parts, id);
  store.set({ session, operations });
  for (const image of images) if (image) takeImage(parts, image);
}

/** What the address says; without it the first image that is no label map. */
export function applyAddress(store: AppStore, fragment: string): void {
  const saved = parseFragment(fragment);
  const { images, layers } = store.get();
  const all = [...images.values()];
  const first = all.find((image) => image.role === "image") ?? all[0];
  const image = (saved.view.image == null ? undefined : images.get(saved.view.image)) ?? first;
  if (!image) return;
  showImage(store, image.id);
  if (saved.channels?.image === image.id && saved.channels.views.length === image.channels.length)
    store.set((state) => ({ channels: new Map(state.channels).set(image.id, saved.channels?.views ?? channelViews(image)) }));
  const at = saved.view.at && clampVoxel(lengthsOf(image), saved.view.at);
  const t = Math.min(Math.max(Math.round(saved.view.t ?? 0), 0), image.shape.t - 1);
  setView(store, { ...saved.view, image: image.id, t, ...(at ? { at } : {}) });
  if (saved.seeds.length > 0) setSeeds(store, saved.seeds.filter((seed) => images.has(seed.image)));
  store.set((state) => ({
    panel: { ...state.panel, ...saved.panel },
    layers: layers.map((layer) => ({ ...layer, shown: layer.shown && !saved.hidden.includes(layer.image) })),
  }));
}

function keepAddress(store: AppStore): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  store.watchAny(
    (s) => [s.view, s.channels, s.seeds, s.panel, s.layers],
    () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        const fragment = toFragment(store.get());
        if (fragment) history.replaceState(null, "", `${location.pathname}${location.search}#${fragment}`);
      }, addressAfter);
    },
  );
}

async function takeEvent(parts: SessionParts, name: string, data: unknown): Promise<void> {
  if (name === "job") return parts.takeJob(data as Job);
  const { id } = data as { id: number };
  if (name === "gone") return dropImage(parts, id);
  if (name !== "image") return;
  const image = await parts.client.image(id).catch(() => null); // gone again, maybe
  if (image) takeImage(parts, image, true);
}

/** Loads what is open, and follows the server from then on. */
export function startSession(parts: SessionParts): void {
  const { store } = parts;
  let isFirst = true;
  const opened = async () => {
    await loadSession(parts);
    if (isFirst) {
      applyAddress(store, location.hash);
      keepAddress(store);
    } else if (store.get().view.image === null) {
      applyAddress(store, location.hash);
    }
    isFirst = false;
    store.set({ connection: "open" });
  };
  const handlers = {
    opened,
    lost: () => store.set({ connection: "lost", running: null }),
    refused: (_: ServerError) => store.set({ connection: "refused" }),
    event: (name: string, data: unknown) => void takeEvent(parts, name, data),
  };
  followEvents(parts.token, parts.client, handlers);
  addEventListener("hashchange", () => applyAddress(store, location.hash));
}
