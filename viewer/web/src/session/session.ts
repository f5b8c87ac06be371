// Keeps the store and the server together: what is open, events, and the address.

import type { LabelEditor } from "../labels/editor.ts";
import { setSeeds } from "../seeds/seeds.ts";
import { clampVoxel } from "../slices/geometry.ts";
import { highestZoom } from "../slices/navigate.ts";
import { type AppStore, setView, shownImage } from "../store/state.ts";
import { type Job, type LabelsChange, lengthsOf } from "../store/wire.ts";
import { type Client, ServerError } from "./client.ts";
import { type Saved, parseFragment, toFragment } from "./fragment.ts";
import { followEvents } from "./hub.ts";
import type { Images } from "./images.ts";

const addressAfter = 300; // ms of rest, until the address is written

export interface SessionParts {
  token: string;
  store: AppStore;
  client: Client;
  images: Images;
  takeJob(job: Job): Promise<void>;
  editor: LabelEditor;
}

/** What the server has. */
async function load({ store, client, images, editor }: SessionParts): Promise<void> {
  const session = await client.session();
  store.set({ session });
  await images.list(session.images);
  await editor.reload();
}

/** Looks at the image of the address or, without one, at the first that can be read and is no label map. */
async function lookAtFirst({ store, images }: SessionParts, wanted: number | null | undefined): Promise<void> {
  const { listed } = store.get();
  const pictures = listed.filter(({ role }) => role === "image");
  for (const { id } of [...listed.filter((image) => image.id === wanted), ...pictures, ...listed])
    if (await images.look(id)) return;
}

async function applyAddress(parts: SessionParts, saved: Saved): Promise<void> {
  const { store } = parts;
  store.set({ hidden: saved.hidden });
  await lookAtFirst(parts, saved.view.image);
  const image = shownImage(store.get());
  if (!image) return;
  const { listed, channels, layers, panel, volume } = store.get();
  const views = saved.channels?.image === image.id ? saved.channels.views : [];
  const at = saved.view.at && clampVoxel(lengthsOf(image), saved.view.at);
  const t = Math.min(Math.max(Math.round(saved.view.t ?? 0), 0), image.shape.t - 1);
  const zoom = Math.min(saved.view.zoom ?? 1, highestZoom(image));
  setView(store, { ...saved.view, image: image.id, t, zoom, ...(at ? { at } : {}) });
  setSeeds(store, saved.seeds.filter((seed) => listed.some(({ id }) => id === seed.image)));
  store.set({
    channels: views.length === image.channels.length ? new Map(channels).set(image.id, views) : channels,
    panel: { ...panel, ...saved.panel },
    volume: { ...volume, ...saved.volume },
    layers: layers.map((layer) => ({ ...layer, shown: layer.shown && !saved.hidden.includes(layer.image) })),
  });
  const edited = listed.find(({ id, editable }) => editable && id === saved.editing);
  if (edited) await parts.editor.choose(edited.id);
}

function keepAddress(store: AppStore): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  store.watchAny(
    (s) => [s.view, s.channels, s.seeds, s.panel, s.layers, s.volume, s.editing?.id],
    () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        const fragment = toFragment(store.get());
        if (fragment) history.replaceState(null, "", `${location.pathname}${location.search}#${fragment}`);
      }, addressAfter);
    },
  );
}

async function takeEvent({ images, takeJob, editor }: SessionParts, name: string, data: unknown): Promise<void> {
  if (name === "job") return takeJob(data as Job);
  if (name === "labels") return editor.take(data as LabelsChange);
  const { id } = data as { id: number };
  if (name === "gone") {
    images.drop(id);
    editor.drop(id);
  }
  if (name === "image") await images.open(id);
}

/** Loads what is open, and follows the server from then on. */
export function startSession(parts: SessionParts): void {
  const { store, client } = parts;
  const refused = () => store.set({ connection: "refused" });
  const first = async () => {
    await load(parts);
    void client.operations().then((operations) => store.set({ operations }));
    void client.devices().then((devices) => store.set({ devices }));
    await applyAddress(parts, parseFragment(location.hash));
    keepAddress(store);
  };
  // At once, while the connection for events is made.
  let started: Promise<void> | null = first();
  const opened = async () => {
    await (started ?? first());
    await load(parts); // what came about in between
    if (store.get().view.image === null) await lookAtFirst(parts, null);
    store.set({ connection: "open" });
  };
  started = started.catch((error: unknown) => {
    started = null; // when the connection is there once more
    if (error instanceof ServerError && error.status === 401) refused();
  });
  followEvents(parts.token, client, {
    opened,
    lost: () => store.set({ connection: "lost", running: null }),
    refused,
    event: (name, data) => void takeEvent(parts, name, data),
  });
  addEventListener("hashchange", () => void applyAddress(parts, parseFragment(location.hash)));
}
