// The bar that shows how long a round length is on the screen.

import { h } from "../dom.ts";
import type { ImageInfo } from "../store/wire.ts";

const longest = 160; // pixels of the screen

/** Micrometers of a pixel along x; null: not known. */
export function micrometersOf(image: ImageInfo): number | null {
  if (!image.has_geometry) return null;
  return image.spacing[0] * (image.unit === "mm" ? 1000 : 1);
}

export function lengthText(micrometers: number): string {
  if (micrometers >= 1000) return `${Number((micrometers / 1000).toPrecision(3))} mm`;
  if (micrometers >= 1) return `${Number(micrometers.toPrecision(3))} µm`;
  return `${Number((micrometers * 1000).toPrecision(3))} nm`;
}

/** 1, 2 or 5 times a power of ten, in micrometers or pixels, and its length on the screen. */
export function barFor(image: ImageInfo, scale: number): { text: string; pixels: number } {
  const micrometers = micrometersOf(image);
  const unit = micrometers ?? 1;
  const most = (longest / scale) * unit;
  const power = 10 ** Math.floor(Math.log10(most));
  const round = ([5, 2, 1].find((step) => step * power <= most) ?? 1) * power;
  const text = micrometers === null ? `${Number(round.toPrecision(3))} px` : lengthText(round);
  return { text, pixels: (round / unit) * scale };
}

export class ScaleBar {
  private readonly line = h("div", { className: "scale-line" });
  private readonly text = h("span", {});
  readonly element = h("div", { className: "scale-bar" }, this.line, this.text);

  show(image: ImageInfo, scale: number): void {
    const { text, pixels } = barFor(image, scale);
    this.line.style.width = `${pixels}px`;
    this.text.textContent = text;
  }
}
