// The mouse on a pane: cross-hair, seeds, window, pan, zoom and slices.

import { type LabelDrag, isLabelTool, startLabelDrag } from "../labels/drag.ts";
import type { LabelEditor } from "../labels/editor.ts";
import { addSeed, changeSeed, seedsOn } from "../seeds/seeds.ts";
import { type AppStore, setView, shownImage } from "../store/state.ts";
import type { ImageInfo, Range, Triple } from "../store/wire.ts";
import { type Placement, nearestVoxel, toScreen, toVoxel } from "./geometry.ts";
import { seedRadius } from "./draw.ts";
import { activeChannel, changeChannel, moveAlong, moveOn, moveTo, shownChannels, zoomAt } from "./navigate.ts";
import { draggedWindow } from "./window.ts";

export interface Pane {
  readonly canvas: HTMLCanvasElement;
  placement(): Placement | null;
  /** What the status line tells of; null: the pointer is elsewhere. */
  pointed(voxel: Triple | null, at: { x: number; y: number } | null): void;
  valuesAt(voxel: Triple): { labels: { image: ImageInfo; label: number }[] };
  maximize(): void;
}

type Drag = (x: number, y: number, dx: number, dy: number) => void;

const notch = 40; // pixels of a trackpad that make one slice

/** The seed of the shown slice below a point of the pane. */
function seedAt(store: AppStore, place: Placement, x: number, y: number): number | null {
  const state = store.get();
  const { normal } = place.view;
  const found = seedsOn(state, shownImage(state)).find((seed) => {
    if (seed.at[normal] !== state.view.at[normal]) return false;
    const there = toScreen(place, seed.at);
    return Math.hypot(there.x - x, there.y - y) <= seedRadius + 2;
  });
  return found?.id ?? null;
}

function startPan(store: AppStore, place: Placement): Drag {
  const start = store.get().view.center;
  const { across, down } = place.view;
  return (_x, _y, dx, dy) => {
    const center = [...start] as [number, number, number];
    center[across.axis] -= ((across.flipped ? -1 : 1) * dx) / place.scaleX;
    center[down.axis] -= ((down.flipped ? -1 : 1) * dy) / place.scaleY;
    setView(store, { center });
  };
}

function startWindow(store: AppStore): Drag | null {
  const image = shownImage(store.get());
  const index = activeChannel(store);
  const facts = image?.channels[index];
  const start = shownChannels(store)[index]?.window;
  if (!facts || !start || image.role === "labels") return null;
  const span = Math.min(facts.highest - facts.lowest, 4 * (facts.window[1] - facts.window[0]));
  return (_x, _y, dx, dy) => {
    const window: Range = draggedWindow(start, span || 1, dx, dy);
    changeChannel(store, index, { window });
  };
}

function startSeed(store: AppStore, place: Placement, x: number, y: number): Drag | null {
  const held = seedAt(store, place, x, y);
  if (held === null) {
    const voxel = nearestVoxel(place.lengths, toVoxel(place, x, y, store.get().view.at));
    if (!voxel) return null;
    moveTo(store, voxel);
    addSeed(store, voxel);
  } else {
    store.set({ selectedSeed: held });
  }
  const id = store.get().selectedSeed;
  return (toX, toY) => {
    const voxel = nearestVoxel(place.lengths, toVoxel(place, toX, toY, store.get().view.at));
    const seed = store.get().seeds.find((s) => s.id === id);
    if (!voxel || !seed || voxel.every((v, axis) => v === seed.at[axis as 0 | 1 | 2])) return;
    changeSeed(store, seed.id, { at: voxel });
  };
}

function startDrag(store: AppStore, place: Placement, event: PointerEvent, x: number, y: number): Drag | null {
  const { tool } = store.get();
  if (event.button === 1 || (event.button === 0 && (event.shiftKey || tool === "pan"))) return startPan(store, place);
  if (event.button === 2 || tool === "window") return startWindow(store);
  if (tool === "seed") return startSeed(store, place, x, y);
  return (toX, toY) => moveTo(store, toVoxel(place, toX, toY, store.get().view.at));
}

function listenToWheel(store: AppStore, pane: Pane): void {
  let left = 0; // of a slice, in pixels
  const wheel = (event: WheelEvent) => {
    event.preventDefault();
    const place = pane.placement();
    if (!place) return;
    const pixels = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : event.deltaY * notch;
    if (event.ctrlKey || event.metaKey || place.lengths[place.view.normal] === 1) {
      zoomAt(store, Math.exp(-pixels / 400), toVoxel(place, event.offsetX, event.offsetY, store.get().view.at));
      return;
    }
    // A notch of a wheel is one slice, however many pixels a browser makes of it.
    const isNotch = Math.abs(pixels) >= notch;
    left = isNotch ? 0 : left + pixels;
    const slices = isNotch ? Math.sign(pixels) : Math.trunc(left / notch);
    if (!isNotch) left -= slices * notch;
    if (slices !== 0) moveAlong(store, place.view.normal, slices);
  };
  pane.canvas.addEventListener("wheel", wheel, { passive: false });
}

/** Handles all that the mouse does on a pane. */
export function listenToPointer(store: AppStore, editor: LabelEditor, pane: Pane): void {
  const { canvas } = pane;
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("dblclick", () => store.get().tool === "point" && pane.maximize());
  let drag: { start: { x: number; y: number }; move: Drag; end?: () => void } | null = null;
  /** Of the tools of labels, which move nothing else. */
  const drawing = (place: Placement, event: PointerEvent): LabelDrag | "nothing" | null => {
    if (event.button !== 0 || event.shiftKey || !isLabelTool(store.get().tool)) return null;
    const start = { x: event.offsetX, y: event.offsetY };
    return startLabelDrag(editor, store, place, start, (at) => pane.valuesAt(at).labels) ?? "nothing";
  };

  canvas.addEventListener("pointerdown", (event) => {
    const place = pane.placement();
    if (!place) return;
    canvas.focus({ preventScroll: true });
    event.preventDefault();
    const [x, y] = [event.offsetX, event.offsetY];
    const draws = drawing(place, event);
    if (draws === "nothing") return;
    const move = draws ? draws.move : startDrag(store, place, event, x, y);
    if (!move) return;
    drag = { start: { x, y }, move, ...(draws ? { end: draws.end } : {}) };
    canvas.setPointerCapture(event.pointerId);
    if (event.button === 0) move(x, y, 0, 0);
  });
  canvas.addEventListener("pointermove", (event) => {
    const [x, y] = [event.offsetX, event.offsetY];
    if (drag) {
      if (store.get().tool !== "seed" && !drag.end) moveOn(store);
      drag.move(x, y, x - drag.start.x, y - drag.start.y);
    }
    const place = pane.placement();
    const { at } = store.get().view;
    pane.pointed(place && nearestVoxel(place.lengths, toVoxel(place, x, y, at)), { x, y });
  });
  const end = () => {
    drag?.end?.();
    drag = null;
  };
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);
  canvas.addEventListener("pointerleave", () => pane.pointed(null, null));
  listenToWheel(store, pane);
}
