// What is shown of a volume in three dimensions, and what the server is asked for.

import { type AppStore, type State, sameGrid, shownImage } from "../store/state.ts";
import type { ImageInfo, Triple } from "../store/wire.ts";
import { type Camera, fitted, isCamera } from "./camera.ts";
import { type Transfer, isTransfer } from "./transfer.ts";

export const modes = ["composite", "mip", "average", "isosurface"] as const;
export type Mode = (typeof modes)[number];

/** null: as the server chooses. */
export interface Look {
  image: number | null; // that it is for
  shown: boolean;
  mode: Mode;
  preset: string; // "": as the values suggest
  transfer: Transfer | null; // in the place of the preset, once it was edited
  camera: Camera | null;
  iso: number | null;
  clip: readonly [Triple, Triple] | null; // first and last voxels
  shading: boolean;
  labels: boolean;
}

export interface Histogram {
  lowest: number;
  highest: number;
  counts: readonly number[];
}

/** What the server knows of a volume. */
export interface Scene {
  level: number;
  range: readonly [number, number]; // 1 % and 99 % of the values
  histogram: Histogram | null; // null: a volume in colors
  presets: readonly { name: string; purpose: string; transfer: Transfer }[];
  cameras: Readonly<Record<string, Camera>>;
}

export type ViewBody = Record<string, unknown>;

export const initialLook: Look = {
  image: null,
  shown: true,
  mode: "composite",
  preset: "",
  transfer: null,
  camera: null,
  iso: null,
  clip: null,
  shading: true,
  labels: true,
};

export function setLook(store: AppStore, change: Partial<Look>): void {
  store.set((state) => ({ volume: { ...state.volume, ...change } }));
}

/** Whether the shown image can be looked at in three dimensions. */
export function isVolume(image: ImageInfo | undefined): image is ImageInfo {
  return image !== undefined && image.shape.z > 1 && image.role === "image";
}

/** The look at another image: where it has the same voxels, from the same side. */
export function lookAt(store: AppStore, image: ImageInfo): void {
  const { volume, images } = store.get();
  if (volume.image === image.id) return;
  const before = volume.image === null ? undefined : images.get(volume.image);
  const { shown, mode, shading, labels } = volume;
  const camera = before && sameGrid(before, image) ? volume.camera : null;
  setLook(store, { ...initialLook, image: image.id, shown, mode: mode === "isosurface" ? "composite" : mode, shading, labels, camera });
}

export function sceneOf(state: State): Scene | undefined {
  return state.volume.image === null ? undefined : state.scenes.get(state.volume.image);
}

export function cameraOf(state: State, aspect: number): Camera | null {
  const first = sceneOf(state)?.cameras["anterior"];
  return state.volume.camera ?? (first ? fitted(first, aspect) : null);
}

/** The transfer function in use. */
export function transferOf(state: State): Transfer | null {
  const { transfer, preset } = state.volume;
  return transfer ?? sceneOf(state)?.presets.find(({ name }) => name === preset)?.transfer ?? null;
}

/** The label map that is seen: the one on top of those that are shown. */
export function labelsOf(state: State): ImageInfo | null {
  const image = shownImage(state);
  if (!image || !state.view.labelsShown || !state.volume.labels) return null;
  if (state.volume.mode === "mip" || state.volume.mode === "average") return null;
  const seen = state.layers
    .filter((layer) => layer.shown)
    .map((layer) => state.images.get(layer.image))
    .filter((labels): labels is ImageInfo => labels !== undefined && labels.role === "labels" && sameGrid(labels, image));
  return seen.at(-1) ?? null;
}

/** A number as both JavaScript and the command line read it. */
const text = (list: readonly number[]) => list.join(",");

/** The call of `tesela render`; a request of a picture names its size, too. */
export function bodyOf(state: State, view: string, width: number, height: number): ViewBody | null {
  const image = shownImage(state);
  const camera = cameraOf(state, width / height);
  if (!image || !camera) return null;
  const { mode, preset, transfer, iso, clip, shading } = state.volume;
  const labels = labelsOf(state);
  const inputs: Record<string, unknown> = { input: { image: image.id } };
  if (mode === "composite" && transfer) inputs["transfer"] = { text: JSON.stringify(transfer) };
  else if (mode === "composite" && preset) inputs["transfer"] = { text: preset };
  inputs["camera"] = { text: JSON.stringify(camera) };
  if (labels) inputs["labels"] = { image: labels.id };
  const options: Record<string, unknown> = { size: `${width}x${height}` };
  if (mode !== "composite") options["mode"] = mode;
  if (mode === "isosurface" && iso !== null) options["iso"] = String(iso);
  if (clip) options["clip-box"] = text(clip.flat());
  if (!shading) options["no-shading"] = true;
  const device = state.panel.device;
  return { view, inputs, options, ...(device ? { device } : {}) };
}

/** What of a look stands in the address; empty where all is as at the start. */
export function lookText(look: Look): string {
  const changed = Object.entries(look).filter(
    ([name, value]) => name !== "image" && JSON.stringify(value) !== JSON.stringify(initialLook[name as keyof Look]),
  );
  return changed.length === 0 ? "" : JSON.stringify(Object.fromEntries([["image", look.image], ...changed]));
}

/** Whatever of it is understood. */
export function parseLook(json: string): Partial<Look> {
  let given: Record<string, unknown>;
  try {
    given = JSON.parse(json) as Record<string, unknown>;
  } catch {
    return {};
  }
  if (given === null || typeof given !== "object") return {};
  const look: Partial<Look> = {};
  const { image, shown, mode, preset, transfer, camera, iso, clip, shading, labels } = given;
  if (Number.isInteger(image)) look.image = image as number;
  if (modes.includes(mode as Mode)) look.mode = mode as Mode;
  if (typeof preset === "string") look.preset = preset;
  if (isTransfer(transfer)) look.transfer = transfer;
  if (isCamera(camera)) look.camera = camera;
  if (Number.isFinite(iso)) look.iso = iso as number;
  if (Array.isArray(clip) && clip.length === 2 && clip.flat().length === 6 && clip.flat().every((n) => Number.isInteger(n)))
    look.clip = clip as unknown as readonly [Triple, Triple];
  if (typeof shown === "boolean") look.shown = shown;
  if (typeof shading === "boolean") look.shading = shading;
  if (typeof labels === "boolean") look.labels = labels;
  return look;
}
