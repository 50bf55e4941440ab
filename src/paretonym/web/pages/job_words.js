// A job in words: roles, measures, and the small controls that edit it.
(() => {
  "use strict";

  const kit = window.Paretonym;
  const { h } = kit;

  /** [key, name, what it means]; two roles are joined by + */
  const ROLES = [
    ["quasi", "quasi-identifier", "An outsider may know it of a person. It is made coarser until people share it with others."],
    ["sensitive", "sensitive", "What an outsider wants to learn. It is kept as it is; ask for several different values in every class."],
    ["identifier", "identifier", "It names a person directly. It is left out, and the release is searched for its values."],
    ["omitted", "omitted", "It names nobody, but is not wanted in the release. It is left out."],
    ["insensitive", "insensitive", "It tells nothing about who somebody is. It passes through unchanged and is not protected."],
    ["target", "target", "What analysts want to predict. It passes through unchanged."],
    ["weight", "survey weight", "How many people a row stands for. It passes through unchanged."],
    ["quasi+target", "quasi-identifier, target", "An outsider may know it, and analysts want to predict it. It is made coarser."],
    ["sensitive+target", "sensitive, target", "An outsider wants to learn it, and analysts want to predict it. It is kept as it is."],
  ];
  const ONLY_QUASI = ["hierarchy", "partitions", "format", "weight", "write"];

  const roleKey = (roles) => [...roles].sort((a, b) => (a === "target") - (b === "target")).join("+");

  /** What the server knows of measures, by name, and how directions are said; `learn` fills both. */
  const MEASURES = new Map();
  const DIRECTIONS = {};
  const learn = ({ measures, directions }) => {
    MEASURES.clear();
    for (const measure of measures) MEASURES.set(measure.name, measure);
    Object.assign(DIRECTIONS, directions);
  };

  const partsOf = (written) => {
    const found = /^\s*(?:(min|max):\s*)?([A-Za-z_]\w*)\s*(?:\((.*)\))?\s*$/s.exec(written);
    return found ? { way: found[1] ?? null, base: found[2], column: found[3] ?? null } : { way: null, base: written, column: null };
  };

  /** Words of a measure with its column set apart. */
  const withColumn = (words, column) => {
    const [before, after] = words.split("{column}");
    return after === undefined ? before : [before, kit.label(column, 40), after];
  };

  const measureSays = (written) => {
    const { way, base, column } = partsOf(written);
    const known = MEASURES.get(base);
    if (!known) return "";
    const said = DIRECTIONS[known.direction ?? way];
    return [withColumn(known.long, column),
      h("span", { class: "soft" }, known.unit === "flag" || !said ? "" : ` · ${said.better} is better`)];
  };

  /** How people read a value of a measure that is a share or a plain number. */
  const valueSays = (name, value) => (MEASURES.get(name)?.unit === "share" ? kit.percent : kit.number)(value);

  /** [key, value] of a section in the job's own order: JavaScript puts keys such as 2020 first. */
  kit.entriesOf = (project, section) => project.order[section].map((key) => [key, project.job[section][key]]);

  /** Every measure that the job's columns allow, as they are written. */
  const measuresFor = (project, wanted = () => true) => {
    const columns = kit.entriesOf(project, "columns");
    return [...MEASURES.values()].filter(wanted).flatMap(({ name, takes_column, direction, roles, needs_rules }) => {
      if (needs_rules && !(project.job?.confidential ?? []).length) return [];
      const ways = direction === null ? ["max:", "min:"] : [""];
      if (!takes_column) return ways.map((way) => `${way}${name}`);
      const names = columns.filter(([, one]) => [one?.role].flat().some((role) => roles.includes(role))).map(([column]) => column);
      return names.flatMap((column) => ways.map((way) => `${way}${name}(${column})`));
    });
  };

  kit.words = { ROLES, ONLY_QUASI, MEASURES, DIRECTIONS, learn, roleKey, partsOf, measureSays, valueSays, measuresFor };

  // ---- controls

  /** A control with its name above it and, if needed, a word about it below. */
  kit.field = (name, control, hint = null) =>
    h("label", { class: "labelled" }, h("span", {}, name), control, hint ? h("span", { class: "soft small" }, hint) : null);

  /** [value, words] or plain words; the current value stays a choice even where it is not known. */
  kit.choose = (choices, value, attributes = {}) => {
    const pairs = choices.map((one) => (Array.isArray(one) ? one : [one, one]));
    if (!pairs.some(([key]) => key === value)) pairs.unshift([value, value ? kit.plain(value) : "choose …"]);
    return h("select", attributes, pairs.map(([key, words]) => h("option", { value: key, selected: key === value }, words)));
  };

  /** Numbers go into the job without quotes; Infinity is none there. */
  kit.numeric = (text) => {
    const clean = String(text).trim();
    const number = Number(clean);
    return clean !== "" && Number.isFinite(number) && String(number) === clean ? number : clean;
  };
  kit.listed = (text) => text.split(/[,;\n]/).map((part) => part.trim()).filter(Boolean);

  /** The same data as the reader of jobs sees it: texts, lists and mappings. */
  kit.asRead = (value) => {
    if (Array.isArray(value)) return value.map(kit.asRead);
    if (value !== null && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([key, inside]) => [key, kit.asRead(inside)]));
    }
    return String(value);
  };

  /** Draws anew and leaves the keyboard where it was. */
  kit.keepingFocus = (root, draw) => {
    const at = document.activeElement;
    const id = at && at !== root && root.contains(at) ? at.id : "";
    draw();
    if (id) document.getElementById(id)?.focus({ preventScroll: true });
  };
})();
