// A label map over a slide: its tiles, painted in the colors of the labels and never smoothed.

import type { Client } from "../session/client.ts";
import { type ColorOf, outlinesOf, paintLabels } from "../slices/paint.ts";
import { type Samples, parseSamples } from "../slices/samples.ts";
import type { LabelStyle } from "../store/state.ts";
import type { ImageInfo, SlideLevel } from "../store/wire.ts";
import { TileCache } from "./tile_cache.ts";
import { type Place, type Rect, type TileKey, type Viewport, levelFor, onSlide, pixelAt, rectOf, seenBy, tileSide, tilesIn } from "./viewport.ts";

const margin = 1; // pixels around a tile, by which its own borders are known
const lineScale = 3; // pixels of the screen for one of the map, from which on outlines are lines

/** Numbers of a tile with its margin, and pictures of them. */
interface LabelTile extends Samples {
  picture?: { canvas: HTMLCanvasElement; colorOf: ColorOf; style: LabelStyle };
  outlines?: { label: number; path: Path2D }[];
}

/** Whether a label lies on a slide whose page can show it. */
export function liesOn(slide: ImageInfo, map: ImageInfo): boolean {
  return map.role === "labels" && map.of === slide.id && map.levels !== undefined;
}

/** Labels of which a neighbor is another one; all others become 0. The margin is left out. */
export function bordersOf({ width, height, data }: Samples): Samples {
  const [w, t] = [width - 2 * margin, height - 2 * margin];
  const kept = new Uint32Array(w * t);
  for (let y = 0; y < t; ++y)
    for (let x = 0, i = (y + margin) * width + margin; x < w; ++x, ++i) {
      const label = data[i] as number;
      const isInside = data[i - 1] === label && data[i + 1] === label && data[i - width] === label && data[i + width] === label;
      if (!isInside) kept[y * w + x] = label;
    }
  return { width: w, height: t, channels: 1, data: kept };
}

/** Without the margin. */
export function insideOf({ width, height, data }: Samples): Samples {
  const [w, t] = [width - 2 * margin, height - 2 * margin];
  const kept = new Uint32Array(w * t);
  for (let y = 0; y < t; ++y) {
    const first = (y + margin) * width + margin;
    kept.set(data.subarray(first, first + w), y * w);
  }
  return { width: w, height: t, channels: 1, data: kept };
}

export class LabelTiles {
  private readonly cache: TileCache<LabelTile>;
  private readonly levels: readonly SlideLevel[];
  readonly place: Place;
  private at = 0; // the level that is shown

  constructor(client: Client, readonly image: ImageInfo, changed: () => void, report: (error: unknown) => void) {
    this.levels = image.levels ?? [];
    this.place = image.place ?? onSlide;
    const load = async ({ level, column, row }: TileKey, signal: AbortSignal) => {
      const address = `images/${image.id}/tile?level=${level}&column=${column}&row=${row}&size=${tileSide}&margin=${margin}`;
      const response = await client.request(address, { signal });
      return parseSamples(response.headers.get("X-Tesela-Slice"), await response.arrayBuffer()) as LabelTile;
    };
    this.cache = new TileCache(load, changed, report);
  }

  /** Draws what is there, the finest last, and asks for what is not. True where nothing is missing. */
  draw(context: CanvasRenderingContext2D, view: Viewport, ratio: number, colorOf: ColorOf, style: LabelStyle): boolean {
    const scale = view.scale * ratio;
    const seen = seenBy(view);
    this.at = levelFor(this.levels, this.place, scale);
    const keys = tilesIn(seen, this.at, this.levels, this.place);
    this.cache.want(keys);
    const missing = keys.filter((key) => !this.cache.get(key));
    if (missing.length > 0)
      for (let level = this.levels.length - 1; level > this.at; --level)
        for (const key of tilesIn(seen, level, this.levels, this.place)) this.drawTile(context, view, key, scale, colorOf, style);
    for (const key of keys) this.drawTile(context, view, key, scale, colorOf, style);
    return missing.length === 0;
  }

  /** The label at a place of the slide, as far as a tile of the shown level has it. */
  labelAt(x: number, y: number): number | undefined {
    const pixel = pixelAt(this.image, this.place, x, y);
    const level = this.levels[this.at];
    if (!pixel || !level) return undefined;
    const [column, row] = pixel.map((v, axis) => Math.min(Math.floor(v / (level.downsample[axis as 0 | 1] as number)), (axis === 0 ? level.width : level.height) - 1)) as [number, number];
    const tile = this.cache.get({ level: this.at, column: Math.floor(column / tileSide), row: Math.floor(row / tileSide) });
    return tile && (tile.data[((row % tileSide) + margin) * tile.width + (column % tileSide) + margin] as number);
  }

  stop(): void {
    this.cache.stop();
  }

  private drawTile(context: CanvasRenderingContext2D, view: Viewport, key: TileKey, scale: number, colorOf: ColorOf, style: LabelStyle): void {
    const tile = this.cache.get(key);
    if (!tile) return;
    const rect = rectOf(key, this.levels, this.place);
    const on = (x: number, y: number) => [Math.round((x - view.left) * scale), Math.round((y - view.top) * scale)] as const;
    const [left, top] = on(rect.left, rect.top);
    const [right, bottom] = on(rect.right, rect.bottom);
    const step = (right - left) / (tile.width - 2 * margin);
    context.clearRect(left, top, right - left, bottom - top);
    if (style === "outline" && step >= lineScale) return this.drawLines(context, tile, { left, top, right, bottom }, colorOf);
    context.imageSmoothingEnabled = false;
    context.drawImage(pictureOf(tile, colorOf, style), left, top, right - left, bottom - top);
  }

  private drawLines(context: CanvasRenderingContext2D, tile: LabelTile, at: Rect, colorOf: ColorOf): void {
    tile.outlines ??= [...outlinesOf(tile)].map(([label, lines]) => {
      const path = new Path2D();
      for (let i = 0; i < lines.length; i += 4) {
        path.moveTo((lines[i] as number) - margin, (lines[i + 1] as number) - margin);
        path.lineTo((lines[i + 2] as number) - margin, (lines[i + 3] as number) - margin);
      }
      return { label, path };
    });
    const step = (at.right - at.left) / (tile.width - 2 * margin);
    context.save();
    context.beginPath();
    context.rect(at.left, at.top, at.right - at.left, at.bottom - at.top);
    context.clip();
    context.translate(at.left, at.top);
    context.scale(step, (at.bottom - at.top) / (tile.height - 2 * margin));
    context.lineWidth = 2 / step;
    for (const { label, path } of tile.outlines) {
      const color = colorOf(label);
      if (!color) continue;
      context.strokeStyle = `rgb(${color.join(" ")})`;
      context.stroke(path);
    }
    context.restore();
  }
}

function pictureOf(tile: LabelTile, colorOf: ColorOf, style: LabelStyle): HTMLCanvasElement {
  const known = tile.picture;
  if (known?.colorOf === colorOf && known.style === style) return known.canvas;
  const samples = style === "outline" ? bordersOf(tile) : insideOf(tile);
  const canvas = known?.canvas ?? document.createElement("canvas");
  canvas.width = samples.width;
  canvas.height = samples.height;
  const context = canvas.getContext("2d") as CanvasRenderingContext2D;
  const data = context.createImageData(samples.width, samples.height);
  paintLabels(samples, colorOf, data.data);
  context.putImageData(data, 0, 0);
  tile.picture = { canvas, colorOf, style };
  return canvas;
}
