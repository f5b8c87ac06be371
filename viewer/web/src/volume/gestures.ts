// Mouse, keys and fields that change a transfer function.

import { colorText, parseColor } from "../colors/labels.ts";
import { h, iconButton, textButton } from "../dom.ts";
import { rounded } from "../slices/window.ts";
import { type Chosen, type Inks, type Plot, drawEditor, opacityIn, partAt, plotOf, pointAt, valueAt } from "./editor.ts";
import type { Histogram } from "./look.ts";
import { type Transfer, addPoint, colorAt, moveColor, moveOpacity, paintColor, removePoint } from "./transfer.ts";

export class TransferEditor {
  private readonly canvas = h("canvas", {
    className: "transfer",
    tabIndex: 0,
    attrs: {
      role: "application",
      "aria-roledescription": "transfer function",
      "aria-label": "Transfer function: Page up and Page down choose a point, arrow keys move it, Insert adds one, Delete removes it",
    },
  });
  private readonly value = h("input", { type: "number", step: "any", className: "number", attrs: { "aria-label": "Value of the point" }, on: { change: () => this.moveTo(this.value.valueAsNumber, null) } });
  private readonly opacity = h("input", { type: "number", step: "0.01", min: "0", max: "1", className: "number", attrs: { "aria-label": "Opacity of the point" }, on: { change: () => this.moveTo(null, this.opacity.valueAsNumber) } });
  private readonly color = h("input", { type: "color", attrs: { "aria-label": "Color of the point" }, on: { input: () => this.paint() } });
  private readonly remove = iconButton("remove", "Delete the point (Delete)", () => this.removeChosen(), "small");
  private readonly spoken = h("p", { className: "visually-hidden", attrs: { "aria-live": "polite" } });
  readonly element = h(
    "div",
    { className: "transfer-editor" },
    this.canvas,
    h("div", { className: "transfer-row" }, this.value, this.opacity, this.color, this.remove, h("div", { className: "spacer" }), textButton("Add", () => this.insert(), "small")),
    this.spoken,
  );
  private histogram: Histogram | null = null;
  private transfer: Transfer | null = null;
  private chosen: Chosen | null = null;

  constructor(private readonly change: (transfer: Transfer) => void) {
    this.listen();
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    matchMedia("(prefers-color-scheme: light)").addEventListener("change", () => this.draw());
  }

  update(histogram: Histogram, transfer: Transfer): void {
    this.histogram = histogram;
    this.transfer = transfer;
    const { chosen } = this;
    if (!chosen || chosen.index >= transfer[chosen.part].length) this.chosen = { part: "opacity", index: 0 };
    this.draw();
  }

  private plot(): Plot | null {
    if (!this.histogram || !this.transfer) return null;
    return plotOf(this.canvas.clientWidth, this.canvas.clientHeight, this.histogram, this.transfer);
  }

  private set(transfer: Transfer, chosen: Chosen | null = this.chosen): void {
    this.chosen = chosen;
    this.change({ ...transfer, name: "" });
  }

  private moveTo(value: number | null, opacity: number | null): void {
    const { transfer, chosen } = this;
    if (!transfer || !chosen || [value, opacity].some((n) => n !== null && !Number.isFinite(n))) return;
    const [before, held = 0] = transfer[chosen.part][chosen.index] as readonly [number, number];
    if (chosen.part === "color") this.set(moveColor(transfer, chosen.index, value ?? before));
    else this.set(moveOpacity(transfer, chosen.index, value ?? before, opacity ?? held));
  }

  /** The color at a point of opacity is that of a point of color, which is made where there is none. */
  private paint(): void {
    const { transfer, chosen } = this;
    if (!transfer || !chosen) return;
    const color = parseColor(this.color.value).map((c) => c / 255) as unknown as readonly [number, number, number];
    if (chosen.part === "color") return this.set(paintColor(transfer, chosen.index, color));
    const value = transfer.opacity[chosen.index]?.[0] ?? 0;
    const there = transfer.color.findIndex((point) => point[0] === value);
    const [made, index] = there < 0 ? addPoint(transfer, "color", value) : [transfer, there];
    this.set(paintColor(made, index, color));
  }

  private removeChosen(): void {
    if (this.transfer && this.chosen) this.set(removePoint(this.transfer, this.chosen.part, this.chosen.index), { ...this.chosen, index: Math.max(0, this.chosen.index - 1) });
  }

  /** A point between the chosen one and the next. */
  private insert(): void {
    const { transfer, chosen, histogram } = this;
    if (!transfer || !chosen || !histogram) return;
    const list: readonly (readonly [number, ...number[]])[] = transfer[chosen.part];
    const here = list[chosen.index]?.[0] ?? histogram.lowest;
    const [made, index] = addPoint(transfer, chosen.part, (here + (list[chosen.index + 1]?.[0] ?? histogram.highest)) / 2);
    this.set(made, { part: chosen.part, index });
  }

  private choose(by: number): void {
    const { transfer, chosen } = this;
    if (!transfer || !chosen) return;
    const all = (["opacity", "color"] as const).flatMap((part) => transfer[part].map((_, index): Chosen => ({ part, index })));
    const at = all.findIndex(({ part, index }) => part === chosen.part && index === chosen.index);
    this.chosen = all[(at + by + all.length) % all.length] ?? null;
    this.draw();
  }

  private listen(): void {
    const { canvas } = this;
    let isDragged = false;
    const drag = (event: PointerEvent) => {
      const plot = this.plot();
      if (plot && isDragged) this.moveTo(valueAt(plot, event.offsetX), opacityIn(plot, event.offsetY));
    };
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("pointerdown", (event) => {
      const plot = this.plot();
      const { transfer } = this;
      if (!plot || !transfer) return;
      const [x, y] = [event.offsetX, event.offsetY];
      const found = pointAt(plot, transfer, x, y);
      if (found) this.chosen = found;
      if (event.button === 2) return found ? this.removeChosen() : undefined;
      isDragged = event.button === 0;
      canvas.setPointerCapture(event.pointerId);
      if (found) return this.draw();
      const part = partAt(plot, y);
      const [made, index] = addPoint(transfer, part, valueAt(plot, x), opacityIn(plot, y));
      this.set(made, { part, index });
    });
    canvas.addEventListener("pointermove", drag);
    for (const end of ["pointerup", "pointercancel"] as const) canvas.addEventListener(end, () => (isDragged = false));
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  private key(event: KeyboardEvent): void {
    const { transfer, chosen } = this;
    const plot = this.plot();
    if (!transfer || !chosen || !plot || event.ctrlKey || event.altKey || event.metaKey) return;
    const [value, opacity = 0] = transfer[chosen.part][chosen.index] as readonly [number, number];
    const step = ((plot.highest - plot.lowest) / 256) * (event.shiftKey ? 10 : 1);
    const rise = event.shiftKey ? 0.1 : 0.01;
    const run: Record<string, () => void> = {
      ArrowLeft: () => this.moveTo(value - step, null),
      ArrowRight: () => this.moveTo(value + step, null),
      ArrowUp: () => this.moveTo(null, opacity + rise),
      ArrowDown: () => this.moveTo(null, opacity - rise),
      PageUp: () => this.choose(1),
      PageDown: () => this.choose(-1),
      Insert: () => this.insert(),
      Delete: () => this.removeChosen(),
    };
    if (!run[event.key]) return;
    event.preventDefault();
    run[event.key]?.();
  }

  private draw(): void {
    const plot = this.plot();
    const context = this.canvas.getContext("2d");
    const { transfer, histogram, chosen } = this;
    if (!plot || !context || !transfer || !histogram || !chosen || plot.width === 0) return;
    const ratio = devicePixelRatio;
    this.canvas.width = Math.round(plot.width * ratio);
    this.canvas.height = Math.round(plot.height * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const style = getComputedStyle(this.canvas);
    const ink = (name: string) => style.getPropertyValue(name);
    const inks: Inks = { text: ink("--text"), quiet: ink("--line"), accent: ink("--accent"), ground: ink("--field") };
    drawEditor(context, plot, histogram, transfer, chosen, inks);
    const [value, opacity = 0] = transfer[chosen.part][chosen.index] as readonly [number, number];
    this.value.value = String(rounded(value, plot.highest - plot.lowest));
    this.opacity.hidden = chosen.part === "color";
    this.opacity.value = String(Number(opacity.toFixed(3)));
    this.color.value = colorText(colorAt(transfer, value).map((c) => Math.round(255 * c)) as unknown as readonly [number, number, number]);
    this.remove.disabled = transfer[chosen.part].length < 2;
    const kind = chosen.part === "color" ? "color" : `opacity ${this.opacity.value}`;
    this.spoken.textContent = `Point ${chosen.index + 1} of ${transfer[chosen.part].length}, value ${this.value.value}, ${kind}`;
  }
}
