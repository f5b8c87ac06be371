// The bar at the top: what the mouse does, time, and help.

import { type Icon, h, icon, iconButton } from "../dom.ts";
import { fit, moveInTime } from "../slices/navigate.ts";
import { type AppStore, type Tool, shownImage } from "../store/state.ts";

const tools: readonly (readonly [Tool, Icon, string])[] = [
  ["point", "point", "Cross-hair"],
  ["pan", "pan", "Pan (p)"],
  ["window", "window", "Brightness and contrast (b)"],
  ["seed", "seed", "Set seeds (s)"],
];

function toolButtons(store: AppStore): HTMLElement {
  const buttons = tools.map(([tool, drawing, label]) => ({
    tool,
    button: iconButton(drawing, label, () => store.set({ tool }), tool === "seed" ? "" : "of-slices"),
  }));
  store.watch((state) => state.tool, (now) => {
    for (const { tool, button } of buttons) button.setAttribute("aria-pressed", String(tool === now));
    document.body.dataset["tool"] = now;
  });
  return h("div", { className: "tools", attrs: { role: "group", "aria-label": "Tools" } }, ...buttons.map((b) => b.button));
}

function timeSlider(store: AppStore): HTMLElement {
  const number = h("output", {});
  const slider = h("input", {
    type: "range",
    min: "0",
    attrs: { "aria-label": "Time" },
    on: { input: () => moveInTime(store, slider.valueAsNumber) },
  });
  const element = h("div", { className: "time" }, h("span", { attrs: { "aria-hidden": "true" } }, "Time"), slider, number);
  store.watchAny(
    (state) => [state.view.t, shownImage(state)],
    () => {
      const state = store.get();
      const last = (shownImage(state)?.shape.t ?? 1) - 1;
      element.hidden = last === 0;
      slider.max = String(last);
      slider.value = String(state.view.t);
      number.textContent = `${state.view.t} / ${last}`;
    },
  );
  return element;
}

const connectionTexts = {
  connecting: "Connecting…",
  open: "",
  lost: "Connection lost. Trying again…",
  refused: "",
} as const;

export function toolbar(store: AppStore, help: () => void): HTMLElement {
  const name = h("h1", {}, "Tesela");
  const connection = h("span", { className: "connection", attrs: { role: "status" } });
  store.watch((state) => state.connection, (now) => {
    connection.textContent = connectionTexts[now];
    document.body.dataset["connection"] = now;
  });
  store.watch(shownImage, (image) => {
    name.textContent = image?.name ?? "Tesela";
    document.title = image ? `${image.name} – Tesela` : "Tesela";
  });
  const side = (which: "left" | "right", label: string) => {
    const button = iconButton("panel", label, () => {
      const isHidden = document.body.classList.toggle(`no-${which}`);
      button.setAttribute("aria-expanded", String(!isHidden));
    }, which);
    button.setAttribute("aria-expanded", "true");
    return button;
  };
  return h(
    "header",
    { className: "toolbar" },
    side("left", "Images and display"),
    h("span", { className: "mark", attrs: { "aria-hidden": "true" } }, icon("mark")),
    name,
    connection,
    h("div", { className: "spacer" }),
    timeSlider(store),
    toolButtons(store),
    iconButton("fit", "Fit into the panes (0)", () => fit(store)),
    iconButton("help", "Keys and mouse (h)", help),
    side("right", "Operations and results"),
  );
}
