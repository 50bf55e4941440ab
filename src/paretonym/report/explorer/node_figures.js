// The figures of the Node room. Each takes one or two nodes: [{role, color, kind, view}].
(() => {
  "use strict";

  const kit = window.Paretonym;
  const { h } = kit;
  const ROLES = { quasi: "quasi-identifier", insensitive: "passed through", weight: "survey weight, passed through" };
  const WIDE = 50; // counts that differ by more than this factor are drawn on a log scale

  const figure = (title, chart, table, caption) => h("figure", { class: "panel" },
    h("h3", {}, title), chart, h("figcaption", {}, caption), h("details", {}, h("summary", {}, "Numbers of this figure"), table));

  const legend = (nodes) => (nodes.length > 1
    ? nodes.map(({ kind, role }) => [h("span", { class: `key square ${kind}` }), role]) : null);

  const binName = ({ from, to }) => (from === to ? kit.number(from) : `${kit.number(from)}–${kit.number(to)}`);

  const sharedBins = (nodes) => {
    const all = nodes.flatMap(({ view }) => view.class_sizes);
    const ends = [...new Set(all.filter(({ from, to }) => to > from).map(({ to }) => to))].sort((a, b) => a - b);
    const bins = new Map();
    for (const { from, to } of all) {
      const end = ends.find((one) => one >= to) ?? to; // single sizes go into the wider bins of the other node
      bins.set(end, { from: Math.min(from, bins.get(end)?.from ?? from), to: end });
    }
    return [...bins.values()].sort((a, b) => a.to - b.to);
  };

  /** Classes by size; both nodes on the same axes. */
  kit.classSizes = (nodes, charts) => {
    const bins = sharedBins(nodes);
    const within = (view, bin) => view.class_sizes.filter(({ from, to }) => from >= bin.from && to <= bin.to);
    const counts = nodes.map(({ view }) => bins.map((bin) => within(view, bin).reduce((sum, one) => sum + one.classes, 0)));
    const known = counts.flat().filter(Boolean);
    const log = known.length > 0 && Math.max(...known) / Math.min(...known) > WIDE;
    const plot = h("div", { class: "plot small-plot" });
    const option = {
      grid: { left: 62, right: 12, top: 14, bottom: 48, outerBoundsMode: "none" },
      tooltip: { trigger: "axis", axisPointer: { type: "shadow" } },
      xAxis: { type: "category", data: bins.map(binName), name: "people in a class", nameLocation: "middle", nameGap: 30, axisLabel: { hideOverlap: true }, splitLine: { show: false } },
      // a bar of a single class has to be seen, so a log axis starts below one
      yAxis: { type: log ? "log" : "value", min: log ? 0.5 : 0, startValue: log ? 0.5 : 0, minInterval: log ? undefined : 1, name: log ? "classes (log scale)" : "classes", nameLocation: "middle", nameGap: 44, axisLabel: { formatter: (value) => (value < 1 ? "" : kit.tick(value)) } },
      series: nodes.map(({ role, color }, i) => ({
        name: role, type: "bar", barMaxWidth: 34, barGap: "8%", itemStyle: { color, borderRadius: [3, 3, 0, 0] },
        data: counts[i].map((count) => (log && !count ? null : count)), tooltip: { valueFormatter: (value) => `${kit.number(value ?? 0)} classes` },
      })),
    };
    charts.push([plot, option, "Classes by their size; the numbers stand in the table below."]);
    const rows = bins.map((bin) => [binName(bin), ...nodes.flatMap(({ view }) => {
      const own = within(view, bin);
      return ["classes", "rows"].map((part) => kit.number(own.reduce((sum, one) => sum + one[part], 0)));
    })]);
    const heads = ["People in a class", ...nodes.flatMap(({ role }) => (nodes.length > 1 ? [`classes, ${role}`, `people, ${role}`] : ["classes", "people"]))];
    return figure("Classes by size", plot, kit.simpleTable(heads, rows, "Classes by size"), legend(nodes) || "How many classes of each size are released.");
  };

  const curveOf = (steps, people) => {
    const path = [];
    for (const [value, count] of steps) path.push([value, (100 * count) / people]);
    return path;
  };

  const worstWords = (one, people) => {
    const { value, people: count } = one.worst;
    return `Worst off: ${kit.plural(count, "person", "people")} of ${kit.number(people)} with ${kit.number(value)}.`;
  };

  const quantileWords = (one) => {
    const at = (share) => one.quantiles.find((quantile) => quantile.share === share)?.value;
    if (at(0.5) === undefined) return "";
    const low = at(0.05) === undefined ? "" : `one in twenty has at most ${kit.number(at(0.05))}, `;
    return `${low}half have at most ${kit.number(at(0.5))}; the mean of the released is ${kit.number(one.mean)}.`;
  };

  const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

  /** For one property: how many people have at most each value. */
  const privacyCurve = (property, nodes, charts) => {
    const all = nodes.map((node) => ({ ...node, one: node.view.privacy.find((each) => each.property === property) })).filter(({ one }) => one);
    const plot = h("div", { class: "plot small-plot" });
    const values = all.flatMap(({ one }) => [one.minimum, one.maximum]);
    const log = Math.min(...values) > 0 && Math.max(...values) / Math.min(...values) > 20;
    const option = {
      grid: { left: 62, right: 20, top: 14, bottom: 48, outerBoundsMode: "none" },
      tooltip: { trigger: "axis", valueFormatter: (value) => `${kit.percent(value / 100)} of people` },
      xAxis: { type: log ? "log" : "value", min: "dataMin", max: "dataMax", minInterval: log ? undefined : 1, name: log ? "number of people (log scale)" : "number of people", nameLocation: "middle", nameGap: 30, axisLabel: { formatter: kit.tick, hideOverlap: true, alignMaxLabel: "right", alignMinLabel: "left" }, splitLine: { show: false } },
      yAxis: { type: "value", min: 0, max: 100, name: "% of people with at most that", nameLocation: "middle", nameGap: 44 },
      series: all.map(({ role, color, one, view }) => ({
        name: role, type: "line", step: "end", showSymbol: one.steps.length < 3, data: curveOf(one.steps, view.released || 1),
        lineStyle: { width: 2, color }, itemStyle: { color }, areaStyle: all.length > 1 ? undefined : { color, opacity: 0.08 },
      })),
    };
    charts.push([plot, option, `Share of people with at most so many ${kit.plain(all[0].one.says, 80)}; the numbers stand in the table below.`]);
    const heads = ["", ...all.map(({ role }) => (all.length > 1 ? role : "people"))];
    const line = (name, get) => [name, ...all.map(({ one }) => get(one))];
    const shares = all[0].one.quantiles.map(({ share }) => share);
    const rows = [
      line("minimum", (one) => kit.number(one.minimum)),
      line("people with the minimum", (one) => kit.number(one.worst.people)),
      ...shares.map((share) => line(`${kit.number(share * 100)} % of people have at most`, (one) => kit.number(one.quantiles.find((quantile) => quantile.share === share)?.value ?? NaN))),
      line("maximum", (one) => kit.number(one.maximum)),
      line("mean of the released", (one) => kit.number(one.mean)),
    ];
    const words = all.map(({ role, one, view }) => h("span", { class: "words" }, all.length > 1 ? h("b", {}, `${role}: `) : "", `${worstWords(one, view.released)} ${capital(quantileWords(one))}`));
    return figure(["For each person: ", kit.label(all[0].one.says, 80)], plot, kit.simpleTable(heads, rows, "Per person"), [legend(all), words]);
  };

  kit.privacyCurves = (nodes, charts) => {
    const properties = [...new Set(nodes.flatMap(({ view }) => view.privacy.map(({ property }) => property)))];
    return properties.map((property) => privacyCurve(property, nodes, charts));
  };

  const barOf = (share, kind) => {
    const fill = h("span", { class: `fill ${kind}` });
    fill.style.width = share > 0 ? `max(1px, ${Math.min(1, share) * 100}%)` : "0";
    return h("span", { class: "track", "aria-hidden": "true" }, fill);
  };

  const barTable = (heads, rows, caption, kind = "tall") => h("div", { class: `scroll ${kind}`, tabindex: "0", role: "region", "aria-label": caption },
    h("table", { class: "bars" }, h("caption", { class: "sr" }, caption),
      h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col" }, head)))), h("tbody", {}, rows)));

  const pairedBars = (shares, texts, kinds) => h("td", { class: "bar-cell" }, shares.map((share, i) =>
    h("span", { class: "pair" }, barOf(share, kinds[i]), h("span", { class: "amount" }, texts[i]))));

  /** What each attribute loses. */
  kit.losses = (nodes) => {
    const level = ({ level: place, name }) => h("td", {}, h("span", { class: "soft" }, `${place} `), kit.label(name, 40));
    const rows = nodes[0].view.losses.map(({ column }, place) => {
      const own = nodes.map(({ view }) => view.losses[place]);
      const shares = own.map(({ loss }) => loss);
      return h("tr", {}, h("th", { scope: "row" }, kit.label(column, 40)), own.map(level),
        pairedBars(shares, shares.map(kit.percent), nodes.map(({ kind }) => kind)));
    });
    const several = nodes.length > 1;
    const heads = ["Attribute", ...nodes.map(({ role }) => (several ? `level, ${role}` : "level")), several ? `loss: ${nodes.map(({ role }) => role).join(", ")}` : "loss"];
    return barTable(heads, rows, "Loss of each attribute", "losses");
  };

  const roleWords = (role) => role.split(", ").map((one) => ROLES[one] || one).join(", ");
  const shiftWords = (own, coarsened) => {
    const shift = own.map(({ distance }) => (distance === null ? "–" : kit.percent(distance))).join(" and ");
    return `Shift caused by rows left out${coarsened ? ", at this level of detail" : ""}: ${shift}.`;
  };

  const distribution = (nodes, place, whose = "") => {
    const first = nodes[0].view.distributions[place];
    const same = nodes.map(({ view }) => view.distributions.find(({ column }) => column === first.column)).filter(Boolean);
    const find = (own, label) => own.bars.find((bar) => bar.label === label);
    // a value that only one of them names is among the others of the other
    const labels = first.bars.map((bar) => bar.label).filter((label) => same.every((own) => find(own, label)));
    const counted = labels.map((label) => [find(first, label).before, ...same.map((own) => find(own, label).after)]);
    const lines = labels.map((label, i) => [kit.label(label, 60), counted[i]]);
    const others = first.bars.length + (first.others?.values ?? 0) - labels.length;
    if (others) {
      const total = (own, part) => own.bars.reduce((sum, bar) => sum + bar[part], own.others?.[part] ?? 0);
      const rest = [total(first, "before"), ...same.map((own) => total(own, "after"))]
        .map((count, i) => counted.reduce((left, counts) => left - counts[i], count));
      lines.push([h("span", { class: "soft" }, kit.plural(others, "other value")), rest]);
    }
    const most = Math.max(1, ...lines.flatMap(([, counts]) => counts));
    const kinds = ["before", ...nodes.map(({ kind }) => kind)];
    const rows = lines.map(([label, counts]) => h("tr", {}, h("th", { scope: "row" }, label), pairedBars(counts.map((count) => count / most), counts.map(kit.number), kinds)));
    const after = same.map(({ blocks }) => kit.number(blocks)).join(" and ");
    return h("section", { class: "panel" },
      h("h3", {}, kit.label(first.column, 60), whose),
      h("p", { class: "small soft" }, `${capital(roleWords(first.role))}; ${kit.plural(first.values, "value")} → ${after}. ${shiftWords(same, place < nodes[0].view.losses.length)}`),
      barTable(["Value", `Rows before${nodes.map(({ role }) => (nodes.length > 1 ? `, ${role}` : ", after")).join("")}`], rows, `Before and after: ${kit.plain(first.column, 60)}${whose}`));
  };

  /** Each column before and after, as paired bars. */
  kit.distributions = (nodes) => nodes[0].view.distributions.flatMap((_, place) => {
    // labels of different levels have nothing to do with each other
    const levels = new Set(nodes.map(({ view }) => view.losses[place]?.level));
    return levels.size > 1 ? nodes.map((node) => distribution([node], place, `, ${node.role}`)) : [distribution(nodes, place)];
  });

  /** Columns of the release that have no distribution, each with the reason. */
  kit.notCompared = ({ view }) => (view.not_compared.length
    ? h("p", { class: "small soft" }, "Not compared: ", view.not_compared.map(({ column, why }, place) =>
      [place ? "; " : "", kit.label(column, 60), ` (${why})`]), ".")
    : null);

  const shareLost = (row) => (row && row.rows ? row.lost / row.rows : 0);

  /** For each column the lines of all nodes side by side: [{column, lines: [[label, row of each node]]}]. */
  const lostByColumn = (nodes) => nodes[0].view.lost.map(({ column }) => {
    const own = nodes.map(({ view }) => view.lost.find((one) => one.column === column)?.rows ?? []);
    const labels = [...new Set(own.flatMap((rows) => rows.map(({ label }) => label)))];
    const lines = labels.map((label) => [label, own.map((rows) => rows.find((row) => row.label === label))]);
    const worst = ([, rows]) => Math.max(...rows.map(shareLost));
    const most = ([, rows]) => Math.max(...rows.map((row) => row?.lost ?? 0));
    return { column, lines: lines.sort((a, b) => worst(b) - worst(a) || most(b) - most(a)) };
  });

  const lostWords = (rows) => {
    const known = rows.filter(Boolean);
    const same = new Set(known.map((row) => row.rows)).size === 1;
    const said = same ? `${known.map(({ lost }) => kit.number(lost)).join(" and ")} of ${kit.number(known[0].rows)}`
      : known.map((row) => `${kit.number(row.lost)} of ${kit.number(row.rows)}`).join(" and ");
    return h("span", { class: "words small soft" }, `${said} rows`);
  };

  /** Which values lost rows, the largest share first; every bar on the same scale. */
  kit.lostRows = (nodes) => {
    const columns = lostByColumn(nodes);
    const top = Math.max(...columns.flatMap(({ lines }) => lines.flatMap(([, rows]) => rows.map(shareLost))));
    const kinds = nodes.map(({ kind }) => kind);
    const line = ([label, rows]) => h("tr", {}, h("th", { scope: "row" }, kit.label(label, 60), lostWords(rows)),
      pairedBars(rows.map((row) => shareLost(row) / (top || 1)), rows.map((row) => (row ? kit.percent(shareLost(row)) : "–")), kinds));
    return columns.map(({ column, lines }) => h("section", { class: "panel" }, h("h3", {}, kit.label(column, 60)),
      barTable(["Value", "Share of its rows lost"], lines.map(line), `Rows lost by ${kit.plain(column, 60)}`)));
  };
})();
