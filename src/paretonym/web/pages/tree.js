// A hierarchy as a tree with counts: coarse at the top, opened step by step.
(() => {
  "use strict";

  const kit = window.Paretonym;
  const { h } = kit;
  const OPENED = 12; // a level with at most so many entries is shown open

  const bar = (share) => {
    const inner = h("span", {});
    inner.style.width = `${Math.max(share * 100, share ? 0.6 : 0)}%`;
    return h("span", { class: "share", "aria-hidden": "true" }, inner);
  };

  /** One line: label, a bar of the share, the count. */
  const line = (label, rows, total, more = null) => [
    h("span", { class: "what" }, kit.label(label, 80), more ? h("span", { class: "soft small" }, ` ${more}`) : null),
    bar(total ? rows / total : 0),
    h("span", { class: "num" }, kit.number(rows)),
    h("span", { class: "num soft" }, total ? kit.percent(rows / total) : ""),
  ];

  const rest = (count) => (count ? [h("li", { class: "soft small rest" }, `and ${kit.number(count)} more, not listed`)] : []);

  const branch = (node, total, open) => {
    const inside = node.children.length + (node.more || 0);
    if (!inside) return h("li", {}, h("div", { class: "line leaf" }, line(node.label, node.rows, total)));
    const list = h("ul", {});
    const fill = () => {
      if (list.children.length) return;
      const near = open && node.children.length <= OPENED && node.children.some((child) => child.children.length);
      list.append(...node.children.map((child) => branch(child, total, near && node.children.length === 1)), ...rest(node.more));
    };
    const details = h("details", { ontoggle: () => details.open && fill() },
      h("summary", { class: "line" }, line(node.label, node.rows, total, kit.plural(node.leaves, "value"))), list);
    if (open) {
      fill();
      details.open = true;
    }
    return h("li", {}, details);
  };

  const steps = (levels) => h("ol", { class: "steps", "aria-label": "Levels from fine to coarse" },
    [...levels].reverse().map((level) => h("li", {}, h("span", {}, kit.label(level.name, 40),
      h("span", { class: "soft" }, ` ${kit.number(level.blocks)}`)))));

  /** view: TreeView of the contract. */
  kit.hierarchyTree = (view, caption) => h("figure", { class: "tree" },
    h("figcaption", {}, caption),
    view.levels.length ? steps(view.levels) : null,
    view.note ? h("p", { class: "soft small" }, view.note) : null,
    h("ul", {}, view.root.map((node) => branch(node, view.rows, view.root.length === 1))));

  /** The most frequent values of a column that has no hierarchy. */
  kit.valueBars = (view, distinct, caption, most = 15) => {
    const shown = view.values.slice(0, most);
    const left = Math.max(distinct - shown.length, 0);
    return h("figure", { class: "tree" }, h("figcaption", {}, caption),
      h("ul", {}, shown.map((one) => h("li", {}, h("div", { class: "line leaf" }, line(one.value, one.rows, view.rows)))), rest(left)));
  };
})();
