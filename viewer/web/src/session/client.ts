// Requests to the server: every address is relative to the page's and carries the token.

import type {
  AnnotationsInfo,
  Device,
  ImageInfo,
  Job,
  JobRequest,
  LabelEdit,
  LabelsChange,
  LabelsList,
  OperationDescription,
  OperationLine,
  Session,
  Triple,
} from "../store/wire.ts";

/** What may be replaced by a file that is saved. */
export interface SaveOptions {
  overwrite?: true;
  replace_labels?: true; // also a label map that is shown
}
export interface Saved {
  saved: string;
  warnings?: string[];
}

/** What the server answered instead of a result, with the option or input that is wrong. */
export class ServerError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly field?: string,
  ) {
    super(message);
  }
}

/** The server's sentences begin as those of a command line do. */
export function asSentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

export function textOf(error: unknown): string {
  if (error instanceof ServerError) return error.message;
  if (error instanceof TypeError) return "The server does not answer. Is `tesela view` still running?";
  return error instanceof Error ? error.message : String(error);
}

async function errorOf(response: Response): Promise<ServerError> {
  const text = await response.text();
  try {
    const body = JSON.parse(text) as { error?: string; field?: string };
    return new ServerError(response.status, asSentence(body.error ?? response.statusText), body.field);
  } catch {
    return new ServerError(response.status, `The server answered ${response.status} ${response.statusText}.`);
  }
}

export class Client {
  private readonly asked = new Map<number, Promise<ImageInfo>>();

  constructor(private readonly token: string) {}

  async request(address: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set("X-Tesela-Token", this.token);
    const response = await fetch(`api/${address}`, { ...init, headers, cache: "no-store" });
    if (!response.ok) throw await errorOf(response);
    return response;
  }

  private async json<T>(address: string, method = "GET", body?: unknown): Promise<T> {
    const init: RequestInit = { method };
    if (body !== undefined) {
      init.body = JSON.stringify(body);
      init.headers = { "Content-Type": "application/json" };
    }
    const response = await this.request(address, init);
    const text = await response.text();
    return (text ? JSON.parse(text) : {}) as T;
  }

  session(): Promise<Session> {
    return this.json("session");
  }
  /** Which there are takes the server a moment to find out. */
  devices(): Promise<Device[]> {
    return this.json("devices");
  }
  /** Events of an image and of its job come together: one request is for both. */
  image(id: number): Promise<ImageInfo> {
    const known = this.asked.get(id);
    if (known) return known;
    const asked = this.json<ImageInfo>(`images/${id}`).finally(() => this.asked.delete(id));
    this.asked.set(id, asked);
    return asked;
  }
  forgetImage(id: number): Promise<unknown> {
    return this.json(`images/${id}`, "DELETE");
  }
  saveImage(id: number, name: string, options: SaveOptions): Promise<Saved> {
    return this.json(`images/${id}/save`, "POST", { name, ...options });
  }
  /** Labels to be edited: a copy of those of an image, or empty ones on its grid. */
  newLabels(start: { from: number } | { of: number }): Promise<{ image: number }> {
    return this.json("labels", "POST", start);
  }
  labels(id: number, search: string): Promise<LabelsList> {
    return this.json(`labels/${id}${search && `?search=${encodeURIComponent(search)}`}`);
  }
  editLabels(id: number, revision: number, edit: LabelEdit): Promise<LabelsChange> {
    return this.json(`labels/${id}/edits`, "POST", { ...edit, revision });
  }
  placeOfLabel(id: number, label: number): Promise<{ at: Triple; t: number }> {
    return this.json(`labels/${id}/place?label=${label}`);
  }
  /** A table of the labels, or a picture of them on an image. */
  saveOfLabels(id: number, what: "table" | "overlay", name: string, image: number | null, options: SaveOptions): Promise<Saved> {
    return this.json(`labels/${id}/${what}`, "POST", { name, ...(image === null ? {} : { image }), ...options });
  }
  annotations(id: number): Promise<AnnotationsInfo> {
    return this.json(`annotations/${id}`);
  }
  /** All of their points, for parseShapes. */
  async shapes(id: number): Promise<ArrayBuffer> {
    return (await this.request(`annotations/${id}/shapes`)).arrayBuffer();
  }
  operations(): Promise<OperationLine[]> {
    return this.json("operations");
  }
  operation(name: string): Promise<OperationDescription> {
    return this.json(`operations/${encodeURIComponent(name)}`);
  }
  startJob(request: JobRequest): Promise<{ job: number }> {
    return this.json("jobs", "POST", request);
  }
  /** Of a volume in three dimensions: `what` is frame, pick, scene or lines. */
  view(what: string, body: unknown, signal?: AbortSignal): Promise<Response> {
    const headers = { "Content-Type": "application/json" };
    return this.request(`views/${what}`, { method: "POST", body: JSON.stringify(body), headers, ...(signal ? { signal } : {}) });
  }
  job(id: number): Promise<Job> {
    return this.json(`jobs/${id}`);
  }
  cancelJob(id: number): Promise<unknown> {
    return this.json(`jobs/${id}`, "DELETE");
  }
}
