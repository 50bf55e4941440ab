// The first group of a job, as a form: who, where, and which columns are taken out.
(() => {
  "use strict";

  const kit = window.Paretonym;
  const { h, clear } = kit;

  const isIdentifier = (job, name) => [job?.columns?.[name]?.role].flat().includes("identifier");

  /** The group, and the role of what it takes out: both or neither, so that one step undoes them. */
  const changesOf = (job, group) => {
    const taken = group.remove.filter((name) => Object.hasOwn(job?.columns ?? {}, name) && !isIdentifier(job, name));
    const value = { vital: group.vital, parameter: group.parameter };
    if (group.remove.length) value.remove = group.remove;
    if (group.region) value.region = group.region;
    return [{ path: ["groups", group.name], value }, ...taken.flatMap((name) => kit.roleChanges(job, name, "identifier"))];
  };

  const wordsOnly = () => h("p", { class: "soft small" }, "More can be said in the job's text, in Columns: ",
    ["only", "smallest_area", "region_share", "weight", "outliers"].flatMap((key, i) => [i ? ", " : "", h("code", {}, key)]), " shape the signal; ",
    ["auxiliary", "basic", "attack"].flatMap((key, i) => [i ? ", " : "", h("code", {}, key)]), " say who attacks and with what; ",
    h("code", {}, "protect"), " how the group is masked. docs/group-anonymity.md explains every key.");

  const ticks = (legend, hint, names, id) => {
    const boxes = names.map((name, place) => h("input", { type: "checkbox", id: `${id}-${place}`, value: name }));
    const element = h("fieldset", { class: "ticks" }, h("legend", {}, legend),
      boxes.map((box, place) => h("label", { class: "tick" }, box, " ", kit.label(names[place], 40))), h("div", { class: "soft small" }, hint));
    return { element, chosen: () => boxes.filter((box) => box.checked).map((box) => box.value) };
  };

  const form = (context, names) => {
    const name = h("input", { type: "text", id: "group-name", autocomplete: "off" });
    const vital = h("input", { type: "text", id: "group-vital", class: "wide", autocomplete: "off", spellcheck: "false", "aria-describedby": "group-problem" });
    const area = ticks("Where somebody is", "The column that tells the area; of several, the values are joined.", names, "group-area");
    const remove = ticks("Taken out of the release", "Usually the columns that the sentence names. They become identifiers, which no release holds.", names, "group-remove");
    const region = kit.choose([["", "no regions"], ...names.map((one) => [one, kit.plain(one, 60)])], "", { id: "group-region" });
    const problem = h("p", { class: "bad-text", role: "alert", id: "group-problem" });
    const add = h("button", { class: "main", id: "add-group" }, "Add the group");

    const missing = (group) => {
      if (!group.name) return "Give the group a name of your own.";
      if (!group.vital) return "Say in a sentence who belongs to the group.";
      return group.parameter.length ? "" : "Choose the column that tells where somebody is.";
    };
    const submit = async (event) => {
      event.preventDefault();
      const group = { name: name.value.trim(), vital: vital.value.trim(), parameter: area.chosen(), remove: remove.chosen(), region: region.value };
      problem.textContent = missing(group);
      if (problem.textContent) return;
      add.disabled = true;
      try {
        const changes = changesOf(context.project().job, group);
        const faults = await kit.sentenceForm.faultsOf(context, changes, ["groups", group.name]);
        if (faults.length) problem.textContent = faults.join("\n");
        else await context.edit(changes, `group ${kit.plain(group.name, 40)} added`);
      } catch (error) {
        context.fail(error);
      }
      add.disabled = false;
    };
    return h("form", { class: "panel group-start", onsubmit: submit, "aria-label": "New group" },
      h("h2", {}, "Name a group"),
      kit.field("Name", name, "for your own reports"),
      kit.field("A person belongs to it if …", vital, "a sentence about the columns of the table"),
      kit.sentenceForm.help(context, names, "The sentence can be about", kit.sentenceForm.insertInto(vital)),
      remove.element, area.element, kit.field("Region", region, "areas are then judged region by region"),
      problem, h("p", { class: "run" }, add), wordsOnly());
  };

  /** Columns as the job lists them, or as the table has them. */
  const columnsOf = async (context) => {
    const listed = context.project().order.columns;
    if (listed.length) return listed;
    const { columns } = await context.client.get(`/projects/${context.project().id}/columns`);
    return columns.map((one) => one.name);
  };

  kit.groupStart = (context) => {
    const element = h("div", {});
    columnsOf(context).then((names) => clear(element).append(form(context, names))).catch(context.fail);
    return element;
  };
})();
