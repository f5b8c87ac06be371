// The state of the view in the address: what somebody else sees who opens it, and what comes back when the
// page is loaded again.

import type { ChannelView, Panel, Seed, State, View } from "../store/state.ts";
import { type Look, lookText, parseLook } from "../volume/look.ts";
import type { OptionValue, Range, Triple } from "../store/wire.ts";

export interface Saved {
  view: Partial<View>;
  channels: { image: number; views: readonly ChannelView[] } | null;
  panel: Partial<Panel>;
  seeds: Omit<Seed, "id">[];
  volume: Partial<Look>;
  hidden: number[]; // label maps that are not shown
  editing: number | null; // labels that are edited
}

const flags = { x: "crosshair", smooth: "smooth", labels: "labelsShown", max: "maximized" } as const;
const choices = {
  side: ["convention", ["radiological", "neurological"]],
  style: ["labelStyle", ["fill", "outline"]],
  colors: ["palette", ["tesela", "safe"]],
} as const;
const standard: Partial<View> = {
  crosshair: true,
  smooth: true,
  labelsShown: true,
  maximized: false,
  convention: "radiological",
  labelStyle: "fill",
  palette: "tesela",
};

const short = (value: number) => String(Number(value.toPrecision(6)));
const numbers = (text: string) => text.split(",").map(Number);
const allFinite = (list: readonly number[]) => list.every((n) => Number.isFinite(n));

function channelText({ shown, color, window }: ChannelView): string {
  return `${shown ? "" : "-"}${color.slice(1)},${short(window[0])},${short(window[1])}`;
}

function parseChannel(text: string): ChannelView | null {
  const match = /^(-?)([0-9a-f]{6}),([^,]+),([^,]+)$/i.exec(text);
  if (!match) return null;
  const window: Range = [Number(match[3]), Number(match[4])];
  return allFinite(window) ? { shown: match[1] === "", color: `#${match[2]}`, window } : null;
}

/** The fragment without `#`: readable, and without what is as at the start. */
export function toFragment(state: State): string {
  const { view, panel } = state;
  if (view.image === null) return "";
  const parts: string[] = [`image=${view.image}`, `at=${view.at.join(",")}`];
  const add = (name: string, text: string) => parts.push(`${name}=${text}`);
  if (view.t > 0) add("t", String(view.t));
  if (view.zoom !== 1) add("zoom", short(view.zoom));
  if (view.zoom !== 1) add("center", view.center.map(short).join(","));
  if (view.main > 0) add("main", String(view.main));
  for (const [name, member] of Object.entries(flags))
    if (view[member] !== standard[member]) add(name, view[member] ? "1" : "0");
  for (const [name, [member]] of Object.entries(choices))
    if (view[member] !== standard[member]) add(name, view[member]);
  if (view.labelOpacity !== 0.5) add("opacity", short(view.labelOpacity));
  const channels = state.channels.get(view.image);
  if (channels) add("channels", channels.map(channelText).join(";"));
  const hidden = state.layers.filter((layer) => !layer.shown).map((layer) => layer.image);
  if (hidden.length > 0) add("hidden", hidden.join(","));
  if (state.seeds.length > 0)
    add("seeds", state.seeds.map((s) => `${s.image}:${[...s.at, s.t].join(",")}:${s.label}`).join(";"));
  const volume = lookText(state.volume);
  if (volume) add("volume", encodeURIComponent(volume));
  if (state.editing) add("edit", String(state.editing.id));
  if (panel.operation !== null) add("operation", encodeURIComponent(panel.operation));
  if (!panel.automatic) add("auto", "0");
  for (const [name, value] of Object.entries(panel.options))
    add(`o.${name}`, encodeURIComponent(JSON.stringify(value)));
  for (const [name, image] of Object.entries(panel.images)) add(`i.${name}`, String(image));
  for (const [name, text] of Object.entries(panel.texts)) add(`t.${name}`, encodeURIComponent(text));
  return parts.join("&");
}

function parseSeed(text: string): Omit<Seed, "id"> | null {
  const [image, place, label] = text.split(":");
  const at = numbers(place ?? "");
  const all = [Number(image), Number(label), ...at];
  if (at.length !== 4 || !allFinite(all)) return null;
  return { image: Number(image), at: at.slice(0, 3) as unknown as Triple, t: at[3] as number, label: Number(label) };
}

function parseOption(text: string): OptionValue | undefined {
  try {
    return JSON.parse(text) as OptionValue;
  } catch {
    return undefined;
  }
}

function triple(text: string): Triple | null {
  const list = numbers(text);
  return list.length === 3 && allFinite(list) ? (list as unknown as Triple) : null;
}

function present<T>(list: readonly (T | null)[]): T[] {
  return list.filter((part): part is T => part !== null);
}

function parseView(values: ReadonlyMap<string, string>): Partial<View> {
  const view: Partial<View> = {};
  const number = (name: string, take: (n: number) => void) => {
    const value = Number(values.get(name) ?? Number.NaN);
    if (Number.isFinite(value)) take(value);
  };
  number("image", (n) => (view.image = n));
  number("t", (n) => (view.t = n));
  number("zoom", (n) => (view.zoom = Math.max(n, 0.2)));
  number("main", (n) => (view.main = Math.min(Math.max(Math.round(n), 0), 3)));
  number("opacity", (n) => (view.labelOpacity = Math.min(Math.max(n, 0), 1)));
  const at = triple(values.get("at") ?? "");
  if (at) view.at = at;
  const center = triple(values.get("center") ?? "");
  if (center) view.center = center;
  for (const [name, member] of Object.entries(flags)) if (values.has(name)) view[member] = values.get(name) === "1";
  for (const [name, [member, allowed]] of Object.entries(choices)) {
    const value = values.get(name);
    if (value !== undefined && (allowed as readonly string[]).includes(value)) Object.assign(view, { [member]: value });
  }
  return view;
}

/** Whatever of a fragment is understood; the rest is ignored, since people edit addresses. */
export function parseFragment(fragment: string): Saved {
  const values = new Map<string, string>();
  for (const part of fragment.replace(/^#/, "").split("&")) {
    const equals = part.indexOf("=");
    if (equals > 0) values.set(part.slice(0, equals), decode(part.slice(equals + 1)));
  }
  const view = parseView(values);
  const options: Record<string, OptionValue> = {};
  const images: Record<string, number> = {};
  const texts: Record<string, string> = {};
  for (const [name, text] of values) {
    const option = name.startsWith("o.") ? parseOption(text) : undefined;
    if (option !== undefined) options[name.slice(2)] = option;
    if (name.startsWith("t.")) texts[name.slice(2)] = text;
    if (name.startsWith("i.") && Number.isInteger(Number(text))) images[name.slice(2)] = Number(text);
  }
  const views = present((values.get("channels") ?? "").split(";").map(parseChannel));
  return {
    view,
    channels: views.length > 0 && view.image != null ? { image: view.image, views } : null,
    panel: {
      operation: values.get("operation") ?? null,
      options,
      images,
      texts,
      automatic: values.get("auto") !== "0",
    },
    seeds: present((values.get("seeds") ?? "").split(";").map(parseSeed)),
    volume: parseLook(values.get("volume") ?? ""),
    editing: Number(values.get("edit")) || null,
    hidden: (values.get("hidden") ?? "").split(",").filter(Boolean).map(Number),
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
