// Cameras of the view in three dimensions, in millimeters of the image's space: turned, moved and zoomed as a
// mouse does it. Rays are parallel.

import { type ImageInfo, type Triple, lengthsOf } from "../store/wire.ts";

export interface Camera {
  position: Triple;
  target: Triple;
  up: Triple;
  height: number; // from the lower to the upper edge of the picture
}

/** Directions of the picture in space, each of length 1. */
export interface Frame {
  right: Triple;
  down: Triple;
  forward: Triple;
}

export function add(a: Triple, b: Triple, times = 1): Triple {
  return [a[0] + times * b[0], a[1] + times * b[1], a[2] + times * b[2]];
}

export function dot(a: Triple, b: Triple): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function cross(a: Triple, b: Triple): Triple {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function normalized(a: Triple): Triple {
  const length = Math.sqrt(dot(a, a)) || 1;
  return [a[0] / length, a[1] / length, a[2] / length];
}

export function frameOf(camera: Camera): Frame {
  const forward = normalized(add(camera.target, camera.position, -1));
  const right = normalized(cross(forward, camera.up));
  return { forward, right, down: cross(forward, right) };
}

/** A vector turned about an axis of length 1 (Rodrigues' formula). */
function turnedAbout(axis: Triple, angle: number, vector: Triple): Triple {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const along = dot(axis, vector) * (1 - cos);
  const sideways = cross(axis, vector);
  return vector.map((v, i) => v * cos + (sideways[i] as number) * sin + (axis[i] as number) * along) as unknown as Triple;
}

/**
 * What is seen turns about the target by angles in radians: to the right, downwards, and clockwise. The axes are
 * those of the picture, so that it follows the mouse however often it was turned before.
 */
export function turned(camera: Camera, right: number, down: number, clockwise = 0): Camera {
  const frame = frameOf(camera);
  const turn = (vector: Triple) =>
    turnedAbout(frame.forward, -clockwise, turnedAbout(frame.right, -down, turnedAbout(frame.down, right, vector)));
  const arm = add(camera.position, camera.target, -1);
  return { ...camera, position: add(camera.target, turn(arm)), up: turn(add([0, 0, 0], frame.down, -1)) };
}

/** What is seen moves by so many millimeters. */
export function moved(camera: Camera, right: number, down: number): Camera {
  const frame = frameOf(camera);
  const move = (point: Triple) => add(add(point, frame.right, -right), frame.down, -down);
  return { ...camera, position: move(camera.position), target: move(camera.target) };
}

/** Enlarged, within limits beside the height that shows all. */
export function zoomed(camera: Camera, factor: number, whole: number): Camera {
  return { ...camera, height: Math.min(Math.max(camera.height / factor, whole / 200), whole * 8) };
}

/** The camera of a square picture for one that is `aspect` times as wide as high: it shows all, too. */
export function fitted(camera: Camera, aspect: number): Camera {
  return aspect < 1 ? { ...camera, height: camera.height / aspect } : camera;
}

/** Where a point is in a picture of this size, in pixels. */
export function project(camera: Camera, point: Triple, width: number, height: number): { x: number; y: number } {
  const { right, down } = frameOf(camera);
  const from = add(point, camera.target, -1);
  const scale = height / camera.height;
  return { x: width / 2 + dot(from, right) * scale, y: height / 2 + dot(from, down) * scale };
}

/** The center of a voxel in millimeters; a voxel without a size is as large as one. */
export function pointOf(image: ImageInfo, voxel: Triple): Triple {
  const millimeters = image.unit === "um" ? 1e-3 : 1;
  return [0, 1, 2].map((row) =>
    [0, 1, 2].reduce(
      (sum, axis) =>
        sum + millimeters * (image.direction[row]?.[axis] ?? 0) * (image.spacing[axis] ?? 1) * (voxel[axis] ?? 0),
      millimeters * (image.origin[row] ?? 0),
    ),
  ) as unknown as Triple;
}

/** Whether numbers from an address make a camera. */
export function isCamera(value: unknown): value is Camera {
  if (value === null || typeof value !== "object") return false;
  const { position, target, up, height } = value as Partial<Camera>;
  const isTriple = (list: unknown) => Array.isArray(list) && list.length === 3 && list.every((n) => Number.isFinite(n));
  return isTriple(position) && isTriple(target) && isTriple(up) && Number.isFinite(height) && (height as number) > 0;
}

/** The whole of an image as a box to clip by: its first and last voxels. */
export function wholeBox(image: ImageInfo): readonly [Triple, Triple] {
  return [[0, 0, 0], lengthsOf(image).map((length) => length - 1) as unknown as Triple];
}
