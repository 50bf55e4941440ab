// Groups with names: which value goes where, level by level.
(() => {
  "use strict";

  const kit = window.Paretonym;
  const { h, clear } = kit;
  const { flag, said, tick } = kit.builderParts;
  const MANY = 12; // from so many values on there is a filter
  const MOST = 2000; // values that can be grouped by hand

  const MISSING = ""; // how a job writes the missing value as a member

  /** The members of one level with the group of each; a group of one with its own name says nothing. */
  const placed = (level) => new Map(Object.entries(level ?? {})
    .flatMap(([group, members]) => [members].flat().map((member) => [member, group])));

  const read = (job, values) => {
    const written = job.hierarchy?.groups ? [job.hierarchy.groups].flat() : [{}];
    const levels = written.map(placed);
    const rows = new Map(values.map((one) => [one.value ?? MISSING, one.rows]));
    for (const member of levels[0].keys()) if (!rows.has(member)) rows.set(member, 0);
    return { levels, rows, open: flag(job.hierarchy?.open_top), other: job.hierarchy?.other ?? "", filter: "" };
  };

  /** What a level groups: the values, or the names of the level below. */
  const itemsOf = (draft, depth) => {
    if (!depth) return [...draft.rows.keys()];
    const below = itemsOf(draft, depth - 1);
    return [...new Set(below.map((item) => groupOf(draft, depth - 1, item)).filter((name) => name !== MISSING))];
  };
  const own = (draft, depth, item) => draft.levels[depth].get(item)?.trim() || "";
  /** A value that the job pools without naming it. */
  const isPooled = (draft, depth, item) => {
    const other = depth || item === MISSING ? "" : draft.other.trim();
    return other !== "" && [other, ""].includes(own(draft, depth, item));
  };
  const groupOf = (draft, depth, item) => (isPooled(draft, depth, item) ? draft.other.trim() : own(draft, depth, item) || item);

  const levelData = (draft, depth) => {
    const groups = new Map();
    for (const item of itemsOf(draft, depth)) {
      const group = groupOf(draft, depth, item);
      // a missing value without a group stays apart
      if (group === MISSING || isPooled(draft, depth, item)) continue;
      groups.set(group, [...(groups.get(group) ?? []), item]);
    }
    return Object.fromEntries(groups);
  };

  const data = (draft) => {
    const levels = draft.levels.map((_, depth) => levelData(draft, depth));
    if (!Object.keys(levels[0]).length) return { fault: "Name a group for at least one value." };
    return { hierarchy: said({ groups: levels.length === 1 ? levels[0] : levels, open_top: draft.open, other: draft.other.trim() }) };
  };

  const rowsOf = (draft, depth, item) => {
    if (!depth) return draft.rows.get(item) ?? 0;
    return itemsOf(draft, depth - 1).filter((one) => groupOf(draft, depth - 1, one) === item)
      .reduce((sum, one) => sum + rowsOf(draft, depth - 1, one), 0);
  };

  const levelTable = (draft, depth, items, changed) => {
    const names = h("datalist", { id: `groups-${depth}` });
    const refresh = () => clear(names).append(...[...new Set([...draft.levels[depth].values()].filter(Boolean))]
      .map((name) => h("option", { value: name })));
    refresh();
    const rows = items.map((item, place) => h("tr", {},
      h("th", { scope: "row" }, kit.label(item === MISSING ? null : item, 60)),
      h("td", { class: "num" }, kit.number(rowsOf(draft, depth, item))),
      h("td", {}, h("input", { type: "text", id: `group-${depth}-${place}`, list: `groups-${depth}`, autocomplete: "off",
        value: draft.levels[depth].get(item) ?? "", placeholder: item === MISSING ? "stays apart" : kit.plain(groupOf(draft, depth, item), 30),
        "aria-label": `Group of ${kit.plain(item === MISSING ? null : item, 60)}`,
        oninput: (event) => {
          draft.levels[depth].set(item, event.target.value);
          refresh();
          changed();
        } }))));
    return h("div", { class: "scroll tall" }, names, h("table", { class: "groups" },
      h("caption", {}, depth ? `Level ${depth + 1}: groups of groups` : "Level 1: the group of each value"),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, depth ? "Group" : "Value"), h("th", { scope: "col", class: "num" }, "Rows"),
        h("th", { scope: "col" }, "Goes into"))),
      h("tbody", {}, rows)));
  };

  const form = (draft, changed) => {
    const box = h("div", { class: "group-form" });
    const all = itemsOf(draft, 0);
    if (all.length > MOST) {
      return [h("p", { class: "notice" }, `${kit.number(all.length)} values are too many to group by hand. Write them into a file, one row a value.`)];
    }
    const matching = () => all.filter((item) => item.toLowerCase().includes(draft.filter.toLowerCase()));
    const place = h("div", {});
    const drawFirst = () => clear(place).append(levelTable(draft, 0, matching(), levelChanged));
    const upper = h("div", {});
    const drawUpper = () => kit.keepingFocus(upper, () => clear(upper).append(
      ...draft.levels.slice(1).map((_, i) => levelTable(draft, i + 1, itemsOf(draft, i + 1), i + 2 < draft.levels.length ? levelChanged : changed)),
      h("div", { class: "row" },
        h("button", { type: "button", id: "level-add", onclick: () => {
          draft.levels.push(new Map());
          drawUpper();
          changed();
        } }, "Add a level above"),
        draft.levels.length > 1 ? h("button", { type: "button", id: "level-drop", onclick: () => {
          draft.levels.pop();
          drawUpper();
          changed();
        } }, "Remove the highest level") : "")));
    const levelChanged = () => {
      if (draft.levels.length > 1) drawUpper();
      changed();
    };
    const rest = kit.field("A value without a group goes into", h("input", { type: "text", id: "other", value: draft.other, autocomplete: "off",
      placeholder: "nothing: it stays itself", size: 24, oninput: (event) => {
        draft.other = event.target.value;
        drawFirst();
        levelChanged();
      } }), "Also values that are not listed, without a word.");
    const into = h("input", { type: "text", list: "groups-0", autocomplete: "off", size: 14, id: "bulk" });
    const bulk = all.length < MANY ? "" : h("div", { class: "row" },
      h("input", { type: "search", value: draft.filter, placeholder: "Filter values", "aria-label": "Filter values", size: 14,
        oninput: (event) => {
          draft.filter = event.target.value;
          drawFirst();
        } }),
      h("label", {}, "Put what is shown and has no group into ", into), " ",
      h("button", { type: "button", onclick: () => {
        for (const item of matching()) if (item !== MISSING && !draft.levels[0].get(item)?.trim()) draft.levels[0].set(item, into.value);
        drawFirst();
        levelChanged();
      } }, "Put"));
    drawFirst();
    drawUpper();
    box.append(rest, bulk, place, upper, tick(draft, "open", "leave out the closing *", changed));
    return [box];
  };

  kit.builders.groups = { title: "groups with names", read, form, data };
})();
