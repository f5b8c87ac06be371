// Mouse and keys on the view in three dimensions.

import { addSeed } from "../seeds/seeds.ts";
import { moveTo } from "../slices/navigate.ts";
import { type AppStore, shownImage } from "../store/state.ts";
import { type Triple, lengthsOf } from "../store/wire.ts";
import { nearestVoxel } from "../slices/geometry.ts";
import { type Camera, moved, turned, zoomed } from "./camera.ts";
import { cameraOf, sceneOf, setLook, transferOf } from "./look.ts";
import { shifted } from "./transfer.ts";

export interface VolumeTools {
  readonly canvas: HTMLCanvasElement;
  readonly store: AppStore;
  /** What is seen there; null where that is background. */
  pick(x: number, y: number): Promise<Triple | null>;
  maximize(): void;
}

type Drag = (dx: number, dy: number) => void;

const clickWithin = 3; // pixels
const keyTurn = Math.PI / 24;

export function changeCamera(store: AppStore, aspect: number, change: (camera: Camera) => Camera): void {
  const camera = cameraOf(store.get(), aspect);
  if (camera) setLook(store, { camera: change(camera) });
}

function zoom(store: AppStore, aspect: number, factor: number): void {
  const whole = sceneOf(store.get())?.cameras["anterior"]?.height;
  if (whole !== undefined) changeCamera(store, aspect, (camera) => zoomed(camera, factor, whole));
}

/** Moves the cross-hair to what was clicked, and sets a seed there where that is the tool. */
async function click({ store, pick }: VolumeTools, x: number, y: number): Promise<void> {
  const voxel = await pick(x, y);
  const image = shownImage(store.get());
  if (!voxel || !image) return;
  moveTo(store, voxel);
  const inside = nearestVoxel(lengthsOf(image), voxel);
  if (store.get().tool === "seed" && inside) addSeed(store, inside);
}

/** Sideways the width of the transfer function, up and down its place. */
function startTransfer(store: AppStore): Drag | null {
  const start = transferOf(store.get());
  const histogram = sceneOf(store.get())?.histogram;
  if (!start || !histogram || store.get().volume.mode !== "composite") return null;
  const perPixel = (histogram.highest - histogram.lowest) / 1024;
  return (dx, dy) => setLook(store, { transfer: shifted(start, dy * perPixel, Math.exp(dx / 256)) });
}

function startDrag({ store, canvas }: VolumeTools, event: PointerEvent): Drag | null {
  const aspect = canvas.clientWidth / canvas.clientHeight;
  const camera = cameraOf(store.get(), aspect);
  if (!camera) return null;
  const { tool } = store.get();
  if (event.ctrlKey || event.metaKey || tool === "window") return startTransfer(store);
  if (event.button !== 0 || event.shiftKey || tool === "pan") {
    const perPixel = camera.height / canvas.clientHeight;
    return (dx, dy) => setLook(store, { camera: moved(camera, dx * perPixel, dy * perPixel) });
  }
  const perPixel = Math.PI / Math.min(canvas.clientWidth, canvas.clientHeight);
  return (dx, dy) => setLook(store, { camera: turned(camera, dx * perPixel, dy * perPixel) });
}

/** From a side of the patient. */
export function lookFrom(store: AppStore, side: string): void {
  const camera = sceneOf(store.get())?.cameras[side];
  if (camera) setLook(store, { camera });
}

export function resetCamera(store: AppStore): void {
  setLook(store, { camera: null });
}

function keys({ store, canvas, pick, maximize }: VolumeTools): Record<string, () => void> {
  const aspect = () => canvas.clientWidth / canvas.clientHeight;
  const turn = (right: number, down: number, clockwise = 0) => () =>
    changeCamera(store, aspect(), (camera) => turned(camera, right * keyTurn, down * keyTurn, clockwise * keyTurn));
  const move = (right: number, down: number) => () =>
    changeCamera(store, aspect(), (camera) => moved(camera, (right * camera.height) / 16, (down * camera.height) / 16));
  return {
    ArrowLeft: turn(-1, 0),
    ArrowRight: turn(1, 0),
    ArrowUp: turn(0, -1),
    ArrowDown: turn(0, 1),
    PageUp: turn(0, 0, -1),
    PageDown: turn(0, 0, 1),
    "Shift+ArrowLeft": move(-1, 0),
    "Shift+ArrowRight": move(1, 0),
    "Shift+ArrowUp": move(0, -1),
    "Shift+ArrowDown": move(0, 1),
    "+": () => zoom(store, aspect(), 1.25),
    "=": () => zoom(store, aspect(), 1.25),
    "-": () => zoom(store, aspect(), 1 / 1.25),
    "0": () => resetCamera(store),
    Enter: () => void click({ store, canvas, pick, maximize }, canvas.clientWidth / 2, canvas.clientHeight / 2),
    m: maximize,
  };
}

/** Handles all that mouse and keys do on the view. */
export function listenToVolume(tools: VolumeTools): void {
  const { canvas, store } = tools;
  let drag: { x: number; y: number; move: Drag | null; isClick: boolean } | null = null;
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("dblclick", () => store.get().tool === "point" && tools.maximize());
  canvas.addEventListener("pointerdown", (event) => {
    canvas.focus({ preventScroll: true });
    event.preventDefault();
    drag = { x: event.offsetX, y: event.offsetY, move: startDrag(tools, event), isClick: event.button === 0 };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const [dx, dy] = [event.offsetX - drag.x, event.offsetY - drag.y];
    if (drag.isClick && Math.hypot(dx, dy) <= clickWithin) return;
    drag.isClick = false;
    drag.move?.(dx, dy);
  });
  canvas.addEventListener("pointerup", () => {
    const ended = drag;
    drag = null;
    if (ended?.isClick) void click(tools, ended.x, ended.y);
  });
  canvas.addEventListener("pointercancel", () => (drag = null));
  const wheel = (event: WheelEvent) => {
    event.preventDefault();
    const pixels = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : event.deltaY * 40;
    zoom(store, canvas.clientWidth / canvas.clientHeight, Math.exp(-pixels / 400));
  };
  canvas.addEventListener("wheel", wheel, { passive: false });
  const own = keys(tools);
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const run = own[event.shiftKey ? `Shift+${event.key}` : event.key] ?? (event.shiftKey ? undefined : own[event.key]);
    if (!run) return;
    event.preventDefault();
    run();
  });
}
