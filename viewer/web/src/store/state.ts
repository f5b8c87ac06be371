// The page's whole state. What is in `View` is kept in the address, too.

import { type Look, type Scene, initialLook } from "../volume/look.ts";
import { Store } from "./store.ts";
import type { Device, Axis, ImageInfo, Job, LabelsList, ListedImage, OperationLine, OptionValue, Range, Session, Triple } from "./wire.ts";

export type Connection = "connecting" | "open" | "lost" | "refused";
export type Convention = "radiological" | "neurological";
export type Tool = "point" | "pan" | "window" | "seed" | LabelTool;
export type LabelTool = "brush" | "eraser" | "box" | "component";
export type LabelStyle = "fill" | "outline";
export type Palette = "tesela" | "safe";

/** How a channel is shown. */
export interface ChannelView {
  shown: boolean;
  color: string;
  window: Range;
}

/** A label map over the image on whose grid it lies. */
export interface Layer {
  slot: string; // a result that takes the place of another one has its slot
  image: number;
  shown: boolean;
}

export interface Seed {
  id: number; // within the page
  image: number;
  at: Triple; // in voxels
  t: number;
  label: number;
}

/** A path of the brush, in voxels of the labels that are edited. */
export interface Stroke {
  image: number;
  label: number; // 0: the eraser
  points: Triple[]; // grows as long as the user draws
  radius: number; // in the unit of the image
  across: Axis | null; // the axis that a disc lies across; null: a ball
  over: number | null; // the one label that may change; null: any
  t: number;
  confirmed: number | null; // revision; null: the server has not got it yet
}

/** How brush, eraser and box work. */
export interface Brush {
  size: number; // across, in the unit of the image
  ball: boolean; // also in the slices around
  over: number | null; // paints over this label alone
}

export interface View {
  image: number | null;
  at: Triple; // where the cross-hair is, in voxels
  t: number;
  center: Triple; // what the middles of the panes show, in voxels
  zoom: number; // 1: the image fits each pane
  main: number; // which of the panes is large: a slice or, behind them, the volume
  maximized: boolean;
  convention: Convention;
  crosshair: boolean;
  smooth: boolean;
  labelStyle: LabelStyle;
  labelOpacity: number;
  labelsShown: boolean;
  palette: Palette;
}

/** What is chosen in the panel of an operation. Options that are absent have their defaults. */
export interface Panel {
  operation: string | null;
  options: Readonly<Record<string, OptionValue>>;
  images: Readonly<Record<string, number>>; // inputs that are other images than the shown one
  texts: Readonly<Record<string, string>>; // inputs that are texts
  outputs: readonly string[] | null; // null: the usual ones
  device: string | null; // null: the server chooses
  automatic: boolean; // a change starts the job anew
}

/** What a job made, as the list of results shows it. */
export interface Result {
  job: Job;
  operation: string;
  live: boolean; // made by a panel that is open: the next one replaces it
  old: boolean; // the panel has changed since
}

/** A sentence, and the option or input that it is about. */
export interface Problem {
  message: string;
  field?: string | undefined;
}

export interface State {
  session: Session | null;
  devices: readonly Device[];
  connection: Connection;
  listed: readonly ListedImage[];
  images: ReadonlyMap<number, ImageInfo>; // of these, what was looked at
  unreadable: ReadonlyMap<number, string>; // why
  operations: readonly OperationLine[];
  view: View;
  channels: ReadonlyMap<number, readonly ChannelView[]>; // by image
  layers: readonly Layer[];
  volume: Look;
  scenes: ReadonlyMap<number, Scene>; // by image, of those that were looked at in three dimensions
  hidden: readonly number[]; // label maps that the address does not show
  tool: Tool;
  moving: boolean; // the user scrolls or drags: previews do
  seeds: readonly Seed[];
  selectedSeed: number | null;
  activeLabel: number;
  editing: LabelsList | null; // labels that the tools change
  revisions: ReadonlyMap<number, number>; // of all labels that can be edited
  hiddenLabels: ReadonlySet<number>; // of those that are edited
  brush: Brush;
  strokes: readonly Stroke[]; // that slices of the server may lack
  boxDraft: readonly [Triple, Triple] | null; // a box that is being drawn
  labelProblem: string | null; // why an edit did not come about
  panel: Panel;
  running: Job | null; // the newest job of this page
  problem: Problem | null; // why it did not come about
  results: readonly Result[]; // newest first
}

export type AppStore = Store<State>;

export function initialState(): State {
  return {
    session: null,
    devices: [],
    connection: "connecting",
    listed: [],
    images: new Map(),
    unreadable: new Map(),
    operations: [],
    view: {
      image: null,
      at: [0, 0, 0],
      t: 0,
      center: [0, 0, 0],
      zoom: 1,
      main: 0,
      maximized: false,
      convention: "radiological",
      crosshair: true,
      smooth: true,
      labelStyle: "fill",
      labelOpacity: 0.5,
      labelsShown: true,
      palette: "tesela",
    },
    channels: new Map(),
    layers: [],
    volume: initialLook,
    scenes: new Map(),
    hidden: [],
    tool: "point",
    moving: false,
    seeds: [],
    selectedSeed: null,
    activeLabel: 1,
    editing: null,
    revisions: new Map(),
    hiddenLabels: new Set(),
    brush: { size: 5, ball: false, over: null },
    strokes: [],
    boxDraft: null,
    labelProblem: null,
    panel: { operation: null, options: {}, images: {}, texts: {}, outputs: null, device: null, automatic: true },
    running: null,
    problem: null,
    results: [],
  };
}

/** The image that is looked at. */
export function shownImage(state: State): ImageInfo | undefined {
  return state.view.image === null ? undefined : state.images.get(state.view.image);
}

export function setView(store: AppStore, change: Partial<View>): void {
  store.set((state) => ({ view: { ...state.view, ...change } }));
}

/** Whether two images have the same voxels, so that one may lie over the other. */
export function sameGrid(a: ImageInfo, b: ImageInfo): boolean {
  return a.shape.x === b.shape.x && a.shape.y === b.shape.y && a.shape.z === b.shape.z;
}
