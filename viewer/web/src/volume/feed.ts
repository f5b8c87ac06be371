// Asks for pictures: small ones while the user moves, one after the other, and all pixels at rest.

import { type Client, isAbort } from "../session/client.ts";
import type { ViewBody } from "./look.ts";

export interface Picture {
  bitmap: CanvasImageSource;
  width: number;
  height: number;
  isFull: boolean;
}

export interface Wanted {
  /** The request for a picture of this size. */
  body(width: number, height: number): ViewBody | null;
  width: number; // of all pixels
  height: number;
}

const restAfter = 140; // ms without a change
const inTime = 70; // ms that a picture may take while the user moves
const mostPixels = 8 * 2 ** 20; // the server refuses more
const jpegQuality = 80;

/** How many times smaller a picture comes in time, when a pixel takes so many ms. */
export function shrinkFor(pixels: number, perPixel: number): number {
  const least = pixels > 160_000 ? 2 : 1;
  return Math.min(Math.max(Math.ceil(Math.sqrt((perPixel * pixels) / inTime)), least), 6);
}

export async function pictureOf(response: Response): Promise<Picture> {
  const [width, height, channels] = (response.headers.get("X-Tesela-Frame") ?? "").split(" ").map(Number) as [number, number, number];
  if (response.headers.get("Content-Type") === "image/jpeg")
    return { bitmap: await createImageBitmap(await response.blob()), width, height, isFull: false };
  const samples = new Uint8Array(await response.arrayBuffer());
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext("2d") as CanvasRenderingContext2D;
  const data = context.createImageData(width, height);
  for (let from = 0, to = 0; to < data.data.length; from += channels, to += 4) {
    data.data[to] = samples[from] as number;
    data.data[to + 1] = samples[from + 1] as number;
    data.data[to + 2] = samples[from + 2] as number;
    data.data[to + 3] = 255;
  }
  context.putImageData(data, 0, 0);
  return { bitmap: canvas, width, height, isFull: true };
}

export class FrameFeed {
  private wanted: Wanted | null = null;
  private onTheWay: { abort: AbortController; isFull: boolean } | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private perPixel = 0; // ms, a running mean
  private isFullNext = false;
  private hasPicture = false;
  private isStale = false; // what was asked for last is not what is wanted now

  constructor(
    private readonly client: Client,
    private readonly arrived: (picture: Picture) => void,
    private readonly failed: (error: unknown) => void,
  ) {}

  /** At once as a small picture where the user moves; in full when they rest. */
  want(wanted: Wanted, moves: boolean): void {
    this.wanted = wanted;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(true), this.hasPicture ? restAfter : 0);
    if (!moves) return;
    this.isStale = true;
    if (this.onTheWay?.isFull) this.onTheWay.abort.abort();
    else if (this.onTheWay) return; // the next one starts when it is there
    this.ask(false);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.wanted = null;
    this.onTheWay?.abort.abort();
    this.onTheWay = null;
  }

  private sizeOf(wanted: Wanted, isFull: boolean): [number, number] {
    const pixels = wanted.width * wanted.height;
    const shrink = isFull ? Math.max(1, Math.sqrt(pixels / mostPixels)) : shrinkFor(pixels, this.perPixel);
    return [Math.max(1, Math.floor(wanted.width / shrink)), Math.max(1, Math.floor(wanted.height / shrink))];
  }

  private ask(isFull: boolean): void {
    const { wanted } = this;
    if (!wanted) return;
    // However slow the server is, something of what the user turns is seen: the small picture comes first.
    this.isFullNext = isFull && this.onTheWay !== null && !this.onTheWay.isFull;
    if (this.isFullNext) return;
    const [width, height] = this.sizeOf(wanted, isFull);
    const body = wanted.body(width, height);
    if (!body) return;
    this.isStale = false;
    if (isFull) this.onTheWay?.abort.abort();
    void this.fetch(isFull ? body : { ...body, jpeg: jpegQuality }, width * height, isFull);
  }

  private async fetch(body: ViewBody, pixels: number, isFull: boolean): Promise<void> {
    const mine = { abort: new AbortController(), isFull };
    this.onTheWay = mine;
    const started = performance.now();
    try {
      const picture = await pictureOf(await this.client.view("frame", body, mine.abort.signal));
      if (this.onTheWay !== mine) return;
      this.onTheWay = null;
      if (!isFull) {
        const took = (performance.now() - started) / pixels;
        this.perPixel = this.perPixel === 0 ? took : 0.7 * this.perPixel + 0.3 * took;
      }
      this.hasPicture = true;
      this.arrived(picture);
      if (this.isFullNext) this.ask(true);
      else if (this.isStale) this.ask(false);
    } catch (error) {
      if (this.onTheWay !== mine) return;
      this.onTheWay = null;
      if (!isAbort(error)) this.failed(error);
    }
  }
}
