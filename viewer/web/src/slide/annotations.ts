// The annotations of slides: fetched when their slide is looked at, shown or not by class.

import { h, iconButton, keepFocus, setIcon } from "../dom.ts";
import { type Client, textOf } from "../session/client.ts";
import { type AppStore, shownImage } from "../store/state.ts";
import { type AnnotationsInfo, type ListedAnnotations, isSlide } from "../store/wire.ts";
import { type ColorOfClass, ShapeLayer } from "./shape_layer.ts";
import { parseShapes } from "./shapes.ts";

interface Opened {
  info: AnnotationsInfo;
  layer: ShapeLayer;
}

/** How a class is kept among the hidden ones. */
const hiddenName = (file: number, index: number) => `${file}/${index}`;

export class Annotations {
  private readonly opened = new Map<number, Opened>();
  private readonly problems = new Map<number, string>();
  private readonly asked = new Set<number>();
  private hidden: ReadonlySet<string> = new Set();
  private readonly colors = new Map<number, ColorOfClass>();
  private readonly list = h("ul", { className: "class-list" });
  readonly panel = h("section", { className: "panel-section", hidden: true }, h("h2", {}, "Annotations"), this.list);

  constructor(
    private readonly store: AppStore,
    private readonly client: Client,
    private readonly changed: () => void,
  ) {
    store.watchAny(
      (state) => [state.session, shownImage(state)],
      () => {
        for (const { id } of this.ofShown()) if (!this.asked.has(id)) void this.open(id);
        this.show();
      },
    );
  }

  /** Those of the shown slide that are there, with the colors of their classes. */
  layers(): { layer: ShapeLayer; colorOf: ColorOfClass }[] {
    return this.ofShown().flatMap(({ id }) => {
      const opened = this.opened.get(id);
      return opened ? [{ layer: opened.layer, colorOf: this.colorOf(opened.info) }] : [];
    });
  }

  /** The names of the classes of areas that cover a place of the shown slide. */
  classesAt(x: number, y: number): string[] {
    return this.ofShown().flatMap(({ id }) => {
      const opened = this.opened.get(id);
      if (!opened) return [];
      const { shapes } = opened.layer;
      const indices = shapes.areasAt(x, y).map((shape) => shapes.classes[shape] as number);
      const shown = indices.filter((index) => !this.hidden.has(hiddenName(id, index)));
      return [...new Set(shown)].map((index) => nameOf(opened.info, index));
    });
  }

  private ofImage(): readonly ListedAnnotations[] {
    const { session, view } = this.store.get();
    return (session?.annotations ?? []).filter(({ of }) => of === view.image);
  }

  private ofShown(): readonly ListedAnnotations[] {
    return isSlide(shownImage(this.store.get())) ? this.ofImage() : [];
  }

  private async open(id: number): Promise<void> {
    this.asked.add(id);
    try {
      const info = await this.client.annotations(id);
      const layer = new ShapeLayer(parseShapes(await this.client.shapes(id)), this.changed);
      this.opened.set(id, { info, layer });
    } catch (error) {
      this.problems.set(id, textOf(error));
    }
    this.show();
    this.changed();
  }

  /** The same function as long as the same classes are shown. */
  private colorOf(info: AnnotationsInfo): ColorOfClass {
    let made = this.colors.get(info.id);
    if (!made) {
      const shown = info.classes.map(({ color }, index) => (this.hidden.has(hiddenName(info.id, index)) ? null : color));
      this.colors.set(info.id, (made = (index) => shown[index] ?? null));
    }
    return made;
  }

  private toggle(file: number, index: number): void {
    const hidden = new Set(this.hidden);
    const name = hiddenName(file, index);
    if (!hidden.delete(name)) hidden.add(name);
    this.hidden = hidden;
    this.colors.delete(file);
    this.show();
    this.changed();
  }

  private show(): void {
    const files = this.ofImage();
    this.panel.hidden = files.length === 0;
    keepFocus(this.list, () => this.list.replaceChildren(...files.flatMap((file) => this.rowsOf(file))));
  }

  private rowsOf({ id, name }: ListedAnnotations): HTMLElement[] {
    const opened = this.opened.get(id);
    const image = shownImage(this.store.get());
    const notHere = image && !isSlide(image) ? "Annotations are drawn on slides, and this image is shown as a picture." : undefined;
    const problem = notHere ?? this.problems.get(id);
    const head = h(
      "li",
      { className: "class-file" },
      h("span", { className: "image-name" }, name),
      !opened && !problem ? h("span", { className: "hint" }, "Loading…") : null,
      problem ? h("span", { className: "problem" }, problem) : null,
      ...(opened?.info.warnings ?? []).map((warning) => h("span", { className: "warning" }, warning)),
    );
    return [head, ...(opened?.info.classes ?? []).map((_, index) => this.rowOf((opened as Opened).info, index))];
  }

  private rowOf(info: AnnotationsInfo, index: number): HTMLElement {
    const { color, count } = info.classes[index] as AnnotationsInfo["classes"][number];
    const isShown = !this.hidden.has(hiddenName(info.id, index));
    const name = nameOf(info, index);
    const eye = iconButton(isShown ? "eye" : "hidden", `Show ${name}`, () => this.toggle(info.id, index));
    eye.setAttribute("aria-pressed", String(isShown));
    setIcon(eye, isShown ? "eye" : "hidden");
    const swatch = h("span", { className: "swatch", attrs: { "aria-hidden": "true" } });
    swatch.style.background = color;
    return h("li", { className: "class-row" }, swatch, h("span", {}, name), h("span", { className: "hint" }, count.toLocaleString("en-US")), eye);
  }
}

function nameOf(info: AnnotationsInfo, index: number): string {
  return info.classes[index]?.name || "Unclassified";
}
