// The Security room: what must stay secret, whom the table gives away, and every least distorting table that keeps it.
(() => {
  "use strict";

  const kit = window.Paretonym;
  const { h, clear } = kit;
  const { MEASURES, valueSays } = kit.words;
  const SEARCHES = { incognito: "Incognito", breadth_first: "breadth first" };
  const SHAPES = { minimal: "circle", best: "diamond", genetic: "triangle" };

  const share = (entry) => entry.values.sf * entry.values.ql;
  const keyOf = (entry, columns) => columns.map((column) => entry.levels[column.name]).join(".");
  const levelName = (column, level) => (column.levels[level] === undefined ? String(level) : column.levels[level]);

  /** Every table that is shown, once: a minimal one can also be the best. */
  const entriesOf = (found) => {
    const entries = new Map();
    const put = (entry, role) => {
      const key = keyOf(entry, found.columns);
      if (!entries.has(key)) entries.set(key, { key, levels: entry.levels, values: entry.values, roles: new Set() });
      entries.get(key).roles.add(role);
    };
    put(found.optimum, "best");
    put(found.genetic, "genetic");
    for (const entry of found.minimal) put(entry, "minimal");
    return [...entries.values()];
  };
  const ROLES = { best: "proven best", genetic: "genetic", minimal: "minimal" };
  const rolesShown = (entry) => ["best", "genetic", "minimal"].filter((role) => entry.roles.has(role)).map((role) => ROLES[role]).join(", ");

  const levelsShown = (entry, columns) => h("dl", { class: "level-chips" }, columns.map((column) => h("div", {},
    h("dt", {}, kit.label(column.name, 30)), h("dd", {}, kit.label(levelName(column, entry.levels[column.name]), 40)))));
  /** The figures of a table, in the server's order. */
  const figuresOf = (entry) => Object.keys(entry.values).map((name) => MEASURES.get(name)).filter(Boolean);
  const figuresShown = (entry) => h("dl", { class: "numbers" }, figuresOf(entry).map(({ name, short, says }) => h("div", {},
    h("dt", { title: says }, short), h("dd", {}, valueSays(name, entry.values[name])))));

  /** Levels mean something for one job only: why these cannot be opened now, if so. */
  const outdated = (project) => {
    if (kit.newest(project, "secure")?.digest !== project.digest) return "The job was changed since; find the secure tables again first.";
    if ((kit.newest(project, "front") || project).digest !== project.digest) return "The front on show belongs to an older job; find it again first.";
    return null;
  };

  const linkTo = (context, room, entry, label) => {
    const query = `levels=${entry.key}&below=1`;
    return h("a", { class: "button", href: `/table/${context.project().id}/${room}?${query}`, onclick: (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
      event.preventDefault();
      const why = outdated(context.project());
      if (why) context.fail({ message: why });
      else context.go(room, query);
    } }, label);
  };

  const ways = (context, entry) => h("div", {},
    h("p", { class: "run" }, linkTo(context, "node", entry, "Open in Node"), linkTo(context, "release", entry, "Release")),
    entry.values.k === 1 ? h("p", { class: "small bad alone" },
      "k = 1: the secrets are kept, but people can still be found in this table by their quasi-identifiers.") : null);

  // ---- whom the table gives away

  const bar = (value, most) => {
    const fill = h("span", { class: "fill second" });
    fill.style.width = `${(100 * value) / most}%`;
    return h("span", { class: "track", "aria-hidden": "true" }, fill);
  };

  const exposure = (found) => {
    const most = Math.max(1, ...found.rules.map((rule) => rule.people));
    const { people } = found.exposed;
    return h("section", { class: "panel" },
      h("h2", {}, "Whom the table gives away as it is"),
      h("p", {}, people
        ? [h("strong", {}, kit.plural(people, "person", "people")), ` of ${kit.number(found.rows)}: about each of them at least one of the sentences is certain, to anybody who knows their quasi-identifiers.`]
        : `Nobody: no sentence is certain about any of ${kit.number(found.rows)} people, even when nothing is made coarser.`),
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "People by rule" }, h("table", { class: "exposure" },
        h("caption", {}, "People about whom the sentence is certain. Somebody whom two rules concern counts in both."),
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Rule"), h("th", { scope: "col" }, "People"))),
        h("tbody", {}, found.rules.map((rule) => h("tr", {},
          h("th", { scope: "row" }, kit.label(rule.say, 200), rule.for ? [h("br"), h("span", { class: "soft" }, "about ", kit.label(rule.for, 200))] : null),
          h("td", { class: "bar-cell" }, bar(rule.people, most), h("span", { class: "amount" }, kit.number(rule.people)))))))));
  };

  // ---- the best one, and how it was found

  const card = (title, says, entry, found, context) => h("article", { class: "panel found" },
    h("h3", {}, title), h("p", { class: "soft small" }, says), levelsShown(entry, found.columns), figuresShown(entry),
    ways(context, entry));

  const searchFigures = (found) => h("details", {}, h("summary", {}, "How they were found"),
    h("dl", { class: "numbers" },
      h("div", {}, h("dt", {}, "ways to make the columns coarser"), h("dd", {}, kit.number(found.nodes))),
      Object.entries(found.tests).map(([name, tests]) => h("div", {},
        h("dt", {}, `looked at by the search “${SEARCHES[name] || kit.plain(name)}”`), h("dd", {}, kit.number(tests)))),
      h("div", {}, h("dt", {}, "looked at to prove the best"), h("dd", {}, kit.number(found.optimum.evaluations))),
      h("div", {}, h("dt", {}, "looked at by evolution"), h("dd", {}, kit.number(found.genetic.evaluations)))),
    Object.keys(found.tests).length > 1 ? h("p", { class: "soft small" }, "Two different searches found the same ones.") : null);

  const best = (found, entries, context) => {
    const optimum = entries.find((entry) => entry.roles.has("best"));
    const genetic = entries.find((entry) => entry.roles.has("genetic"));
    const part = share(found.optimum) ? share(found.genetic) / share(found.optimum) : 1;
    const same = optimum === genetic;
    const reached = same ? "finds the same table" : found.genetic.secure ? `reaches ${kit.percent(part)} of that product` : "ends with a table that is not secure";
    const evolved = `The evolutionary search that was published for attribute-oriented granulation (see docs/reproduction.md) ${reached}.`;
    return h("section", {},
      h("div", { class: "side-by-side" },
        card("The best secure table, proven",
          `No secure table has a larger product of security and quality; this is proven.${same ? ` ${evolved}` : ""}`, optimum, found, context),
        same ? null : card("What evolution finds", evolved, genetic, found, context),
        h("article", { class: "panel found" }, h("h3", {}, kit.plural(found.minimal.length, "table that is just secure", "tables that are just secure")),
          h("p", { class: "soft small" }, "A table is minimal when it stops being secure as soon as any column gets finer. Everything coarser is secure too."),
          h("p", { class: "soft small" }, "Other requirements of the job play no part here; Front and Release keep to them."),
          searchFigures(found))));
  };

  // ---- all of them

  const option = (entries, chosen) => {
    const series = (role, name, color, size) => ({
      name, type: "scatter", symbol: SHAPES[role], symbolSize: size, z: role === "minimal" ? 2 : 4,
      itemStyle: { color, borderColor: "#fff", borderWidth: 1, opacity: role === "minimal" ? 0.75 : 1 },
      data: entries.filter((entry) => entry.roles.has(role)).map((entry) => ({ value: [100 * entry.values.ql, 100 * entry.values.sf], entry })),
    });
    const axis = (name) => ({ type: "value", name, nameLocation: "middle", scale: true, axisLabel: { formatter: (value) => kit.tick(value) } });
    return {
      grid: { left: 62, right: 24, top: 16, bottom: 48 },
      xAxis: { ...axis("quality, %"), nameGap: 30 },
      yAxis: { ...axis("security, %"), nameGap: 44 },
      tooltip: { trigger: "item", formatter: ({ data }) => `${rolesShown(data.entry)}\n${figuresOf(data.entry).map(({ name, short }) => `${short} ${valueSays(name, data.entry.values[name])}`).join("\n")}` },
      series: [
        series("minimal", "minimal", kit.colors.blue, 9),
        series("genetic", "genetic", "#cc79a7", 14),
        series("best", "proven best", kit.colors.orange, 17),
        { name: "chosen", type: "scatter", symbol: "circle", symbolSize: 24, silent: true, z: 5,
          itemStyle: { color: "transparent", borderColor: kit.colors.ink, borderWidth: 2 },
          data: chosen ? [[100 * chosen.values.ql, 100 * chosen.values.sf]] : [] },
      ],
    };
  };

  const all = (found, entries, context, closers) => {
    const chosenBox = h("div", { class: "secure-chosen", role: "status" });
    const picture = h("div", { class: "secure-plot" });
    let chosen = entries.find((entry) => entry.key === context.address.get("levels")) || entries[0];
    let chart = null;

    const choose = (entry) => {
      chosen = entry;
      context.set({ levels: entry.key });
      table.select(entry);
      if (chart) chart.setOption(option(entries, chosen));
      drawChosen();
    };
    const drawChosen = () => clear(chosenBox).append(
      h("h3", {}, `Chosen: ${rolesShown(chosen)}`), levelsShown(chosen, found.columns), figuresShown(chosen),
      h("p", { class: "soft small" }, `Somebody can still be ${kit.percent(chosen.values.worst_risk)} sure of a secret.`),
      ways(context, chosen));

    const table = kit.table({
      label: "Secure tables", rows: entries, height: 380, onSelect: choose,
      sort: { key: context.address.get("sort") || "ql", down: context.address.get("down") !== "0" },
      onSort: ({ key, down }) => context.set({ sort: key, down: down ? "1" : "0" }),
      columns: [
        { key: "which", title: "which", width: 190, get: rolesShown, show: rolesShown },
        ...figuresOf(found.optimum).map(({ name, short, says }) => ({ key: name, title: short, hint: says, numeric: true, width: 92,
          get: (entry) => entry.values[name], show: (entry) => valueSays(name, entry.values[name]) })),
        ...found.columns.map((column) => ({ key: `level of ${column.name}`, title: kit.plain(column.name, 24), width: 120,
          get: (entry) => entry.levels[column.name], show: (entry) => kit.label(levelName(column, entry.levels[column.name]), 40) })),
      ],
    });
    closers.push(() => table.close(), () => chart && chart.dispose());

    const section = h("section", { class: "panel" },
      h("h2", {}, "Every least distorting table that is secure"),
      h("div", { class: "figure-and-chosen" },
        h("figure", {}, picture, h("figcaption", {},
          h("span", { class: "mark circle", "aria-hidden": "true" }, "●"), " minimal ", h("span", { class: "mark best", "aria-hidden": "true" }, "◆"), " proven best ",
          h("span", { class: "mark genetic", "aria-hidden": "true" }, "▲"), " genetic. Up is more doubt about secrets, right is more detail. Choose one here or in the table.")),
        chosenBox),
      h("details", { open: true }, h("summary", {}, `${kit.number(entries.length)} as a table`), table.element));
    drawChosen();
    // a chart takes the size of its place, so the place comes first
    requestAnimationFrame(() => {
      if (!picture.isConnected) return;
      chart = kit.chart(picture, option(entries, chosen), {
        label: `Security against quality of ${kit.plural(found.minimal.length, "minimal secure table")}; the best has security ${kit.percent(found.optimum.values.sf)} and quality ${kit.percent(found.optimum.values.ql)}`,
      });
      chart.on("click", ({ data }) => data && data.entry && choose(data.entry));
      table.select(chosen);
    });
    return section;
  };

  const meaning = (found) => h("div", { class: "notice" }, h("p", {},
    h("strong", {}, "Secure means only that nobody can be certain. "),
    `Somebody can still be ${kit.percent(found.optimum.values.worst_risk)} sure of a secret in the best table below: that is its worst risk. Read both, or require a worst risk that you can answer for.`));

  const open = (root, context) => {
    const result = h("div", { class: "stack" });
    const closers = [];
    const close = () => closers.splice(0).forEach((end) => end());
    const show = (found) => {
      close();
      const entries = entriesOf(found);
      clear(result).append(exposure(found), meaning(found), best(found, entries, context), all(found, entries, context, closers));
    };
    const rules = kit.secretRules(context);
    const work = kit.running(context, { kind: "secure", start: "Find the secure tables", again: "Find them again", show });
    const asking = h("div", {}, work.element);
    const offer = () => {
      asking.hidden = !context.project().has.confidential;
    };
    context.listen(offer);
    offer();
    root.append(h("div", { class: "room" },
      h("header", { class: "room-head" }, h("h1", {}, "Security"),
        h("p", { class: "lead" }, "Say in sentences what nobody may be certain of. Then see whom the table gives away, and every table that keeps it secret and loses no more detail than needed.")),
      rules.element, asking, result));
    return close;
  };

  kit.rooms.security = { title: "Security", open };
})();
