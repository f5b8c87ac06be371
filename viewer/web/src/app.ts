// Puts the page together.

import { h } from "./dom.ts";
import { listenToKeys } from "./keys.ts";
import { LabelEditor } from "./labels/editor.ts";
import { labelsPanel } from "./labels/panel.ts";
import { Jobs } from "./operations/jobs.ts";
import { operationsPanel } from "./operations/panel.ts";
import { resultsPanel } from "./operations/results.ts";
import { displayPanel } from "./panels/display.ts";
import { imagesPanel } from "./panels/images.ts";
import { toolbar } from "./panels/toolbar.ts";
import { Client } from "./session/client.ts";
import { Images } from "./session/images.ts";
import { runHub } from "./session/hub.ts";
import { startSession } from "./session/session.ts";
import { takeToken } from "./session/token.ts";
import { SlidePane } from "./slide/pane.ts";
import { Panes } from "./slices/panes.ts";
import { volumePanel } from "./volume/panel.ts";
import { VolumePane } from "./volume/pane.ts";
import { Status } from "./slices/status.ts";
import { type State, initialState } from "./store/state.ts";
import { Store } from "./store/store.ts";

/** A name of this tab that stays when it is loaded again, so that its jobs are known as its own. */
function nameOfTab(storage: Storage): string {
  const key = "tesela-tab";
  const name = storage.getItem(key) ?? crypto.getRandomValues(new Uint32Array(2)).join("-");
  storage.setItem(key, name);
  return name;
}

function notice(title: string, ...sentences: string[]): HTMLElement {
  return h(
    "main",
    { className: "notice", attrs: { role: "alert" } },
    h("h1", {}, title),
    ...sentences.map((sentence) => h("p", {}, sentence)),
  );
}

const refusal = () =>
  notice(
    "This page does not know its token",
    "Open the address that tesela view printed, with all that stands behind #token=.",
    "The token changes with every start of tesela view.",
  );

function start(token: string): void {
  const store = new Store<State>(initialState());
  const client = new Client(token);
  const images = new Images(store, client, (image) => panes.forget(image));
  const tab = nameOfTab(sessionStorage);
  const jobs = new Jobs(store, client, images, tab, sessionStorage);
  const status: Status = new Status(store, (voxel) => (slide.element.hidden ? panes.valuesAt(voxel) : slide.valuesAt(voxel)));
  const slide = new SlidePane(store, client, status);
  const editor = new LabelEditor(store, client, (id) => images.open(id));
  const panes: Panes = new Panes(store, client, status, new VolumePane(store, client, tab), editor);
  const keys = listenToKeys(store, panes, jobs, editor);
  document.body.append(
    toolbar(store, keys.help),
    h("aside", { className: "side left", attrs: { "aria-label": "Images and display" } }, imagesPanel(store, (id) => void images.look(id)), slide.annotations.panel, labelsPanel(store, client, editor), ...displayPanel(store), volumePanel(store, client, tab)),
    h("div", { className: "center" }, panes.element, slide.element, status.element),
    h(
      "aside",
      { className: "side right", attrs: { "aria-label": "Operations and results" } },
      operationsPanel(store, client, jobs),
      resultsPanel(store, client, jobs),
    ),
  );
  store.watch((state) => state.connection, (connection) => {
    if (connection === "refused") document.body.replaceChildren(refusal());
  });
  startSession({
    token,
    store,
    client,
    images,
    takeJob: (job) => jobs.take(job),
    editor,
  });
}

function run(): void {
  const token = takeToken(location, history, sessionStorage);
  if (token === null) document.body.replaceChildren(refusal());
  else start(token);
}

// The same file is the worker that all tabs of a browser share.
if (typeof document === "undefined") runHub(globalThis as never);
else run();
