// What the form of an operation holds, made from its description. Nothing here draws.

import type { Panel, Problem, Seed } from "../store/state.ts";
import { seedText } from "../seeds/seeds.ts";
import type {
  ImageInfo,
  InputDescription,
  JobInput,
  JobRequest,
  OperationDescription,
  OperationLine,
  OptionDescription,
  OptionValue,
} from "../store/wire.ts";

const imageKinds = new Set(["image", "labels", "mask", "difference", "view", "field", "grid"]);

export function isImageKind(kind: string): boolean {
  return imageKinds.has(kind);
}

/** The options of the operation itself, without those of files, devices and messages. */
export function ownOptions(description: OperationDescription): OptionDescription[] {
  const inputs = new Set(description.inputs.map((input) => input.name));
  return description.options.filter((option) => option.group === "Options" && !inputs.has(option.name));
}

export function seedsInput(description: OperationDescription): InputDescription | undefined {
  return description.inputs.find((input) => input.kind === "seeds");
}

export function imageInputs(description: OperationDescription): InputDescription[] {
  return description.inputs.filter((input) => isImageKind(input.kind));
}

const textKinds = new Set(["transfer function", "camera", "background"]);

export function textInputs(description: OperationDescription): InputDescription[] {
  return description.inputs.filter((input) => textKinds.has(input.kind));
}

const shownKinds = new Set([...imageKinds, "table", "outlines"]);

/** Outputs that the page can show. */
export function shownOutputs(description: OperationDescription): OperationDescription["outputs"] {
  return description.outputs.filter((output) => shownKinds.has(output.kind));
}

/** The main output, and label maps, which lie over the image. */
export function usualOutputs(description: OperationDescription): string[] {
  const main = description.outputs[0]?.name;
  return shownOutputs(description)
    .filter((output) => output.name === main || output.kind === "labels")
    .map((output) => output.name);
}

/** Why the page cannot run an operation; null where it can. */
export function obstacle(description: OperationDescription): string | null {
  const other = description.inputs.find(
    (i) => i.required && !isImageKind(i.kind) && i.kind !== "seeds" && !textKinds.has(i.kind),
  );
  return other
    ? `It needs ${/^[aeiou]/.test(other.kind) ? "an" : "a"} ${other.kind} from a file: use tesela ${description.verb} on the command line.`
    : null;
}

/** "max-step" is "Max step". */
export function titleOf(name: string): string {
  const words = name.replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

// Lengths -------------------------------------------------------------------------------------------------

export const lengthUnits = ["px", "mm", "um"] as const;
export type LengthUnit = (typeof lengthUnits)[number];

export function parseLength(value: OptionValue): { value: number; unit: LengthUnit } | null {
  if (typeof value === "number") return { value, unit: "px" };
  const match = typeof value === "string" ? /^([-+\d.eE]+)\s*(px|mm|um)?$/.exec(value) : null;
  const number = Number(match?.[1]);
  return match && Number.isFinite(number) ? { value: number, unit: (match[2] ?? "px") as LengthUnit } : null;
}

export function lengthText(value: number, unit: LengthUnit): string {
  return unit === "px" ? String(value) : `${value}${unit}`;
}

/** The size of a number or a length. */
export function numberOf(option: OptionDescription, value: OptionValue): number | null {
  if (option.type === "length") return parseLength(value)?.value ?? null;
  return typeof value === "number" ? value : null;
}

// Sliders -------------------------------------------------------------------------------------------------

export interface Scale {
  lowest: number;
  highest: number;
  logarithmic: boolean;
  whole: boolean;
}

/** The span of an option in the values of an image: of what is not below 0 half of the window. */
function inValuesOf(image: ImageInfo, option: OptionDescription): OptionDescription["suggested"] {
  const channel = image.channels[0];
  if (!channel || !option.unit?.startsWith("file units")) return option.suggested;
  const { lowest, highest, window } = channel;
  return option.range?.lowest === 0
    ? { lowest: 0, highest: (window[1] - window[0]) / 2, scale: "linear" }
    : { lowest, highest, scale: "linear" };
}

export function scaleOf(option: OptionDescription, image?: ImageInfo): Scale | null {
  const s = image && option.suggested ? inValuesOf(image, option) : option.suggested;
  if (!s || !(s.highest > s.lowest)) return null;
  return {
    lowest: s.lowest,
    highest: s.highest,
    logarithmic: s.scale === "logarithmic" && s.lowest > 0,
    whole: option.type === "integer",
  };
}

/** 0 to 1 */
export function toPosition(scale: Scale, value: number): number {
  const { lowest, highest, logarithmic } = scale;
  const share = logarithmic
    ? Math.log(Math.max(value, lowest) / lowest) / Math.log(highest / lowest)
    : (value - lowest) / (highest - lowest);
  return Math.min(Math.max(share, 0), 1);
}

export function fromPosition(scale: Scale, position: number): number {
  const { lowest, highest, logarithmic, whole } = scale;
  if (position <= 0) return lowest;
  if (position >= 1) return highest;
  const value = logarithmic ? lowest * (highest / lowest) ** position : lowest + (highest - lowest) * position;
  if (whole) return Math.round(value);
  // Three digits of what a step of the slider changes.
  const unit = logarithmic ? value : highest - lowest;
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(unit))));
  return Number(value.toFixed(Math.min(digits, 12)));
}

// Values --------------------------------------------------------------------------------------------------

/** What is wrong with a value, as a sentence; null where nothing is. */
export function wrongWith(option: OptionDescription, value: OptionValue): string | null {
  if (value === null) return null;
  const title = titleOf(option.name);
  if (option.type === "length" && typeof value === "string" && !parseLength(value))
    return `${title} is no length: a number, with px, mm or um.`;
  const number = numberOf(option, value);
  if (number === null) return null;
  if (!Number.isFinite(number)) return `${title} is no number.`;
  if (option.type === "integer" && !Number.isInteger(number)) return `${title} is a whole number.`;
  const range = option.range;
  if (!range) return null;
  const tooLow = range.lowest !== null && (range.excludes_lowest ? number <= range.lowest : number < range.lowest);
  const tooHigh = range.highest !== null && number > range.highest;
  return tooLow || tooHigh ? `${title} ${range.text || "is out of range"}.` : null;
}

export function valueOf(panel: Panel, option: OptionDescription): OptionValue {
  return option.name in panel.options ? (panel.options[option.name] as OptionValue) : option.default;
}

/** The options with one changed; a default is left out. */
export function withOption(
  options: Panel["options"],
  option: OptionDescription,
  value: OptionValue,
): Record<string, OptionValue> {
  const { [option.name]: _, ...rest } = options;
  return value === option.default ? rest : { ...rest, [option.name]: value };
}

// Requests ------------------------------------------------------------------------------------------------

export interface Asked {
  description: OperationDescription;
  panel: Panel;
  image: ImageInfo | undefined; // the first input, where no other is chosen
  seeds: readonly Seed[];
  view: string;
}

function inputOf(input: InputDescription, isFirst: boolean, asked: Asked): JobInput | null {
  const text = asked.panel.texts[input.name];
  if (textKinds.has(input.kind)) return text ? { text } : null;
  if (input.kind === "seeds" && asked.panel.images[input.name] === undefined)
    return asked.image && asked.seeds.length > 0 ? { seeds: seedText(asked.seeds, asked.image) } : null;
  const chosen = asked.panel.images[input.name] ?? (isFirst ? asked.image?.id : undefined);
  return chosen === undefined ? null : { image: chosen };
}

/** The job that a panel asks for, or what it still needs. */
export function requestOf(asked: Asked): JobRequest | Problem {
  const { description, panel } = asked;
  const inputs: Record<string, JobInput> = {};
  const images = imageInputs(description);
  for (const input of description.inputs) {
    const given = inputOf(input, input === images[0], asked);
    if (given) inputs[input.name] = given;
    else if (input.required && input.kind === "seeds")
      return { message: "Set a seed: choose the seed tool (s) and click into the image.", field: input.name };
    else if (input.required) return { message: `Choose ${titleOf(input.name).toLowerCase()}.`, field: input.name };
  }
  for (const option of ownOptions(description)) {
    const message = wrongWith(option, valueOf(panel, option));
    if (message) return { message, field: option.name };
  }
  const request: JobRequest = {
    operation: description.verb,
    view: asked.view,
    inputs,
    options: { ...panel.options },
    outputs: [...(panel.outputs ?? usualOutputs(description))],
  };
  if (request.outputs?.length === 0) delete request.outputs; // those of a result that is a text
  if (panel.device !== null) request.device = panel.device;
  return request;
}

export function isProblem(made: JobRequest | Problem): made is Problem {
  return "message" in made;
}

// The list ------------------------------------------------------------------------------------------------

/**
 * Operations by task, in the order of the server. All words of the search are in the name or, where no name
 * has them, in the purpose or the task.
 */
export function grouped(operations: readonly OperationLine[], search: string): Map<string, OperationLine[]> {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = (textOf: (operation: OperationLine) => string) =>
    operations.filter((operation) => words.every((word) => textOf(operation).toLowerCase().includes(word)));
  const byName = found(({ name }) => name);
  const any = byName.length > 0 ? byName : found(({ name, task, purpose }) => `${name} ${task} ${purpose}`);
  const groups = new Map<string, OperationLine[]>();
  for (const operation of any) groups.set(operation.task, [...(groups.get(operation.task) ?? []), operation]);
  return groups;
}
