// A table that scrolls through any number of rows: only the lines in view are in the page.
(() => {
  "use strict";

  const kit = window.Paretonym;
  const { h } = kit;
  const ROW = 32; // height of a line in pixels, as in the style sheet
  const SPARE = 12; // lines kept above and below the view
  const collator = new Intl.Collator(undefined, { numeric: true });
  let made = 0;

  const compareKeys = (a, b) => {
    if (typeof a === "string" || typeof b === "string") return collator.compare(String(a), String(b));
    return a - b;
  };

  const sorted = (rows, column, down) => {
    if (!column) return Array.from(rows);
    const turn = down ? -1 : 1;
    const keys = Array.from(rows, (row) => column.get(row));
    const unknown = (key) => key === null || key === undefined || Number.isNaN(key);
    const order = Array.from(keys.keys()).sort((a, b) => {
      // what is not known stands last in both directions
      if (unknown(keys[a]) || unknown(keys[b])) return unknown(keys[a]) - unknown(keys[b]) || a - b;
      return turn * compareKeys(keys[a], keys[b]) || a - b;
    });
    return order.map((place) => rows[place]);
  };

  /**
   * columns: [{key, title, hint, numeric, width, get(row) -> sort key, show(row) -> text or node, class(row)}]
   * rows: any array; onSelect(row); sort: {key, down}; onSort({key, down}); label; empty; height.
   * Returns {element, setRows, select, close}.
   */
  kit.table = ({ columns, rows = [], onSelect, onSort, sort = null, label, empty = "No rows.", height = 420 }) => {
    made += 1;
    const id = `table${made}`;
    const state = { order: [], active: 0, selected: null, sort, from: -1, to: -1 };

    const heads = columns.map((column) => h("th", { scope: "col", role: "columnheader", class: column.numeric ? "num" : null },
      column.get
        ? h("button", { type: "button", class: "sort", title: column.hint, onclick: () => sortBy(column) }, column.title)
        : column.title));
    const spacer = () => h("td", { colspan: columns.length });
    const above = spacer();
    const below = spacer();
    const body = h("tbody", { role: "rowgroup" });
    const table = h("table", { role: "grid", class: "grid", tabindex: "0", "aria-label": label, "aria-colcount": columns.length },
      h("colgroup", {}, columns.map((column) => {
        const col = h("col");
        col.style.width = `${column.width || 120}px`;
        return col;
      })),
      h("thead", { role: "rowgroup" }, h("tr", { role: "row", "aria-rowindex": "1" }, heads)),
      h("tbody", { "aria-hidden": "true", class: "space" }, h("tr", {}, above)),
      body,
      h("tbody", { "aria-hidden": "true", class: "space" }, h("tr", {}, below)));
    table.style.minWidth = `${columns.reduce((sum, column) => sum + (column.width || 120), 0)}px`;
    const nothing = h("p", { class: "soft nothing", hidden: true }, empty);
    const scroller = h("div", { class: "scroll grid-scroll" }, table);
    scroller.style.maxHeight = `${height}px`;
    const element = h("div", { class: "grid-box" }, scroller, nothing);

    const line = (place) => {
      const row = state.order[place];
      const tr = h("tr", {
        role: "row", id: `${id}-${place}`, "aria-rowindex": place + 2,
        "aria-selected": String(row === state.selected), class: place === state.active ? "active" : null,
      }, columns.map((column) => h("td", {
        role: "gridcell",
        class: [column.numeric ? "num" : "", column.class ? column.class(row) : ""].join(" ").trim() || null,
      }, column.show(row))));
      tr.addEventListener("click", () => {
        state.active = place;
        choose();
      });
      return tr;
    };

    const draw = (force) => {
      const inView = Math.ceil((scroller.clientHeight || height) / ROW);
      const first = Math.floor(scroller.scrollTop / ROW);
      const from = Math.max(0, Math.min(first - SPARE, state.order.length - inView));
      const to = Math.min(state.order.length, first + inView + SPARE);
      if (!force && from === state.from && to === state.to) return;
      [state.from, state.to] = [from, to];
      above.style.height = `${from * ROW}px`;
      below.style.height = `${(state.order.length - to) * ROW}px`;
      body.replaceChildren(...Array.from({ length: to - from }, (_, i) => line(from + i)));
      const known = state.active >= from && state.active < to;
      if (known) table.setAttribute("aria-activedescendant", `${id}-${state.active}`);
      else table.removeAttribute("aria-activedescendant");
    };

    const headHeight = () => table.tHead.offsetHeight || ROW;
    const reveal = (place) => {
      const top = place * ROW;
      const room = scroller.clientHeight - headHeight() - ROW;
      if (top < scroller.scrollTop) scroller.scrollTop = top;
      else if (top > scroller.scrollTop + room) scroller.scrollTop = top - room;
    };

    const markSort = () => columns.forEach((column, i) => {
      if (state.sort && state.sort.key === column.key) heads[i].setAttribute("aria-sort", state.sort.down ? "descending" : "ascending");
      else heads[i].removeAttribute("aria-sort");
    });

    const arrange = () => {
      const column = state.sort && columns.find((one) => one.key === state.sort.key);
      state.order = sorted(rows, column, state.sort && state.sort.down);
      state.active = Math.max(0, state.order.indexOf(state.selected));
      table.setAttribute("aria-rowcount", state.order.length + 1);
      nothing.hidden = state.order.length > 0;
      markSort();
      draw(true);
    };

    const sortBy = (column) => {
      const same = state.sort && state.sort.key === column.key;
      state.sort = { key: column.key, down: same ? !state.sort.down : false };
      arrange();
      scroller.scrollTop = 0;
      if (onSort) onSort(state.sort);
    };

    const choose = () => {
      if (state.active >= state.order.length) return;
      state.selected = state.order[state.active];
      draw(true);
      if (onSelect) onSelect(state.selected);
    };

    const move = (place) => {
      state.active = Math.max(0, Math.min(state.order.length - 1, place));
      reveal(state.active);
      draw(true);
    };

    const page = Math.max(1, Math.floor(height / ROW) - 2);
    const keys = {
      ArrowDown: () => move(state.active + 1), ArrowUp: () => move(state.active - 1),
      PageDown: () => move(state.active + page), PageUp: () => move(state.active - page),
      Home: () => move(0), End: () => move(state.order.length - 1),
      Enter: choose, " ": choose,
    };
    table.addEventListener("keydown", (event) => {
      const act = event.target === table && !event.ctrlKey && !event.metaKey && !event.altKey && keys[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    });
    let waiting = 0;
    scroller.addEventListener("scroll", () => {
      cancelAnimationFrame(waiting);
      waiting = requestAnimationFrame(() => draw(false));
    }, { passive: true });
    const observer = new ResizeObserver(() => draw(false));
    observer.observe(scroller);

    arrange();
    return {
      element,
      setRows(next) {
        rows = next;
        arrange();
      },
      /** Marks a row that was chosen elsewhere and brings it into view. */
      select(row) {
        state.selected = row;
        const place = state.order.indexOf(row);
        if (place >= 0) {
          state.active = place;
          reveal(place);
        }
        draw(true);
      },
      close() {
        cancelAnimationFrame(waiting);
        observer.disconnect();
      },
    };
  };
})();
