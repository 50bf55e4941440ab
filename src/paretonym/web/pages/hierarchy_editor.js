// How a column is made coarser: choose a builder, see the tree at once, apply.
(() => {
  "use strict";

  const kit = window.Paretonym;
  const { h, clear } = kit;
  const PAUSE = 250; // milliseconds after the last key before a preview is asked for

  /** Keys of the column that would contradict another hierarchy go with it. */
  const changesFor = (name, job, made) => {
    const at = (key) => ["columns", name, key];
    const changes = [{ path: at("hierarchy"), value: made.hierarchy }];
    const gone = [];
    const isNumber = job.type === "number" || "intervals" in Object(made.hierarchy);
    if (job.partitions) gone.push("partitions");
    if (made.format) {
      if (made.format !== job.format) changes.push({ path: at("format"), value: made.format });
    } else if (job.format && (job.type === "number" || !["median", "mode"].includes(job.write))) gone.push("format");
    if (job.decimal_comma && !isNumber) gone.push("decimal_comma");
    if (job.write === "mean" && !isNumber) gone.push("write");
    return [...changes, ...gone.map((key) => ({ path: at(key), remove: true }))];
  };

  /** What the job would say of the column. */
  const wouldBe = (name, job, made) => {
    const would = { ...job };
    for (const { path, value, remove } of changesFor(name, job, made)) {
      if (remove) delete would[path[2]];
      else would[path[2]] = value;
    }
    return kit.asRead(would);
  };

  /** column: of ColumnsView; job: what the job says of it; tree: TreeView as it is. */
  kit.hierarchyEditor = (context, column, job, tree) => {
    const start = kit.builderOf(job);
    const drafts = {};
    const draftOf = (name) => (drafts[name] ??= kit.builders[name].read(job, tree.values));
    const nameless = Object.keys(kit.builders).filter((name) => name !== "partitions" || job.partitions);
    const same = JSON.stringify(kit.builders[start].data(draftOf(start)));
    let chosen = start;
    let timer = null;
    let asked = 0;

    const form = h("div", { class: "builder" });
    const says = h("p", { class: "small", role: "status" });
    const apply = h("button", { type: "button", class: "main", id: "apply-hierarchy", disabled: true, onclick: () => send() }, "Apply");
    const back = h("button", { type: "button", id: "reset-hierarchy", disabled: true, onclick: () => reset() }, "Reset");
    const figure = h("div", { class: "tree-box" });
    const choice = kit.choose(nameless.map((name) => [name, kit.builders[name].title]), start, { id: "builder",
      onchange: (event) => {
        chosen = event.target.value;
        drawForm();
        changed();
      } });

    const showTree = (view, caption) => clear(figure).append(kit.hierarchyTree(view, caption));
    const asItIs = () => (column.fault && !tree.levels.length
      ? clear(figure).append(kit.valueBars(tree, column.distinct, "The most frequent values"))
      : showTree(tree, "The hierarchy as it is, with the rows of each block"));
    const made = () => kit.builders[chosen].data(draftOf(chosen));

    const drawForm = () => clear(form).append(...kit.builders[chosen].form(draftOf(chosen), changed).filter(Boolean));
    const reset = () => {
      for (const name of Object.keys(drafts)) delete drafts[name];
      chosen = start;
      choice.value = start;
      drawForm();
      changed();
    };

    const changed = () => {
      clearTimeout(timer);
      asked += 1;
      const data = made();
      const touched = JSON.stringify(data) !== same || chosen !== start;
      apply.disabled = true;
      back.disabled = !touched;
      figure.classList.toggle("draft", touched);
      says.className = data.fault ? "small bad" : "small soft";
      says.textContent = data.fault ?? (touched ? "Looking …" : "");
      if (!touched) asItIs();
      else if (!data.fault) timer = setTimeout(preview, PAUSE, data, asked);
    };

    const preview = async (data, number) => {
      try {
        const view = await context.client.post(`/projects/${context.project().id}/hierarchy`,
          { column: column.name, data: wouldBe(column.name, job, data) });
        if (number !== asked) return;
        showTree(view, "What the hierarchy would be like; not applied yet");
        says.className = "small soft";
        says.textContent = "It works on every value. Apply it to change the job.";
        apply.disabled = false;
      } catch (error) {
        if (number !== asked) return;
        says.className = "small bad";
        says.textContent = error.message;
      }
    };

    const send = async () => {
      apply.disabled = true;
      try {
        await context.edit(changesFor(column.name, job, made()), `${kit.plain(column.name, 30)}: ${kit.builders[chosen].title.split(":")[0]}`);
      } catch (error) {
        apply.disabled = false;
        context.fail(error);
      }
    };

    drawForm();
    asItIs();
    return { close: () => {
      clearTimeout(timer);
      asked += 1;
    }, element: h("section", { class: "hierarchy", "aria-label": "Hierarchy" },
      h("h3", {}, "How it is made coarser"),
      kit.field("Built by", choice), form, says, h("div", { class: "row" }, apply, back), figure) };
  };
})();
