// Signals of a group as bars, one row under the other over the same areas.
(() => {
  "use strict";

  const kit = window.Paretonym;
  const { h, clear } = kit;
  const MANY = 120; // areas in view at once; with more of them the view can be moved
  const ROW = 92; // pixels of one row of bars
  const GAP = 40; // pixels above a row, for its name
  const REGIONS = 6; // shown before somebody asks for more

  // colour and shape say the same, so that one of them is enough
  const MARKS = {
    outlier: { sign: "▼", says: "stands out", bar: "#d55e00", symbol: { symbol: "triangle", symbolRotate: 180, itemStyle: { color: "#d55e00" } } },
    false: { sign: "◇", says: "false alarm", bar: "#cc79a7", symbol: { symbol: "diamond", itemStyle: { color: "#fff", borderColor: "#a3467c", borderWidth: 2 } } },
    missed: { sign: "○", says: "hidden", bar: "#5aa3cf", symbol: { symbol: "circle", itemStyle: { color: "#fff", borderColor: "#0072b2", borderWidth: 2 } } },
  };

  kit.groupKinds = {
    quantity: { says: "members in each area", show: (value) => kit.number(value), tick: (value) => kit.tick(value) },
    concentration: { says: "share of members among each area's records", show: (value) => kit.percent(value), tick: (value) => `${kit.tick(100 * value)} %` },
  };
  kit.adversaries = { fuzzy: "fuzzy rules", logistic: "logistic regression", boosting: "gradient boosting" };
  kit.regionName = (region) => (region === null || region === undefined ? "All areas" : ["Region ", kit.label(region, 60)]);

  /** A sign, what it means and nothing else: for captions. */
  kit.markWords = (marks, words = {}) => marks.map((mark) => h("span", { class: "mark-word" },
    h("span", { class: `mark ${mark}`, "aria-hidden": "true" }, MARKS[mark].sign), ` ${words[mark] || MARKS[mark].says} `));

  /** What an adversary points at, against what is true. */
  kit.marksOf = (areas, pointed, truth) => {
    const found = new Set(pointed);
    const known = new Set(truth);
    return areas.map((area) => (found.has(area) ? (known.has(area) ? "outlier" : "false") : known.has(area) ? "missed" : null));
  };
  kit.standing = (areas, outliers) => kit.marksOf(areas, outliers, outliers);

  const orderOf = (areas, values, order) => {
    const places = areas.map((_, place) => place);
    return order === "value" ? places.sort((a, b) => (values[b] ?? -Infinity) - (values[a] ?? -Infinity) || a - b) : places;
  };

  const heightOf = (rows, zooms) => rows.length * (ROW + GAP) + (zooms ? 92 : 56);

  /** A round number above the largest value, with room for a mark. */
  const roundAbove = (value) => {
    if (!(value > 0)) return 1;
    const power = 10 ** Math.floor(Math.log10(value * 1.12));
    return power * [1, 1.2, 1.6, 2, 3, 4, 5, 6, 8, 10].find((step) => step * power >= value * 1.12);
  };
  const largest = (row) => row.values.reduce((most, value) => Math.max(most, value ?? 0), 0);

  const axesOf = (rows, names, kind, tops) => ({
    grid: rows.map((_, row) => ({ left: 64, right: 16, top: GAP + row * (ROW + GAP), height: ROW, outerBoundsMode: "none" })),
    title: rows.map((row, place) => ({ text: kit.plain(row.name, 70), left: 62, top: 13 + place * (ROW + GAP), padding: 0,
      textStyle: { fontSize: 12, fontWeight: place ? 500 : 600, color: place ? kit.colors.soft : kit.colors.ink } })),
    xAxis: rows.map((_, row) => ({ type: "category", gridIndex: row, data: names, splitLine: { show: false }, axisTick: { show: false },
      axisLabel: { show: row === rows.length - 1, rotate: names.length > 14 ? 45 : 0, fontSize: 11, hideOverlap: true, formatter: (name) => kit.plain(name, 12) } })),
    yAxis: rows.map((_, row) => ({ type: "value", gridIndex: row, min: 0, max: tops[row], interval: tops[row] / 2, axisLabel: { formatter: kind.tick, fontSize: 11 } })),
  });

  const seriesOf = (row, place, order) => {
    const values = order.map((area) => row.values[area]);
    const marks = order.map((area) => row.marks[area]);
    const bars = {
      type: "bar", xAxisIndex: place, yAxisIndex: place, barMaxWidth: 34, barCategoryGap: "18%",
      data: values.map((value, i) => ({ value, itemStyle: { color: marks[i] ? MARKS[marks[i]].bar : row.color, borderRadius: [2, 2, 0, 0] } })),
    };
    const signs = Object.entries(MARKS).map(([mark, { symbol }]) => ({
      type: "scatter", xAxisIndex: place, yAxisIndex: place, symbolSize: 9, symbolOffset: [0, -8], silent: true, z: 5, clip: false, ...symbol,
      data: marks.flatMap((each, i) => (each === mark && values[i] !== null ? [[i, values[i]]] : [])),
    })).filter((one) => one.data.length);
    const lines = row.wanted ? [{ type: "scatter", xAxisIndex: place, yAxisIndex: place, symbol: "rect", symbolSize: [18, 2.5], silent: true, z: 6, itemStyle: { color: kit.colors.ink },
      data: order.flatMap((area, i) => (row.wanted[area] === null ? [] : [[i, row.wanted[area]]])) }] : [];
    return [bars, ...signs, ...lines];
  };

  const optionOf = ({ areas, rows, kind, order, oneScale }) => {
    const places = orderOf(areas, rows[0].values, order);
    const names = places.map((area) => kit.plain(areas[area], 40));
    const zooms = areas.length > MANY;
    const tops = rows.map((row) => roundAbove(oneScale ? Math.max(...rows.map(largest)) : largest(row)));
    const axes = rows.map((_, row) => row);
    const inWords = (row, area) => `${row.name}: ${row.values[area] === null ? "unknown" : kind.show(row.values[area])}${row.marks[area] ? ` ${MARKS[row.marks[area]].sign}` : ""}`;
    return {
      ...axesOf(rows, names, kind, tops),
      axisPointer: { link: [{ xAxisIndex: "all" }] },
      tooltip: { trigger: "axis", confine: true, axisPointer: { type: "shadow" }, formatter: (seen) => {
        const area = places[seen[0].dataIndex];
        return [names[seen[0].dataIndex], ...rows.map((row) => inWords(row, area))].join("\n");
      } },
      dataZoom: zooms ? [
        { type: "slider", xAxisIndex: axes, startValue: 0, endValue: MANY - 1, bottom: 6, height: 20, labelFormatter: (place) => kit.plain(names[place] ?? "", 14) },
        { type: "inside", xAxisIndex: axes, zoomOnMouseWheel: "ctrl", moveOnMouseWheel: false, startValue: 0, endValue: MANY - 1 },
      ] : [],
      series: rows.flatMap((row, place) => seriesOf(row, place, places)),
    };
  };

  const numbers = ({ areas, rows, kind, order, more = [] }) => {
    const places = orderOf(areas, rows[0].values, order);
    const cell = (row, area) => (row.values[area] === null ? "–" : `${row.marks[area] ? `${MARKS[row.marks[area]].sign} ` : ""}${kind.show(row.values[area])}`);
    return kit.simpleTable(["Area", ...more.map((column) => column.name), ...rows.map((row) => row.name)],
      places.map((area) => [kit.label(areas[area], 60), ...more.map((column) => column.show(area)), ...rows.map((row) => cell(row, area))]), "Numbers of this figure");
  };

  /**
   * spec: {title, areas, rows: [{name, values, marks, color, wanted}], kind, order, oneScale, caption, more, label}.
   * `charts` gets a function that ends the chart.
   */
  kit.signalFigure = (spec, charts) => {
    const picture = h("div", { class: "signal-plot" });
    picture.style.height = `${heightOf(spec.rows, spec.areas.length > MANY)}px`;
    const details = h("details", { ontoggle: () => {
      if (details.open && details.children.length === 1) details.append(numbers(spec));
    } }, h("summary", {}, "Numbers of this figure"));
    let chart = null;
    requestAnimationFrame(() => {
      if (picture.isConnected) chart = kit.chart(picture, optionOf(spec), { label: spec.label });
    });
    charts.push(() => chart && chart.dispose());
    return h("figure", { class: "panel" }, h("h3", {}, spec.title), picture, h("figcaption", {}, spec.caption), details);
  };

  /** The first regions, and more of them when asked for. */
  kit.regionFigures = (regions, chosen, draw) => {
    const wanted = chosen === null ? regions : regions.filter((region) => String(region.region) === chosen);
    const box = h("div", { class: "stack" });
    const more = h("button", { onclick: () => add() });
    let shown = 0;
    const add = () => {
      const next = wanted.slice(shown, shown + REGIONS);
      shown += next.length;
      box.append(...next.map(draw));
      more.hidden = shown >= wanted.length;
      more.textContent = `Show ${kit.plural(Math.min(REGIONS, wanted.length - shown), "more region")} of ${kit.number(wanted.length)}`;
    };
    add();
    return h("div", { class: "stack" }, wanted.length ? box : h("p", { class: "soft" }, "Nothing to show in this region."), h("p", { hidden: more.hidden }, more));
  };

  /** A list of sentences from the server. */
  kit.sentences = (lines, kind = "findings") => (lines && lines.length ? h("ul", { class: kind }, lines.map((line) => h("li", {}, kit.label(line, 2000)))) : null);

  /** Two or more choices of which one holds. */
  kit.choices = (label, options, chosen, choose) => {
    const buttons = options.map(([value, name]) => h("button", { type: "button", "aria-pressed": String(value === chosen), dataset: { choice: value }, onclick: () => {
      for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.choice === value));
      choose(value);
    } }, name));
    return h("div", { class: "chips", role: "group", "aria-label": label }, h("span", { class: "soft small", "aria-hidden": "true" }, label), buttons);
  };

  kit.replace = (node, charts, ...children) => {
    charts.splice(0).forEach((end) => end());
    clear(node).append(...children.filter(Boolean));
  };
})();
