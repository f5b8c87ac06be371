// Events of the server, read by `fetch`: an EventSource cannot send the token.

import { type Client, ServerError, isAbort } from "./client.ts";

export interface ServerEvent {
  name: string;
  data: string;
}

/** Cuts a stream of text into events; what is not complete is kept for the next call. */
export class EventParser {
  private rest = "";
  private name = "";
  private lines: string[] = [];

  take(text: string): ServerEvent[] {
    const events: ServerEvent[] = [];
    const lines = (this.rest + text).split(/\r\n|\n/);
    this.rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line === "") {
        if (this.lines.length > 0) events.push({ name: this.name || "message", data: this.lines.join("\n") });
        this.name = "";
        this.lines = [];
        continue;
      }
      const colon = line.indexOf(":");
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
      if (field === "event") this.name = value;
      else if (field === "data") this.lines.push(value);
    }
    return events;
  }
}

export interface EventHandlers {
  opened(): void | Promise<void>;
  lost(): void;
  refused(error: ServerError): void;
  event(name: string, data: unknown): void;
}

const silence = 40_000; // ms; the server pings every 15 s
const waits = [250, 500, 1000, 2000, 4000]; // ms before the next attempt

/** Reads one stream until it ends. */
async function readStream(client: Client, handlers: EventHandlers, signal: AbortSignal): Promise<void> {
  const quiet = new AbortController();
  const end = () => quiet.abort();
  signal.addEventListener("abort", end);
  let timer = setTimeout(end, silence);
  try {
    const response = await client.request("events", { signal: quiet.signal, headers: { Accept: "text/event-stream" } });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await handlers.opened();
    const parser = new EventParser();
    const decoder = new TextDecoder();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(end, silence);
      for (const event of parser.take(decoder.decode(value, { stream: true })))
        if (event.name !== "ping") handlers.event(event.name, JSON.parse(event.data));
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
  }
}

/** Reads events until `signal` is aborted, and connects again when the server went away. */
export async function readEvents(client: Client, handlers: EventHandlers, signal: AbortSignal): Promise<void> {
  for (let failures = 0; !signal.aborted; ++failures) {
    try {
      await readStream(client, { ...handlers, opened: () => ((failures = 0), handlers.opened()) }, signal);
    } catch (error) {
      if (error instanceof ServerError && (error.status === 401 || error.status === 403))
        return handlers.refused(error);
      if (!isAbort(error) && !(error instanceof TypeError) && !(error instanceof ServerError)) throw error;
    }
    if (signal.aborted) return;
    handlers.lost();
    const wait = waits[Math.min(failures, waits.length - 1)] ?? 4000;
    await new Promise((done) => setTimeout(done, wait));
  }
}
