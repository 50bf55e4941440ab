// Columns: what each one is, how it is made coarser, what to compare; then find the front.
(() => {
  "use strict";

  const kit = window.Paretonym;
  const { h, clear } = kit;
  const { ROLES, roleKey } = kit.words;
  const FILTERED = 12; // from so many columns on there is a filter
  const PAIRS = 6;

  const HEADS = [
    { key: "name", title: "Column", get: (one) => one.name },
    { key: "kind", title: "Kind", get: (one) => one.kind },
    { key: "distinct", title: "Values", hint: "different values", numeric: true, get: (one) => one.distinct },
    { key: "missing", title: "Missing", hint: "rows without a value", numeric: true, get: (one) => one.missing },
    { key: "alone", title: "Alone", hint: "rows whose value nobody else has", numeric: true, get: (one) => one.alone },
    { key: "role", title: "Role", get: (one) => ROLES.findIndex(([key]) => key === roleKey(one.role)) },
    { key: "levels", title: "Levels", hint: "levels of the hierarchy", numeric: true, get: (one) => one.levels.length },
  ];

  const collator = new Intl.Collator(undefined, { numeric: true });
  const compare = (a, b) => (typeof a === "string" ? collator.compare(a, b) : a - b);

  const open = (root, context) => {
    const state = { view: null, digest: null, loading: 0, shown: "", closePanel: null, filter: "", sort: null };
    const head = h("div", { class: "columns-head" });
    const trouble = h("div", {});
    const list = h("section", { class: "panel column-list", "aria-label": "All columns" }, h("p", { class: "soft" }, "Reading the table …"));
    const side = h("section", { class: "panel column-side", "aria-label": "The chosen column" });
    const settings = kit.jobSettings(context);
    const text = kit.jobText(context);
    root.append(head, trouble, h("div", { class: "columns-grid" }, list, side, settings.element), text.element);

    // ---- the head: how many of what, and the way on

    const summary = () => {
      if (!state.view) return "";
      const counts = ROLES.map(([key, name]) => [state.view.columns.filter((one) => roleKey(one.role) === key).length, name])
        .filter(([count]) => count).map(([count, name]) => kit.plural(count, name, /(identifier|target|weight)$/.test(name) ? `${name}s` : name));
      const none = state.view.columns.filter((one) => !one.role.length).length;
      if (none) counts.push(`${kit.number(none)} without a role`);
      return `${kit.plural(state.view.rows, "row")}, ${kit.plural(state.view.columns.length, "column")}: ${counts.join(", ")}`;
    };

    const find = async () => {
      try {
        await context.start("front");
        context.go("front");
      } catch (error) {
        context.fail(error);
      }
    };
    const wayOn = (project) => {
      const running = project.tasks.some((task) => task.state === "running");
      const found = kit.newest(project, "front");
      const fresh = found && found.digest === project.digest;
      const stop = project.faults.length ? "The job must be mended first: see below." : running ? "Something is running for this table." : "";
      const button = h("button", { id: "find-front", class: fresh ? null : "main big", disabled: Boolean(stop), onclick: find },
        fresh ? "Find it again" : "Find the front");
      const look = h("button", { id: "see-front", class: fresh ? "main big" : null, onclick: () => context.go("front") },
        fresh ? "Look at the front" : "Look at the old one");
      const says = stop || (found && !fresh ? "A front was found for an older version of this job." : "");
      return h("div", { class: "way-on" }, says ? h("span", { class: "soft small" }, says) : null, found ? look : null, button);
    };
    const drawHead = () => kit.keepingFocus(head, () => clear(head).append(
      h("div", {}, h("h1", {}, "Columns"), h("p", { class: "soft" }, summary())), wayOn(context.project())));

    // ---- the list

    const ordered = () => {
      const wanted = state.filter.toLowerCase();
      const rows = state.view.columns.filter((one) => one.name.toLowerCase().includes(wanted));
      const by = state.sort && HEADS.find((one) => one.key === state.sort.key);
      return by ? rows.sort((a, b) => (state.sort.down ? -1 : 1) * compare(by.get(a), by.get(b))) : rows;
    };

    const chosen = () => {
      const { columns } = state.view;
      return columns.find((one) => one.name === context.address.get("column")) ??
        columns.find((one) => one.fault) ?? columns.find((one) => one.role.includes("quasi")) ?? columns[0];
    };
    const choose = (column, { focus = false } = {}) => {
      context.set({ column: column.name });
      for (const row of body.rows) {
        const is = row.dataset.index === String(column.index);
        row.classList.toggle("current", is);
        if (is) row.querySelector("button").setAttribute("aria-current", "true");
        else row.querySelector("button").removeAttribute("aria-current");
      }
      if (focus) document.getElementById(`column-${column.index}`)?.focus();
      drawSide();
    };

    const step = (column) => (event) => {
      const rows = ordered();
      const at = rows.indexOf(column);
      const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      if (rows[to]) choose(rows[to], { focus: true });
    };

    const line = (column) => {
      const is = column === chosen();
      return h("tr", { class: is ? "current" : null, dataset: { index: column.index }, onclick: (event) => {
        if (!event.target.closest("select, button")) choose(column);
      } },
        h("th", { scope: "row" }, h("span", { class: "dot", dataset: { role: roleKey(column.role) }, "aria-hidden": "true" }),
          h("button", { type: "button", class: "name", id: `column-${column.index}`, "aria-current": is ? "true" : null,
            onclick: () => choose(column), onkeydown: step(column) }, kit.label(column.name, 48)),
          column.fault ? h("div", { class: "small bad" }, "cannot be used as it is") : null),
        h("td", {}, column.kind),
        [column.distinct, column.missing, column.alone].map((count) => h("td", { class: count ? "num" : "num soft" }, count === null ? "many" : kit.number(count))),
        h("td", {}, kit.roleSelect(context, column)),
        h("td", { class: "num" }, column.levels.length || ""));
    };

    const body = h("tbody", {});
    const drawRows = () => kit.keepingFocus(body, () => clear(body).append(...ordered().map(line)));
    const heads = HEADS.map((one) => h("th", { scope: "col", class: one.numeric ? "num" : null },
      h("button", { type: "button", class: "sort", title: one.hint ?? null, onclick: () => {
        state.sort = { key: one.key, down: state.sort?.key === one.key && !state.sort.down };
        heads.forEach((th) => th.removeAttribute("aria-sort"));
        heads[HEADS.indexOf(one)].setAttribute("aria-sort", state.sort.down ? "descending" : "ascending");
        drawRows();
      } }, one.title)));
    const pairs = h("div", {});
    const singling = () => state.view.pairs.filter((one) => one.alone).sort((a, b) => b.alone - a.alone).slice(0, PAIRS);
    const drawPairs = () => clear(pairs).append(...(singling().length ? [h("details", {},
      h("summary", {}, "Pairs of columns that single rows out"),
      kit.simpleTable(["Two columns together", "Rows alone", "Share"],
        singling().map((one) => [
          h("span", {}, kit.label(one.columns[0], 40), " and ", kit.label(one.columns[1], 40)),
          kit.number(one.alone), kit.percent(state.view.rows ? one.alone / state.view.rows : 0)]),
        "Rows whose two values together nobody else has"))] : []));
    const filter = h("input", { type: "search", id: "filter-columns", placeholder: "Filter columns", "aria-label": "Filter columns",
      oninput: (event) => {
        state.filter = event.target.value;
        drawRows();
      } });
    const drawList = () => {
      filter.hidden = state.view.columns.length < FILTERED;
      if (!list.contains(body)) {
        clear(list).append(filter, h("div", { class: "scroll" },
          h("table", { class: "column-table" }, h("thead", {}, h("tr", {}, heads)), body)), pairs);
      }
      drawRows();
      drawPairs();
    };

    // ---- the chosen column

    const drawSide = () => {
      const column = chosen();
      if (!column) return;
      // what is being edited stays when something else of the job changes
      const now = JSON.stringify([column, context.project().job?.columns?.[column.name]]);
      if (now === state.shown) return;
      state.shown = now;
      state.closePanel?.();
      kit.keepingFocus(side, () => {
        state.closePanel = kit.columnPanel(side, context, column);
      });
    };

    // ---- following the project

    const load = async () => {
      state.loading += 1;
      const number = state.loading;
      list.setAttribute("aria-busy", "true");
      try {
        const view = await context.client.get(`/projects/${context.project().id}/columns`);
        if (number !== state.loading) return;
        state.view = view;
        clear(trouble);
        drawList();
        drawSide();
      } catch (error) {
        if (number !== state.loading) return;
        clear(trouble).append(h("div", { class: "notice bad" }, h("p", {}, `The columns cannot be shown as they are now: ${error.message}`)));
      }
      list.removeAttribute("aria-busy");
      drawHead();
    };
    const follow = (project) => {
      drawHead();
      if (project.digest === state.digest) return;
      state.digest = project.digest;
      settings.draw();
      text.update(project);
      load();
    };

    context.listen(({ kind, project }) => (kind === "project" ? follow(project) : drawHead()));
    follow(context.project());
    return () => {
      state.loading += 1;
      state.closePanel?.();
      text.close();
    };
  };

  kit.rooms.columns = { title: "Columns", open };
})();
