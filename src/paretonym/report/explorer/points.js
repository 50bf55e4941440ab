// The candidates as typed arrays: decoded once, filtered and compared fast.
(() => {
  "use strict";

  const kit = window.Paretonym;
  const SLACK = 1e-9; // a bound that was read off the screen still lets its own point in
  const decoded = new WeakMap();

  const axisTitle = ({ format, long }) => (format === "percent" && !long.includes("%") ? `${long}, %` : long);

  const make = (view) => {
    const { count } = view.points;
    const width = view.columns.length;
    const levels = kit.decode(view.points.levels, Uint16Array);
    const below = kit.decode(view.points.below, Int32Array);
    const suppressed = kit.decode(view.points.suppressed, Int32Array);
    const measures = view.measures.map((measure) => ({ ...measure, rows: view.rows, axis: axisTitle(measure) }));
    const raw = {};
    for (const { name } of measures) {
      const given = view.points.values[name];
      if (given !== undefined) raw[name] = kit.decode(given, Float64Array);
      else raw[name] = name === "suppressed" ? Float64Array.from(suppressed) : new Float64Array(count).fill(NaN);
    }
    const drawn = {};
    const extents = {};

    const points = { view, count, front: view.front_count, columns: view.columns, measures, below, suppressed };

    points.measure = (name) => measures.find((measure) => measure.name === name);
    points.level = (index, column) => levels[index * width + column];
    points.levelsOf = (index) => Array.from(levels.subarray(index * width, (index + 1) * width));

    points.find = (wanted, wantedBelow) => {
      if (!wanted || wanted.length !== width) return -1;
      for (let i = 0; i < count; i += 1) {
        if (below[i] === wantedBelow && wanted.every((level, column) => levels[i * width + column] === level)) return i;
      }
      return -1;
    };

    /** A measure in the unit that axes and bounds use. */
    points.drawn = (name) => {
      if (!drawn[name]) {
        const { scale } = points.measure(name);
        drawn[name] = raw[name].map((value) => value * scale);
      }
      return drawn[name];
    };

    points.raw = (name) => raw[name];

    points.shown = (name, index) => {
      const value = raw[name][index];
      return Number.isNaN(value) ? "not known" : kit.shown(points.measure(name), value);
    };

    /** Smallest and largest finite number drawn. */
    points.extent = (name) => {
      if (!extents[name]) {
        let [low, high] = [Infinity, -Infinity];
        for (const value of points.drawn(name)) {
          if (value < low && value > -Infinity) low = value;
          if (value > high && value < Infinity) high = value;
        }
        extents[name] = low <= high ? [low, high] : [0, 1];
      }
      return extents[name];
    };

    /** 1 for each point within the bounds; {name: number}, read as at least or at most by direction. */
    points.within = (bounds) => {
      const mask = new Uint8Array(count).fill(1);
      for (const [name, bound] of Object.entries(bounds)) {
        const values = points.drawn(name);
        const turn = points.measure(name).direction === "max" ? 1 : -1;
        const limit = turn * bound - Math.abs(bound) * SLACK;
        for (let i = 0; i < count; i += 1) if (!(turn * values[i] >= limit)) mask[i] = 0;
      }
      return mask;
    };

    /** Keeps in the mask what has a chosen level; `chosen` maps a column's place to a set of levels. */
    points.withLevels = (mask, chosen, except = -1) => {
      const kept = mask.slice();
      for (const [column, wanted] of chosen) {
        if (column === except || !wanted.size) continue;
        for (let i = 0; i < count; i += 1) if (kept[i] && !wanted.has(levels[i * width + column])) kept[i] = 0;
      }
      return kept;
    };

    points.indexes = (mask, from, to) => {
      const found = [];
      for (let i = from; i < to; i += 1) if (mask[i]) found.push(i);
      return found;
    };

    return points;
  };

  kit.points = (view) => {
    if (!decoded.has(view)) decoded.set(view, make(view));
    return decoded.get(view);
  };

  /** Of these points, the ones that none beats in both measures (ascending in x), and the others. */
  kit.bestInPair = (points, indexes, xName, yName) => {
    const directions = [points.measure(xName).direction, points.measure(yName).direction];
    const [xs, ys] = [points.drawn(xName), points.drawn(yName)];
    const known = indexes.filter((i) => Number.isFinite(xs[i]) && Number.isFinite(ys[i]));
    if (!directions.every(Boolean)) return { best: known, rest: [], comparable: false };
    const [xTurn, yTurn] = directions.map((direction) => (direction === "max" ? -1 : 1));
    known.sort((a, b) => xTurn * (xs[a] - xs[b]) || yTurn * (ys[a] - ys[b]));
    const [best, rest] = [[], []];
    let last = -1;
    for (const i of known) {
      const twin = last >= 0 && xs[i] === xs[last] && ys[i] === ys[last];
      if (last < 0 || twin || yTurn * ys[i] < yTurn * ys[last]) {
        best.push(i);
        last = i;
      } else rest.push(i);
    }
    if (xTurn < 0) best.reverse();
    return { best, rest, comparable: true };
  };

  // a point in an address: levels joined by dots
  kit.readLevels = (text) => (/^\d+(\.\d+)*$/.test(text || "") ? text.split(".").map(Number) : null);
  kit.writeLevels = (levels) => levels.join(".");
})();
