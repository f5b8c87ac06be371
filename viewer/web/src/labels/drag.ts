// What the tools of labels do where the user clicks and draws.

import { type Placement, nearestVoxel, toVoxel } from "../slices/geometry.ts";
import { type AppStore, type Stroke, sameGrid, shownImage } from "../store/state.ts";
import type { Axis, ImageInfo, Triple } from "../store/wire.ts";
import type { LabelEditor } from "./editor.ts";

/** Where the pointer goes from now on, and that it is let go. */
export interface LabelDrag {
  move(x: number, y: number): void;
  end(): void;
}

/** The labels of all shown maps at a voxel. */
export type LabelsAt = (at: Triple) => { image: ImageInfo; label: number }[];

export function isLabelTool(tool: string): boolean {
  return tool === "brush" || tool === "eraser" || tool === "box" || tool === "component";
}

/** Whether the labels lie on the grid of what is looked at; others cannot be painted there. */
function isOverShown(store: AppStore, labels: ImageInfo): boolean {
  const shown = shownImage(store.get());
  const isOver = shown !== undefined && sameGrid(shown, labels);
  if (!isOver) store.set({ labelProblem: `Look at the image of '${labels.name}' to edit its labels.` });
  return isOver;
}

/** A path with fewer points is painted alike when they are closer than this part of the radius. */
const closest = 0.1;

function far(stroke: Stroke, point: Triple, spacing: Triple): boolean {
  const last = stroke.points.at(-1) as Triple;
  const apart = Math.hypot(...([0, 1, 2] as const).map((axis) => (point[axis] - last[axis]) * spacing[axis]));
  return apart > closest * Math.max(stroke.radius, Math.min(...spacing));
}

function labelOf(store: AppStore): number {
  const { tool, activeLabel } = store.get();
  return tool === "eraser" ? 0 : activeLabel;
}

function across(store: AppStore, normal: Axis): Axis | null {
  return store.get().brush.ball ? null : normal;
}

function startStroke(editor: LabelEditor, store: AppStore, normal: Axis, point: Triple): Stroke | null {
  return editor.startStroke({ label: labelOf(store), points: [point], across: across(store, normal) });
}

/** Box in the slice or, in 3-D, as deep as the brush is wide. */
export function boxOf(store: AppStore, image: ImageInfo, normal: Axis, a: Triple, b: Triple): readonly [Triple, Triple] {
  const lengths = [image.shape.x, image.shape.y, image.shape.z];
  const { brush } = store.get();
  const first = [0, 0, 0];
  const last = [0, 0, 0];
  for (const axis of [0, 1, 2] as const) {
    const half = axis === normal && brush.ball ? Math.floor(brush.size / 2 / image.spacing[axis]) : 0;
    const ends = [a[axis], b[axis]].map(Math.round);
    first[axis] = Math.max(0, Math.min(...ends) - half);
    last[axis] = Math.min((lengths[axis] as number) - 1, Math.max(...ends) + half);
  }
  return [first as unknown as Triple, last as unknown as Triple];
}

export function paintBox(editor: LabelEditor, store: AppStore): void {
  const { boxDraft, brush, activeLabel, view } = store.get();
  store.set({ boxDraft: null });
  if (!boxDraft) return;
  const [first, last] = boxDraft;
  void editor.send({ edit: "box", label: activeLabel, first, last, t: view.t, ...(brush.over === null ? {} : { over: brush.over }) });
}

/** The part of a label at a voxel gets the active label: of the labels themselves or, where they have none, of another map. */
export function takeComponent(editor: LabelEditor, store: AppStore, at: Triple, labelsAt: LabelsAt): void {
  const { editing, activeLabel, view } = store.get();
  const found = labelsAt(at).filter(({ label }) => label !== 0);
  const from = found.find(({ image }) => image.id === editing?.id) ?? found.at(-1);
  const other = from && from.image.id !== editing?.id ? { from: from.image.id } : {};
  void editor.send({ edit: "component", label: activeLabel, at, t: view.t, ...other });
}

/** Begins what the tool does at a point of a pane; null where there is nothing to be done. */
export function startLabelDrag(
  editor: LabelEditor,
  store: AppStore,
  place: Placement,
  start: { x: number; y: number },
  labelsAt: LabelsAt,
): LabelDrag | null {
  const image = editor.image();
  const { tool, view } = store.get();
  if (!image || !isOverShown(store, image)) return null;
  const { normal } = place.view;
  const pointAt = (x: number, y: number) => toVoxel(place, x, y, view.at);
  const voxelAt = (x: number, y: number) => nearestVoxel(place.lengths, pointAt(x, y));
  if (tool === "component") {
    const at = voxelAt(start.x, start.y);
    if (at) takeComponent(editor, store, at, labelsAt);
    return null;
  }
  if (tool === "box") {
    const first = voxelAt(start.x, start.y);
    if (!first) return null;
    const draft = (b: Triple) => store.set({ boxDraft: boxOf(store, image, normal, first, b) });
    draft(first);
    return { move: (x, y) => draft(pointAt(x, y)), end: () => paintBox(editor, store) };
  }
  const stroke = startStroke(editor, store, normal, pointAt(start.x, start.y));
  if (!stroke) return null;
  const move = (x: number, y: number) => {
    const point = pointAt(x, y);
    if (far(stroke, point, image.spacing)) editor.extendStroke(stroke, point);
  };
  return { move, end: () => void editor.endStroke(stroke) };
}

/** The tool at the cross-hair, for those who have no mouse: a dab, or a corner of a box. */
export function useAtCrosshair(editor: LabelEditor, store: AppStore, normal: Axis, labelsAt: LabelsAt): void {
  const image = editor.image();
  const { tool, view, boxDraft } = store.get();
  if (!image || !isOverShown(store, image)) return;
  if (tool === "component") return takeComponent(editor, store, view.at, labelsAt);
  if (tool === "box") {
    if (!boxDraft) return store.set({ boxDraft: boxOf(store, image, normal, view.at, view.at) });
    store.set({ boxDraft: boxOf(store, image, normal, boxDraft[0], view.at) });
    return paintBox(editor, store);
  }
  const stroke = startStroke(editor, store, normal, view.at);
  if (stroke) void editor.endStroke(stroke);
}
