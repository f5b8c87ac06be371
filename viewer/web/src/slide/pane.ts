// The place of the slide on the page: OpenSeadragon is started when the first slide is shown.

import { h } from "../dom.ts";
import { type Client, ServerError, textOf } from "../session/client.ts";
import type { Status } from "../slices/status.ts";
import { type AppStore, setView, shownImage } from "../store/state.ts";
import { type ImageInfo, type SlideInfo, type Triple, isSlide } from "../store/wire.ts";
import { Annotations } from "./annotations.ts";
import { SlideView } from "./view.ts";

/**
 * OpenSeadragon adds a style for telephones where it finds none of this name; the policy of the page forbids that.
 * What it finds is no style of HTML, at which the policy would look as well.
 */
function keepOutItsStyle(): void {
  const name = "data-openseadragon-mobile-css";
  if (document.querySelector(`style[${name}]`)) return;
  const standIn = document.createElementNS(null, "style");
  standIn.setAttribute(name, "true");
  document.head.append(standIn);
}

export class SlidePane {
  readonly element = h("main", { className: "slide-pane", hidden: true, attrs: { "aria-label": "Slide" } });
  readonly annotations: Annotations;
  private view: SlideView | null = null;
  private shown: SlideInfo | null = null;

  constructor(
    private readonly store: AppStore,
    private readonly client: Client,
    private readonly status: Status,
  ) {
    this.annotations = new Annotations(store, client, () => this.view?.draw());
    store.watch(shownImage, (image) => void this.show(isSlide(image) ? image : null));
  }

  focus(): void {
    this.view?.focus();
  }

  /** What the status line says of a place. */
  valuesAt(place: Triple): { values: number[]; labels: { image: ImageInfo; label: number }[]; notes: string[] } {
    return { values: [], labels: this.view?.labelsAt(place) ?? [], notes: this.annotations.classesAt(place[0] + 0.5, place[1] + 0.5) };
  }

  private async show(image: SlideInfo | null): Promise<void> {
    if (this.shown === image) return;
    this.shown = image;
    this.view?.stop();
    this.view = null;
    this.element.hidden = image === null;
    document.body.classList.toggle("has-slide", image !== null);
    if (!image) return;
    const { default: seadragon } = await import("openseadragon");
    if (this.shown !== image || this.view) return;
    keepOutItsStyle();
    this.view = new SlideView(seadragon, image, {
      store: this.store,
      client: this.client,
      annotations: this.annotations,
      pointed: (place) => this.status.point(this, place),
      painted: () => this.status.show(),
      report: (error) => this.report(error),
    }, this.element);
  }

  private report(error: unknown): void {
    const isKnown = error instanceof TypeError || (error instanceof ServerError && error.status === 404);
    if (!isKnown) this.status.warn(textOf(error));
  }
}

/** Moves the slide by a tenth of what is seen, by keys. */
export function panSlide(store: AppStore, image: ImageInfo, across: number, down: number): void {
  const { view } = store.get();
  const step = Math.max(image.shape.x, image.shape.y) / view.zoom / 10;
  const clamp = (place: number, length: number) => Math.min(Math.max(place, 0), length - 1);
  const [x, y] = [clamp(view.center[0] + across * step, image.shape.x), clamp(view.center[1] + down * step, image.shape.y)];
  setView(store, { center: [x, y, 0], at: [Math.round(x), Math.round(y), 0] });
}
