// Which slices of an image are shown, and where its voxels lie on the screen.

import type { Convention } from "../store/state.ts";
import { type Axis, type ImageInfo, type Triple, axisNames, lengthsOf } from "../store/wire.ts";

export type Plane = "axial" | "coronal" | "sagittal" | "xy" | "xz" | "yz";

/** An axis of the image along one of the screen. */
export interface Along {
  axis: Axis;
  flipped: boolean; // the last voxel is at the left or at the top
}

export interface PlaneView {
  plane: Plane;
  title: string;
  normal: Axis;
  across: Along;
  down: Along;
  /** Sides of the patient at the edges of the pane. */
  letters: { left: string; right: string; top: string; bottom: string } | null;
}

const groups = ["RL", "AP", "IS"]; // sides of the patient, by direction
const opposite: Record<string, string> = { R: "L", L: "R", A: "P", P: "A", I: "S", S: "I" };

/** The direction of the patient along each axis: 0 left-right, 1 front-back, 2 foot-head; null if unknown. */
function directionsOf(image: ImageInfo): Triple | null {
  if (!image.axes) return null;
  const found = axisNames.map((name) => groups.findIndex((g) => g.includes(image.axes?.[name][0] ?? "?")));
  return new Set(found).size === 3 && !found.includes(-1) ? (found as unknown as Triple) : null;
}

/** The axis along a side of the screen that begins with the letter `first`. */
function along(image: ImageInfo, axis: Axis, first: string): Along {
  return { axis, flipped: image.axes?.[axisNames[axis]][0] !== first };
}

function anatomicalView(image: ImageInfo, directions: Triple, normal: Axis, convention: Convention): PlaneView {
  const axisOf = (direction: number) => directions.indexOf(direction) as Axis;
  const kind = directions[normal];
  const left = kind === 0 ? "A" : convention === "radiological" ? "R" : "L";
  const top = kind === 2 ? "A" : "S";
  const across = along(image, axisOf(kind === 0 ? 1 : 0), left);
  const down = along(image, axisOf(kind === 2 ? 1 : 2), top);
  const plane = (["sagittal", "coronal", "axial"] as const)[kind as Axis];
  return {
    plane,
    title: plane[0]?.toUpperCase() + plane.slice(1),
    normal,
    across,
    down,
    letters: { left, right: opposite[left] as string, top, bottom: opposite[top] as string },
  };
}

function gridView(normal: Axis): PlaneView {
  const [across, down] = ([0, 1, 2] as Axis[]).filter((axis) => axis !== normal) as [Axis, Axis];
  const plane = `${axisNames[across]}${axisNames[down]}` as Plane;
  return {
    plane,
    title: plane.toUpperCase(),
    normal,
    across: { axis: across, flipped: false },
    down: { axis: down, flipped: false },
    letters: null,
  };
}

/** The slices of an image: axial, coronal and sagittal, or by its axes; of a picture one. */
export function planeViews(image: ImageInfo, convention: Convention): PlaneView[] {
  const directions = directionsOf(image);
  const normals: Axis[] = image.shape.z === 1 ? [2] : directions
    ? ([2, 1, 0].map((direction) => directions.indexOf(direction)) as Axis[])
    : [2, 1, 0];
  return normals.map((normal) =>
    directions ? anatomicalView(image, directions, normal, convention) : gridView(normal),
  );
}

/** Whether the rows of a slice as it is sent run down the screen. */
export function isTransposed(view: PlaneView): boolean {
  return view.across.axis > view.down.axis;
}

/** The place of a plane in a pane. Voxels have their centers at whole numbers. */
export interface Placement {
  view: PlaneView;
  lengths: Triple;
  scaleX: number; // pixels of the screen for a voxel
  scaleY: number;
  left: number; // where the image begins, in pixels of the pane
  top: number;
}

export interface Size {
  width: number;
  height: number;
}

const margin = 0.96; // of the pane that an image which fits takes

export function placementOf(
  image: ImageInfo,
  view: PlaneView,
  pane: Size,
  zoom: number,
  center: Triple,
): Placement {
  const lengths = lengthsOf(image);
  const spacing = image.spacing;
  const { across, down } = view;
  const width = lengths[across.axis] * spacing[across.axis];
  const height = lengths[down.axis] * spacing[down.axis];
  const scale = margin * zoom * Math.min(pane.width / width, pane.height / height);
  const scaleX = scale * spacing[across.axis];
  const scaleY = scale * spacing[down.axis];
  const position = (side: Along) => {
    const at = center[side.axis] + 0.5;
    return side.flipped ? lengths[side.axis] - at : at;
  };
  return {
    view,
    lengths,
    scaleX,
    scaleY,
    left: pane.width / 2 - position(across) * scaleX,
    top: pane.height / 2 - position(down) * scaleY,
  };
}

function toSide(side: Along, length: number, voxel: number): number {
  const at = voxel + 0.5;
  return side.flipped ? length - at : at;
}

/** Where the center of a voxel is in the pane. */
export function toScreen(place: Placement, voxel: Triple): { x: number; y: number } {
  const { across, down } = place.view;
  return {
    x: place.left + toSide(across, place.lengths[across.axis], voxel[across.axis]) * place.scaleX,
    y: place.top + toSide(down, place.lengths[down.axis], voxel[down.axis]) * place.scaleY,
  };
}

/** The point in voxels, with fractions, below a point of the pane; along the normal as `at`. */
export function toVoxel(place: Placement, x: number, y: number, at: Triple): Triple {
  const { across, down } = place.view;
  const found: [number, number, number] = [at[0], at[1], at[2]];
  const inside = (side: Along, position: number) =>
    (side.flipped ? place.lengths[side.axis] - position : position) - 0.5;
  found[across.axis] = inside(across, (x - place.left) / place.scaleX);
  found[down.axis] = inside(down, (y - place.top) / place.scaleY);
  return found;
}

/** The nearest voxel, or null outside of the image. */
export function nearestVoxel(lengths: Triple, point: Triple): Triple | null {
  const voxel = point.map((p) => Math.round(p)) as unknown as Triple;
  return voxel.every((v, axis) => v >= 0 && v < (lengths[axis as Axis] as number)) ? voxel : null;
}

export function clampVoxel(lengths: Triple, point: Triple): Triple {
  return point.map((p, axis) =>
    Math.min(Math.max(Math.round(p), 0), (lengths[axis as Axis] as number) - 1),
  ) as unknown as Triple;
}

/**
 * From samples of a slice that was sent with a step, row by row, to the pane: the six numbers of
 * CanvasRenderingContext2D.setTransform. A sample is as large as the voxels it stands for.
 */
export function sampleTransform(place: Placement, step: number): [number, number, number, number, number, number] {
  const { across, down } = place.view;
  const run = (side: Along, start: number, scale: number) => {
    const length = place.lengths[side.axis];
    const first = 0.5 - step / 2; // where sample 0 begins, in voxels
    return side.flipped
      ? { slope: -scale * step, offset: start + (length - first) * scale }
      : { slope: scale * step, offset: start + first * scale };
  };
  const x = run(across, place.left, place.scaleX);
  const y = run(down, place.top, place.scaleY);
  return isTransposed(place.view)
    ? [0, y.slope, x.slope, 0, x.offset, y.offset]
    : [x.slope, 0, 0, y.slope, x.offset, y.offset];
}

/** A point in millimeters (LPS) of the patient or the microscope's stage; null without a geometry. */
export function toPhysical(image: ImageInfo, voxel: Triple): Triple | null {
  if (!image.has_geometry) return null;
  return [0, 1, 2].map((row) =>
    [0, 1, 2].reduce(
      (sum, axis) =>
        sum + (image.direction[row]?.[axis] ?? 0) * image.spacing[axis as Axis] * voxel[axis as Axis],
      image.origin[row as Axis],
    ),
  ) as unknown as Triple;
}
