// The lattice as a parallel plot: a column of levels for each attribute, lines for the points.
(() => {
  "use strict";

  const kit = window.Paretonym;
  const { h, svg } = kit;

  const pairCounts = (points, indexes, column) => {
    const counts = new Map();
    for (const index of indexes) {
      const key = points.level(index, column) * 256 + points.level(index, column + 1);
      counts.set(key, (counts.get(key) || 0) + 1);
    }
    return counts;
  };

  /**
   * {element, draw({indexes, counts, chosen}), mark({selected, other}), close()};
   * `onChoose(column, level, on)`. A column without a chosen level lets every level through.
   */
  kit.lattice = (points, { onChoose }) => {
    const boxes = [];
    const lines = svg("svg", { class: "lines", "aria-hidden": "true" });
    const own = svg("g", {});
    const flows = svg("g", {});
    lines.append(flows, own);

    const level = (column, place, { name, blocks }) => {
      const box = h("input", { type: "checkbox", onchange: () => onChoose(column, place, box.checked) });
      const count = h("span", { class: "count" });
      const chip = h("label", { class: "level", title: `level ${place}: ${kit.plain(name, 200)} (${kit.plural(blocks, "block")})` },
        box, h("span", { class: "name" }, h("span", { class: "place" }, place), " ", kit.label(name, 40)), count);
      boxes[column][place] = { box, count, chip };
      return chip;
    };

    const columns = points.columns.map(({ name, levels }, column) => {
      boxes[column] = [];
      const chips = levels.map((one, place) => level(column, place, one));
      return h("fieldset", { class: "axis" }, h("legend", {}, kit.label(name, 40)), chips.reverse());
    });
    const board = h("div", { class: "board" }, lines, columns);
    const element = h("div", { class: "lattice", tabindex: "0", role: "region", "aria-label": "Levels of each attribute" }, board);
    const state = { indexes: [], selected: -1, other: -1 };

    const spot = (column, place) => {
      const { chip } = boxes[column][place];
      const axis = columns[column];
      const y = axis.offsetTop + chip.offsetTop - axis.offsetTop + chip.offsetHeight / 2;
      return { left: axis.offsetLeft, right: axis.offsetLeft + axis.offsetWidth, y };
    };

    const curve = (from, to) => {
      const bend = (to.left - from.right) / 2;
      return `M${from.right},${from.y}C${from.right + bend},${from.y} ${to.left - bend},${to.y} ${to.left},${to.y}`;
    };

    const drawFlows = (spots) => {
      const paths = [];
      const most = Math.max(1, state.indexes.length);
      for (let column = 0; column + 1 < columns.length; column += 1) {
        for (const [key, count] of pairCounts(points, state.indexes, column)) {
          const d = curve(spots[column][key >> 8], spots[column + 1][key & 255]);
          paths.push(svg("path", { d, "stroke-width": (1 + 9 * (count / most)).toFixed(2), "stroke-opacity": (0.25 + 0.45 * Math.sqrt(count / most)).toFixed(2) }));
        }
      }
      flows.replaceChildren(...paths);
    };

    const pathOf = (index, kind, spots) => {
      const places = points.levelsOf(index).map((place, column) => spots[column][place]);
      const parts = places.slice(1).map((to, i) => curve(places[i], to));
      return svg("path", { class: kind, d: parts.join("") });
    };

    const allSpots = () => boxes.map((levels, column) => levels.map((_, place) => spot(column, place)));

    const drawOwn = (spots = allSpots()) => {
      const paths = [["other", state.other], ["selected", state.selected]].filter(([, index]) => index >= 0);
      own.replaceChildren(...paths.map(([kind, index]) => pathOf(index, kind, spots)));
      const marked = state.selected >= 0 ? points.levelsOf(state.selected) : [];
      boxes.forEach((levels, column) => levels.forEach(({ chip }, place) => chip.classList.toggle("here", marked[column] === place)));
    };

    const redraw = () => {
      lines.setAttribute("width", board.scrollWidth);
      lines.setAttribute("height", board.offsetHeight);
      const spots = allSpots();
      drawFlows(spots);
      drawOwn(spots);
    };
    const observer = new ResizeObserver(redraw);
    observer.observe(board);

    return {
      element,
      draw({ indexes, counts, chosen }) {
        state.indexes = indexes;
        boxes.forEach((levels, column) => levels.forEach(({ box, count, chip }, place) => {
          box.checked = Boolean(chosen.get(column)?.has(place));
          const passing = counts[column][place];
          count.textContent = kit.number(passing);
          chip.classList.toggle("empty", passing === 0);
        }));
        redraw();
      },
      mark({ selected, other }) {
        Object.assign(state, { selected, other });
        drawOwn();
      },
      close: () => observer.disconnect(),
    };
  };
})();
