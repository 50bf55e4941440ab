// The Node room: everything about one candidate, or two side by side.
(() => {
  "use strict";

  const kit = window.Paretonym;
  const { h, colors } = kit;
  const notice = (message) => h("div", { class: "notice bad", role: "alert" }, h("p", {}, message));
  const section = (title, ...children) => h("section", { class: "node-section" }, h("h2", {}, title), children);

  const readNode = (address, levels, below) => (address.get(levels)
    ? { levels: kit.readLevels(address.get(levels)), below: Number(address.get(below)) || null } : null);

  /** What is wrong with the levels of an address, if anything is. */
  const faultOf = ({ levels }, columns) => {
    if (!levels) return "levels are numbers joined by dots";
    if (levels.length !== columns.length) {
      return `it names ${kit.plural(levels.length, "level")}, and ${kit.plural(columns.length, "column has", "columns have")} levels here`;
    }
    const place = levels.findIndex((level, i) => level >= columns[i].levels.length);
    if (place < 0) return null;
    return `${kit.plain(columns[place].name)} has no level ${levels[place]}; its last is ${columns[place].levels.length - 1}`;
  };

  const refusal = (context, fault) => h("div", { class: "room" }, h("h2", {}, "No such candidate"),
    notice(`The address of this page names a candidate that cannot be: ${fault}.`),
    h("div", { class: "actions" }, h("button", { type: "button", class: "main", onclick: () => context.go("front", {}) }, "Choose in Front")));

  const identity = (view, { levels, below }, role, kind) => h("div", { class: "identity" },
    role ? h("p", { class: "role" }, h("span", { class: `key square ${kind}` }), role) : null,
    h("dl", { class: "numbers" }, view.columns.map((column, place) => h("div", {},
      h("dt", {}, kit.label(column.name, 40)),
      h("dd", {}, kit.label(column.levels[levels[place]]?.name ?? `level ${levels[place]}`, 32)))),
    below > 0 ? h("div", {}, h("dt", {}, "classes left out"), h("dd", {}, `smaller than ${kit.number(below)}`)) : null));

  const outcome = ({ view, role }, several) => h("p", {}, several ? h("b", {}, `${role}: `) : "",
    `${kit.plural(view.released, "row")} released in ${kit.plural(view.classes, "class", "classes")}, ${kit.plural(view.suppressed, "row")} left out.`,
    view.feasible ? "" : h("b", { class: "fails" }, " It does not meet what the job requires."));

  /** A measure's name with what else a reader has to know to compare its values. */
  const measureName = (points, { name, long }) => {
    const { direction, left_out } = points.measure(name) ?? {};
    const better = points.view.directions[direction]?.better;
    const notes = [better ? `${better} is better` : null, left_out].filter(Boolean);
    return [kit.label(long, 120), notes.length ? h("span", { class: "words small soft" }, notes.join("; ")) : null];
  };

  const valueTable = (points, values) => kit.simpleTable(["Measure", "Value"],
    values.map((value) => [measureName(points, value), value.shown]), "All measures");

  const known = (points, index) => points.measures.map(({ name, long }) => ({ name, long, shown: points.shown(name, index) }));

  const marked = (text, wins) => (wins ? [h("b", { class: "wins" }, text), h("span", { class: "sr" }, " (better)"), h("span", { class: "wins", "aria-hidden": "true" }, " ✓")] : text);

  const comparedValues = (points, values, nodes) => kit.simpleTable(["Measure", nodes[0].role, nodes[1].role],
    values.map((value) => [measureName(points, value), marked(value.a, value.better === "a"), marked(value.b, value.better === "b")]),
    "All measures side by side");

  const people = (count) => kit.plural(count, "person", "people");

  const spreadWords = ({ says, a_over_b, b_over_a, better_a, better_b, equal }) => h("li", {},
    h("b", {}, kit.label(says, 80), ": "),
    better_a === undefined || better_a === null ? ""
      : `the first is better for ${people(better_a)}, the second for ${people(better_b)}, and for ${people(equal)} they are equal. `,
    `Spread index: first over second ${kit.number(a_over_b)}, second over first ${kit.number(b_over_a)}. `,
    a_over_b === b_over_a ? "Neither side is ahead." : `The ${a_over_b > b_over_a ? "first" : "second"} is ahead.`);

  const spreadSection = (spread) => section("Person by person",
    h("p", { class: "soft" }, "The spread index adds up, over all people, by how much one candidate serves a person better than the other does. A larger sum is better; who wins on average may still be worse for some."),
    spread.length ? h("ul", {}, spread.map(spreadWords)) : h("p", {}, "The spread index of these two is not in this file; the app computes it: paretonym explore."));

  const previewTable = ({ columns, rows, released }) => h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Preview" }, h("table", {},
    h("caption", {}, `${kit.plural(rows.length, "row")} of ${kit.number(released)} released, as they would be written.`),
    h("thead", {}, h("tr", {}, columns.map((name) => h("th", { scope: "col" }, kit.label(name, 40))))),
    h("tbody", {}, rows.map((cells) => h("tr", {}, cells.map((cell) => h("td", {}, kit.label(cell, 60))))))));

  const preview = (source, node, alive) => {
    const place = h("div", {});
    if (!source.live) {
      place.append(h("p", { class: "soft" }, "Rows are shown only in the app, because a file gets passed around."));
      return place;
    }
    place.append(h("p", { class: "soft" }, "Reading rows…"));
    source.preview(node.levels, node.below).then(
      (found) => alive() && place.replaceChildren(previewTable(found)),
      (error) => alive() && place.replaceChildren(notice(error.message)),
    );
    return place;
  };

  const details = (nodes, charts, source, alive) => {
    const several = nodes.length > 1;
    const grid = (...children) => h("div", { class: "node-grid" }, children);
    const lost = nodes.some(({ view }) => view.suppressed > 0);
    const key = nodes.map(({ kind, role }) => [h("span", { class: `key square ${kind}` }), role]);
    const legend = h("p", { class: "small soft" }, h("span", { class: "key square before" }), "before",
      nodes.map(({ kind, role }) => [h("span", { class: `key square ${kind}` }), several ? role : "after"]));
    return [
      section("Classes and people", grid(kit.classSizes(nodes, charts), kit.privacyCurves(nodes, charts))),
      section("Before and after", legend, grid(kit.distributions(nodes)), kit.notCompared(nodes[0])),
      section("Who lost rows", lost
        ? [h("p", { class: "small soft" }, several ? [key, ". "] : "", "All bars have the same scale."), grid(kit.lostRows(nodes))]
        : h("p", { class: "soft" }, "No row is left out, so nobody lost rows.")),
      nodes.map((node) => section(several ? `Preview, ${node.role}` : "Preview", preview(source, node.view, alive))),
    ];
  };

  const chooser = (root, context, view) => {
    const points = kit.points(view);
    const open = (index) => context.go("node", { levels: kit.writeLevels(points.levelsOf(index)), below: String(points.below[index]) });
    root.append(h("div", { class: "room" }, h("h2", {}, "No point chosen"),
      h("p", {}, "Choose a point in the ", h("button", { type: "button", class: "link", onclick: () => context.go("front", {}) }, "Front room"),
        view.picks.length ? ", or take one of these:" : "."),
      h("div", { class: "chips" }, view.picks.map(({ says, index }) =>
        h("button", { type: "button", onclick: () => open(index) }, kit.plain(says.replace(">=", " ≥ ").replace("<=", " ≤ ")))))));
  };

  /** A node's view, or the error that came instead. */
  const ask = (promise) => promise.then((view) => ({ view }), (error) => ({ error }));

  const drawNodes = (root, context, view, wanted, alive, charts) => {
    const roles = wanted.length > 1 ? ["first", "second"] : ["this candidate"];
    const kinds = ["after", "second"];
    const shades = [colors.blue, colors.orange];
    const answers = wanted.map(({ levels, below }) => ask(context.source.node(levels, below)));
    const compared = wanted.length > 1 ? ask(context.source.compare(wanted[0], wanted[1])) : Promise.resolve(null);
    return Promise.all([compared, ...answers]).then(([comparison, ...found]) => {
      if (!alive()) return;
      const several = wanted.length > 1;
      const nodes = found.map((answer, i) => ({ ...answer, role: roles[i], kind: kinds[i], color: shades[i] }));
      const errors = [...new Set(found.concat(comparison || []).filter(({ error }) => error).map(({ error }) => error.message))];
      const whole = nodes.filter((node) => node.view);
      const body = [errors.map(notice), h("div", {}, whole.map((node) => outcome(node, several))), h("div", { class: "node-pair" },
        valuesOf(view, wanted, nodes, comparison), whole.length ? section("Loss of each attribute", kit.losses(whole)) : null)];
      if (comparison?.view) body.push(spreadSection(comparison.view.spread));
      if (whole.length) body.push(details(whole, charts, context.source, alive));
      root.append(h("div", { class: "room node-room" }, heading(context, view, wanted, roles, kinds, Boolean(nodes[0].view)), body));
      charts.forEach((entry) => { entry.chart = kit.chart(entry[0], entry[1], { label: entry[2] }); });
    });
  };

  const valuesOf = (view, wanted, nodes, comparison) => {
    const points = kit.points(view);
    if (comparison?.view) return section("All measures", comparedValues(points, comparison.view.values, nodes), h("p", { class: "small soft" }, "✓ marks the better side."));
    if (nodes[0].view) return section("All measures", valueTable(points, nodes[0].view.values));
    const index = points.find(wanted[0].levels, wanted[0].below);
    return index < 0 ? null : section("All measures", valueTable(points, known(points, index)));
  };

  const heading = (context, view, wanted, roles, kinds, releasable) => {
    const several = wanted.length > 1;
    const query = { levels: kit.writeLevels(wanted[0].levels), below: String(wanted[0].below) };
    if (several) Object.assign(query, { other: kit.writeLevels(wanted[1].levels), other_below: String(wanted[1].below) });
    const swap = () => context.go("node", { levels: query.other, below: query.other_below, other: query.levels, other_below: query.below });
    return h("header", { class: "room-head" },
      h("div", { class: "head-line" }, h("h2", {}, several ? "Two candidates side by side" : "One candidate"),
        h("div", { class: "actions" }, h("button", { type: "button", onclick: () => context.go("front", query) }, "Show in Front"),
          several ? h("button", { type: "button", onclick: swap }, "Swap sides") : null,
          context.source.live && releasable ? h("button", { type: "button", class: "main",
            onclick: () => context.go("release", { levels: query.levels, below: query.below }) },
          several ? "Release the first…" : "Release this…") : null)),
      h("div", { class: several ? "identities two" : "identities" }, wanted.map((node, i) => identity(view, node, several ? roles[i] : null, kinds[i]))));
  };

  kit.rooms.node = {
    title: "Node",
    key: "3",
    open(root, context) {
      let closed = false;
      const charts = [];
      const alive = () => !closed;
      const first = readNode(context.address, "levels", "below");
      const second = readNode(context.address, "other", "other_below");
      kit.clear(root).append(h("p", { class: "soft waiting" }, "Reading the candidate…"));
      context.source.front().then((view) => {
        if (closed) return null;
        if (!first) return chooser(kit.clear(root), context, view);
        const wanted = second ? [first, second] : [first];
        const fault = wanted.map((node) => faultOf(node, view.columns)).find(Boolean);
        if (fault) return kit.clear(root).append(refusal(context, fault));
        const stage = kit.clear(root);
        stage.append(h("p", { class: "soft waiting" }, "Reading the candidate…"));
        return drawNodes(root, context, view, wanted, alive, charts)
          .then(() => alive() && root.querySelector(".waiting")?.remove());
      }).then(() => {
        if (!closed) document.documentElement.dataset.node = String(performance.now());
      }).catch((error) => {
        if (!closed) kit.clear(root).append(notice(error.message));
      });
      return () => {
        closed = true;
        for (const { chart } of charts) if (chart) chart.dispose();
      };
    },
  };
})();
