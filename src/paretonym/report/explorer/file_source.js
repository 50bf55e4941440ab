// The source of the one-file page: everything comes from the data inside the file.
(() => {
  "use strict";

  const kit = window.Paretonym;
  const refuse = (message) => Promise.reject(new Error(message));

  const better = (measure, a, b) => {
    if (!measure.direction || Number.isNaN(a) || Number.isNaN(b)) return null;
    if (a === b) return "equal";
    return (measure.direction === "max") === a > b ? "a" : "b";
  };

  kit.fileSource = (view) => {
    const details = view.details || {};
    const spread = view.spread || { indexes: [], properties: [], matrix: {} };
    const points = () => kit.points(view);
    const place = ({ levels, below }) => points().find(levels, below);
    const says = (property) => {
      const known = Object.values(details).flatMap((node) => node.privacy);
      return known.find((one) => one.property === property)?.says ?? property;
    };

    const spreads = (a, b) => {
      const [row, column] = [spread.indexes.indexOf(a), spread.indexes.indexOf(b)];
      if (row < 0 || column < 0) return [];
      const width = spread.indexes.length;
      return spread.properties.map((property) => {
        const matrix = kit.decode(spread.matrix[property], Float64Array);
        return { property, says: says(property), a_over_b: matrix[row * width + column], b_over_a: matrix[column * width + row] };
      });
    };

    return {
      live: false,
      front: () => Promise.resolve(view),
      node(levels, below) {
        const index = place({ levels, below });
        if (details[index]) return Promise.resolve(details[index]);
        if (index < 0) return refuse("This file knows no such point. Choose one in the Front room.");
        return refuse(`This file holds the details of ${kit.plural(Object.keys(details).length, "point")}, and this one is not among them. The app shows the details of every point: paretonym explore.`);
      },
      compare(a, b) {
        const [first, second] = [place(a), place(b)];
        if (first < 0 || second < 0) return refuse("This file knows no such point. Choose both in the Front room.");
        const values = points().measures.map((measure) => {
          const raw = points().raw(measure.name);
          return {
            name: measure.name, long: measure.long, a: points().shown(measure.name, first), b: points().shown(measure.name, second),
            better: better(measure, raw[first], raw[second]),
          };
        });
        return Promise.resolve({ a, b, spread: spreads(first, second), values });
      },
      preview: () => refuse("Rows are shown only in the app, because a file gets passed around."),
    };
  };
})();
