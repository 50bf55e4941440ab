// A job in words: roles, measures, and the small controls that edit it.
(() => {
  "use strict";

  const kit = window.Paretonym;
  const { h } = kit;

  /** [key, name, what it means]; two roles are joined by + */
  const ROLES = [
    ["quasi", "quasi-identifier", "An outsider may know it of a person. It is made coarser until people share it with others."],
    ["sensitive", "sensitive", "What an outsider wants to learn. It is kept as it is; ask for several different values in every group."],
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

  /** name -> [words, is more better (null: the job says), the roles of X, needs confidentiality rules] */
  const MEASURES = {
    k: ["smallest group (k)", true],
    distinct_l: ["fewest different values of X in a group", true, ["sensitive", "target"]],
    glm: ["information loss (GLM)", false],
    suppressed: ["rows left out", false],
    s_k: ["mean group size per person", true],
    s_l: ["people in the own group with the same X", null, ["sensitive"]],
    loss_arithmetic: ["mean loss of the columns", false],
    loss_geometric: ["geometric mean loss of the columns", false],
    cm: ["rows off their group's majority of X (CM)", false, ["target"]],
    discernibility: ["discernibility", false],
    average_class_size: ["average group size", false],
    worst_group_suppression: ["largest share of rows lost by a value of X", false, ["quasi", "sensitive", "target"]],
    ql: ["quality: information that is kept", true],
    secure: ["nobody can be certain of a secret", true, null, true],
    sf: ["security: doubt that is left about secrets", true, null, true],
    worst_risk: ["largest posterior of a secret", false, null, true],
    at_risk: ["people whose secret is likelier than allowed", false, null, true],
  };
  const REQUIRABLE = ["k", "distinct_l", "secure", "worst_risk", "at_risk"];

  const partsOf = (written) => {
    const found = /^\s*(?:(min|max):\s*)?([A-Za-z_]\w*)\s*(?:\((.*)\))?\s*$/s.exec(written);
    return found ? { way: found[1] ?? null, base: found[2], column: found[3] ?? null } : { way: null, base: written, column: null };
  };

  const measureSays = (written) => {
    const { way, base, column } = partsOf(written);
    const known = MEASURES[base];
    if (!known) return "";
    const [before, after] = known[0].split("X");
    const more = known[1] ?? way === "max";
    return [after === undefined ? before : [before, kit.label(column, 40), after],
      h("span", { class: "soft" }, base === "secure" ? "" : more ? " · more is better" : " · less is better")];
  };

  /** [key, value] of a section in the job's own order: JavaScript puts keys such as 2020 first. */
  kit.entriesOf = (project, section) => project.order[section].map((key) => [key, project.job[section][key]]);

  /** Every measure that the job's columns allow, as they are written. */
  const measuresFor = (project, bases = Object.keys(MEASURES)) => {
    const columns = kit.entriesOf(project, "columns");
    return bases.flatMap((base) => {
      const [, more, roles, rules] = MEASURES[base];
      if (rules && !(project.job?.confidential ?? []).length) return [];
      if (!roles) return [base];
      const names = columns.filter(([, one]) => [one?.role].flat().some((role) => roles.includes(role))).map(([name]) => name);
      const ways = more === null ? ["max:", "min:"] : [""];
      return names.flatMap((name) => ways.map((way) => `${way}${base}(${name})`));
    });
  };

  kit.words = { ROLES, ONLY_QUASI, MEASURES, REQUIRABLE, roleKey, partsOf, measureSays, measuresFor };

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
