// A made volume whose orientation is known, and as a NIfTI file.
import { writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

export const size = { x: 120, y: 140, z: 60 };
export const spacing = [1, 1, 2]; // mm

/** A ball of tissue in a shell of bone, in air; at the patient's left is a bright spot. */
export function voxel(x, y, z) {
  const r = Math.hypot((x - 60) / 52, (y - 70) / 62, (z - 30) / 27);
  if (r > 1) return -1000;
  if (r > 0.88) return 900;
  if (Math.hypot(x - 90, y - 70, (z - 30) * 2) < 12) return 300;
  return 40 + Math.round(8 * Math.sin(x / 5) * Math.cos(y / 7));
}

export function volume() {
  const data = new Int16Array(size.x * size.y * size.z);
  for (let z = 0, i = 0; z < size.z; ++z)
    for (let y = 0; y < size.y; ++y) for (let x = 0; x < size.x; ++x, ++i) data[i] = voxel(x, y, z);
  return data;
}

/** 16-bit voxels; x runs to the patient's left, y to the back, z to the head. */
function writeNifti(path, lengths, data) {
  const header = Buffer.alloc(352);
  header.writeInt32LE(348, 0);
  [3, ...lengths, 1, 1, 1, 1].forEach((n, i) => header.writeInt16LE(n, 40 + 2 * i));
  header.writeInt16LE(4, 70); // int16
  header.writeInt16LE(16, 72);
  [1, ...spacing].forEach((n, i) => header.writeFloatLE(n, 76 + 4 * i));
  header.writeFloatLE(352, 108);
  header.writeInt8(2, 123); // mm
  header.writeInt16LE(1, 254); // the affine map below
  const map = [[-1, 0, 0, 60], [0, -1, 0, 70], [0, 0, 2, -60]]; // to right, front and head
  map.flat().forEach((n, i) => header.writeFloatLE(n, 280 + 4 * i));
  header.write("n+1\0", 344, "latin1");
  writeFileSync(path, gzipSync(Buffer.concat([header, Buffer.from(data.buffer)]), { level: 1 }));
}

export function writeHead(path) {
  writeNifti(path, [size.x, size.y, size.z], volume());
}

/** A large volume whose values take most of their bits, as those of scanners do. */
export function writeNoise(path, lengths) {
  let state = 1;
  const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 22;
  writeNifti(path, lengths, Int16Array.from({ length: lengths.reduce((a, b) => a * b) }, next));
}

/** A picture of another size. */
export function writeRamp(path) {
  writeNifti(path, [50, 40, 1], Int16Array.from({ length: 2000 }, (_, i) => i % 50));
}
