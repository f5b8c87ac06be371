// Tiles that are on their way or there, of which those that were shown longest ago go first.

import type { TileKey } from "./viewport.ts";

const most = 96; // that are kept, beside those that are wanted
const atOnce = 2; // requests: of six connections to a host, events and what the user does need some

export const nameOf = ({ level, column, row }: TileKey): string => `${level}/${column}/${row}`;

/** Of one image. `load` gets a signal that tells when nobody wants the tile any more. */
export class TileCache<T> {
  private readonly tiles = new Map<string, T>(); // the one shown last at the end
  private readonly loading = new Map<string, AbortController>();
  private readonly failed = new Set<string>();
  private wanted: ReadonlySet<string> = new Set();

  constructor(
    private readonly load: (key: TileKey, signal: AbortSignal) => Promise<T>,
    private readonly changed: () => void,
    private readonly report: (error: unknown) => void,
  ) {}

  get(key: TileKey): T | undefined {
    const name = nameOf(key);
    const tile = this.tiles.get(name);
    if (tile === undefined) return undefined;
    this.tiles.delete(name);
    this.tiles.set(name, tile);
    return tile;
  }

  /** Asks for tiles in this order, and cancels requests for all others. */
  want(keys: readonly TileKey[]): void {
    this.wanted = new Set(keys.map(nameOf));
    for (const [name, abort] of this.loading) if (!this.wanted.has(name)) abort.abort();
    for (const key of keys) {
      const name = nameOf(key);
      if (this.loading.size >= atOnce) return;
      if (!this.tiles.has(name) && !this.loading.has(name) && !this.failed.has(name)) void this.begin(key, name);
    }
  }

  all(): Iterable<[string, T]> {
    return this.tiles.entries();
  }

  stop(): void {
    for (const abort of this.loading.values()) abort.abort();
  }

  private async begin(key: TileKey, name: string): Promise<void> {
    const abort = new AbortController();
    this.loading.set(name, abort);
    try {
      this.tiles.set(name, await this.load(key, abort.signal));
      for (const oldest of this.tiles.keys()) {
        if (this.tiles.size <= most) break;
        if (!this.wanted.has(oldest)) this.tiles.delete(oldest);
      }
    } catch (error) {
      if (!abort.signal.aborted) {
        this.failed.add(name); // until the slide is opened anew
        this.report(error);
      }
    } finally {
      this.loading.delete(name);
      this.changed();
    }
  }
}
