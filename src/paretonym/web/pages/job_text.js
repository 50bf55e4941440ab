// The job as text: line numbers, what is wrong in which line, and the way back.
(() => {
  "use strict";

  const kit = window.Paretonym;
  const { h, clear } = kit;
  const typed = new Map(); // by table: what was typed and not applied when the room was left

  kit.jobText = (context) => {
    let shown = null; // the text that the draft started from
    const gutter = h("div", { class: "gutter", "aria-hidden": "true" });
    const area = h("textarea", { id: "job-text", wrap: "off", spellcheck: "false", autocomplete: "off", autocapitalize: "off",
      "aria-label": "The job as text", "aria-describedby": "job-faults", rows: 22 });
    const faults = h("div", { id: "job-faults", role: "status" });
    const apply = h("button", { type: "button", class: "main", id: "apply-text", disabled: true, onclick: () => send() }, "Apply the text");
    const discard = h("button", { type: "button", id: "discard-text", disabled: true, onclick: () => load(context.project()) }, "Discard changes");
    const other = h("p", { class: "small bad", hidden: true },
      "The job was changed elsewhere while you were typing. Applying replaces that change; it can be undone.");
    const element = h("details", { class: "panel job-text" }, h("summary", {}, h("h2", {}, "Edit the text")),
      h("p", { class: "soft small" }, "The whole job as YAML; comments are kept. Ctrl+Enter applies it."),
      faults, h("div", { class: "editor" }, gutter, area), other, h("div", { class: "row" }, apply, discard));

    const wrongLines = () => new Set(context.project().faults.map((one) => one.line));
    const number = () => {
      const wrong = area.value === shown ? wrongLines() : new Set();
      const count = area.value.split("\n").length;
      gutter.replaceChildren(...Array.from({ length: count }, (_, i) =>
        h("div", { class: wrong.has(i + 1) ? "wrong" : null }, String(i + 1))));
      gutter.scrollTop = area.scrollTop;
    };
    const dirty = () => shown !== null && area.value !== shown;
    const touched = () => {
      apply.disabled = discard.disabled = !dirty();
      number();
    };

    const goTo = (line) => {
      const lines = area.value.split("\n");
      const from = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
      element.open = true;
      area.focus();
      area.setSelectionRange(from, from + (lines[line - 1]?.length ?? 0));
      area.scrollTop = Math.max(0, (line - 4) * (area.scrollHeight / lines.length));
      area.scrollLeft = 0;
    };
    const drawFaults = (project) => {
      clear(faults);
      if (!project.faults.length) return;
      faults.append(h("div", { class: "notice bad" },
        h("p", {}, "The job cannot be used as it is. Mend what is listed, or undo the last edit."),
        h("ul", {}, project.faults.map((one) => h("li", {},
          one.line ? [h("button", { type: "button", class: "link", onclick: () => goTo(one.line) }, `Line ${one.line}`), " "] : null,
          one.message)))));
    };

    const load = (project) => {
      // browsers give line ends back as \n, whatever the file has
      shown = project.text.replace(/\r\n?/g, "\n");
      area.value = shown;
      other.hidden = true;
      touched();
    };
    const send = async () => {
      const text = context.project().text.includes("\r\n") ? area.value.replace(/\n/g, "\r\n") : area.value;
      const before = shown;
      try {
        shown = area.value;
        await context.rewrite(text);
      } catch (error) {
        shown = before; // what was typed stays, also when the job was changed elsewhere
        context.fail(error);
      }
      touched();
    };

    area.addEventListener("input", touched);
    area.addEventListener("scroll", () => {
      gutter.scrollTop = area.scrollTop;
    });
    area.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      if (dirty()) send();
    });

    const kept = typed.get(context.project().id);
    if (kept) {
      ({ shown, value: area.value } = kept);
      element.open = true;
      touched();
    }
    const close = () => {
      const { id } = context.project();
      if (dirty()) typed.set(id, { shown, value: area.value });
      else typed.delete(id);
    };

    /** After every change of the project: what was typed and not applied stays. */
    const update = (project) => {
      drawFaults(project);
      if (project.faults.length) element.open = true;
      const now = project.text.replace(/\r\n?/g, "\n");
      if (!dirty()) load(project);
      else other.hidden = now === shown;
      number();
    };
    return { element, update, close };
  };
})();
