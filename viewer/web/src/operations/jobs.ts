// Runs the operation of the panel, again after each change, and keeps what jobs made.

import { addLayer } from "../panels/images.ts";
import { seedsOn } from "../seeds/seeds.ts";
import { type Client, ServerError, asSentence, textOf } from "../session/client.ts";
import type { Images } from "../session/images.ts";
import { showImage } from "../slices/navigate.ts";
import { type AppStore, type Problem, type Result, shownImage } from "../store/state.ts";
import type { ImageInfo, Job, OperationDescription } from "../store/wire.ts";
import { imageInputs, isProblem, requestOf, seedsInput } from "./form.ts";

const newestKey = "tesela-newest-job";
const roundKey = "tesela-round";
const soon = 0.4; // s: a job that takes no longer may end before the next one begins

export class Jobs {
  description: OperationDescription | null = null;
  private starting = false; // a request is on the way
  private again = false; // something changed since
  private lastSeconds = 0;
  private readonly ended = new Set<number>();
  private wasRun = false; // the panel's operation ran at least once
  private round: number; // of results that replace each other
  private newest: number; // job of the panel, also of before the page was loaded again

  /** `tab` is part of the names of this tab's views; `memory` is the tab's own. */
  constructor(
    private readonly store: AppStore,
    private readonly client: Client,
    private readonly images: Pick<Images, "open">,
    private readonly tab: string,
    private readonly memory: Pick<Storage, "getItem" | "setItem">,
  ) {
    this.newest = Number(memory.getItem(newestKey) ?? 0);
    this.round = Number(memory.getItem(roundKey) ?? 0);
    store.watch(
      (s) => s.panel.operation,
      () => {
        this.wasRun = false;
        this.releaseLive();
      },
    );
    store.watchAny(
      ({ panel, seeds, revisions }) => [
        ...[panel.options, panel.images, panel.texts, panel.outputs, panel.device, panel.automatic, seeds],
        ...Object.values(panel.images).map((id) => revisions.get(id)),
      ],
      () => this.changed(),
    );
  }

  private get view(): string {
    return `${this.tab}/${this.round}`;
  }

  /** The image that the panel's operation works on. */
  image(description = this.description): ImageInfo | undefined {
    const state = this.store.get();
    const first = description ? imageInputs(description)[0] : undefined;
    const chosen = first && state.panel.images[first.name];
    return (chosen === undefined ? undefined : state.images.get(chosen)) ?? shownImage(state);
  }

  private asked() {
    const state = this.store.get();
    const image = this.image();
    return {
      description: this.description as OperationDescription,
      panel: state.panel,
      image,
      seeds: seedsOn(state, image),
      view: this.view,
    };
  }

  private changed(): void {
    if (!this.description || this.store.get().panel.operation !== this.description.verb) return;
    this.store.set((state) => ({
      problem: null,
      results: state.results.map((result) => (result.live && !result.old ? { ...result, old: true } : result)),
    }));
    const { panel } = this.store.get();
    const seeds = seedsInput(this.description);
    const isReady = this.wasRun || (seeds && (this.asked().seeds.length > 0 || panel.images[seeds.name] !== undefined));
    if (!panel.automatic || !isReady) return;
    const made = requestOf(this.asked());
    if (!isProblem(made)) return this.startSoon();
    // The last seed is gone, say: nothing to be computed, and no reproach while the user is at it.
    if (made.field !== seeds?.name) this.store.set({ problem: made });
  }

  /** Starts the job, or after the one on the way where that takes no time. */
  private startSoon(): void {
    const { running } = this.store.get();
    if (this.starting || (running && this.lastSeconds > 0 && this.lastSeconds < soon)) this.again = true;
    else void this.run(true);
  }

  /** `automatic`: a change asks for it, and not the user. */
  async run(automatic = false): Promise<void> {
    if (!this.description) return;
    const made = requestOf(this.asked());
    if (isProblem(made)) return this.store.set({ problem: made });
    this.again = false;
    this.starting = true;
    this.wasRun = true;
    if (!this.store.get().panel.automatic) this.releaseLive();
    made.view = this.view;
    if (automatic) made.automatic = true;
    const { running } = this.store.get();
    this.store.set({ problem: null });
    try {
      const { job } = await this.client.startJob(made);
      if (running && running.view !== made.view) void this.client.cancelJob(running.job).catch(() => undefined);
      this.newest = job;
      this.memory.setItem(newestKey, String(job));
      const known = this.store.get().running;
      // Its events may be faster than this answer.
      if (known?.job !== job && !this.ended.has(job))
        this.store.set({ running: { job, view: this.view, operation: made.operation, state: "waiting" } });
    } catch (error) {
      this.store.set({ problem: problemOf(error) });
      if (!isLeftToUser(error)) this.store.set({ running: null });
    } finally {
      this.starting = false;
      if (this.again && !this.store.get().running) void this.run(true);
    }
  }

  cancel(): void {
    const { running } = this.store.get();
    this.again = false;
    if (running) void this.client.cancelJob(running.job).catch(() => undefined);
  }

  /** A state of a job, of this tab or of another one. */
  async take(job: Job): Promise<void> {
    const isOwn = job.view.startsWith(`${this.tab}/`);
    const isLive = job.state === "waiting" || job.state === "running";
    if (isLive) {
      const { running } = this.store.get();
      if (isOwn && (!running || job.job >= running.job)) this.store.set({ running: job });
      return;
    }
    if (isOwn) this.ended.add(job.job);
    if (job.state === "done") await this.keep(job, isOwn);
    if (!isOwn || (this.store.get().running?.job ?? job.job) !== job.job) return;
    this.store.set({ running: null });
    if (job.state === "failed") this.store.set({ problem: { message: asSentence(job.error ?? "the job failed"), field: job.field ?? undefined } });
    if (job.seconds !== undefined) this.lastSeconds = job.seconds;
    if (this.again && !this.starting) void this.run(true);
  }

  /** Shows what a job made, in the place of what the panel made before. */
  private async keep(job: Job, isOwn: boolean): Promise<void> {
    const before = this.store.get().results;
    if (before.some((result) => result.job.job === job.job)) return;
    const images = await this.fetchOutputs(job);
    const operation = job.operation ?? job.command?.replace(/^tesela /, "").split(" -")[0] ?? "result";
    const state = this.store.get();
    // Results of before that were kept come again when the page is loaded again: they replace nothing.
    const isLive = isOwn && operation === state.panel.operation && (this.wasRun || job.job === this.newest);
    const result: Result = { job, operation, live: isLive, old: false };
    const replaced = isLive ? state.results.filter((other) => other.live) : [];
    if (replaced.some((other) => other.job.job > job.job)) return void this.forget(result);
    const shownBefore = state.view.image;
    this.store.set({ results: [result, ...state.results.filter((other) => !replaced.includes(other))] });
    for (const image of images)
      if (image.role === "labels")
        addLayer(this.store, { slot: isLive ? this.view : `job ${job.job}`, image: image.id, shown: isOwn && !state.hidden.includes(image.id) });
    const picture = images.find((image) => image.role === "image");
    const isTaken = replaced.some((r) => Object.values(r.job.outputs ?? {}).includes(shownBefore ?? -1));
    if (picture && isLive && (isTaken || !images.some((image) => image.role === "labels")))
      showImage(this.store, picture.id);
    for (const gone of replaced) void this.forget(gone);
    // The server would drop what is kept here after two more jobs of its view.
    if (isOwn && !isLive && job.view === this.view) this.beginRound();
  }

  private async fetchOutputs(job: Job): Promise<ImageInfo[]> {
    const found: ImageInfo[] = [];
    for (const id of Object.values(job.outputs ?? {})) {
      const image = this.store.get().images.get(id) ?? (await this.images.open(id));
      if (image) found.push(image);
    }
    return found;
  }

  /** Takes a result out of the list and its images out of the server. */
  async forget(result: Result): Promise<void> {
    this.store.set((state) => ({ results: state.results.filter((r) => r.job.job !== result.job.job) }));
    for (const id of Object.values(result.job.outputs ?? {}))
      await this.client.forgetImage(id).catch(() => undefined); // somebody else did
  }

  /** What the panel made stays: the next result takes the place of nothing, also for the server. */
  releaseLive(): void {
    if (this.store.get().results.some((result) => result.live)) this.beginRound();
  }

  private beginRound(): void {
    const slot = this.view;
    this.memory.setItem(roundKey, String(++this.round));
    this.store.set((state) => ({
      results: state.results.map((result) => (result.live ? { ...result, live: false } : result)),
      layers: state.layers.map((layer) => (layer.slot === slot ? { ...layer, slot: `image ${layer.image}` } : layer)),
    }));
  }
}

/** A job that would take long: what runs goes on. */
const isLeftToUser = (error: unknown): boolean => error instanceof ServerError && error.status === 409;

function problemOf(error: unknown): Problem {
  return { message: textOf(error), field: error instanceof ServerError ? error.field : undefined };
}
