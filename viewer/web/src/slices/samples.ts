// Samples of a slice as the server sends them.

import { type Axis, axisNames } from "../store/wire.ts";

export type Numbers =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array;

export interface Samples {
  width: number;
  height: number;
  channels: number; // of a pixel, one after the other
  data: Numbers;
}

/** What of an image is asked for. */
export interface SliceKey {
  image: number;
  axis: Axis;
  index: number;
  t: number;
  channel: number | null; // null: all channels of a pixel together
  step: 1 | 2 | 4 | 8;
  revision?: number; // of labels that are edited, when the slice changed last
}

export interface Slice extends Samples {
  key: SliceKey;
}

const arrays = {
  u8: Uint8Array,
  i8: Int8Array,
  u16: Uint16Array,
  i16: Int16Array,
  u32: Uint32Array,
  i32: Int32Array,
  f32: Float32Array,
  f64: Float64Array,
} as const;

/** Columns and rows of a slice. */
export interface Part {
  left: number;
  top: number;
  samples: Samples;
}

/** "uint8" and "u8" are the same. */
function arrayOf(type: string): (typeof arrays)[keyof typeof arrays] {
  const short = type.replace("uint", "u").replace("int", "i").replace("float", "f");
  const found = arrays[short as keyof typeof arrays];
  if (!found) throw new Error(`The slice has samples of the unknown type '${type}'.`);
  return found;
}

export function bytesOf(type: string): number {
  return arrayOf(type).BYTES_PER_ELEMENT;
}

/** Reads what the header `X-Tesela-Slice: WIDTH HEIGHT TYPE CHANNELS` describes. */
export function parseSamples(header: string | null, body: ArrayBuffer): Samples {
  const [width, height, type, channels] = (header ?? "").split(" ");
  const size = [width, height, channels].map(Number) as [number, number, number];
  if (!type || size.some((n) => !Number.isInteger(n) || n < 1))
    throw new Error(`The slice has the header '${header}', which is none.`);
  const Numbers = arrayOf(type);
  const count = size[0] * size[1] * size[2];
  if (body.byteLength !== count * Numbers.BYTES_PER_ELEMENT)
    throw new Error(`The slice has ${body.byteLength} bytes instead of ${count * Numbers.BYTES_PER_ELEMENT}.`);
  return { width: size[0], height: size[1], channels: size[2], data: new Numbers(body) };
}

/** What has changed of a slice, as the header `X-Tesela-Slice-Part: LEFT TOP WIDTH HEIGHT` describes it. */
export function parsePart(header: string | null, part: string, body: ArrayBuffer): Part {
  const [left, top, width, height] = part.split(" ").map(Number) as [number, number, number, number];
  if (!(width > 0 && height > 0)) return { left, top, samples: { width: 0, height: 0, channels: 1, data: new Uint8Array() } };
  const [, , type, channels] = (header ?? "").split(" ");
  return { left, top, samples: parseSamples(`${width} ${height} ${type} ${channels}`, body) };
}

/** A slice as it was, but for a part. */
export function patched(before: Samples, { left, top, samples }: Part): Samples {
  const data = before.data.slice();
  const length = samples.width * samples.channels;
  for (let y = 0; y < samples.height; ++y)
    data.set(samples.data.subarray(y * length, (y + 1) * length), ((top + y) * before.width + left) * before.channels);
  return { ...before, data };
}

export function addressOf(key: SliceKey): string {
  const channel = key.channel === null ? "" : `&channel=${key.channel}`;
  const revision = key.revision ? `&revision=${key.revision}` : "";
  return `images/${key.image}/slice?axis=${axisNames[key.axis]}&index=${key.index}&t=${key.t}${channel}&step=${key.step}${revision}`;
}

/** The samples at a voxel of the slice, by its places along the slice's rows and columns. */
export function samplesAt(slice: Slice, column: number, row: number): number[] {
  const x = Math.min(Math.floor(column / slice.key.step), slice.width - 1);
  const y = Math.min(Math.floor(row / slice.key.step), slice.height - 1);
  const first = (y * slice.width + x) * slice.channels;
  return Array.from(slice.data.subarray(first, first + slice.channels));
}
