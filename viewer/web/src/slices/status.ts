// The line below the slices: where the pointer or the cross-hair is, and what is there.

import { h } from "../dom.ts";
import { type AppStore, shownImage } from "../store/state.ts";
import { type ImageInfo, type Triple, isSlide } from "../store/wire.ts";
import { toPhysical } from "./geometry.ts";
import { rounded } from "./window.ts";

const spokenAfter = 400; // ms of rest, until screen readers say it

/** What a pane tells of a voxel that it shows. */
export interface PointedPane {
  valuesAt(voxel: Triple): { values: number[]; labels: { image: ImageInfo; label: number }[]; notes?: string[] };
}

const directions = [["L", "R"], ["P", "A"], ["S", "I"]] as const; // toward more, toward less

/** "L 12.5 P 3.0 S 20.0 mm" of a patient, otherwise three numbers. */
export function physicalText(image: ImageInfo, voxel: Triple): string {
  const point = toPhysical(image, voxel);
  if (!point) return "";
  if (isSlide(image)) {
    const toMillimeters = image.unit === "mm" ? 1 : 1e-3;
    return `${point.slice(0, 2).map((value) => (value * toMillimeters).toFixed(4)).join("  ")} mm`;
  }
  const unit = image.unit.replace("um", "µm");
  const digits = Math.min(...image.spacing) < 0.1 ? 2 : 1;
  const texts = point.map((value, axis) => {
    if (!image.axes) return value.toFixed(digits);
    const [more, less] = directions[axis as 0 | 1 | 2];
    return `${value < 0 ? less : more} ${Math.abs(value).toFixed(digits)}`;
  });
  const shown = image.shape.z === 1 && !image.axes ? texts.slice(0, 2) : texts;
  return `${shown.join("  ")} ${unit}`;
}

export function valueText(image: ImageInfo, values: readonly number[]): string {
  const texts = values.map((value, i) => {
    if (Number.isInteger(value)) return String(value);
    const { lowest = 0, highest = 1 } = image.channels[i] ?? {};
    return String(rounded(value, (highest - lowest) / 100));
  });
  return texts.join(", ");
}

/** "3 liver" */
export function labelText(image: ImageInfo, label: number): string {
  const name = image.labels?.find((named) => named.label === label)?.name;
  return name ? `${label} ${name}` : String(label);
}

export class Status {
  private readonly place = h("span", { className: "status-place" });
  private readonly physical = h("span", { className: "status-physical" });
  private readonly value = h("span", { className: "status-value" });
  private readonly label = h("span", { className: "status-label" });
  private readonly message = h("span", { className: "status-message", attrs: { role: "alert" } });
  private readonly spoken = h("div", {
    className: "visually-hidden",
    attrs: { role: "status", "aria-live": "polite", "aria-atomic": "true" },
  });
  readonly element = h(
    "footer",
    { className: "status" },
    h(
      "div",
      { className: "status-line", attrs: { "aria-hidden": "true" } },
      this.place,
      this.physical,
      this.value,
      this.label,
    ),
    this.message,
    this.spoken,
  );
  private pointed: { pane: PointedPane; voxel: Triple } | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private frame = 0;

  constructor(
    private readonly store: AppStore,
    /** What is at the cross-hair. */
    private readonly atCrosshair: (voxel: Triple) => ReturnType<PointedPane["valuesAt"]> | null,
  ) {}

  point(pane: PointedPane, voxel: Triple | null): void {
    this.pointed = voxel && { pane, voxel };
    this.show();
  }

  /** A sentence that stays for some seconds. */
  warn(sentence: string): void {
    this.message.textContent = sentence;
    setTimeout(() => {
      if (this.message.textContent === sentence) this.message.textContent = "";
    }, 10_000);
  }

  show(): void {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.write();
    });
  }

  private write(): void {
    const state = this.store.get();
    const image = shownImage(state);
    if (!image) return;
    const voxel = this.pointed?.voxel ?? state.view.at;
    const found = this.pointed?.pane.valuesAt(voxel) ?? this.atCrosshair(voxel);
    const shown = image.shape.z === 1 ? voxel.slice(0, 2) : voxel;
    this.place.textContent =
      shown.map((v, axis) => `${"xyz"[axis]} ${v}`).join("  ") + (image.shape.t > 1 ? `  t ${state.view.t}` : "");
    this.physical.textContent = physicalText(image, voxel);
    this.value.textContent = this.valueOf(image, found?.values ?? []);
    const labels = (found?.labels ?? []).filter(({ label }) => label !== 0).map((at) => `label ${labelText(at.image, at.label)}`);
    this.label.textContent = [...labels, ...(found?.notes ?? [])].join("  ");
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const parts = [this.place, this.physical, this.value, this.label].map((part) => part.textContent);
      this.spoken.textContent = parts.filter(Boolean).join(", ");
    }, spokenAfter);
  }

  private valueOf(image: ImageInfo, values: readonly number[]): string {
    if (values.length === 0) return "";
    if (image.role === "labels") return `label ${labelText(image, values[0] ?? 0)}`;
    return `value ${valueText(image, values)}`;
  }
}
