// Requests to the server: every address is relative to the page's and carries the token.

import type { ImageInfo, Job, JobRequest, OperationDescription, OperationLine, Session } from "../store/wire.ts";

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
  saveImage(id: number, name: string, overwrite: boolean): Promise<{ saved: string; warnings?: string[] }> {
    return this.json(`images/${id}/save`, "POST", overwrite ? { name, overwrite } : { name });
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
  job(id: number): Promise<Job> {
    return this.json(`jobs/${id}`);
  }
  cancelJob(id: number): Promise<unknown> {
    return this.json(`jobs/${id}`, "DELETE");
  }
}
