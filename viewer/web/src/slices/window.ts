// Windows of brightness: which values are black and which are full color.

import type { ImageInfo, Range } from "../store/wire.ts";

export interface Preset {
  name: string;
  window: Range;
}

/** From the middle and the width, as radiologists say it. */
export function fromLevel(level: number, width: number): Range {
  return [level - width / 2, level + width / 2];
}

export function levelOf([low, high]: Range): { level: number; width: number } {
  return { level: (low + high) / 2, width: high - low };
}

/** Whether values are like those of computed tomography: air about -1000, bone some hundreds. */
export function isHounsfield(image: ImageInfo): boolean {
  const channel = image.channels[0];
  return (
    image.channels.length === 1 &&
    !image.is_color &&
    image.role === "image" &&
    channel !== undefined &&
    channel.lowest <= -500 &&
    channel.lowest >= -4096 &&
    channel.highest >= 300 &&
    channel.highest <= 32767
  );
}

export function presetsOf(image: ImageInfo, channel: number): Preset[] {
  const facts = image.channels[channel];
  if (!facts) return [];
  const presets: Preset[] = [
    { name: "0.5–99.5 %", window: facts.window },
    { name: "Full range", window: [facts.lowest, facts.highest] },
  ];
  if (isHounsfield(image))
    presets.push(
      { name: "CT soft tissue", window: fromLevel(40, 400) },
      { name: "CT bone", window: fromLevel(400, 1800) },
      { name: "CT lung", window: fromLevel(-600, 1500) },
    );
  return presets;
}

/** The window after a drag by so many pixels: to the right wider, downwards brighter values. */
export function draggedWindow(start: Range, span: number, dx: number, dy: number): Range {
  const perPixel = span / 512;
  const { level, width } = levelOf(start);
  return fromLevel(level + dy * perPixel, Math.max(width + dx * perPixel, span / 4096));
}

/** A number for people: as many digits as the window's width asks for. */
export function rounded(value: number, width: number): number {
  const digits = Math.max(0, Math.min(12, 2 - Math.floor(Math.log10(Math.abs(width) || 1))));
  return Number(value.toFixed(digits));
}
