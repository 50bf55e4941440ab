// One column: why it has its role, what it holds, how it is made coarser.
(() => {
  "use strict";

  const kit = window.Paretonym;
  const { h, clear } = kit;
  const { ROLES, ONLY_QUASI, MEASURES, roleKey, partsOf } = kit.words;

  const said = (job, name) => (Object.hasOwn(job?.columns ?? {}, name) ? job.columns[name] ?? {} : {});

  /** What was compared of a column in a role that it has no more; something stays to be compared. */
  const outdated = (job, name, roles) => {
    const all = [job?.objectives ?? []].flat().map(String);
    const gone = all.filter((one) => {
      const { base, column } = partsOf(one);
      const known = MEASURES.get(base);
      return column === name && known?.roles.length && !known.roles.some((role) => roles.includes(role));
    });
    const kept = all.filter((one) => !gone.includes(one));
    if (!gone.length || !kept.length) return [];
    return [{ path: ["objectives"], value: kept }, ...(job.epsilon ? [{ path: ["epsilon"], remove: true }] : [])];
  };

  /** Everything that a new role brings and takes away, as one edit. */
  const roleChanges = (job, name, key) => {
    const column = said(job, name);
    const at = (...more) => ["columns", name, ...more];
    const roles = key.split("+");
    const changes = [{ path: at("role"), value: roles.length > 1 ? roles : key }, ...outdated(job, name, roles)];
    if (roles.includes("quasi")) {
      if (!column.hierarchy && !column.partitions) changes.push({ path: at("hierarchy"), value: "suppress" });
      if (column.because) changes.push({ path: at("because"), remove: true });
      return changes;
    }
    const gone = ONLY_QUASI.filter((one) => one in column);
    if ("decimal_comma" in column && column.type !== "number") gone.push("decimal_comma");
    return [...changes, ...gone.map((one) => ({ path: at(one), remove: true }))];
  };

  kit.roleChanges = roleChanges;

  /** The select of a column's role, as the list shows it. */
  kit.roleSelect = (context, column) => {
    const key = roleKey(column.role);
    return kit.choose(ROLES.map(([one, name]) => [one, name]), key, {
      id: `role-${column.index}`, "aria-label": `Role of ${kit.plain(column.name)}`,
      onchange: async (event) => {
        const wanted = event.target.value;
        const word = ROLES.find(([one]) => one === wanted)[1];
        try {
          const changes = roleChanges(context.project().job, column.name, wanted);
          const fewer = changes.some(({ path }) => path[0] === "objectives") ? ", compared no more" : "";
          await context.edit(changes, `${kit.plain(column.name, 30)}: ${word}${fewer}`);
        } catch (error) {
          event.target.value = key;
          context.fail(error);
        }
      },
    });
  };

  /** A text of the column that is written into the job when it is left; `read` makes the value of it. */
  const keyInput = (context, column, key, { words, hint, value, size, placeholder, read = (text) => text }) => {
    const send = async (event) => {
      const text = event.target.value.trim();
      const path = ["columns", column.name, key];
      try {
        await context.edit([text ? { path, value: read(text) } : { path, remove: true }],
          `${kit.plain(column.name, 30)}: ${key}${text ? "" : " removed"}`);
      } catch (error) {
        context.fail(error);
      }
    };
    const field = kit.field(words, h("input", { type: "text", id: `column-${key}`, value: value ?? "", size, placeholder, onchange: send }), hint);
    if (!hint) field.classList.add("beside");
    return field;
  };

  const facts = (column) => (column.kind === "absent" ? "not in the table" : [
    column.kind, kit.plural(column.distinct, "different value"),
    column.missing ? `${kit.number(column.missing)} missing` : null,
    column.alone ? `${kit.plural(column.alone, "row")} with a value that nobody else has` : null,
  ].filter(Boolean).join(" · "));

  const about = (column) => {
    const role = ROLES.find(([key]) => key === roleKey(column.role));
    return [
      h("p", {}, role ? [h("strong", {}, `${role[1]}. `), role[2]]
        : "This column has no role yet. Choose one in the list: every column needs one."),
      column.note ? h("p", { class: "soft" }, `In the job: ${column.note}`) : null,
      column.fault ? h("div", { class: "notice bad" }, h("p", {}, column.fault.replace(/^columns\.\S+: /, ""))) : null,
    ];
  };

  /** A column that only the job names has nothing to show. */
  const absent = (context, column) => h("button", { type: "button", id: "forget-column", onclick: () =>
    context.edit([{ path: ["columns", column.name], remove: true }], `${kit.plain(column.name, 30)} removed`).catch(context.fail) },
  "Remove it from the job");

  const PASSING = new Set(["insensitive", "weight", "target"]);
  const passes = (column) => column.role.length > 0 && column.role.every((role) => PASSING.has(role));

  /** Draws the column's panel into root; returns what ends it. */
  kit.columnPanel = (root, context, column) => {
    const quasi = column.role.includes("quasi");
    const place = h("div", {}, h("p", { class: "soft" }, "Looking at the values …"));
    let editor = null;
    let open = true;
    clear(root).append(
      h("h2", {}, kit.label(column.name, 80)),
      h("p", { class: "soft small" }, facts(column)),
      ...about(column).filter(Boolean),
      passes(column) || column.because ? keyInput(context, column, "because", {
        words: "Why it may pass unchanged", value: column.because, size: 40,
        hint: "Needed where a column is nearly unique, or groups rows like a household number. One sentence.",
      }) : "",
      quasi ? keyInput(context, column, "weight", { words: "Weight in the losses", value: column.weight, size: 5, placeholder: "1", read: kit.numeric }) : "",
      place);

    if (column.kind === "absent" || ["identifier", "omitted"].includes(column.role[0])) {
      clear(place).append(column.kind === "absent" ? absent(context, column) : "");
      return () => {};
    }
    const show = (tree) => {
      if (!quasi) {
        clear(place).append(kit.valueBars(tree, column.distinct, "The most frequent values"));
        return;
      }
      editor = kit.hierarchyEditor(context, column, said(context.project().job, column.name), tree);
      clear(place).append(editor.element);
    };
    context.client.get(`/projects/${context.project().id}/columns/${column.index}/tree`)
      .then((tree) => open && show(tree))
      .catch((error) => open && clear(place).append(h("div", { class: "notice bad" }, h("p", {}, error.message))));
    return () => {
      open = false;
      editor?.close();
    };
  };
})();
