// The one typed store: state that is replaced, never changed in place, and listeners of parts of it.

export type Unsubscribe = () => void;

interface Listener<S> {
  check(state: S): void;
}

export class Store<S extends object> {
  private state: S;
  private readonly listeners = new Set<Listener<S>>();

  constructor(initial: S) {
    this.state = initial;
  }

  get(): S {
    return this.state;
  }

  /** Replaces some members, and calls the listeners of parts that are other ones now. */
  set(change: Partial<S> | ((state: S) => Partial<S>)): void {
    const part = typeof change === "function" ? change(this.state) : change;
    this.state = { ...this.state, ...part };
    for (const listener of [...this.listeners]) listener.check(this.state);
  }

  /** Calls `take` with what `select` gives, at once and whenever that is another value. */
  watch<T>(select: (state: S) => T, take: (part: T, before: T | undefined) => void): Unsubscribe {
    let held = select(this.state);
    const listener: Listener<S> = {
      check(state) {
        const now = select(state);
        if (Object.is(now, held)) return;
        const before = held;
        held = now;
        take(now, before);
      },
    };
    this.listeners.add(listener);
    take(held, undefined);
    return () => this.listeners.delete(listener);
  }

  /** The same for several parts, none of which is handed on. */
  watchAny(select: (state: S) => readonly unknown[], take: () => void): Unsubscribe {
    let held: readonly unknown[] = select(this.state);
    const listener: Listener<S> = {
      check(state) {
        const now = select(state);
        if (now.length === held.length && now.every((part, i) => Object.is(part, held[i]))) return;
        held = now;
        take();
      },
    };
    this.listeners.add(listener);
    take();
    return () => this.listeners.delete(listener);
  }
}
