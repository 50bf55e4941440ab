// One form for each way to build a hierarchy: from the job to a draft, to controls, and back.
(() => {
  "use strict";

  const kit = window.Paretonym;
  const { h } = kit;
  const UNITS = ["day", "week", "month", "quarter", "year", "decade"];
  const FORMATS = ["%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%Y%m%d", "%Y-%m-%dT%H:%M:%S"];

  const list = (value) => (value === undefined || value === null ? [] : [value].flat());
  const input = (draft, key, changed, attributes = {}) =>
    h("input", { type: "text", value: draft[key] ?? "", autocomplete: "off", spellcheck: "false", ...attributes,
      oninput: (event) => {
        draft[key] = event.target.value;
        changed();
      } });
  const tick = (draft, key, words, changed) => h("label", { class: "tick" },
    h("input", { type: "checkbox", checked: Boolean(draft[key]), onchange: (event) => {
      draft[key] = event.target.checked;
      changed();
    } }), ` ${words}`);
  const flag = (value) => ["true", "yes"].includes(String(value ?? "").toLowerCase());
  /** The keys that say something. */
  const said = (entries) => Object.fromEntries(Object.entries(entries)
    .filter(([, value]) => value !== "" && value !== false && value !== undefined));

  const niceWidths = (values) => {
    const numbers = values.map((one) => Number(one.value)).filter((n) => Number.isFinite(n));
    const span = numbers.length ? Math.max(...numbers) - Math.min(...numbers) : 0;
    if (!span) return "5, 10, 20";
    const size = 10 ** Math.floor(Math.log10(span / 16));
    const first = [1, 2, 5, 10].find((n) => n * size >= span / 16) * size;
    return [1, 2, 4, 8].map((n) => kit.numeric(Number((first * n).toPrecision(6)))).join(", ");
  };

  const suppress = {
    title: "suppress: the value or *",
    read: () => ({}),
    form: () => [h("p", { class: "soft small" }, "Two levels: the value as it is, or nothing.")],
    data: () => ({ hierarchy: "suppress" }),
  };

  const intervals = {
    title: "intervals of numbers",
    read: (job, values) => {
      const old = job.hierarchy?.intervals ? job.hierarchy : null;
      return {
        widths: old ? list(old.intervals).join(", ") : niceWidths(values), origin: old?.origin ?? "",
        bottom: old?.bottom ?? "", top: old?.top ?? "",
        comma: flag(old?.decimal_comma), elsewhere: flag(job.decimal_comma),
      };
    },
    form: (draft, changed) => [
      kit.field("Widths, from narrow to wide", input(draft, "widths", changed, { id: "widths" }),
        "Each divides the next: 5, 10, 20"),
      h("div", { class: "abreast" },
        kit.field("Start counting at", input(draft, "origin", changed, { placeholder: "0", inputmode: "decimal", size: 8 })),
        kit.field("Everything below", input(draft, "bottom", changed, { placeholder: "apart", inputmode: "decimal", size: 8 }), "shares one block"),
        kit.field("Everything from", input(draft, "top", changed, { placeholder: "apart", inputmode: "decimal", size: 8 }), "shares one block")),
      draft.elsewhere ? null : tick(draft, "comma", "numbers are written with a comma (3,5)", changed),
    ],
    data: (draft) => {
      const widths = kit.listed(draft.widths).map(kit.numeric);
      if (!widths.length) return { fault: "Give at least one width." };
      return { hierarchy: said({ intervals: widths, origin: kit.numeric(draft.origin),
        bottom: kit.numeric(draft.bottom), top: kit.numeric(draft.top), decimal_comma: draft.comma }) };
    },
  };

  const mask = {
    title: "mask: hide characters",
    read: (job) => ({ side: job.hierarchy?.mask ?? "right" }),
    form: (draft, changed) => [h("fieldset", { class: "ticks" }, h("legend", {}, "Hide one more character at each level"),
      ["right", "left"].map((side) => h("label", { class: "tick" },
        h("input", { type: "radio", name: "side", checked: draft.side === side, onchange: () => {
          draft.side = side;
          changed();
        } }), ` from the ${side}`)))],
    data: (draft) => ({ hierarchy: { mask: draft.side } }),
  };

  const date = {
    title: "date: month, year, …",
    read: (job) => ({
      units: new Set(job.hierarchy?.date ? list(job.hierarchy.date) : ["month", "year"]), format: job.format ?? "%Y-%m-%d",
    }),
    form: (draft, changed) => [
      h("fieldset", { class: "ticks" }, h("legend", {}, "Levels"), UNITS.map((unit) => h("label", { class: "tick" },
        h("input", { type: "checkbox", checked: draft.units.has(unit), onchange: (event) => {
          if (event.target.checked) draft.units.add(unit);
          else draft.units.delete(unit);
          changed();
        } }), ` ${unit}`))),
      kit.field("How the dates are written", input(draft, "format", changed, { list: "formats", size: 20 }),
        "%Y year, %m month, %d day, as in %d/%m/%Y"),
      h("datalist", { id: "formats" }, FORMATS.map((one) => h("option", { value: one }))),
    ],
    data: (draft) => {
      const units = UNITS.filter((unit) => draft.units.has(unit));
      if (!units.length) return { fault: "Choose at least one level." };
      if (!draft.format.trim()) return { fault: "Say how the dates are written." };
      return { hierarchy: { date: units }, format: draft.format.trim() };
    },
  };

  const order = {
    title: "order: neighbours share a group",
    read: (job, values) => {
      const natural = new Intl.Collator(undefined, { numeric: true }).compare;
      const known = values.map((one) => one.value).filter((value) => value !== null).sort(natural);
      const old = job.hierarchy?.order ? job.hierarchy : null;
      return { order: (old ? list(old.order) : known).join("\n"), sizes: old ? list(old.groups_of).join(", ") : "2, 4" };
    },
    form: (draft, changed) => [
      kit.field("The values in their order, one a line", h("textarea", { rows: 8, value: draft.order, spellcheck: "false",
        oninput: (event) => {
          draft.order = event.target.value;
          changed();
        } })),
      kit.field("How many neighbours share a group", input(draft, "sizes", changed, { size: 12 }), "Each divides the next: 2, 4"),
    ],
    data: (draft) => {
      const values = draft.order.split("\n").map((value) => value.replace(/\r$/, "")).filter((value) => value !== "");
      const sizes = kit.listed(draft.sizes).map(kit.numeric);
      if (!values.length || !sizes.length) return { fault: "List the values, and give at least one size." };
      return { hierarchy: { order: values, groups_of: sizes } };
    },
  };

  const file = {
    title: "file: levels from a CSV",
    read: (job) => {
      const old = job.hierarchy?.file ? job.hierarchy : null;
      return { file: old?.file ?? "", delimiter: old?.delimiter ?? "", open: flag(old?.open_top) };
    },
    form: (draft, changed) => [
      kit.field("Path", input(draft, "file", changed, { size: 32 }),
        "One row a value: value;level 1;level 2. Relative to the job's folder."),
      tick(draft, "open", "the last level may have several labels (no closing *)", changed),
    ],
    data: (draft) => {
      if (!draft.file.trim()) return { fault: "Give the path of the file." };
      return { hierarchy: said({ file: draft.file.trim(), delimiter: draft.delimiter, open_top: draft.open }) };
    },
  };

  const partitions = {
    title: "partitions side by side (as in the text)",
    read: (job) => ({ kept: job.partitions }),
    form: () => [h("p", { class: "soft small" },
      "This column can be grouped in several ways that do not nest. They are edited in the job's text below.")],
    data: (draft) => ({ partitions: draft.kept }),
  };

  kit.builders = { suppress, groups: null, intervals, mask, date, order, file, partitions };
  kit.builderParts = { flag, said, tick };

  /** Which way of building the job has chosen for a column. */
  kit.builderOf = (job) => {
    if (job.partitions) return "partitions";
    const { hierarchy } = job;
    if (hierarchy && typeof hierarchy === "object") return Object.keys(kit.builders).find((name) => name in hierarchy) ?? "suppress";
    return "suppress";
  };
})();
