// The scatter of all candidates: one large series for each colour, an own search for the nearest point.
(() => {
  "use strict";

  const kit = window.Paretonym;
  const { h, svg, colors } = kit;
  const REACH = 14; // pixels around the pointer within which a point counts as meant
  const MANY = 3000; // beyond this, small squares instead of circles
  const MARGIN = { left: 64, right: 24, top: 18, bottom: 52 };

  const wholeSteps = (low, high) => {
    const step = 10 ** Math.floor(Math.log10((high - low) / 4 || 1));
    const wide = [1, 2, 5, 10].map((factor) => step * factor).find((one) => (high - low) / one <= 7);
    const ticks = [];
    for (let i = Math.ceil(low / wide - 1e-9); i * wide <= high + wide * 1e-9; i += 1) ticks.push(Number((i * wide).toPrecision(12)));
    return ticks;
  };

  /** Round values within a window; on a log axis the window and the ticks are exponents of ten. */
  const ticksFor = ([low, high], log) => {
    if (!log || high - low < 0.5) return log ? wholeSteps(10 ** low, 10 ** high).filter((v) => v > 0).map(Math.log10) : wholeSteps(low, high);
    const factors = high - low > 4 ? [1] : high - low > 1.7 ? [1, 3] : [1, 2, 5];
    const ticks = [];
    for (let e = Math.floor(low); e <= high; e += 1) {
      for (const factor of factors) {
        const tick = Math.log10(factor) + e;
        if (tick >= low && tick <= high) ticks.push(tick);
      }
    }
    return ticks;
  };

  const windowOf = ([low, high], log) => {
    const [from, to] = log ? [Math.log10(low), Math.log10(high)] : [low, high];
    const pad = (to - from) * 0.04 || Math.abs(to) * 0.05 || 0.5;
    return [from - pad, to + pad];
  };

  const axisOption = (title, window, log, place) => {
    const ticks = ticksFor(window, log);
    return {
      type: "value", min: window[0], max: window[1], name: title, nameLocation: "middle",
      nameGap: place === "x" ? 32 : 48, nameTextStyle: { fontSize: 13, fontWeight: 500 },
      axisLabel: { customValues: ticks, formatter: (value) => kit.tick(log ? Number((10 ** value).toPrecision(6)) : value), hideOverlap: true },
      axisTick: { customValues: ticks }, splitLine: { show: false }, axisLine: { show: true, onZero: false },
    };
  };

  const flat = (indexes, fx, fy) => {
    const data = new Float64Array(indexes.length * 2);
    indexes.forEach((index, place) => {
      data[2 * place] = fx[index];
      data[2 * place + 1] = fy[index];
    });
    return data;
  };

  // asking for more of a larger-is-better x jumps to the next point at once
  const staircase = (best, fx, fy, larger) => {
    const path = [];
    best.forEach((index, place) => {
      if (place) path.push(larger ? [fx[best[place - 1]], fy[index]] : [fx[index], fy[best[place - 1]]]);
      path.push([fx[index], fy[index]]);
    });
    return path;
  };

  const cloudSeries = (id, data, color, z, many) => ({
    id, type: "scatter", data, z, silent: true, large: true, largeThreshold: MANY, progressive: 0,
    symbolSize: many ? 3 : 5, itemStyle: { color, opacity: many ? 0.75 : 0.8 },
  });

  const frontSeries = (id, data, itemStyle, z) => ({
    id, type: "scatter", data, z, silent: true, large: true, largeThreshold: MANY, progressive: 0, symbolSize: 9, itemStyle,
  });

  /**
   * {element, draw(state), mark({selected, other}), zoom(factor), reset(), close()};
   * state: {x, y, xlog, ylog, mask, best, rest, comparable}. `onPick(index)`, `onDrawn()`.
   */
  kit.scatter = (points, { onPick, onStep, onDrawn }) => {
    const plot = h("div", { class: "plot" });
    const rings = svg("svg", { class: "rings", "aria-hidden": "true" });
    const tip = h("div", { class: "tip", hidden: true, "aria-hidden": "true" });
    const element = h("div", {
      class: "scatter", tabindex: "0", role: "group",
      "aria-label": "Scatter of the candidates. The left and right arrow keys move along the front; the table below holds the same points.",
    }, plot, rings, tip);
    const state = { fx: null, fy: null, mask: null, selected: -1, other: -1, hover: -1, options: null };
    let chart = null;

    const project = (name, log) => (log ? points.drawn(name).map(Math.log10) : points.drawn(name));

    const affine = () => {
      const options = state.options;
      const at = { xAxisIndex: 0, yAxisIndex: 0 };
      const [x0, y0] = chart.convertToPixel(at, [options.xWindow[0], options.yWindow[0]]);
      const [x1, y1] = chart.convertToPixel(at, [options.xWindow[1], options.yWindow[1]]);
      const ax = (x1 - x0) / (options.xWindow[1] - options.xWindow[0]);
      const ay = (y1 - y0) / (options.yWindow[1] - options.yWindow[0]);
      return { ax, bx: x0 - ax * options.xWindow[0], ay, by: y0 - ay * options.yWindow[0] };
    };

    const pixel = (index, map = affine()) => [map.ax * state.fx[index] + map.bx, map.ay * state.fy[index] + map.by];

    const nearest = (px, py) => {
      const { ax, bx, ay, by } = affine();
      const { fx, fy, mask } = state;
      const search = (from, to) => {
        let [found, least] = [-1, REACH * REACH];
        for (let i = from; i < to; i += 1) {
          if (!mask[i]) continue;
          const dx = ax * fx[i] + bx - px;
          const dy = ay * fy[i] + by - py;
          const distance = dx * dx + dy * dy;
          if (distance < least) [found, least] = [i, distance];
        }
        return found;
      };
      const front = search(0, points.front);
      return front >= 0 ? front : search(points.front, points.count);
    };

    const inside = ([px, py]) =>
      px >= MARGIN.left - 1 && px <= plot.clientWidth - MARGIN.right + 1 && py >= MARGIN.top - 1 && py <= plot.clientHeight - MARGIN.bottom + 1;

    const ring = (index, kind, radius) => {
      if (index < 0 || Number.isNaN(state.fx[index] + state.fy[index])) return null;
      const place = pixel(index);
      return inside(place) ? svg("circle", { class: kind, cx: place[0], cy: place[1], r: radius }) : null;
    };

    const drawRings = () => {
      if (!chart || !state.options) return;
      const all = [ring(state.hover, "hover", 7), ring(state.other, "other", 10), ring(state.selected, "selected", 10)];
      rings.replaceChildren(...all.filter(Boolean));
    };

    const showTip = (index) => {
      if (index === state.hover) return;
      state.hover = index;
      drawRings();
      tip.hidden = index < 0;
      plot.classList.toggle("over", index >= 0);
      if (index < 0) return;
      tip.replaceChildren(kit.pointFacts(points, index));
      const [px, py] = pixel(index);
      const left = px + 16 + tip.offsetWidth > element.clientWidth ? px - 16 - tip.offsetWidth : px + 16;
      tip.style.left = `${Math.max(0, left)}px`;
      tip.style.top = `${Math.max(0, Math.min(py - 20, element.clientHeight - tip.offsetHeight))}px`;
    };

    let frame = 0;
    const listen = () => {
      const surface = chart.getZr();
      surface.on("mousemove", (event) => {
        cancelAnimationFrame(frame);
        frame = requestAnimationFrame(() => showTip(nearest(event.offsetX, event.offsetY)));
      });
      surface.on("globalout", () => {
        cancelAnimationFrame(frame);
        showTip(-1);
      });
      surface.on("click", (event) => {
        const found = nearest(event.offsetX, event.offsetY);
        if (found >= 0) onPick(found);
      });
      chart.on("datazoom", () => {
        refreshTicks();
        showTip(-1);
        drawRings();
      });
      chart.on("finished", drawRings);
    };

    const visibleWindow = (place) => {
      const { start, end } = chart.getOption().dataZoom[place];
      const [low, high] = place ? state.options.yWindow : state.options.xWindow;
      return [low + ((high - low) * start) / 100, low + ((high - low) * end) / 100];
    };

    const refreshTicks = () => {
      const { xlog, ylog } = state.options;
      const [x, y] = [ticksFor(visibleWindow(0), xlog), ticksFor(visibleWindow(1), ylog)];
      chart.setOption({
        xAxis: { axisLabel: { customValues: x }, axisTick: { customValues: x } },
        yAxis: { axisLabel: { customValues: y }, axisTick: { customValues: y } },
      }, { lazyUpdate: true });
    };

    const series = ({ mask, best, rest, comparable, x }) => {
      const { fx, fy } = state;
      const outside = [];
      const cloud = [];
      for (let i = 0; i < points.count; i += 1) if (!mask[i]) outside.push(i);
      for (let i = points.front; i < points.count; i += 1) if (mask[i]) cloud.push(i);
      const many = points.count > MANY;
      const steps = comparable ? staircase(best, fx, fy, points.measure(x).direction === "max") : [];
      return [
        cloudSeries("outside", flat(outside, fx, fy), colors.faint, 1, many),
        cloudSeries("cloud", flat(cloud, fx, fy), colors.grey, 2, many),
        { id: "steps", type: "line", data: steps, z: 3, silent: true, showSymbol: false, lineStyle: { color: colors.blue, width: 1.5, opacity: 0.7 } },
        frontSeries("rest", flat(rest, fx, fy), { color: "rgba(255,255,255,0.85)", borderColor: colors.orange, borderWidth: 1.8 }, 4),
        frontSeries("best", flat(best, fx, fy), { color: colors.blue, borderColor: "#fff", borderWidth: 1 }, 5),
      ];
    };

    const start = (option) => {
      chart = kit.chart(plot, option);
      chart.on("finished", function first() {
        chart.off("finished", first);
        if (onDrawn) onDrawn();
      });
      listen();
    };

    element.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step || event.target !== element) return;
      event.preventDefault();
      onStep(step);
    });

    const zoomTo = (ranges) => ranges.forEach(([from, to], place) =>
      chart.dispatchAction({ type: "dataZoom", dataZoomIndex: place, start: from, end: to }));

    return {
      element,
      draw(options) {
        const { x, y, xlog, ylog, mask } = options;
        const [xWindow, yWindow] = [windowOf(points.extent(x), xlog), windowOf(points.extent(y), ylog)];
        Object.assign(state, { fx: project(x, xlog), fy: project(y, ylog), mask, options: { xWindow, yWindow, xlog, ylog } });
        const title = (name) => kit.plain(points.measure(name).axis, 70);
        const option = {
          grid: { ...MARGIN, outerBoundsMode: "none" },
          xAxis: axisOption(title(x), xWindow, xlog, "x"),
          yAxis: axisOption(title(y), yWindow, ylog, "y"),
          series: series(options),
        };
        const zoom = (axis) => ({ type: "inside", [axis]: 0, filterMode: "none", zoomOnMouseWheel: "ctrl", moveOnMouseWheel: false });
        if (!chart) start({ ...option, dataZoom: [zoom("xAxisIndex"), zoom("yAxisIndex")] });
        else chart.setOption(option);
        drawRings();
      },
      mark({ selected, other }) {
        Object.assign(state, { selected, other });
        drawRings();
      },
      /** Shows half or twice of what is shown, around the chosen point or the middle. */
      zoom(factor) {
        const place = state.selected >= 0 ? pixel(state.selected) : null;
        zoomTo([0, 1].map((axis) => {
          const { start: from, end: to } = chart.getOption().dataZoom[axis];
          const size = Math.min(100, (to - from) * factor);
          const [low, high] = axis ? state.options.yWindow : state.options.xWindow;
          const own = state.selected >= 0 && (axis ? state.fy : state.fx)[state.selected];
          const middle = place && inside(place) ? (100 * (own - low)) / (high - low) : (from + to) / 2;
          const begin = Math.max(0, Math.min(100 - size, middle - size / 2));
          return [begin, begin + size];
        }));
      },
      reset: () => zoomTo([[0, 100], [0, 100]]),
      close() {
        cancelAnimationFrame(frame);
        if (chart) chart.dispose();
      },
    };
  };

  /** All measures of a point, for tips. */
  kit.pointFacts = (points, index) => h("dl", { class: "facts" },
    points.measures.map((measure) => [
      h("dt", {}, kit.label(measure.short, 40)),
      h("dd", {}, points.shown(measure.name, index)),
    ]));
})();
