// The slices of the shown image, beside each other: one large, the others small, or one alone.

import { h } from "../dom.ts";
import type { LabelEditor } from "../labels/editor.ts";
import type { Client } from "../session/client.ts";
import { isAbort, ServerError, textOf } from "../session/client.ts";
import { type AppStore, shownImage } from "../store/state.ts";
import { type ImageInfo, type Triple, isSlide } from "../store/wire.ts";
import { type PlaneView, planeViews } from "./geometry.ts";
import { type VolumePane, volumeIndex } from "../volume/pane.ts";
import { SliceCache, pageTime } from "./loader.ts";
import { type PaneTools, SlicePane } from "./pane.ts";
import type { Status } from "./status.ts";

/** Panes are made anew where these differ. */
function signatureOf(image: ImageInfo, views: readonly PlaneView[]): string {
  return views.length === 1 ? `picture ${image.id}` : views.map((view) => `${view.plane}${view.normal}`).join();
}

export class Panes {
  readonly element = h("main", { className: "panes", attrs: { "aria-label": "Slices" } });
  private readonly cache: SliceCache;
  private panes: SlicePane[] = [];
  private signature = "";

  constructor(
    private readonly store: AppStore,
    client: Client,
    private readonly status: Status,
    private readonly volume: VolumePane,
    private readonly editor: LabelEditor,
  ) {
    this.cache = new SliceCache(client, pageTime());
    store.watchAny(
      (s) => [
        ...[s.view, s.images, s.channels, s.layers, s.seeds, s.selectedSeed, s.moving, s.volume.shown],
        ...[s.revisions, s.strokes, s.hiddenLabels, s.boxDraft, s.brush, s.tool],
      ],
      () => this.update(),
    );
  }

  /** Forgets the slices of an image that is gone or has changed. */
  forget(image: number): void {
    this.cache.forget(image);
  }

  focus(index: number): void {
    const canvas = index === volumeIndex ? this.volume.canvas : this.panes[index]?.canvas;
    canvas?.focus();
  }

  /** The pane that keys are for: the one with the focus, or the large one. */
  active(): SlicePane | undefined {
    const focused = this.panes.find((pane) => pane.element.contains(document.activeElement));
    return focused ?? this.panes[this.store.get().view.main] ?? this.panes[0];
  }

  private update(): void {
    const state = this.store.get();
    const image = shownImage(state);
    this.element.hidden = isSlide(image);
    if (!image || isSlide(image)) return this.clear();
    const views = planeViews(image, state.view.convention);
    if (signatureOf(image, views) !== this.signature) this.rebuild(image, views);
    this.panes.forEach((pane, i) => {
      pane.element.classList.toggle("is-main", i === state.view.main || views.length === 1);
      pane.update(state, image, views);
    });
    this.element.classList.toggle("is-single", views.length === 1 || state.view.maximized);
    this.element.classList.toggle("has-volume", this.volume.isShown());
    this.status.show();
  }

  private clear(): void {
    for (const pane of this.panes) pane.stop();
    this.panes = [];
    this.signature = "";
    this.element.replaceChildren();
  }

  private rebuild(image: ImageInfo, views: readonly PlaneView[]): void {
    this.clear();
    this.signature = signatureOf(image, views);
    const tools: PaneTools = {
      store: this.store,
      cache: this.cache,
      editor: this.editor,
      pointed: (pane, voxel) => this.status.point(pane, voxel),
      painted: () => this.status.show(),
      report: (error) => this.report(error),
    };
    this.panes = views.map((_, index) => new SlicePane(tools, image, views, index));
    this.element.replaceChildren(...this.panes.map((pane) => pane.element), this.volume.element);
  }

  private report(error: unknown): void {
    // A result may be forgotten while a slice of it is on the way, and a lost server is told of elsewhere.
    const isKnown = isAbort(error) || error instanceof TypeError || (error instanceof ServerError && error.status === 404);
    if (!isKnown) this.status.warn(textOf(error));
  }

  /** What is at a voxel, as far as a pane shows it. */
  valuesAt(voxel: Triple): ReturnType<SlicePane["valuesAt"]> | null {
    for (const pane of this.panes) {
      const found = pane.valuesAt(voxel);
      if (found.values.length > 0) return found;
    }
    return null;
  }
}
