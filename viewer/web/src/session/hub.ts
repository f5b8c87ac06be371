// One stream of events for all tabs of a browser: it lives in a SharedWorker, since browsers open only six
// connections to a server, and each tab with a stream of its own would take one for good.

import type { Job } from "../store/wire.ts";
import { Client, ServerError } from "./client.ts";
import { type EventHandlers, readEvents } from "./events.ts";

/** What the worker tells a tab. */
type Message =
  | { kind: "opened" }
  | { kind: "lost" }
  | { kind: "refused"; status: number; text: string }
  | { kind: "event"; name: string; data: unknown };

/** What a tab tells the worker. */
type Call = { kind: "join"; token: string } | { kind: "leave" };

/** A tab's end of the connection. */
export interface Port {
  postMessage(message: Message): void;
}

/** The tabs that listen, and what a tab that joins later has to know. */
export class Hub {
  private readonly ports = new Set<Port>();
  private readonly jobs = new Map<number, Job>(); // those that run or have outputs
  private isOpen = false;

  join(port: Port): void {
    this.ports.add(port);
    if (!this.isOpen) return;
    port.postMessage({ kind: "opened" });
    for (const data of this.jobs.values()) port.postMessage({ kind: "event", name: "job", data });
  }

  leave(port: Port): void {
    this.ports.delete(port);
  }

  readonly handlers: EventHandlers = {
    opened: () => {
      this.isOpen = true;
      this.jobs.clear(); // the server tells them again
      this.tell({ kind: "opened" });
    },
    lost: () => {
      this.isOpen = false;
      this.tell({ kind: "lost" });
    },
    refused: (error) => this.tell({ kind: "refused", status: error.status, text: error.message }),
    event: (name, data) => {
      this.remember(name, data);
      this.tell({ kind: "event", name, data });
    },
  };

  private tell(message: Message): void {
    for (const port of this.ports) port.postMessage(message);
  }

  private remember(name: string, data: unknown): void {
    if (name === "job") {
      const job = data as Job;
      if (job.state === "failed" || job.state === "canceled") this.jobs.delete(job.job);
      else this.jobs.set(job.job, job);
    } else if (name === "gone") {
      const { id } = data as { id: number };
      for (const [number, job] of this.jobs)
        if (Object.values(job.outputs ?? {}).includes(id)) this.jobs.delete(number);
    }
  }
}

interface WorkerScope {
  onconnect: ((event: MessageEvent) => void) | null;
}

/** Runs in the SharedWorker. */
export function runHub(scope: WorkerScope): void {
  const hub = new Hub();
  let isReading = false;
  scope.onconnect = (connected) => {
    const port = connected.ports[0] as MessagePort;
    port.onmessage = (event: MessageEvent<Call>) => {
      if (event.data.kind === "leave") return hub.leave(port);
      hub.join(port);
      if (isReading) return;
      isReading = true;
      void readEvents(new Client(event.data.token), hub.handlers, new AbortController().signal).then(() => {
        isReading = false;
      });
    };
  };
}

/** Events in the order in which they came: the next one waits for what the last one began. */
export function inTurn(handlers: EventHandlers): (message: Message) => void {
  let last: Promise<unknown> = Promise.resolve();
  return (message) => {
    last = last.then(() => {
      if (message.kind === "opened") return handlers.opened();
      if (message.kind === "lost") return handlers.lost();
      if (message.kind === "refused") return handlers.refused(new ServerError(message.status, message.text));
      return handlers.event(message.name, message.data);
    }).catch((error: unknown) => console.error(error));
  };
}

/** Follows the events of the server, by the worker where the browser has such. */
export function followEvents(token: string, client: Client, handlers: EventHandlers): void {
  const direct = () => void readEvents(client, handlers, new AbortController().signal);
  if (typeof SharedWorker === "undefined") return direct();
  // The name keeps servers apart that follow each other at one address.
  const worker = new SharedWorker("app.js", { name: token });
  const take = inTurn(handlers);
  worker.onerror = direct;
  worker.port.onmessage = (event: MessageEvent<Message>) => take(event.data);
  const call = (message: Call) => worker.port.postMessage(message);
  call({ kind: "join", token });
  addEventListener("pagehide", () => call({ kind: "leave" }));
  addEventListener("pageshow", (event) => event.persisted && location.reload());
}
