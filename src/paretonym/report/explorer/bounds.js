// Bounds on the measures: a number and a slider each, saying the same.
(() => {
  "use strict";

  const kit = window.Paretonym;
  const { h } = kit;
  const STOPS = 200;
  let made = 0;

  const rounded = (value, up) => {
    if (value === 0) return 0;
    const step = 10 ** (Math.floor(Math.log10(Math.abs(value))) - 2);
    return Number(((up ? Math.ceil(value / step - 1e-9) : Math.floor(value / step + 1e-9)) * step).toPrecision(6));
  };

  /** One bound; `onChange(number or null, final)`. The slider's loose end means no bound. */
  const bound = (points, measure, onChange) => {
    made += 1;
    const id = `bound${made}`;
    const larger = measure.direction === "max";
    const [low, high] = points.extent(measure.name);
    const log = measure.log && low > 0;
    const whole = measure.format === "rows" || (measure.format === "number" && Number.isInteger(low) && Number.isInteger(high));
    const at = (stop) => (log ? low * (high / low) ** (stop / STOPS) : low + ((high - low) * stop) / STOPS);
    const stopOf = (value) => {
      const inside = Math.min(high, Math.max(low, value));
      const share = log ? Math.log(inside / low) / Math.log(high / low) : (inside - low) / (high - low);
      return Math.round(STOPS * (share || 0));
    };
    const loose = larger ? 0 : STOPS;
    const valueAt = (stop) => {
      if (stop === loose) return null;
      return whole ? Math.round(at(stop)) : rounded(at(stop), !larger);
    };
    const { sign, side } = points.view.directions[measure.direction];
    const unit = measure.format === "percent" ? "%" : measure.format === "rows" ? "rows" : "";

    const input = h("input", {
      type: "number", id, step: "any", placeholder: "any",
      oninput: () => change(input.value === "" ? null : input.valueAsNumber, false, input),
      onchange: () => change(input.value === "" ? null : input.valueAsNumber, true, input),
    });
    const slider = h("input", {
      type: "range", min: "0", max: STOPS, step: "1", value: loose, "aria-label": `${kit.plain(measure.short)} ${side}`,
      oninput: () => change(valueAt(Number(slider.value)), false, slider),
      onchange: () => change(valueAt(Number(slider.value)), true, slider),
    });

    const speak = (value) => slider.setAttribute("aria-valuetext", value === null ? "no bound" : `${kit.number(value)} ${unit}`.trim());
    const change = (value, final, from) => {
      if (Number.isNaN(value)) return;
      if (from !== input) input.value = value === null ? "" : value;
      if (from !== slider) slider.value = value === null ? loose : stopOf(value);
      speak(value);
      onChange(value, final);
    };
    const show = (value) => {
      input.value = value === null ? "" : value;
      slider.value = value === null ? loose : stopOf(value);
      speak(value);
    };
    show(null);
    const element = h("div", { class: "bound" },
      h("label", { for: id, title: kit.plain(measure.long, 200) }, kit.label(measure.short, 28), ` ${sign}`),
      h("span", { class: "entry" }, input, h("span", { class: "soft unit" }, unit)), slider);
    return { element, show };
  };

  /** Bounds for every objective and for the suppressed rows; `onChange(name, value or null, final)`. */
  kit.bounds = (points, onChange) => {
    const wanted = points.measures.filter((measure) => measure.name === "suppressed" || (measure.objective && measure.format !== "flag"));
    const rows = wanted.map((measure) => {
      const known = measure.direction ? measure : { ...measure, direction: "min" };
      return { name: measure.name, ...bound(points, known, (value, final) => onChange(measure.name, value, final)) };
    });
    return {
      element: h("div", { class: "bounds" }, rows.map((row) => row.element)),
      names: rows.map((row) => row.name),
      show: (bounds) => rows.forEach((row) => row.show(bounds[row.name] ?? null)),
    };
  };
})();
