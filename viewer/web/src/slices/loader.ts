// Loads slices: keeps the newest in bounded memory, and drops requests that nobody waits for any more. Where all
// samples take long to come, as over a slow link, every n-th of them come first; while the user moves, alone.

import { type Client, isAbort } from "../session/client.ts";
import { type Slice, type SliceKey, addressOf, parsePart, parseSamples, patched } from "./samples.ts";

const mostBytes = 192 * 2 ** 20;
const mostSent = 48 * 2 ** 20; // bytes of a slice; the server refuses more than 64 MiB
const slow = 60; // ms: slices that are sent in less need no preview
const previewTime = 40; // ms that a preview should take

/** How long bytes of slices are on the way, behind the first of them: what a smaller slice saves. */
export class Link {
  private isGuess = true;

  /** `perByte`: ms, as far as it is known before the first slice. */
  constructor(private perByte: number) {}

  note(took: number, bytes: number): void {
    this.perByte = this.isGuess ? took / bytes : 0.5 * this.perByte + (0.5 * took) / bytes;
    this.isGuess = false;
  }

  /** The step of a preview that comes soon, of a slice with so many bytes. */
  previewStep(bytes: number): 1 | 2 | 4 | 8 {
    const whole = this.perByte * bytes;
    if (whole < slow) return 1;
    return ([2, 4] as const).find((step) => whole / step ** 2 <= previewTime) ?? 8;
  }
}

/** What the page itself took to come, in ms a byte; 0 where it came at once. */
export function pageTime(): number {
  const entries = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
  const script = entries.find(({ name }) => /\/app\.js$/.test(name));
  return script && script.encodedBodySize > 0 ? (script.responseEnd - script.responseStart) / script.encodedBodySize : 0;
}

export class SliceCache {
  private readonly slices = new Map<string, Slice>(); // the least recently used first
  private bytes = 0;

  /** `perByte`: ms that a byte is on the way, as far as that is known. */
  constructor(
    private readonly client: Client,
    private readonly perByte = 0,
  ) {}

  newLink(): Link {
    return new Link(this.perByte);
  }

  get(key: SliceKey): Slice | undefined {
    const address = addressOf(key);
    const slice = this.slices.get(address);
    if (slice) {
      this.slices.delete(address);
      this.slices.set(address, slice);
    }
    return slice;
  }

  /** `before`: the same slice of an earlier revision, of which the server then sends what has changed. */
  async load(key: SliceKey, signal: AbortSignal, link?: Link, before?: Slice): Promise<Slice> {
    const since = before ? `&since=${before.key.revision ?? 0}` : "";
    const response = await this.client.request(addressOf(key) + since, { signal });
    const began = performance.now();
    const header = response.headers.get("X-Tesela-Slice");
    const part = response.headers.get("X-Tesela-Slice-Part");
    const body = await response.arrayBuffer();
    const samples = before && part ? patched(before, parsePart(header, part, body)) : parseSamples(header, body);
    if (!part) link?.note(performance.now() - began, samples.data.byteLength);
    const slice: Slice = { ...samples, key };
    this.keep(slice);
    return slice;
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

/**
 * One layer of one pane. Of its requests one is on the way: while the user moves it may arrive, since it
 * shows where they are about; at rest it is aborted for the one that is wanted.
 */
export class SliceFeed {
  private readonly link: Link;
  private wanted: { key: SliceKey; passing: boolean } | null = null;
  private onTheWay: { address: string; passing: boolean; abort: AbortController } | null = null;
  private shown: Slice | null = null;

  constructor(
    private readonly cache: SliceCache,
    private readonly arrived: () => void,
    private readonly failed: (error: unknown) => void,
  ) {
    this.link = cache.newLink();
  }

  /**
   * The slice to paint: what is wanted or, until it is there, the last one along the same axis, also of the
   * label map that this one takes the place of.
   */
  current(): Slice | null {
    return this.shown;
  }

  /** `bytes`: of the slice with all of its samples. */
  want(key: Omit<SliceKey, "step">, bytes: number, moving: boolean): void {
    const full: SliceKey = { ...key, step: this.cache.fullStep(bytes) };
    const step = Math.max(full.step, this.link.previewStep(bytes)) as SliceKey["step"];
    const preview: SliceKey = { ...key, step };
    if (this.shown && !isSameStack(this.shown.key, key)) this.shown = null;
    const held = this.cache.get(full) ?? this.cache.get(preview);
    if (held) this.show(held);
    if (held && (moving || held.key.step === full.step)) return this.stop();
    // What is shown of the same slice is better than a preview of what was changed there.
    const isFirst = !held && !(this.shown && isSamePlace(this.shown.key, key));
    this.wanted = { key: moving ? preview : full, passing: moving };
    const next = moving || isFirst ? preview : full;
    const waits = this.onTheWay;
    if (waits?.address === addressOf(next)) return;
    if (waits?.passing && moving) return; // the next one starts when it is there
    waits?.abort.abort();
    void this.fetch(next, moving);
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
      const { shown } = this;
      const isEarlier = shown && key.revision && isSameStack(shown.key, key) && isSamePlace(shown.key, key) && shown.key.step === key.step;
      const slice = await this.cache.load(key, mine.abort.signal, this.link, isEarlier ? shown : undefined);
      if (this.onTheWay !== mine) return;
      this.onTheWay = null;
      this.show(slice);
      const next = this.wanted;
      if (next && addressOf(next.key) !== mine.address) void this.fetch(next.key, next.passing);
    } catch (error) {
      if (this.onTheWay === mine) this.onTheWay = null;
      if (!isAbort(error)) this.failed(error);
    }
  }
}

function isSameStack(a: SliceKey, b: Omit<SliceKey, "step">): boolean {
  return a.axis === b.axis && a.channel === b.channel;
}

function isSamePlace(a: SliceKey, b: Omit<SliceKey, "step">): boolean {
  return a.image === b.image && a.index === b.index && a.t === b.t;
}
