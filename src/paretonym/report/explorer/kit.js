// What every room uses: elements, numbers in words, charts and tables. One global, no markup strings.
(() => {
  "use strict";

  const kit = (window.Paretonym = window.Paretonym || {});
  kit.rooms = kit.rooms || {};
  kit.colors = {
    blue: "#0072b2", orange: "#d55e00", grey: "#9aa5b1", faint: "#e3e8ee",
    ink: "#1f2933", soft: "#52606d", line: "#e4e7eb",
  };

  // ---- elements

  const SVG = "http://www.w3.org/2000/svg";
  const PROPERTIES = new Set(["value", "checked", "disabled", "selected", "hidden", "indeterminate"]);

  const setAttribute = (node, name, value) => {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "dataset") Object.assign(node.dataset, value);
    else if (PROPERTIES.has(name)) node[name] = value;
    else if (value !== null && value !== undefined && value !== false) {
      node.setAttribute(name, value === true ? "" : value);
    }
  };

  const build = (node, attributes, children) => {
    for (const [name, value] of Object.entries(attributes || {})) setAttribute(node, name, value);
    for (const child of children.flat(Infinity)) {
      if (child !== null && child !== undefined && child !== false) node.append(child);
    }
    return node;
  };

  /** An element; children are nodes or text, never markup. */
  kit.h = (tag, attributes, ...children) => build(document.createElement(tag), attributes, children);
  kit.svg = (tag, attributes, ...children) => build(document.createElementNS(SVG, tag), attributes, children);

  kit.clear = (node) => {
    node.replaceChildren();
    return node;
  };

  // direction marks and control characters can turn the text around them; canvas has no isolation
  const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
  const cut = (text, limit) => {
    if (text.length <= limit) return text;
    const end = text.codePointAt(limit - 2) > 0xffff ? limit - 2 : limit - 1;
    return `${text.slice(0, end)}…`;
  };

  /** A name from the data for places that show text only: canvas, options, titles. */
  kit.plain = (value, limit = 60) => {
    if (value === null || value === undefined) return "(missing)";
    return cut(String(value).slice(0, limit * 4 + 4).replace(UNSEEN, "\ufffd"), limit);
  };

  /** A name from the data inside a page: set apart in its own direction, cut when long. */
  kit.label = (value, limit = 60) => {
    if (value === null || value === undefined) return kit.h("span", { class: "missing" }, "(missing)");
    const text = String(value);
    const long = text.length > limit;
    return kit.h("bdi", { dir: "auto", title: long ? kit.plain(text, 1000) : null }, cut(text, limit));
  };

  // ---- numbers, in the same words as the reports

  const MINUS = "−";
  const RAISED = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
  const sign = (value) => (value < 0 ? MINUS : "");
  const grouped = (digits) => {
    const [whole, rest] = digits.split(".");
    const apart = whole.replace(/\B(?=(\d{3})+$)/g, ",");
    return rest === undefined ? apart : `${apart}.${rest}`;
  };

  // toFixed rounds an exact half up, the reports round it to the even digit
  const fixed = (size, decimals) => {
    const text = size < 1e21 ? size.toFixed(decimals) : `${BigInt(size)}.${"0".repeat(decimals)}`;
    const half = Math.abs((size * 2 ** (decimals + 1)) % 2) === 1;
    const last = Number(text.at(-1));
    return half && last % 2 === 1 ? text.slice(0, -1) + (last - 1) : text;
  };
  const withoutZeros = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);

  const power = (size) => {
    let exponent = Math.floor(Math.log10(size));
    const mantissa = 10 ** (Math.log10(size) - exponent);
    let text = withoutZeros(fixed(mantissa, 2));
    if (Number(text) >= 10) [text, exponent] = ["1", exponent + 1];
    return `${text}×10${[...String(exponent)].map((digit) => RAISED[digit]).join("")}`;
  };

  const belowOne = (size) => {
    const decimals = size >= 0.1 ? 4 : size >= 0.01 ? 5 : size >= 0.001 ? 6 : 7;
    return withoutZeros(fixed(size, decimals));
  };

  /** Whole numbers with thousands separators, others with three or four useful digits. */
  kit.number = (value) => {
    if (Number.isNaN(value)) return "not a number";
    const size = Math.abs(value);
    if (size === Infinity) return `${sign(value)}∞`;
    if (size >= 1e15 || (size > 0 && size < 1e-4)) return sign(value) + power(size);
    if (size >= 1000 || Number.isInteger(size)) return sign(value) + grouped(fixed(size, 0));
    return sign(value) + (size < 1 ? belowOne(size) : fixed(size, 2));
  };

  const percentDigits = (size) => {
    if (size === 0 || size === 100) return String(size);
    if (size < 0.01) return "<0.01";
    if (size < 10) return fixed(size, 2);
    if (fixed(size, 1) !== "100.0") return grouped(fixed(size, 1));
    if (fixed(size, 2) !== "100.00") return fixed(size, 2);
    return size < 100 ? ">99.99" : ">100";
  };

  /** A share as a percentage; only nothing reads 0 %, and only all reads 100 %. */
  kit.percent = (share) => {
    const value = share * 100;
    return Number.isFinite(value) ? `${sign(value)}${percentDigits(Math.abs(value))} %` : kit.number(value);
  };

  /** A measure's value as people read it; `rows` of the table are needed for counts of rows. */
  kit.shown = (measure, value, rows = measure.rows) => {
    if (measure.format === "flag") return value ? "yes" : "no";
    if (measure.format === "percent") return kit.percent((value * measure.scale) / 100);
    if (measure.format === "rows" && rows) return `${kit.number(value)} (${kit.percent(value / rows)})`;
    return kit.number(value * measure.scale);
  };

  /** A value at an axis: short, whatever its size. */
  kit.tick = (value) => {
    const size = Math.abs(value);
    if (size >= 1e9 || (size > 0 && size < 1e-4)) return sign(value) + power(size);
    if (size >= 1e6) return `${sign(value)}${withoutZeros((size / 1e6).toFixed(3))} M`;
    return sign(value) + grouped(withoutZeros(size.toFixed(size < 1 ? 4 : 2)));
  };

  kit.plural = (count, noun, many = `${noun}s`) => `${kit.number(count)} ${count === 1 ? noun : many}`;

  /** Numbers that came as base64 of little-endian bytes. */
  kit.decode = (text, Type) => {
    let bytes;
    if (Uint8Array.fromBase64) bytes = Uint8Array.fromBase64(text);
    else {
      const binary = atob(text);
      bytes = new Uint8Array(binary.length);
      for (let i = 0; i < binary.length; i += 1) bytes[i] = binary.charCodeAt(i);
    }
    return new Type(bytes.buffer);
  };

  // ---- charts

  const axisStyle = {
    axisLine: { lineStyle: { color: "#9aa5b1" } },
    axisTick: { lineStyle: { color: "#9aa5b1" } },
    axisLabel: { color: "#52606d" },
    nameTextStyle: { color: "#1f2933" },
    splitLine: { lineStyle: { color: "#eef1f4" } },
  };
  const theme = {
    color: ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#9aa5b1"],
    textStyle: { fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif' },
    valueAxis: axisStyle, logAxis: axisStyle, categoryAxis: axisStyle,
    tooltip: {
      renderMode: "richText", backgroundColor: "#fff", borderColor: "#cbd2d9", borderWidth: 1,
      textStyle: { color: "#1f2933", fontSize: 13 }, transitionDuration: 0,
    },
  };

  /** A chart in the house theme that follows its element's size; `label` says what it shows. */
  kit.chart = (element, option, { label = "" } = {}) => {
    const chart = window.echarts.init(element, theme, { renderer: "canvas" });
    if (label) {
      element.setAttribute("role", "img");
      element.setAttribute("aria-label", label);
    }
    chart.setOption({ animation: false, ...option });
    const observer = new ResizeObserver(() => chart.resize());
    observer.observe(element);
    const dispose = chart.dispose.bind(chart);
    chart.dispose = () => {
      observer.disconnect();
      dispose();
    };
    return chart;
  };

  /** A plain table for numbers that a figure shows. */
  kit.simpleTable = (heads, rows, caption) =>
    kit.h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
      kit.h("table", {},
        kit.h("caption", { class: "sr" }, caption),
        kit.h("thead", {}, kit.h("tr", {}, heads.map((head, i) => kit.h("th", { scope: "col", class: i ? "num" : null }, head)))),
        kit.h("tbody", {}, rows.map((cells) => kit.h("tr", {}, cells.map((cell, i) =>
          i ? kit.h("td", { class: "num" }, cell) : kit.h("th", { scope: "row" }, cell)))))));
})();
