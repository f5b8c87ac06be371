// The fourth pane: the volume in three dimensions, drawn by the server.

import { h, iconButton } from "../dom.ts";
import { type Client, ServerError, isAbort, textOf } from "../session/client.ts";
import { type AppStore, setView, shownImage } from "../store/state.ts";
import type { ImageInfo, Triple } from "../store/wire.ts";
import { drawCube, drawPlace } from "./cube.ts";
import { FrameFeed, type Picture, type Wanted } from "./feed.ts";
import { type Look, type Scene, bodyOf, cameraOf, isVolume, labelsOf, lookAt } from "./look.ts";
import { listenToVolume, resetCamera } from "./pointer.ts";

const font = "system-ui, sans-serif";
const after = 250; // ms, for the slices to come first
export const volumeIndex = 3; // among the panes

export class VolumePane {
  readonly canvas = h("canvas", {
    className: "volume",
    tabIndex: 0,
    attrs: {
      role: "application",
      "aria-roledescription": "volume",
      "aria-label": "Volume in three dimensions: arrow keys turn it, plus and minus zoom, Enter moves the cross-hair to what is in the middle",
    },
  });
  readonly element: HTMLElement;
  private readonly message = h("p", { className: "volume-message", attrs: { role: "status" } });
  private readonly feed: FrameFeed;
  private picture: Picture | null = null;
  private size = { width: 0, height: 0 };
  private drawing = 0;
  private asked: number | null = null; // the image whose scene is on its way
  private before: Look | null = null;
  private wanted = ""; // what was asked for last

  constructor(
    private readonly store: AppStore,
    private readonly client: Client,
    private readonly view: string, // the server's name of it
  ) {
    this.feed = new FrameFeed(client, (picture) => this.take(picture), (error) => this.fail(error));
    this.element = h(
      "section",
      { className: "pane", hidden: true, attrs: { "aria-label": "Volume" } },
      h(
        "header",
        { className: "pane-header" },
        h("h2", {}, "3-D"),
        h("div", { className: "spacer" }),
        iconButton("reset", "The first view again (0)", () => resetCamera(store)),
        iconButton("large", "The volume alone, or all panes (double click)", () => this.maximize()),
      ),
      h("div", { className: "volume-frame" }, this.canvas, this.message),
    );
    listenToVolume({ canvas: this.canvas, store, pick: (x, y) => this.pick(x, y), maximize: () => this.maximize() });
    new ResizeObserver(() => this.resize()).observe(this.canvas);
    store.watchAny(
      (s) => [s.view, s.images, s.layers, s.revisions, s.volume, s.scenes, s.panel.device],
      () => this.update(),
    );
  }

  /** Whether it stands beside the slices. */
  isShown(): boolean {
    const state = this.store.get();
    return isVolume(shownImage(state)) && state.volume.shown;
  }

  private maximize(): void {
    const { view } = this.store.get();
    setView(this.store, { maximized: !view.maximized, main: volumeIndex });
  }

  private update(): void {
    const state = this.store.get();
    const image = shownImage(state);
    const { view } = state;
    this.element.hidden = !this.isShown() || (view.maximized && view.main !== volumeIndex);
    this.element.classList.toggle("is-main", view.main === volumeIndex);
    if (!this.isShown() && view.main === volumeIndex) return setView(this.store, { main: 0, maximized: false });
    if (this.element.hidden || !isVolume(image)) return this.feed.stop();
    if (state.volume.image !== image.id) {
      this.picture = null;
      this.before = null;
      return lookAt(this.store, image); // which brings us here again
    }
    if (state.scenes.has(image.id)) this.ask();
    else void this.askForScene(image);
    this.draw();
  }

  /** What the server knows of the volume, which it takes onto the device for that. */
  private async askForScene(image: ImageInfo): Promise<void> {
    if (this.asked === image.id) return;
    this.asked = image.id;
    this.message.textContent = "";
    try {
      if (!this.picture) await new Promise((done) => setTimeout(done, after));
      const { device } = this.store.get().panel;
      const body = { view: this.view, inputs: { input: { image: image.id } }, options: {}, ...(device ? { device } : {}) };
      const scene = (await (await this.client.view("scene", body)).json()) as Scene;
      this.store.set((state) => ({ scenes: new Map(state.scenes).set(image.id, scene) }));
    } catch (error) {
      this.fail(error);
    } finally {
      if (this.asked === image.id) this.asked = null;
    }
  }

  private ask(): void {
    const state = this.store.get();
    const { volume } = state;
    const [width, height] = [this.canvas.width, this.canvas.height];
    if (width < 2 || height < 2) return;
    const wanted: Wanted = { width, height, body: (w, h_) => bodyOf(this.store.get(), this.view, w, h_) };
    const revision = state.revisions.get(labelsOf(state)?.id ?? -1) ?? 0; // of voxels that are edited
    const key = JSON.stringify([wanted.body(width, height), revision]);
    if (this.wanted === key) return;
    this.wanted = key;
    if (this.picture) this.picture = { ...this.picture, isFull: false }; // of what is seen now
    // Where the user turns or edits, pictures follow; labels and panels can wait for the whole picture.
    const moves = this.before !== null && this.before.image === volume.image && this.before !== volume;
    this.before = volume;
    this.feed.want(wanted, moves);
  }

  private take(picture: Picture): void {
    this.picture = picture;
    this.message.textContent = "";
    this.draw();
  }

  private fail(error: unknown): void {
    const isKnown = isAbort(error) || error instanceof TypeError || (error instanceof ServerError && [404, 409].includes(error.status));
    this.wanted = "";
    if (isKnown) return;
    this.message.textContent = textOf(error);
  }

  private async pick(x: number, y: number): Promise<Triple | null> {
    const [width, height] = [this.canvas.width, this.canvas.height];
    const body = bodyOf(this.store.get(), this.view, width, height);
    if (!body || this.size.width === 0) return null;
    const at = [x / this.size.width, y / this.size.height].map((share, i) => Math.min(Math.floor(share * [width, height][i]!), [width, height][i]! - 1));
    try {
      const answer = (await (await this.client.view("pick", { ...body, at })).json()) as { hit: { voxel: Triple } | null };
      return answer.hit?.voxel ?? null;
    } catch (error) {
      this.fail(error);
      return null;
    }
  }

  private resize(): void {
    const ratio = devicePixelRatio;
    this.size = { width: this.canvas.clientWidth, height: this.canvas.clientHeight };
    const [width, height] = [Math.round(this.size.width * ratio), Math.round(this.size.height * ratio)];
    if (width === this.canvas.width && height === this.canvas.height) return;
    this.canvas.width = width;
    this.canvas.height = height;
    this.paint();
    this.update();
  }

  private draw(): void {
    if (this.drawing) return;
    this.drawing = requestAnimationFrame(() => this.paint());
  }

  private paint(): void {
    cancelAnimationFrame(this.drawing);
    this.drawing = 0;
    const context = this.canvas.getContext("2d", { alpha: false });
    const state = this.store.get();
    const image = shownImage(state);
    if (!context || !image || this.size.width === 0) return;
    const { width, height } = this.canvas;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = "#000";
    context.fillRect(0, 0, width, height);
    if (this.picture) {
      context.drawImage(this.picture.bitmap, 0, 0, width, height);
      this.canvas.dataset["painted"] = `${image.id}:${this.picture.isFull ? "full" : "small"}`;
    }
    const camera = cameraOf(state, width / height);
    if (!camera) return;
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    if (state.view.crosshair) drawPlace(context, camera, image, state.view.at, this.size.width, this.size.height);
    const side = Math.min(14, this.size.width / 16);
    drawCube(context, camera, image, 2.2 * side, this.size.height - 2.2 * side, side, font);
    this.canvas.dataset["labels"] = String(labelsOf(state)?.id ?? "");
  }
}
