// The Groups room: where a group stands out, who finds it all the same, and how it can be masked.
(() => {
  "use strict";

  const kit = window.Paretonym;
  const { h, clear } = kit;

  const sentence = (text) => h("code", { class: "sentence" }, kit.label(text, 2000));
  const named = (names) => [names ?? []].flat().map((name, i) => [i ? ", " : "", kit.label(name, 60)]);

  const about = (name, spec) => h("section", { class: "panel" }, h("h2", {}, "Group “", kit.label(name, 80), "”"),
    h("p", { class: "says" }, "People of whom ", sentence(spec.vital), " is true", spec.only ? [", among those of whom ", sentence(spec.only), " is true."] : "."),
    h("dl", { class: "words-list" },
      h("dt", {}, "Areas"), h("dd", {}, named(spec.parameter), spec.region ? [", judged region by region: ", kit.label(spec.region, 60)] : ""),
      h("dt", {}, "Taken out"), h("dd", {}, [spec.remove ?? []].flat().length ? [named(spec.remove), " will not be in the release"] : "no column"),
      spec.basic ? [h("dt", {}, "Known of everybody"), h("dd", {}, named(spec.basic))] : null,
      h("dt", {}, "Auxiliary file"), h("dd", {}, spec.auxiliary ? "an adversary learns from another file in which the group can be told" : "none; without one nobody can be attacked or judged")));

  const leftOut = ({ left_out: gone }) => {
    const parts = [
      gone.without_area ? `${kit.plural(gone.without_area, "record")} without an area` : "",
      gone.areas ? `${kit.plural(gone.areas, "area")} that are too small, with ${kit.plural(gone.area_members, "member")}` : "",
      gone.regions ? `${kit.plural(gone.regions, "region")} with too small a share, with ${kit.plural(gone.region_members, "member")}` : "",
    ].filter(Boolean);
    return parts.length ? h("p", { class: "soft" }, `Left out: ${parts.join("; ")}.`) : null;
  };

  const signalFigure = (region, state, charts) => {
    const kind = kit.groupKinds[state.kind];
    const rows = [{ name: `${state.kind}: ${kind.says}`, values: region[state.kind], marks: kit.standing(region.areas, region.outliers[state.kind]), color: kit.colors.blue }];
    if (region.reference) {
      rows.push({ name: "the same in the reference file", values: region.reference[state.kind], marks: region.areas.map(() => null), color: kit.colors.grey });
    }
    const out = region.outliers[state.kind];
    return kit.signalFigure({
      title: kit.regionName(region.region), areas: region.areas, rows, kind, order: state.order, oneScale: true,
      more: [{ name: "records", show: (area) => kit.number(region.records[area]) }],
      label: `The ${state.kind} in each of ${kit.plural(region.areas.length, "area")}; ${kit.plural(out.length, "area stands", "areas stand")} out. The numbers stand in the table below.`,
      caption: [kit.markWords(["outlier"]), `${kit.plural(region.areas.length, "area")}, ${kit.plural(out.length, "stands", "stand")} out`,
        out.length && out.length <= 12 ? [": ", named(out)] : "", ". ", region.notes.map((note) => [kit.label(note, 400), ". "])],
    }, charts);
  };

  const signals = (group, state, charts) => {
    const ways = { upper: "above the rest", lower: "below the rest", both: "from the rest" };
    return [
      h("p", {}, h("strong", {}, kit.plural(group.members, "member")), ` among ${kit.plural(group.records, "record")}${group.weighted ? ", counted with their weights" : ""}. `,
        `An area stands out when it lies too far ${ways[group.side] || ""} by the modified Thompson tau technique, alpha ${kit.percent(group.alpha)}.`),
      group.ignore.length ? h("p", { class: "soft" }, "Ignored, as the job says: ", named(group.ignore), ".") : null,
      group.keep.length ? h("p", { class: "soft" }, "Counted as well, as the job says: ", named(group.keep), ".") : null,
      leftOut(group),
      kit.regionFigures(group.regions, state.region, (region) => signalFigure(region, state, charts)),
    ];
  };

  const SECTIONS = [
    { kind: "signal", title: "Where the group is", says: "Members are counted by area. Nobody outside sees these figures.", start: "Count", again: "Count again", quick: true,
      draw: signals },
    { kind: "attack", title: "What an adversary finds", says: "Adversaries learn from the auxiliary file what members look like, and count look-alikes in the table without the removed columns.", start: "Attack", again: "Attack again",
      draw: (group, state, charts, told) => kit.groupAttack(group, state, charts, told) },
    { kind: "protect", title: "Protection", says: "Members and similar others exchange their areas until nothing stands out, at the least distortion.", start: "Protect", again: "Protect again",
      draw: (group, state, charts) => kit.groupProtect(group, state, charts) },
  ];

  const nothing = (root, context) => root.append(h("div", { class: "room" }, h("header", { class: "room-head" }, h("h1", {}, "Groups"),
    h("p", {}, "This job names no groups. A group is a set of people whose whereabouts nobody should learn, such as soldiers or the patients of one clinic: " +
      "the areas in which they stand out give them away, even when no single person can be found.")),
    kit.groupStart(context)));

  /** What the figures of all sections show; it lives in the address. */
  const stateOf = (address) => ({
    kind: address.get("kind") === "concentration" ? "concentration" : "quantity",
    order: address.get("order") === "value" ? "value" : "area",
    region: address.get("region"),
  });

  const section = (spec, context, view) => {
    const charts = [];
    const body = h("div", { class: "stack" });
    let found = null;
    const draw = () => {
      if (!found) return;
      const group = found.groups.find((one) => one.name === view.group);
      const files = spec.kind === "protect" ? kit.protectFiles(found, context) : null;
      const parts = group ? spec.draw(group, view, charts, view.told) : [h("p", { class: "soft" }, "Nothing was found out about this group.")];
      kit.replace(body, charts, files, ...parts);
    };
    const work = kit.running(context, { ...spec, show: (result) => {
      found = result;
      draw();
      view.learned(result.groups);
    } });
    const element = h("section", { class: "stack step", "aria-label": spec.title, dataset: { section: spec.kind } },
      h("div", { class: "step-head" }, h("div", {}, h("h2", {}, spec.title), h("p", { class: "soft" }, spec.says)), work.element), body);
    return { element, draw, close: () => charts.splice(0).forEach((end) => end()) };
  };

  /** The room as it is for these groups. */
  const drawGroups = (root, context, names) => {
    const intro = h("div", {});
    const regionPicker = h("select", { id: "region", onchange: () => change({ region: regionPicker.value || null }) });
    const regionLabel = h("label", { for: "region", hidden: true }, "Region ", regionPicker);
    const wanted = context.address.get("group");
    const view = { ...stateOf(context.address), group: names.includes(wanted) ? wanted : names[0], told: true };

    const settle = () => {
      const spec = ((context.project().job || {}).groups || {})[view.group];
      if (!spec || typeof spec !== "object") return;
      view.told = !spec.region || [spec.parameter].flat().includes(spec.region);
      clear(intro).append(about(view.group, spec));
    };
    view.learned = (found) => {
      const regions = (found.find((one) => one.name === view.group)?.regions || []).map((region) => region.region);
      if (regions.length < 2) return;
      regionLabel.hidden = false;
      clear(regionPicker).append(h("option", { value: "" }, `all ${kit.number(regions.length)}`), ...regions.map((name) => h("option", { value: name }, kit.plain(name, 60))));
      regionPicker.value = view.region && regions.includes(view.region) ? view.region : "";
    };
    const sections = SECTIONS.map((spec) => section(spec, context, view));
    const change = (values) => {
      Object.assign(view, values);
      context.set(values);
      if ("group" in values) {
        Object.assign(view, { region: null });
        context.set({ region: null });
        regionPicker.value = "";
        settle();
      }
      sections.forEach((one) => one.draw());
    };
    settle();
    root.append(h("div", { class: "room" },
      h("header", { class: "room-head" }, h("h1", {}, "Groups"),
        h("p", { class: "lead" }, "Protecting single people does not hide where a group of them is. See where it stands out, whether others find it without the columns that name it, and mask it.")),
      names.length > 1 ? kit.choices("Group", names.map((name) => [name, kit.label(name, 40)]), view.group, (group) => change({ group })) : null,
      intro,
      h("div", { class: "figure-bar" },
        kit.choices("Signal", [["quantity", "Quantity"], ["concentration", "Concentration"]], view.kind, (kind) => change({ kind })),
        kit.choices("Areas", [["area", "By name"], ["value", "Largest first"]], view.order, (order) => change({ order })),
        regionLabel),
      sections.map((one) => one.element)));
    context.listen((event) => event.kind === "project" && settle());
    return () => sections.forEach((one) => one.close());
  };

  /** Drawn anew when groups come or go, by the form, by the text or by undoing. */
  const open = (root, context) => {
    let drawn = null;
    let close = () => {};
    const draw = () => {
      const names = context.project().order.groups;
      if (drawn === names.join("\n")) return;
      drawn = names.join("\n");
      close();
      clear(root);
      close = names.length ? drawGroups(root, context, names) : () => {};
      if (!names.length) nothing(root, context);
    };
    context.listen((event) => event.kind === "project" && draw());
    draw();
    return () => close();
  };

  kit.rooms.groups = { title: "Groups", open };
})();
