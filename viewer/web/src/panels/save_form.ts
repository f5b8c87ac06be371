// A name for a file, and what came of saving it.

import { h, textButton } from "../dom.ts";
import { type SaveOptions, type Saved, ServerError, textOf } from "../session/client.ts";

/** `title`: of what is saved. What is there already is replaced when the user says so. */
export function saveForm(title: string, name: string, write: (name: string, options: SaveOptions) => Promise<Saved>): HTMLElement {
  const field = h("input", { type: "text", value: name, spellcheck: false, attrs: { "aria-label": `File name for ${title}` } });
  const answer = h("p", { className: "hint", attrs: { role: "status" } });
  const replace = (text: string, options: SaveOptions) => [" ", textButton(text, () => void save(options))];
  const save = async (options: SaveOptions) => {
    answer.replaceChildren("Saving…");
    try {
      const { saved, warnings = [] } = await write(field.value, options);
      answer.replaceChildren([`Saved as ${saved}.`, ...warnings].join(" "));
    } catch (error) {
      const status = error instanceof ServerError ? error.status : 0;
      const isShown = status === 403 && !options.replace_labels;
      answer.replaceChildren(
        textOf(error),
        ...(status === 409 ? replace("Replace it", { ...options, overwrite: true }) : []),
        ...(isShown ? replace("Replace it, if it is a label map", { ...options, replace_labels: true }) : []),
      );
    }
  };
  return h(
    "form",
    { className: "save-form", on: { submit: (event: SubmitEvent) => (event.preventDefault(), void save({})) } },
    h("div", { className: "button-row" }, field, h("button", { type: "submit", className: "button" }, "Save")),
    answer,
  );
}
