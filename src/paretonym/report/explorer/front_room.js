// The Front room: scatter, bounds, levels and table of the same points, linked with each other.
(() => {
  "use strict";

  const kit = window.Paretonym;
  const { h } = kit;

  const option = (measure, chosen) => h("option", { value: measure.name, selected: measure.name === chosen }, kit.plain(measure.axis, 70));
  const sayPick = (says) => says.replace(/>=/g, " ≥ ").replace(/<=/g, " ≤ ");

  const head = (view, points) => {
    const drawn = kit.number(points.count);
    const seen = Math.max(view.candidates, points.count);
    const number = points.count < seen ? `${drawn} of the ${kit.number(seen)} candidates looked at are drawn` : `All ${drawn} candidates looked at are drawn`;
    const required = view.require.map(({ short, long, unit, direction, shown }) =>
      (unit === "flag" ? kit.plain(long, 80) : `${kit.plain(short)} ${view.directions[direction].sign} ${shown}`));
    return h("header", { class: "room-head" },
      h("h2", {}, "Candidates and their front"),
      h("p", {}, h("b", {}, `The front is ${view.exactness}.`), ` Search method: ${view.method}. ${number}; `,
        `${kit.number(points.front)} ${points.front === 1 ? "is" : "are"} on the front.`,
        required.length ? ` Required of every point: ${required.join(", ")}.` : ""),
      h("details", {}, h("summary", {}, "How to read this"),
        h("p", {}, "Each point is one way to coarsen the table; the points of the front are those that no other way beats in every objective at once. ",
          "The line joins the points that are best in the two measures drawn, and an orange outline marks a point that is on the front through another objective. ",
          "Bounds and levels that you choose leave the other points out everywhere on this page; a click on a point, or on a line of the table, chooses it.")));
  };

  const readState = (address, points) => {
    const has = (name) => name !== null && points.measure(name) !== undefined;
    const objectives = points.measures.filter((measure) => measure.objective);
    const [first, second] = [...objectives, ...points.measures.filter((measure) => !measure.objective)];
    const x = has(address.get("x")) ? address.get("x") : first.name;
    const fallback = second && second.name !== x ? second.name : first.name;
    const y = has(address.get("y")) && address.get("y") !== x ? address.get("y") : fallback;
    const log = (key, name) => (address.has(key) ? address.get(key) === "1" : points.measure(name).log) && points.extent(name)[0] > 0;
    const bounds = {};
    for (const { name } of points.measures) {
      const value = Number(address.get(`bound_${name}`) ?? NaN);
      if (address.get(`bound_${name}`) !== "" && Number.isFinite(value)) bounds[name] = value;
    }
    const chosen = new Map();
    points.columns.forEach((column, place) => {
      const levels = kit.readLevels(address.get(`only_${place}`)) || [];
      chosen.set(place, new Set(levels.filter((level) => level < column.levels.length)));
    });
    const at = (levels, below) => points.find(kit.readLevels(address.get(levels)), Number(address.get(below) || 0));
    return {
      x, y, xlog: log("xlog", x), ylog: log("ylog", y), bounds, chosen, all: address.get("all") === "1",
      selected: at("levels", "below"), other: at("other", "other_below"), pairing: false,
      sort: address.get("sort") ? { key: address.get("sort"), down: address.get("down") === "1" } : null,
    };
  };

  const writeState = (state, points) => {
    const address = { x: state.x, y: state.y, xlog: state.xlog ? "1" : "0", ylog: state.ylog ? "1" : "0", all: state.all ? "1" : null };
    for (const { name } of points.measures) address[`bound_${name}`] = name in state.bounds ? String(state.bounds[name]) : null;
    for (const [place, levels] of state.chosen) address[`only_${place}`] = levels.size ? kit.writeLevels([...levels].sort((a, b) => a - b)) : null;
    const put = (prefix, below, index) => {
      address[prefix] = index >= 0 ? kit.writeLevels(points.levelsOf(index)) : null;
      address[below] = index >= 0 ? String(points.below[index]) : null;
    };
    put("levels", "below", state.selected);
    put("other", "other_below", state.other);
    address.sort = state.sort ? state.sort.key : null;
    address.down = state.sort && state.sort.down ? "1" : null;
    return address;
  };

  // wide enough for the longest word of a head
  const columnWidth = (title, least) => Math.max(least, 24 + 8 * Math.max(...title.split(/[\s-]+/).map(({ length }) => length)));

  const tableColumns = (points) => [
    ...points.measures.map((measure) => ({
      key: measure.name, title: kit.label(measure.short, 30), hint: kit.plain(measure.long, 200), numeric: true,
      width: columnWidth(kit.plain(measure.short, 30), measure.format === "rows" ? 150 : 110),
      get: (index) => points.raw(measure.name)[index], show: (index) => points.shown(measure.name, index),
    })),
    ...points.columns.map((column, place) => ({
      key: `level ${place}`, title: kit.label(column.name, 24), hint: `level of ${kit.plain(column.name, 100)}`, width: columnWidth(kit.plain(column.name, 24), 150),
      get: (index) => points.level(index, place),
      show: (index) => {
        const level = points.level(index, place);
        return [h("span", { class: `dot h${shade(level, column.levels.length)}` }), `${level} `, kit.label(column.levels[level]?.name ?? "", 24)];
      },
    })),
  ];
  const shade = (level, levels) => (levels > 1 ? Math.round((4 * level) / (levels - 1)) : 0);

  const levelList = (points, index) => h("p", { class: "levels" }, points.columns.map((column, place) => {
    const level = points.level(index, place);
    return h("span", { class: "level-of" }, h("span", { class: "soft" }, kit.label(column.name, 24), " "), kit.label(column.levels[level]?.name ?? String(level), 28));
  }));

  const numbers = (points, measures, index) => h("dl", { class: "numbers" }, measures.map((measure) => h("div", {},
    h("dt", { title: kit.plain(measure.long, 200) }, kit.label(measure.short, 24)), h("dd", {}, points.shown(measure.name, index)))));

  /** A chosen point in one line; the rest of it is folded away. */
  const barLine = (points, index, role, kind, rest) => {
    const first = points.measures.filter(({ name, objective }) => objective || name === "suppressed");
    const others = points.measures.filter((measure) => !first.includes(measure));
    return h("div", { class: `chosen ${kind}` },
      h("span", { class: "role" }, h("span", { class: `ring ${kind}` }), role), numbers(points, first, index),
      h("details", { open: rest.open, ontoggle: (event) => { rest.open = event.target.open; } },
        h("summary", {}, "Levels and other measures"), levelList(points, index), numbers(points, others, index)));
  };

  const openRoom = (root, context, view) => {
    const points = kit.points(view);
    const state = readState(context.address, points);
    const unfolded = { selected: { open: false }, other: { open: false } };
    let timer = 0;
    let frame = 0;

    const remember = () => {
      clearTimeout(timer);
      timer = setTimeout(() => context.set(writeState(state, points)), 150);
    };

    const leave = (query, room = "node") => {
      clearTimeout(timer);
      context.set(writeState(state, points));
      context.go(room, query);
    };

    // ---- parts of the page
    const scatter = kit.scatter(points, {
      onPick: (index) => pick(index),
      onStep: (step) => walk(step),
      onDrawn: () => { document.documentElement.dataset.drawn = String(performance.now()); },
    });
    const lattice = kit.lattice(points, {
      onChoose: (column, level, on) => {
        if (on) state.chosen.get(column).add(level);
        else state.chosen.get(column).delete(level);
        refresh();
      },
    });
    const bounds = kit.bounds(points, (name, value) => {
      if (value === null) delete state.bounds[name];
      else state.bounds[name] = value;
      refreshSoon();
    });
    const table = kit.table({
      label: "Points", columns: tableColumns(points), sort: state.sort, empty: "No point meets these bounds and levels.",
      onSelect: (index) => pick(index),
      onSort: (sort) => {
        state.sort = sort;
        remember();
      },
    });
    const count = h("p", { class: "meet", role: "status" });
    const tableCount = h("span", { class: "soft" });
    const bar = h("section", { class: "bar", "aria-label": "Chosen point" });
    const axisPickers = ["x", "y"].map((axis) => axisPicker(axis));
    const resetAll = h("button", { type: "button", onclick: () => {
      state.bounds = {};
      for (const levels of state.chosen.values()) levels.clear();
      bounds.show(state.bounds);
      refresh();
    } }, "Clear bounds and levels");
    const allBox = h("input", { type: "checkbox", checked: state.all, onchange: () => {
      state.all = allBox.checked;
      refresh();
    } });

    function axisPicker(axis) {
      const log = h("input", { type: "checkbox", onchange: () => {
        state[`${axis}log`] = log.checked;
        redrawAxes();
      } });
      const logLabel = h("label", { class: "log" }, log, " log scale");
      const select = h("select", { onchange: () => {
        const other = axis === "x" ? "y" : "x";
        if (state[other] === select.value) [state[other], state[`${other}log`]] = [state[axis], state[`${axis}log`]];
        state[axis] = select.value;
        state[`${axis}log`] = points.measure(select.value).log && points.extent(select.value)[0] > 0;
        redrawAxes();
      } }, points.measures.map((measure) => option(measure, state[axis])));
      const show = () => {
        select.value = state[axis];
        const possible = points.extent(state[axis])[0] > 0;
        log.checked = state[`${axis}log`];
        log.disabled = !possible;
        logLabel.title = possible ? "" : "A log scale needs values above zero.";
      };
      show();
      return { element: h("div", { class: "axis-picker" }, h("label", {}, axis === "x" ? "Across " : "Up ", select), logLabel), show };
    }

    const legend = h("p", { class: "legend small soft" },
      [["best", "best in these two"], ["other", "on the front through another objective"], ["cloud", "other candidates"], ["out", "outside your bounds"]]
        .map(([kind, says]) => h("span", {}, h("span", { class: `key ${kind}` }), says)));
    const tool = (label, text, act) => h("button", { type: "button", "aria-label": label, title: label, onclick: act }, text);
    const zooms = h("div", { class: "zooms" }, tool("Zoom in", "+", () => scatter.zoom(0.5)), tool("Zoom out", "−", () => scatter.zoom(2)),
      h("button", { type: "button", onclick: () => scatter.reset() }, "Reset zoom"));

    const picks = h("div", { class: "chips" }, view.picks.map(({ says, index }) =>
      h("button", { type: "button", onclick: () => pick(index) }, kit.plain(sayPick(says)))));

    const plotPanel = h("section", { class: "panel plot-panel", "aria-label": "Picture of the front" },
      h("div", { class: "plot-bar" }, axisPickers[0].element, axisPickers[1].element), scatter.element,
      h("div", { class: "under-plot" }, h("div", {}, legend, h("p", { class: "small soft" }, "Drag to move, Ctrl and the wheel to zoom.")), zooms));
    const sidePanel = h("section", { class: "panel side", "aria-label": "Bounds" },
      view.picks.length ? [h("h3", {}, "Quick choices"), picks] : null,
      h("h3", {}, "Bounds"), bounds.element, count, resetAll);
    const latticePanel = h("section", { class: "panel" },
      h("h3", {}, "Levels of each attribute"),
      h("p", { class: "small soft" }, "Each line is the way of one or more points through the levels, the coarsest on top. Choose levels to keep only points that use them; a column with nothing chosen lets every level through."),
      lattice.element);
    const tablePanel = h("section", { class: "panel" },
      h("div", { class: "table-bar" }, h("h3", {}, "Points in numbers"), tableCount,
        h("label", {}, allBox, " all candidates, not only the front")),
      table.element,
      h("p", { class: "small soft" }, "Up and down move, Enter chooses. Levels count from 0, every value apart, to the coarsest."));

    kit.clear(root).append(h("div", { class: "room front-room" }, head(view, points),
      h("div", { class: "front-top" }, plotPanel, sidePanel), latticePanel, tablePanel, bar));

    // ---- what the state means
    const drawScatter = () => {
      const front = points.indexes(state.mask, 0, points.front);
      state.pair = kit.bestInPair(points, front, state.x, state.y);
      scatter.draw({ ...state, ...state.pair });
    };

    const redrawAxes = () => {
      axisPickers.forEach((picker) => picker.show());
      drawScatter();
      remember();
    };

    const facetCounts = (within) => {
      const to = state.all ? points.count : points.front;
      return points.columns.map((column, place) => {
        const counts = new Array(256).fill(0);
        const mask = points.withLevels(within, state.chosen, place);
        for (let i = 0; i < to; i += 1) if (mask[i]) counts[points.level(i, place)] += 1;
        return counts;
      });
    };

    const refresh = () => {
      const within = points.within(state.bounds);
      state.mask = points.withLevels(within, state.chosen);
      const front = points.indexes(state.mask, 0, points.front);
      const cloud = points.indexes(state.mask, points.front, points.count);
      const rows = state.all ? front.concat(cloud) : front;
      drawScatter();
      table.setRows(rows);
      lattice.draw({ indexes: rows, counts: facetCounts(within), chosen: state.chosen });
      count.replaceChildren(h("b", {}, kit.number(front.length)), ` of ${kit.plural(points.front, "point")} of the front meet these`,
        points.count > points.front ? `; ${kit.number(front.length + cloud.length)} of ${kit.number(points.count)} candidates.` : ".");
      tableCount.textContent = kit.plural(rows.length, "row");
      resetAll.disabled = !Object.keys(state.bounds).length && ![...state.chosen.values()].some((levels) => levels.size);
      remember();
    };
    const refreshSoon = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(refresh);
    };

    // ---- choosing
    const nodeQuery = (both) => {
      const address = writeState(state, points);
      const { levels, below, other, other_below } = address;
      return both ? { levels, below, other, other_below } : { levels, below };
    };

    const showBar = () => {
      bar.classList.toggle("idle", state.selected < 0);
      if (state.selected < 0) {
        bar.replaceChildren(h("p", { class: "soft" }, "No point chosen. Click one in the picture, or choose a line of the table."));
        return;
      }
      const lines = [barLine(points, state.selected, "Chosen", "selected", unfolded.selected)];
      if (state.other >= 0) lines.push(barLine(points, state.other, "Second", "other", unfolded.other));
      const compare = h("button", { type: "button", "aria-pressed": String(state.pairing), onclick: () => {
        state.pairing = !state.pairing;
        if (state.pairing) context.say("Choose the second point in the picture or in the table.");
        showBar();
        bar.querySelector("[aria-pressed]").focus();
      } }, state.pairing ? "Choose the second point…" : "Compare with…");
      bar.replaceChildren(h("div", { class: "lines-of-bar" }, lines), h("div", { class: "actions" },
        h("button", { type: "button", class: "main", onclick: () => leave(nodeQuery(false)) }, "Open in Node"),
        state.other >= 0 ? h("button", { type: "button", onclick: () => leave(nodeQuery(true)) }, "Open both") : null,
        compare,
        state.other >= 0 ? h("button", { type: "button", onclick: () => { setOther(-1); } }, "Drop the second") : null,
        context.source.live ? h("button", { type: "button", onclick: () => leave(nodeQuery(false), "release") }, "Release this…") : null));
    };

    const mark = () => {
      scatter.mark(state);
      lattice.mark(state);
      table.select(state.selected);
      showBar();
    };

    const select = (index) => {
      state.selected = index;
      if (state.other === index) state.other = -1;
      mark();
      remember();
      const words = points.measures.map((measure) => `${measure.short} ${points.shown(measure.name, index)}`);
      context.say(`Chosen: ${words.join(", ")}`);
    };

    const setOther = (index) => {
      state.other = index;
      state.pairing = false;
      mark();
      remember();
    };

    const pick = (index) => {
      if (state.pairing && index !== state.selected) setOther(index);
      else select(index);
    };

    const walk = (step) => {
      const xs = points.drawn(state.x);
      const way = [...state.pair.best, ...state.pair.rest].sort((a, b) => xs[a] - xs[b] || a - b);
      if (!way.length) return;
      const place = way.indexOf(state.selected);
      pick(way[place < 0 ? 0 : Math.max(0, Math.min(way.length - 1, place + step))]);
    };

    const escape = (event) => {
      if (event.key !== "Escape" || !state.pairing) return;
      state.pairing = false;
      showBar();
    };
    document.addEventListener("keydown", escape);

    bounds.show(state.bounds);
    refresh();
    mark();
    return () => {
      clearTimeout(timer);
      cancelAnimationFrame(frame);
      document.removeEventListener("keydown", escape);
      for (const part of [scatter, lattice, table]) part.close();
    };
  };

  kit.rooms.front = {
    title: "Front",
    key: "2",
    open(root, context) {
      let closed = false;
      let close = () => {};
      kit.clear(root).append(h("p", { class: "soft waiting" }, "Reading the front…"));
      context.source.front().then((view) => {
        if (!closed) close = openRoom(root, context, view);
      }).catch((error) => {
        if (!closed) kit.clear(root).append(h("div", { class: "notice bad", role: "alert" }, h("p", {}, error.message)));
      });
      return () => {
        closed = true;
        close();
      };
    },
  };
})();
