// A slide in OpenSeadragon, with label maps and annotations on canvases over it.

import type OpenSeadragon from "openseadragon";
import { colorsOf } from "../colors/labels.ts";
import { h } from "../dom.ts";
import { addSeed, seedsOn } from "../seeds/seeds.ts";
import type { Client } from "../session/client.ts";
import { drawSeeds } from "../slices/draw.ts";
import { planeViews } from "../slices/geometry.ts";
import { coloringOf } from "../slices/layers.ts";
import { type AppStore, type View, setView } from "../store/state.ts";
import { type ImageInfo, type SlideInfo, type Triple, lengthsOf } from "../store/wire.ts";
import type { Annotations } from "./annotations.ts";
import { LabelTiles, liesOn } from "./label_layer.ts";
import { ScaleBar } from "./scale_bar.ts";
import { lookOf, tileSource } from "./source.ts";
import { type Viewport, fittingScale, toSlide } from "./viewport.ts";

const requests = 3; // at once: what is no longer seen has not been asked for, and jobs need connections, too
const mostTiles = 128; // of the slide that the page keeps, a mebibyte each
const deepest = 16; // pixels of the screen for one of the slide

export interface ViewTools {
  store: AppStore;
  client: Client;
  annotations: Annotations;
  pointed(place: Triple | null): void; // in pixels of level 0
  painted(): void;
  report(error: unknown): void;
}

export class SlideView {
  readonly element = h("div", { className: "slide-view" });
  private readonly viewer: OpenSeadragon.Viewer;
  private readonly shapes = h("canvas", { className: "slide-overlay", attrs: { "aria-hidden": "true" } });
  private readonly bar = new ScaleBar();
  private readonly maps = new Map<number, { tiles: LabelTiles; canvas: HTMLCanvasElement }>();
  private look = "";
  private drawing = 0;
  private pointer: readonly [number, number] | null = null; // on the page
  private own: Pick<View, "zoom" | "center"> | null = null; // what this view has set itself
  private readonly unwatch: () => void;

  constructor(
    private readonly seadragon: typeof OpenSeadragon,
    readonly image: SlideInfo,
    private readonly tools: ViewTools,
    parent: HTMLElement,
  ) {
    parent.append(this.element); // which has a size from now on
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.viewer = seadragon({
      element: this.element,
      drawer: "canvas",
      animationTime: calm ? 0 : 0.3,
      showNavigationControl: false,
      showNavigator: true,
      navigatorPosition: "TOP_RIGHT",
      navigatorAutoFade: false,
      keyboardNavEnabled: false, // keys are those of the page
      gestureSettingsMouse: { clickToZoom: false, dblClickToZoom: true },
      imageLoaderLimit: requests,
      maxZoomPixelRatio: deepest,
      visibilityRatio: 0.1,
      maxImageCacheCount: mostTiles,
    } as OpenSeadragon.Options);
    this.viewer.canvas.setAttribute("role", "application");
    this.viewer.canvas.setAttribute("aria-roledescription", "slide");
    this.viewer.canvas.setAttribute("aria-label", "Slide: arrow keys move it, plus and minus zoom, 0 shows all of it");
    this.hideFromReaders();
    this.viewer.canvas.append(this.shapes, this.bar.element); // below the navigator
    this.element.addEventListener("pointermove", ({ clientX, clientY }) => this.point([clientX, clientY]));
    this.element.addEventListener("pointerleave", () => this.point(null));
    this.viewer.addHandler("open", () => {
      this.follow(tools.store.get().view);
      this.viewer.world.getItemAt(0).addHandler("fully-loaded-change", () => this.draw());
    });
    this.viewer.addHandler("canvas-click", ({ quick, position }) => {
      if (quick && tools.store.get().tool === "seed") this.addSeedAt(position.x, position.y);
    });
    for (const name of ["update-viewport", "resize", "animation"] as const) this.viewer.addHandler(name, () => this.draw());
    this.viewer.addHandler("animation", () => this.remember());
    this.open();
    this.unwatch = tools.store.watchAny(
      (state) => [state.view, state.layers, state.images, state.channels, state.seeds, state.selectedSeed],
      () => this.update(),
    );
  }

  focus(): void {
    this.viewer.canvas.focus();
  }

  stop(): void {
    this.unwatch();
    cancelAnimationFrame(this.drawing);
    for (const { tiles } of this.maps.values()) tiles.stop();
    this.viewer.destroy();
    this.element.remove();
  }

  /** What lies over a place, in pixels of level 0. */
  labelsAt([x, y]: Triple): { image: ImageInfo; label: number }[] {
    return [...this.maps.values()].flatMap(({ tiles }) => {
      const label = tiles.labelAt(x + 0.5, y + 0.5);
      return label === undefined ? [] : [{ image: tiles.image, label }];
    });
  }

  /** Draws what lies over the slide, before the next frame. */
  draw(): void {
    this.drawing ||= requestAnimationFrame(() => this.paint());
  }

  /** What only the mouse uses: keys do all of it. */
  private hideFromReaders(): void {
    this.viewer.drawer.canvas.setAttribute("aria-hidden", "true");
    const { element } = this.viewer.navigator;
    element.setAttribute("aria-hidden", "true");
    for (const part of [element, ...element.querySelectorAll<HTMLElement>("[tabindex]")]) part.tabIndex = -1;
  }

  private open(): void {
    const { client, store, report } = this.tools;
    this.look = lookOf(this.image, store.get().channels.get(this.image.id));
    this.viewer.open(tileSource(this.seadragon, client, this.image, this.look, report) as never);
  }

  private update(): void {
    const state = this.tools.store.get();
    if (lookOf(this.image, state.channels.get(this.image.id)) !== this.look) this.open();
    const shown = state.layers.flatMap(({ image, shown }) => {
      const map = state.images.get(image);
      return map && shown && state.view.labelsShown && liesOn(this.image, map) ? [map] : [];
    });
    for (const [id, { tiles, canvas }] of this.maps)
      if (!shown.some((map) => map === tiles.image)) {
        tiles.stop();
        canvas.remove();
        this.maps.delete(id);
      }
    for (const map of shown) if (!this.maps.has(map.id)) this.addMap(map);
    const { zoom, center } = state.view;
    if (zoom !== this.own?.zoom || center !== this.own.center) this.follow(state.view);
    this.draw();
  }

  private addMap(map: ImageInfo): void {
    const canvas = h("canvas", { className: "slide-overlay", attrs: { "aria-hidden": "true" } });
    this.shapes.before(canvas);
    const tiles = new LabelTiles(this.tools.client, map, () => this.draw(), this.tools.report);
    this.maps.set(map.id, { tiles, canvas });
  }

  /** Shows what the page's state says. */
  private follow({ zoom, center }: View): void {
    const { viewport } = this.viewer;
    if (!viewport || this.viewer.world.getItemCount() === 0) return;
    this.own = { zoom, center };
    const scale = zoom * fittingScale(this.image, this.element.clientWidth, this.element.clientHeight);
    viewport.zoomTo((scale * this.image.shape.x) / this.element.clientWidth, undefined, true);
    viewport.panTo(new this.seadragon.Point((center[0] + 0.5) / this.image.shape.x, (center[1] + 0.5) / this.image.shape.x), true);
  }

  /** Tells the page's state what the mouse has done. */
  private remember(): void {
    const view = this.viewport();
    if (!view) return;
    const [x, y] = toSlide(view, view.width / 2, view.height / 2);
    const center: Triple = [x - 0.5, y - 0.5, 0];
    const zoom = view.scale / fittingScale(this.image, view.width, view.height);
    const inside = (place: number, length: number) => Math.min(Math.max(Math.floor(place), 0), length - 1);
    const at: Triple = [inside(x, this.image.shape.x), inside(y, this.image.shape.y), 0];
    this.own = { zoom, center };
    setView(this.tools.store, { zoom, center, at });
  }

  private viewport(): Viewport | null {
    if (!this.viewer.viewport || this.viewer.world.getItemCount() === 0) return null;
    const bounds = this.viewer.viewport.getBounds(true);
    const { x } = this.image.shape;
    const width = this.element.clientWidth;
    return { left: bounds.x * x, top: bounds.y * x, scale: width / (bounds.width * x), width, height: this.element.clientHeight };
  }

  private addSeedAt(x: number, y: number): void {
    const view = this.viewport();
    const place = view && this.pixelAt(toSlide(view, x, y));
    if (place) addSeed(this.tools.store, place);
  }

  private pixelAt(place: readonly [number, number]): Triple | null {
    const [x, y] = place.map(Math.floor) as [number, number];
    const isInside = x >= 0 && y >= 0 && x < this.image.shape.x && y < this.image.shape.y;
    return isInside ? [x, y, 0] : null;
  }

  /** Tells what is below the pointer, which need not have moved for that to change. */
  private point(pointer: readonly [number, number] | null): void {
    const view = this.viewport();
    const box = this.element.getBoundingClientRect();
    this.pointer = pointer;
    this.tools.pointed(view && pointer && this.pixelAt(toSlide(view, pointer[0] - box.left, pointer[1] - box.top)));
  }

  private paintSeeds(context: CanvasRenderingContext2D, { left, top, scale }: Viewport, ratio: number): void {
    const state = this.tools.store.get();
    const [plane] = planeViews(this.image, state.view.convention);
    if (!plane) return;
    const place = { view: plane, lengths: lengthsOf(this.image), scaleX: scale, scaleY: scale, left: -left * scale, top: -top * scale };
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    drawSeeds(context, place, seedsOn(state, this.image), state.view.at, state.selectedSeed, colorsOf(state.view.palette), "system-ui, sans-serif");
  }

  private paint(): void {
    this.drawing = 0;
    const view = this.viewport();
    if (!view) return;
    const state = this.tools.store.get();
    const ratio = devicePixelRatio;
    let isComplete = true;
    for (const { tiles, canvas } of this.maps.values()) {
      canvas.style.opacity = state.view.labelStyle === "outline" ? "1" : String(state.view.labelOpacity);
      const isThere = tiles.draw(cleared(canvas, view, ratio), view, ratio, coloringOf(tiles.image, state), state.view.labelStyle);
      isComplete &&= isThere;
    }
    const context = cleared(this.shapes, view, ratio);
    const layers = this.tools.annotations.layers();
    for (const { layer, colorOf } of layers) layer.draw(context, view, ratio, colorOf);
    this.paintSeeds(context, view, ratio);
    this.bar.show(this.image, view.scale);
    this.element.dataset["tiles"] = this.viewer.world.getItemAt(0).getFullyLoaded() ? "all" : "loading";
    this.element.dataset["shapes"] = layers.map(({ layer }) => (layer.isRaster ? "raster" : "lines")).join();
    this.element.dataset["labels"] = isComplete ? [...this.maps.keys()].join() : "loading";
    if (this.pointer) this.point(this.pointer);
    this.tools.painted();
  }
}

/** As large as the view, with nothing on it. */
function cleared(canvas: HTMLCanvasElement, view: Viewport, ratio: number): CanvasRenderingContext2D {
  const [width, height] = [Math.round(view.width * ratio), Math.round(view.height * ratio)];
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  const context = canvas.getContext("2d") as CanvasRenderingContext2D;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}
