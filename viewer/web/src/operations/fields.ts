// The fields of a form: one for each option, with its help, slider and number.

import { h, iconButton, newId } from "../dom.ts";
import type { ImageInfo, OptionDescription, OptionValue } from "../store/wire.ts";
import {
  type LengthUnit,
  fromPosition,
  lengthText,
  lengthUnits,
  numberOf,
  parseLength,
  scaleOf,
  titleOf,
  toPosition,
} from "./form.ts";

export interface Field {
  name: string;
  element: HTMLElement;
  update(value: OptionValue): void;
  /** A sentence beside the field, or nothing. */
  complain(sentence: string | null): void;
}

type Change = (value: OptionValue) => void;
interface Control {
  elements: HTMLElement[];
  main: HTMLElement; // that the label is of
  update(value: OptionValue): void;
}

const longest = 8; // letters of what a number's field can hold

function placeholderOf({ automatic, default: value }: OptionDescription): string {
  if (automatic) return automatic.length <= longest ? automatic : "auto";
  return value === null ? "not set" : "";
}

/** The help, and the default where its field is too small for it. */
function helpOf({ automatic = "", help }: OptionDescription): string {
  return automatic.length > longest ? `${help} (auto: ${automatic})` : help;
}

const positions = 1000; // of a slider

/** Slider and number; for a length also its unit. */
function numberControl(option: OptionDescription, image: ImageInfo | undefined, change: Change): Control {
  const isLength = option.type === "length";
  const scale = scaleOf(option, image);
  const unitOf = (): LengthUnit => (unit?.value ?? "px") as LengthUnit;
  const send = (number: number) => change(isLength ? lengthText(number, unitOf()) : number);
  const number = h("input", {
    type: "number",
    className: "number",
    step: option.type === "integer" ? "1" : "any",
    placeholder: placeholderOf(option),
    on: { change: () => (number.value === "" ? change(option.default) : send(number.valueAsNumber)) },
  });
  const unit = isLength
    ? h(
        "select",
        {
          className: "unit",
          attrs: { "aria-label": `Unit of ${titleOf(option.name)}` },
          on: { change: () => number.value !== "" && send(number.valueAsNumber) },
        },
        ...lengthUnits.map((name) => h("option", { value: name }, name.replace("um", "µm"))),
      )
    : null;
  const slider = scale
    ? h("input", {
        type: "range",
        min: "0",
        max: String(positions),
        attrs: { "aria-label": titleOf(option.name) },
        on: { input: () => send(fromPosition(scale, slider ? slider.valueAsNumber / positions : 0)) },
      })
    : null;
  return {
    elements: [slider, number, unit].filter((part) => part !== null),
    main: number,
    update(value) {
      const held = numberOf(option, value);
      number.value = held === null ? "" : String(held);
      if (unit) unit.value = parseLength(value)?.unit ?? unit.value;
      if (!slider || !scale) return;
      slider.valueAsNumber = held === null ? positions / 2 : toPosition(scale, held) * positions;
      slider.classList.toggle("is-unset", held === null);
      slider.setAttribute("aria-valuetext", held === null ? number.placeholder : String(value));
    },
  };
}

function choiceControl(option: OptionDescription, change: Change): Control {
  const note = h("span", { className: "hint" });
  const choices = option.choices ?? [];
  const select = h(
    "select",
    { on: { change: () => change(select.value === "" ? null : select.value) } },
    option.default === null && h("option", { value: "" }, option.automatic ?? "not set"),
    ...choices.map((name) => h("option", { value: name }, name)),
  );
  return {
    elements: [select, note],
    main: select,
    update(value) {
      select.value = value === null ? "" : String(value);
      note.textContent = option.choice_help?.[choices.indexOf(select.value)] ?? "";
    },
  };
}

function flagControl(change: Change): Control {
  const box = h("input", { type: "checkbox", on: { change: () => change(box.checked) } });
  return { elements: [box], main: box, update: (value) => void (box.checked = value === true) };
}

function textControl(option: OptionDescription, change: Change): Control {
  const text = h("input", {
    type: "text",
    placeholder: option.automatic ?? "",
    spellcheck: false,
    on: { change: () => change(text.value === "" && option.default === null ? null : text.value) },
  });
  return { elements: [text], main: text, update: (value) => void (text.value = value === null ? "" : String(value)) };
}

function controlOf(option: OptionDescription, image: ImageInfo | undefined, change: Change): Control {
  if (option.choices && option.choices.length > 0) return choiceControl(option, change);
  if (option.type === "flag") return flagControl(change);
  if (option.type === "integer" || option.type === "number" || option.type === "length")
    return numberControl(option, image, change);
  return textControl(option, change);
}

/** One option: label, control, help, and a button that gives the default back. Sliders span the image's values. */
export function optionField(option: OptionDescription, image: ImageInfo | undefined, change: Change): Field {
  const control = controlOf(option, image, change);
  const id = newId();
  const helpId = newId();
  control.main.id = id;
  control.main.setAttribute("aria-describedby", helpId);
  const problem = h("p", { className: "problem", attrs: { role: "alert" } });
  const title = titleOf(option.name);
  const unit = option.unit && option.type !== "length" ? h("span", { className: "unit-name" }, option.unit) : null;
  const reset = iconButton("reset", `Default of ${title}`, () => change(option.default), "small");
  const element = h(
    "div",
    { className: `option option-${option.choices ? "choice" : option.type}` },
    h("div", { className: "option-head" }, h("label", { htmlFor: id }, title), unit, reset),
    h("div", { className: "option-control" }, ...control.elements),
    h("p", { className: "hint", id: helpId }, helpOf(option)),
    problem,
  );
  return {
    name: option.name,
    element,
    update(value) {
      control.update(value);
      element.classList.toggle("is-changed", value !== option.default);
      reset.disabled = value === option.default;
    },
    complain(sentence) {
      problem.textContent = sentence ?? "";
      element.classList.toggle("is-wrong", sentence !== null);
      control.main.setAttribute("aria-invalid", String(sentence !== null));
    },
  };
}
