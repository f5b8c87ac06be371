// What the server sends: viewer/README.md says what each member means.

export type Axis = 0 | 1 | 2;
export type Triple = readonly [number, number, number];
export type Range = readonly [number, number];

export interface Device {
  id: string | null; // null: not usable
  name: string;
  usable: boolean;
  reason?: string;
  chosen?: boolean;
}

export interface Session {
  version: string;
  read_only: boolean;
  can_save: boolean;
  images: ListedImage[];
  annotations?: ListedAnnotations[];
}

/** A file of what was drawn on an image. */
export interface ListedAnnotations {
  id: number;
  name: string;
  of: number;
}
export interface AnnotationsInfo extends ListedAnnotations {
  objects: number;
  shapes: number;
  classes: { name: string; color: string; count: number }[];
  warnings: string[];
}

/** A resolution of what is shown in tiles. */
export interface SlideLevel {
  width: number;
  height: number;
  downsample: readonly [number, number]; // pixels of level 0 for one of this level
  stored: boolean; // in the file; others are made
}

/** An image that the server has, which may be a file that nobody looked at yet. */
export interface ListedImage {
  id: number;
  name: string;
  role: "image" | "labels";
  of: number | null;
  is_file: boolean;
  editable?: boolean; // labels that the page may change
}

export interface Channel {
  name: string;
  color: string;
  lowest: number;
  highest: number;
  window: Range;
}

export interface NamedLabel {
  label: number;
  name: string;
  color?: string;
}

export interface ImageInfo {
  id: number;
  name: string;
  role: "image" | "labels";
  of: number | null;
  shape: { x: number; y: number; z: number; t: number; channels: number };
  pixel_type: string;
  spacing: Triple;
  unit: string;
  origin: Triple;
  direction: readonly Triple[];
  has_geometry: boolean;
  axes?: { x: readonly [string, string]; y: readonly [string, string]; z: readonly [string, string] };
  is_color: boolean;
  channels: Channel[];
  labels?: NamedLabel[];
  warnings?: string[];
  editable?: boolean;
  slide?: { format: string; magnification: number | null; spacing_source: string };
  levels?: SlideLevel[]; // of a slide, or of a label map over one
  place?: { left: number; top: number; scale: readonly [number, number] }; // of a label map over a slide, in its pixels
}

export type SlideInfo = ImageInfo & Required<Pick<ImageInfo, "slide" | "levels">>;

/** Whether it is shown in tiles. */
export function isSlide(image: ImageInfo | undefined): image is SlideInfo {
  return image?.slide !== undefined && image.role === "image";
}

export interface LabelRow {
  label: number;
  name: string;
  color: string;
  points: number; // voxels
}

/** Where labels that are edited stand. */
export interface LabelsState {
  id: number;
  revision: number;
  unsaved: boolean;
  undo: string | null; // what can be taken back
  redo: string | null;
}
/** With those of its labels that were asked for. */
export interface LabelsList extends LabelsState {
  count: number;
  next: number; // a label that is free
  labels: LabelRow[];
}
/** What an edit has changed. */
export interface LabelsChange extends LabelsState {
  points: number;
  table?: boolean; // a name or a color
  box?: readonly [Triple, Triple] | null; // where
}

export type LabelEdit =
  | { edit: "stroke"; label: number; points: readonly Triple[]; radius: number; across?: string; over?: number; t: number }
  | { edit: "box"; label: number; first: Triple; last: Triple; over?: number; t: number }
  | { edit: "component"; label: number; at: Triple; from?: number; over?: number; t: number }
  | { edit: "take"; from: number; label?: number; over?: number }
  | { edit: "fill"; label: number; across?: string; index?: number; t: number }
  | { edit: "split"; label: number; t: number }
  | { edit: "merge"; labels: readonly number[]; label: number }
  | { edit: "delete"; label: number }
  | { edit: "describe"; label: number; name?: string; color?: string }
  | { edit: "undo" }
  | { edit: "redo" };

export interface OperationLine {
  name: string;
  title: string;
  task: string;
  purpose: string;
}

export type OptionValue = number | string | boolean | null;

export interface OptionDescription {
  name: string;
  group: string;
  type: string; // flag, integer, number, length, choice, text
  help: string;
  default: OptionValue;
  automatic?: string;
  unit?: string;
  advanced: boolean;
  choices?: string[];
  choice_help?: string[];
  suggested?: { lowest: number; highest: number; scale: "linear" | "logarithmic" };
  range?: { lowest: number | null; excludes_lowest: boolean; highest: number | null; text: string };
}

export interface InputDescription {
  name: string;
  kind: string;
  help: string;
  required: boolean;
}

export interface OperationDescription {
  verb: string;
  summary: string;
  inputs: InputDescription[];
  outputs: { name: string; kind: string; help: string }[];
  options: OptionDescription[];
  examples?: string[];
}

/** At most a thousand rows are sent, of `count`. */
export interface Table {
  columns: string[];
  rows: (number | string | boolean | null)[][];
  count: number;
}

export type JobState = "waiting" | "running" | "done" | "failed" | "canceled";

export interface Job {
  job: number;
  view: string;
  operation?: string;
  state: JobState;
  stage?: string;
  fraction?: number | null;
  error?: string | null;
  field?: string | null;
  outputs?: Record<string, number>;
  summary?: string;
  figures?: Record<string, unknown>;
  tables?: Record<string, Table>;
  text?: string;
  warnings?: string[];
  seconds?: number;
  command?: string;
  python?: string;
}

export type JobInput = { image: number } | { seeds: string } | { text: string };

export interface JobRequest {
  operation: string;
  view: string;
  automatic?: boolean; // a change asks for it, and not the user
  device?: string;
  inputs: Record<string, JobInput>;
  options: Record<string, OptionValue>;
  outputs?: string[];
}

export const axisNames = ["x", "y", "z"] as const;

/** Lengths of x, y and z. */
export function lengthsOf(image: ImageInfo): Triple {
  return [image.shape.x, image.shape.y, image.shape.z];
}
