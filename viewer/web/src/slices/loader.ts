// Loads slices: keeps the newest in bounded memory, asks for a preview while the user moves and for all
// samples at rest, and drops requests that nobody waits for any more.

import { type Client, isAbort } from "../session/client.ts";
import { type Slice, type SliceKey, addressOf, parseSamples } from "./samples.ts";

const mostBytes = 192 * 2 ** 20;
const previewSamples = 192 * 192; // of a preview, about
const mostSent = 48 * 2 ** 20; // bytes of a slice; the server refuses more than 64 MiB
const slow = 60; // ms: slices that come faster need no preview

export class SliceCache {
  private readonly slices = new Map<string, Slice>(); // the least recently used first
  private bytes = 0;
  private perSample = 0; // ms, a running mean

  constructor(private readonly client: Client) {}

  get(key: SliceKey): Slice | undefined {
    const address = addressOf(key);
    const slice = this.slices.get(address);
    if (slice) {
      this.slices.delete(address);
      this.slices.set(address, slice);
    }
    return slice;
  }

  async load(key: SliceKey, signal: AbortSignal): Promise<Slice> {
    const started = performance.now();
    const response = await this.client.request(addressOf(key), { signal });
    const samples = parseSamples(response.headers.get("X-Tesela-Slice"), await response.arrayBuffer());
    const slice: Slice = { ...samples, key };
    const took = (performance.now() - started) / (samples.width * samples.height);
    this.perSample = this.perSample === 0 ? took : 0.7 * this.perSample + 0.3 * took;
    this.keep(slice);
    return slice;
  }

  /** The step of a preview that comes in time, of a slice with so many samples. */
  previewStep(count: number): 1 | 2 | 4 | 8 {
    if (count <= previewSamples || this.perSample * count < slow) return 1;
    return ([2, 4] as const).find((step) => count / step ** 2 <= 2 * previewSamples) ?? 8;
  }

  /** The step of a slice of so many bytes, at rest. */
  fullStep(bytes: number): 1 | 2 | 4 | 8 {
    return ([1, 2, 4] as const).find((step) => bytes / step ** 2 <= mostSent) ?? 8;
  }

  forget(image: number): void {
    for (const [address, slice] of this.slices)
      if (slice.key.image === image) this.drop(address, slice);
  }

  private keep(slice: Slice): void {
    const address = addressOf(slice.key);
    const before = this.slices.get(address);
    if (before) this.drop(address, before);
    this.slices.set(address, slice);
    this.bytes += slice.data.byteLength;
    for (const [oldest, held] of this.slices) {
      if (this.bytes <= mostBytes || this.slices.size === 1) break;
      this.drop(oldest, held);
    }
  }

  private drop(address: string, slice: Slice): void {
    this.slices.delete(address);
    this.bytes -= slice.data.byteLength;
  }
}

export interface SliceSize {
  samples: number; // of one channel
  bytes: number; // of all that are sent
}

/**
 * One layer of one pane. Of its requests one is on the way: while the user moves it may arrive, since it
 * shows where they are about; at rest it is aborted for the one that is wanted.
 */
export class SliceFeed {
  private wanted: SliceKey | null = null;
  private onTheWay: { address: string; passing: boolean; abort: AbortController } | null = null;
  private shown: Slice | null = null;

  constructor(
    private readonly cache: SliceCache,
    private readonly arrived: () => void,
    private readonly failed: (error: unknown) => void,
  ) {}

  /**
   * The slice to paint: what is wanted or, until it is there, the last one along the same axis, also of the
   * label map that this one takes the place of.
   */
  current(): Slice | null {
    return this.shown;
  }

  /** `size`: of the slice with all of its samples. */
  want(key: Omit<SliceKey, "step">, size: SliceSize, moving: boolean): void {
    const full: SliceKey = { ...key, step: this.cache.fullStep(size.bytes) };
    const step = Math.max(full.step, this.cache.previewStep(size.samples)) as SliceKey["step"];
    const preview: SliceKey = { ...key, step };
    const wanted = moving ? preview : full;
    const held = this.cache.get(full) ?? (moving ? this.cache.get(preview) : undefined);
    if (this.shown && !isSameStack(this.shown.key, key)) this.shown = null;
    if (held) {
      this.stop();
      this.show(held);
      return;
    }
    this.wanted = wanted;
    const waits = this.onTheWay;
    if (waits?.address === addressOf(wanted)) return;
    if (waits?.passing && moving) return; // the next one starts when it is there
    waits?.abort.abort();
    void this.fetch(wanted, moving);
  }

  stop(): void {
    this.wanted = null;
    this.onTheWay?.abort.abort();
    this.onTheWay = null;
  }

  private show(slice: Slice): void {
    if (this.shown === slice) return;
    this.shown = slice;
    this.arrived();
  }

  private async fetch(key: SliceKey, passing: boolean): Promise<void> {
    const mine = { address: addressOf(key), passing, abort: new AbortController() };
    this.onTheWay = mine;
    try {
      const slice = await this.cache.load(key, mine.abort.signal);
      if (this.onTheWay !== mine) return;
      this.onTheWay = null;
      this.show(slice);
      const next = this.wanted;
      if (next && addressOf(next) !== mine.address) void this.fetch(next, passing);
    } catch (error) {
      if (this.onTheWay === mine) this.onTheWay = null;
      if (!isAbort(error)) this.failed(error);
    }
  }
}

function isSameStack(a: SliceKey, b: Omit<SliceKey, "step">): boolean {
  return a.axis === b.axis && a.channel === b.channel;
}
