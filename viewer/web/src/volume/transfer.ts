// Transfer functions as the server and the command line take them, and what an editor does to them.

export type OpacityPoint = readonly [value: number, opacity: number];
export type ColorPoint = readonly [value: number, red: number, green: number, blue: number];

/** docs/rendering.md; values are those of the file. */
export interface Transfer {
  format: "tesela-transfer";
  version: 1;
  name: string;
  units: "file";
  reference_length_mm: number;
  color: readonly ColorPoint[];
  opacity: readonly OpacityPoint[];
  gradient_opacity: readonly OpacityPoint[];
}

export type Part = "opacity" | "color";

const clamp = (value: number, low: number, high: number) => Math.min(Math.max(value, low), high);

function replaced<P>(list: readonly P[], index: number, point: P): P[] {
  return list.map((other, i) => (i === index ? point : other));
}

/** The place of a point between its neighbors, which it does not pass. */
function between(list: readonly (readonly [number, ...number[]])[], index: number, value: number): number {
  return clamp(value, list[index - 1]?.[0] ?? -Infinity, list[index + 1]?.[0] ?? Infinity);
}

/** What stands at a value: linear between points and constant beyond them. */
function interpolated(list: readonly (readonly [number, ...number[]])[], value: number): number[] {
  const next = list.findIndex((point) => point[0] > value);
  const [a, b] = [list[next < 0 ? list.length - 1 : Math.max(next - 1, 0)], list[next < 0 ? list.length - 1 : next]];
  if (!a || !b) return [];
  const share = b[0] > a[0] ? clamp((value - a[0]) / (b[0] - a[0]), 0, 1) : 0;
  return a.slice(1).map((from, i) => from + ((b[i + 1] as number) - from) * share);
}

export function opacityAt(transfer: Transfer, value: number): number {
  return interpolated(transfer.opacity, value)[0] ?? 0;
}

export function colorAt(transfer: Transfer, value: number): readonly [number, number, number] {
  const [r = 0, g = 0, b = 0] = interpolated(transfer.color, value);
  return [r, g, b];
}

export function moveOpacity(transfer: Transfer, index: number, value: number, opacity: number): Transfer {
  const point: OpacityPoint = [between(transfer.opacity, index, value), clamp(opacity, 0, 1)];
  return { ...transfer, opacity: replaced(transfer.opacity, index, point) };
}

export function moveColor(transfer: Transfer, index: number, value: number): Transfer {
  const [, r, g, b] = transfer.color[index] as ColorPoint;
  return { ...transfer, color: replaced(transfer.color, index, [between(transfer.color, index, value), r, g, b]) };
}

export function paintColor(transfer: Transfer, index: number, color: readonly [number, number, number]): Transfer {
  const [value] = transfer.color[index] as ColorPoint;
  return { ...transfer, color: replaced(transfer.color, index, [value, ...color]) };
}

/** A new point at a value, which changes nothing yet where no opacity is given; and its place in the list. */
export function addPoint(transfer: Transfer, part: Part, value: number, opacity?: number): [Transfer, number] {
  const list: readonly (readonly [number, ...number[]])[] = transfer[part];
  const after = list.findIndex((point) => point[0] > value);
  const index = after < 0 ? list.length : after;
  if (part === "opacity") {
    const points = [...transfer.opacity];
    points.splice(index, 0, [value, clamp(opacity ?? opacityAt(transfer, value), 0, 1)]);
    return [{ ...transfer, opacity: points }, index];
  }
  const points = [...transfer.color];
  points.splice(index, 0, [value, ...colorAt(transfer, value)]);
  return [{ ...transfer, color: points }, index];
}

/** One point of each kind stays. */
export function removePoint(transfer: Transfer, part: Part, index: number): Transfer {
  if (transfer[part].length < 2) return transfer;
  return part === "opacity"
    ? { ...transfer, opacity: transfer.opacity.filter((_, i) => i !== index) }
    : { ...transfer, color: transfer.color.filter((_, i) => i !== index) };
}

/** All values moved on, and spread about the middle of the points. */
export function shifted(transfer: Transfer, by: number, spread: number): Transfer {
  const values = [...transfer.opacity, ...transfer.color].map((point) => point[0]);
  const middle = (Math.min(...values) + Math.max(...values)) / 2;
  const to = (value: number) => middle + (value - middle) * spread + by;
  return {
    ...transfer,
    opacity: transfer.opacity.map(([value, opacity]) => [to(value), opacity] as const),
    color: transfer.color.map(([value, r, g, b]) => [to(value), r, g, b] as const),
  };
}

/** Whether what an address holds is such a function. */
export function isTransfer(value: unknown): value is Transfer {
  if (value === null || typeof value !== "object") return false;
  const { format, version, units, reference_length_mm: length, color, opacity, gradient_opacity } = value as Partial<Transfer>;
  const hasPoints = (list: unknown, numbers: number, least: number) =>
    Array.isArray(list) &&
    list.length >= least &&
    list.every((point) => Array.isArray(point) && point.length === numbers && point.every((n) => Number.isFinite(n)));
  return (
    format === "tesela-transfer" && version === 1 && units === "file" && Number.isFinite(length) &&
    hasPoints(color, 4, 1) && hasPoints(opacity, 2, 1) && hasPoints(gradient_opacity, 2, 0)
  );
}
