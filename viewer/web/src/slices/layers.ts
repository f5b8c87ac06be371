// What a pane shows, as bitmaps: the image with its windows, and label maps over it.

import { colorsOf, parseColor } from "../colors/labels.ts";
import type { LabelChanges } from "../labels/changes.ts";
import { StrokeOverlay } from "../labels/overlay.ts";
import type { Rect } from "../labels/strokes.ts";
import type { ChannelView, State } from "../store/state.ts";
import { type ImageInfo, type Triple, lengthsOf } from "../store/wire.ts";
import type { PlaneView } from "./geometry.ts";
import { type SliceCache, SliceFeed } from "./loader.ts";
import { type ColorOf, type Outlines, outlinesOf, paintChannels, paintColors, paintLabels } from "./paint.ts";
import { type Slice, bytesOf, samplesAt } from "./samples.ts";

export interface Bitmap {
  canvas: HTMLCanvasElement;
  slice: Slice; // the first of its channels
}

type Report = (error: unknown) => void;

function paintOn(canvas: HTMLCanvasElement, slice: Slice, paint: (pixels: Uint8ClampedArray) => void): void {
  canvas.width = slice.width;
  canvas.height = slice.height;
  const context = canvas.getContext("2d") as CanvasRenderingContext2D;
  const data = context.createImageData(slice.width, slice.height);
  paint(data.data);
  context.putImageData(data, 0, 0);
}

/** Paints a part of a slice anew. */
function repaint(canvas: HTMLCanvasElement, slice: Slice, rect: Rect, colorOf: ColorOf): void {
  const [width, height] = [rect.right - rect.left, rect.bottom - rect.top];
  const part = new Uint32Array(width * height);
  for (let y = 0; y < height; ++y) {
    const first = (rect.top + y) * slice.width + rect.left;
    part.set(slice.data.subarray(first, first + width), y * width);
  }
  const context = canvas.getContext("2d") as CanvasRenderingContext2D;
  const data = context.createImageData(width, height);
  paintLabels({ width, height, channels: 1, data: part }, colorOf, data.data);
  context.putImageData(data, rect.left, rect.top);
}

/** Bytes of a slice. */
function sizeOf(image: ImageInfo, view: PlaneView, channels: number): number {
  const lengths = lengthsOf(image);
  return lengths[view.across.axis] * lengths[view.down.axis] * channels * bytesOf(image.pixel_type);
}

/** The place of a voxel in the rows and columns of a slice. */
function valuesAt(slice: Slice | null | undefined, view: PlaneView, voxel: Triple): number[] {
  if (!slice || slice.key.index !== voxel[view.normal]) return [];
  const [column, row] = [view.across.axis, view.down.axis].sort();
  return samplesAt(slice, voxel[column as 0 | 1 | 2], voxel[row as 0 | 1 | 2]);
}

/** The image: all channels at once where a pixel is a color or has one, otherwise one by one. */
export class BaseLayer {
  private readonly feeds = new Map<number | null, SliceFeed>();
  private readonly canvas = document.createElement("canvas");
  private painted: readonly unknown[] = [];

  constructor(
    readonly image: ImageInfo,
    private readonly view: PlaneView,
    private readonly cache: SliceCache,
    private readonly changes: LabelChanges,
    private readonly changed: () => void,
    private readonly report: Report,
  ) {}

  private get together(): boolean {
    return this.image.is_color || this.image.channels.length === 1;
  }

  want(state: State, channels: readonly ChannelView[]): void {
    const asked: (number | null)[] = this.together ? [null] : channels.flatMap((channel, i) => (channel.shown ? [i] : []));
    for (const [channel, feed] of this.feeds) if (!asked.some((c) => c === channel)) feed.stop();
    for (const channel of asked) {
      let feed = this.feeds.get(channel);
      if (!feed) this.feeds.set(channel, (feed = new SliceFeed(this.cache, this.changed, this.report)));
      const { view } = this;
      const index = state.view.at[view.normal];
      feed.want(
        { image: this.image.id, axis: view.normal, index, t: state.view.t, channel, revision: this.changes.revisionOf(this.image.id, view.normal, index) },
        sizeOf(this.image, view, channel === null ? this.image.channels.length : 1),
        state.moving,
      );
    }
  }

  bitmap(channels: readonly ChannelView[], colorOf: ColorOf): Bitmap | null {
    const slices = channels.map((_, i) => this.feeds.get(this.together ? null : i)?.current() ?? null);
    const first = slices.find((slice, i) => slice && (this.together || channels[i]?.shown));
    if (!first) return null;
    const now = [first, ...slices, ...channels, colorOf];
    if (now.length !== this.painted.length || now.some((part, i) => part !== this.painted[i])) {
      this.paint(first, slices, channels, colorOf);
      this.painted = now;
    }
    return { canvas: this.canvas, slice: first };
  }

  private paint(
    first: Slice,
    slices: readonly (Slice | null)[],
    channels: readonly ChannelView[],
    colorOf: ColorOf,
  ): void {
    paintOn(this.canvas, first, (pixels) => {
      if (this.image.role === "labels") return paintLabels(first, colorOf, pixels);
      if (this.image.is_color) return paintColors(first, channels[0]?.window ?? [0, 255], pixels);
      const shown = channels.flatMap(({ shown, window, color }, i) => {
        const samples = slices[i];
        const fits = samples?.width === first.width && samples.height === first.height;
        return shown && samples && fits ? [{ samples, window, color: parseColor(color) }] : [];
      });
      paintChannels(shown, pixels);
    });
  }

  valuesAt(voxel: Triple): number[] {
    return [...this.feeds.entries()]
      .sort(([a], [b]) => (a ?? 0) - (b ?? 0))
      .flatMap(([, feed]) => valuesAt(feed.current(), this.view, voxel));
  }

  stop(): void {
    for (const feed of this.feeds.values()) feed.stop();
  }
}

/** A label map; as a bitmap, or as lines along the sides of its voxels. */
export class LabelLayer {
  private readonly feed: SliceFeed;
  private readonly overlay = new StrokeOverlay();
  private readonly canvas = document.createElement("canvas");
  private painted: readonly unknown[] = [];
  private outlined: { slice: Slice; paths: { label: number; path: Path2D }[] } | null = null;
  private state: State | null = null;
  private image: ImageInfo | null = null;

  constructor(
    private readonly view: PlaneView,
    cache: SliceCache,
    private readonly changes: LabelChanges,
    changed: () => void,
    report: Report,
  ) {
    this.feed = new SliceFeed(cache, changed, report);
  }

  want(state: State, image: ImageInfo): void {
    this.state = state;
    this.image = image;
    const { view } = this;
    const index = state.view.at[view.normal];
    const t = Math.min(state.view.t, image.shape.t - 1);
    const revision = this.changes.revisionOf(image.id, view.normal, index);
    this.feed.want(
      { image: image.id, axis: view.normal, index, t, channel: null, revision },
      sizeOf(image, view, 1),
      state.moving,
    );
  }

  /** What the server sent, with the strokes that it does not know yet. */
  private slice(): Slice | null {
    const slice = this.feed.current();
    if (!slice || !this.state || !this.image) return null;
    const grid = { lengths: lengthsOf(this.image), spacing: this.image.spacing };
    return this.overlay.on(slice, this.state.strokes, grid);
  }

  bitmap(colorOf: ColorOf): Bitmap | null {
    const slice = this.slice();
    if (!slice) return null;
    const dirty = this.overlay.takeDirty();
    const now = [slice, colorOf];
    if (now.some((part, i) => part !== this.painted[i])) {
      paintOn(this.canvas, slice, (pixels) => paintLabels(slice, colorOf, pixels));
      this.painted = now;
    } else if (dirty) {
      repaint(this.canvas, slice, dirty, colorOf);
    }
    return { canvas: this.canvas, slice };
  }

  /** In samples of the slice: the sample in the first row and column is from (0, 0) to (1, 1). */
  outlines(): { slice: Slice; paths: { label: number; path: Path2D }[] } | null {
    const slice = this.slice();
    if (!slice) return null;
    const dirty = this.overlay.takeDirty();
    if (this.outlined?.slice !== slice || dirty) this.outlined = { slice, paths: pathsOf(outlinesOf(slice)) };
    if (dirty) this.painted = []; // the bitmap has not been
    return this.outlined;
  }

  labelAt(voxel: Triple): number | undefined {
    return valuesAt(this.slice(), this.view, voxel)[0];
  }

  stop(): void {
    this.feed.stop();
  }
}

function pathsOf(outlines: Outlines): { label: number; path: Path2D }[] {
  return [...outlines].map(([label, lines]) => {
    const path = new Path2D();
    for (let i = 0; i < lines.length; i += 4) {
      path.moveTo(lines[i] as number, lines[i + 1] as number);
      path.lineTo(lines[i + 2] as number, lines[i + 3] as number);
    }
    return { label, path };
  });
}

const colorings = new WeakMap<ImageInfo, Map<string, { hidden: ReadonlySet<number>; colorOf: ColorOf }>>();
const none: ReadonlySet<number> = new Set();

/** The colors of an image's labels, of hidden ones null: the same function as long as nothing changes. */
export function coloringOf(image: ImageInfo, { view, editing, hiddenLabels }: State): ColorOf {
  const hidden = editing?.id === image.id ? hiddenLabels : none;
  let made = colorings.get(image);
  if (!made) colorings.set(image, (made = new Map()));
  const known = made.get(view.palette);
  if (known?.hidden === hidden) return known.colorOf;
  const color = colorsOf(view.palette, image.labels);
  const colorOf = (label: number) => (hidden.has(label) ? null : color(label));
  made.set(view.palette, { hidden, colorOf });
  return colorOf;
}
