// Which part of a slide is seen, and which of its tiles that needs. Nothing here draws.

import type { ImageInfo, SlideLevel } from "../store/wire.ts";

export const tileSide = 512; // of tiles that are asked for, in pixels of their level

/** The part of a slide that a pane shows. Places are in pixels of level 0, from the corner of the first one. */
export interface Viewport {
  left: number;
  top: number;
  scale: number; // pixels of the screen for one of the slide
  width: number; // of the pane, in pixels of the screen
  height: number;
}

/** A picture that lies over the slide: level 0 of it, or of a label map. */
export interface Place {
  left: number;
  top: number;
  scale: readonly [number, number]; // pixels of the slide for one of the picture
}
export const onSlide: Place = { left: 0, top: 0, scale: [1, 1] };

export interface TileKey {
  level: number;
  column: number;
  row: number;
}

/** A rectangle on the slide. */
export interface Rect {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** The scale at which a slide fits into a pane. */
export function fittingScale(image: ImageInfo, width: number, height: number): number {
  return Math.min(width / image.shape.x, height / image.shape.y);
}

export function toSlide(view: Viewport, x: number, y: number): [number, number] {
  return [view.left + x / view.scale, view.top + y / view.scale];
}

export function seenBy(view: Viewport): Rect {
  const [right, bottom] = toSlide(view, view.width, view.height);
  return { left: view.left, top: view.top, right, bottom };
}

/** The coarsest level none of whose pixels is larger than one and a half of the screen; otherwise the finest. */
export function levelFor(levels: readonly SlideLevel[], place: Place, scale: number): number {
  const most = 1.5;
  let found = 0;
  levels.forEach(({ downsample }, i) => {
    if (Math.max(downsample[0] * place.scale[0], downsample[1] * place.scale[1]) * scale <= most) found = i;
  });
  return found;
}

/** What a tile covers of the slide. */
export function rectOf(key: TileKey, levels: readonly SlideLevel[], place: Place): Rect {
  const level = levels[key.level] as SlideLevel;
  const [stepX, stepY] = [0, 1].map((axis) => (level.downsample[axis as 0 | 1] as number) * place.scale[axis as 0 | 1]) as [number, number];
  const [x, y] = [key.column * tileSide, key.row * tileSide];
  return {
    left: place.left + x * stepX,
    top: place.top + y * stepY,
    right: place.left + Math.min(x + tileSide, level.width) * stepX,
    bottom: place.top + Math.min(y + tileSide, level.height) * stepY,
  };
}

/** The tiles of a level that are seen, those in the middle first. */
export function tilesIn(seen: Rect, level: number, levels: readonly SlideLevel[], place: Place): TileKey[] {
  const at = levels[level] as SlideLevel;
  const range = (from: number, to: number, start: number, step: number, length: number): [number, number] => {
    const last = Math.ceil(length / tileSide) - 1;
    const tile = (place: number) => Math.floor((place - start) / (step * tileSide));
    return [Math.max(tile(from), 0), Math.min(tile(to), last)];
  };
  const columns = range(seen.left, seen.right, place.left, at.downsample[0] * place.scale[0], at.width);
  const rows = range(seen.top, seen.bottom, place.top, at.downsample[1] * place.scale[1], at.height);
  const keys: TileKey[] = [];
  for (let row = rows[0]; row <= rows[1]; ++row)
    for (let column = columns[0]; column <= columns[1]; ++column) keys.push({ level, column, row });
  const middle = [(columns[0] + columns[1]) / 2, (rows[0] + rows[1]) / 2] as const;
  const distance = ({ column, row }: TileKey) => Math.hypot(column - middle[0], row - middle[1]);
  return keys.sort((a, b) => distance(a) - distance(b));
}

/** Where a point of the slide is in a label map; null where that does not lie there. */
export function pixelAt(image: ImageInfo, place: Place, x: number, y: number): [number, number] | null {
  const column = Math.floor((x - place.left) / place.scale[0]);
  const row = Math.floor((y - place.top) / place.scale[1]);
  const isInside = column >= 0 && row >= 0 && column < image.shape.x && row < image.shape.y;
  return isInside ? [column, row] : null;
}
