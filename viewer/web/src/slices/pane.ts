// One slice with its title, slider and canvas.

import { colorsOf } from "../colors/labels.ts";
import { h, iconButton } from "../dom.ts";
import type { LabelEditor } from "../labels/editor.ts";
import { seedsOn } from "../seeds/seeds.ts";
import { type AppStore, type State, sameGrid, setView, shownImage } from "../store/state.ts";
import { type Axis, type ImageInfo, type Triple, lengthsOf } from "../store/wire.ts";
import {
  drawBitmap,
  drawBox,
  drawBrush,
  drawCrosshair,
  drawLetters,
  drawOutlines,
  drawScaleBar,
  drawSeeds,
} from "./draw.ts";
import { type Placement, type PlaneView, type Size, placementOf } from "./geometry.ts";
import { BaseLayer, LabelLayer, coloringOf } from "./layers.ts";
import type { SliceCache } from "./loader.ts";
import { moveAlong } from "./navigate.ts";
import { type Pane, listenToPointer } from "./pointer.ts";

export interface PaneTools {
  store: AppStore;
  cache: SliceCache;
  editor: LabelEditor;
  pointed(pane: SlicePane, voxel: Triple | null): void;
  painted(): void;
  report(error: unknown): void;
}

const font = "system-ui, sans-serif";

export class SlicePane implements Pane {
  readonly canvas: HTMLCanvasElement;
  readonly element: HTMLElement;
  private readonly slider: HTMLInputElement;
  private readonly number: HTMLElement;
  private view: PlaneView;
  private base: BaseLayer;
  private readonly labels = new Map<string, LabelLayer>();
  private drawing = 0;
  private pointer: { x: number; y: number } | null = null;
  private size: Size = { width: 0, height: 0 };
  private readonly observer: ResizeObserver;

  constructor(
    private readonly tools: PaneTools,
    private image: ImageInfo,
    private siblings: readonly PlaneView[], // all slices of the image, this one among them
    readonly index: number,
  ) {
    this.view = siblings[index] as PlaneView;
    const { view } = this;
    this.canvas = h("canvas", {
      className: "slice",
      tabIndex: 0,
      attrs: { role: "application", "aria-roledescription": "slice" },
    });
    this.slider = h("input", {
      type: "range",
      className: "slice-slider",
      min: "0",
      attrs: { "aria-label": `${view.title} slice` },
      on: { input: () => this.slide() },
    });
    this.number = h("output", { className: "slice-number" });
    this.element = this.build();
    this.base = this.newBase();
    listenToPointer(tools.store, tools.editor, this);
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.canvas);
  }

  private build(): HTMLElement {
    const { view } = this;
    const chip = h("span", { className: `plane-chip plane-${this.index}`, attrs: { "aria-hidden": "true" } });
    if (this.image.shape.z === 1) return h("section", { className: "pane is-picture" }, this.canvas);
    return h(
      "section",
      { className: "pane", attrs: { "aria-label": `${view.title} slice` } },
      h(
        "header",
        { className: "pane-header" },
        chip,
        h("h2", {}, view.title),
        this.slider,
        this.number,
        iconButton("large", "This slice alone, or all of them (double click)", () => this.maximize()),
      ),
      this.canvas,
    );
  }

  private newBase(): BaseLayer {
    const { cache, editor, report } = this.tools;
    return new BaseLayer(this.image, this.view, cache, editor.changes, () => this.invalidate(), report);
  }

  /** Follows the state: asks for the slices that are seen, and draws. */
  update(state: State, image: ImageInfo, siblings: readonly PlaneView[]): void {
    const view = (this.view = siblings[this.index] as PlaneView);
    this.siblings = siblings;
    if (image !== this.image) {
      this.image = image;
      this.base.stop();
      this.base = this.newBase();
    }
    const last = lengthsOf(image)[view.normal] - 1;
    const index = state.view.at[view.normal];
    this.slider.max = String(last);
    this.slider.value = String(index);
    this.slider.setAttribute("aria-valuetext", `${index} of ${last}`);
    this.number.textContent = `${index} / ${last}`;
    this.canvas.setAttribute("aria-label", `${view.title} slice ${index} of 0 to ${last}`);
    this.element.hidden = state.view.maximized && state.view.main !== this.index;
    if (!this.element.hidden) this.want(state);
    this.invalidate();
  }

  private want(state: State): void {
    this.base.want(state, state.channels.get(this.image.id) ?? []);
    const shown = new Set<string>();
    for (const layer of state.layers) {
      const image = state.images.get(layer.image);
      const isSeen = layer.shown && state.view.labelsShown && image && image.id !== this.image.id;
      if (!isSeen || !sameGrid(image, this.image)) continue;
      shown.add(layer.slot);
      let labels = this.labels.get(layer.slot);
      if (!labels) {
        const { cache, editor, report } = this.tools;
        labels = new LabelLayer(this.view, cache, editor.changes, () => this.invalidate(), report);
        this.labels.set(layer.slot, labels);
      }
      labels.want(state, image);
    }
    for (const [slot, labels] of this.labels) {
      if (shown.has(slot)) continue;
      labels.stop();
      this.labels.delete(slot);
    }
  }

  placement(): Placement | null {
    const { view } = this.tools.store.get();
    if (this.size.width === 0 || this.size.height === 0) return null;
    return placementOf(this.image, this.view, this.size, view.zoom, view.center);
  }

  pointed(voxel: Triple | null, at: { x: number; y: number } | null): void {
    this.tools.pointed(this, voxel);
    const { tool } = this.tools.store.get();
    if (this.pointer || (at && (tool === "brush" || tool === "eraser"))) this.invalidate();
    this.pointer = at;
  }

  /** What is at a voxel of the slice that is seen: values of the channels, and labels. */
  valuesAt(voxel: Triple): { values: number[]; labels: { image: ImageInfo; label: number }[] } {
    const state = this.tools.store.get();
    const labels = state.layers.flatMap((layer) => {
      const label = this.labels.get(layer.slot)?.labelAt(voxel);
      const image = state.images.get(layer.image);
      return image && label !== undefined ? [{ image, label }] : [];
    });
    return { values: this.base.valuesAt(voxel), labels };
  }

  get normal(): Axis {
    return this.view.normal;
  }

  maximize(): void {
    const { store } = this.tools;
    setView(store, { maximized: !store.get().view.maximized, main: this.index });
  }

  stop(): void {
    this.observer.disconnect();
    cancelAnimationFrame(this.drawing);
    this.base.stop();
    for (const labels of this.labels.values()) labels.stop();
  }

  private slide(): void {
    const axis = this.view.normal;
    const { store } = this.tools;
    moveAlong(store, axis, Number(this.slider.value) - store.get().view.at[axis]);
  }

  private resize(): void {
    const ratio = devicePixelRatio;
    this.size = { width: this.canvas.clientWidth, height: this.canvas.clientHeight };
    this.canvas.width = Math.round(this.size.width * ratio);
    this.canvas.height = Math.round(this.size.height * ratio);
    this.draw();
  }

  private invalidate(): void {
    if (this.drawing) return;
    this.drawing = requestAnimationFrame(() => this.draw());
  }

  private draw(): void {
    cancelAnimationFrame(this.drawing);
    this.drawing = 0;
    const place = this.placement();
    const state = this.tools.store.get();
    const context = this.canvas.getContext("2d", { alpha: false });
    if (!place || !context) return;
    const ratio = devicePixelRatio;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = "#000";
    context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    this.drawImage(context, ratio, place, state);
    this.drawLabels(context, ratio, place, state);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.drawMarks(context, place, state);
  }

  private drawImage(context: CanvasRenderingContext2D, ratio: number, place: Placement, state: State): void {
    const coloring = coloringOf(this.image, state);
    const bitmap = this.base.bitmap(state.channels.get(this.image.id) ?? [], coloring);
    if (!bitmap) return;
    drawBitmap(context, ratio, place, bitmap, state.view.smooth && this.image.role === "image");
    this.canvas.dataset["painted"] = `${bitmap.slice.key.image}:${bitmap.slice.key.index}:${bitmap.slice.key.step}`;
    this.tools.painted();
  }

  private drawLabels(context: CanvasRenderingContext2D, ratio: number, place: Placement, state: State): void {
    for (const layer of state.layers) {
      const labels = this.labels.get(layer.slot);
      const image = state.images.get(layer.image);
      if (!labels || !image) continue;
      const coloring = coloringOf(image, state);
      context.save();
      if (state.view.labelStyle === "outline") {
        const outlines = labels.outlines();
        if (outlines) drawOutlines(context, ratio, place, outlines, coloring);
      } else {
        const bitmap = labels.bitmap(coloring);
        context.globalAlpha = state.view.labelOpacity;
        if (bitmap) drawBitmap(context, ratio, place, bitmap, false);
      }
      context.restore();
    }
  }

  private drawMarks(context: CanvasRenderingContext2D, place: Placement, state: State): void {
    const { view } = state;
    const isPicture = this.image.shape.z === 1;
    if (view.crosshair && !isPicture) drawCrosshair(context, place, this.size, view.at, this.siblings);
    drawLetters(context, place, this.size, font);
    drawScaleBar(context, place, this.size, this.image, font);
    const seeds = seedsOn(state, shownImage(state)).filter((seed) => seed.t === view.t);
    drawSeeds(context, place, seeds, view.at, state.selectedSeed, colorsOf(view.palette), font);
    if (state.boxDraft) drawBox(context, place, state.boxDraft, view.at);
    if (this.pointer && (state.tool === "brush" || state.tool === "eraser"))
      drawBrush(context, place, this.image.spacing, this.pointer, state.brush.size / 2);
  }
}
