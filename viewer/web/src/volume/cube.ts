// What lies over the picture: a cube that says where the sides of the patient are, and the cross-hair.

import type { Context } from "../slices/draw.ts";
import type { ImageInfo, Triple } from "../store/wire.ts";
import { type Camera, dot, frameOf, pointOf, project } from "./camera.ts";

/** A side of the cube that is seen. */
export interface Face {
  letter: string;
  corners: readonly { x: number; y: number }[]; // beside the middle of the cube, whose half side is 1
  middle: { x: number; y: number };
  facing: number; // 1: toward the eye
}

const directions: readonly Triple[] = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]];
const sidesOfPatient = ["L", "R", "P", "A", "S", "I"];
const axes = ["x", "", "y", "", "z", ""];

/** The sides of the cube that face the eye; letters are those of a patient (LPS) where there is one. */
export function facesOf(camera: Camera, image: ImageInfo): Face[] {
  const { right, down, forward } = frameOf(camera);
  const flat = (point: Triple) => ({ x: dot(point, right), y: dot(point, down) });
  const letters = image.axes ? sidesOfPatient : axes;
  return directions.flatMap((normal, side) => {
    const facing = -dot(normal, forward);
    if (facing < 0.02) return [];
    const [a, b] = [0, 1, 2].filter((axis) => normal[axis] === 0) as [number, number];
    const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([u, v]) => {
      const corner = [...normal] as [number, number, number];
      corner[a] = u as number;
      corner[b] = v as number;
      return flat(corner);
    });
    return [{ letter: letters[side] as string, corners, middle: flat(normal), facing }];
  });
}

export function drawCube(context: Context, camera: Camera, image: ImageInfo, x: number, y: number, side: number, font: string): void {
  context.save();
  context.lineWidth = 1;
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (const face of facesOf(camera, image)) {
    context.beginPath();
    for (const corner of face.corners) context.lineTo(x + corner.x * side, y + corner.y * side);
    context.closePath();
    context.fillStyle = `rgb(60 68 80 / ${30 + 60 * face.facing}%)`;
    context.fill();
    context.strokeStyle = "#a4abb6";
    context.stroke();
    if (face.facing < 0.3) continue;
    context.fillStyle = "#ffffff";
    context.font = `600 ${Math.round(side * 0.9 * Math.sqrt(face.facing))}px ${font}`;
    context.fillText(face.letter, x + face.middle.x * side, y + face.middle.y * side);
  }
  context.restore();
}

/** A ring around the voxel of the cross-hair. */
export function drawPlace(context: Context, camera: Camera, image: ImageInfo, voxel: Triple, width: number, height: number): void {
  const { x, y } = project(camera, pointOf(image, voxel), width, height);
  context.save();
  for (const [color, line] of [["rgb(0 0 0 / 75%)", 3], ["#ffd34d", 1.5]] as const) {
    context.strokeStyle = color;
    context.lineWidth = line;
    context.beginPath();
    context.arc(x, y, 6, 0, 2 * Math.PI);
    context.stroke();
  }
  context.restore();
}
