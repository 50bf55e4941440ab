// What forms with sentences share: how they are written, an example from this table, and a look before anything is kept.
(() => {
  "use strict";

  const kit = window.Paretonym;
  const { h } = kit;
  const SENTENCES = ["confidential", "groups"]; // keys of the job that hold them
  const ENOUGH = 10; // rows of a value that an example may name
  const FEW = 1000; // values of a column that an example may be about

  const quoted = (name) => (/^[\p{L}_][\p{L}\p{N}_-]*$/u.test(name) ? name : `'${name.replaceAll("'", "''")}'`);

  const isWithin = (path, place) => place.every((step, i) => path[i] === step);

  /** What the changes would break at `place` or elsewhere; what is wrong already is no news. */
  const faultsOf = async (context, changes, place) => {
    const found = await context.check(changes);
    const known = new Set(context.project().faults.map((fault) => fault.message));
    return found.filter(({ path, message }) => isWithin(path, place) || !(SENTENCES.includes(path[0]) || known.has(message)))
      .map(({ message }) => message);
  };

  /** About the first of these columns whose values are so few that one of them stands in many rows. */
  const exampleFor = async (context, names) => {
    const at = `/projects/${context.project().id}/columns`;
    const { rows, columns } = await context.client.get(at);
    const most = (one) => Math.min(FEW, (rows - one.missing) / ENOUGH);
    const column = columns.find((one) => names.includes(one.name) && one.distinct > 1 && one.distinct <= most(one));
    if (!column) return null;
    const { values } = await context.client.get(`${at}/${column.index}/tree`);
    const common = values.find((one) => one.value !== null && one.rows >= ENOUGH);
    return common ? `${quoted(column.name)} = ${quoted(common.value)}` : null;
  };

  const remembered = new Map(); // by table and job
  const example = (context, names) => {
    const key = `${context.project().digest} ${names.join("\n")}`;
    if (!remembered.has(key)) remembered.set(key, exampleFor(context, names).catch(() => null));
    return remembered.get(key);
  };

  /** How a sentence is written; `insert(text)` puts a column into the one that is being written. */
  const help = (context, names, about, insert) => {
    const own = h("p", { class: "soft", hidden: true });
    if (!context.project().faults.length && names.length) {
      example(context, names).then((text) => {
        if (!text) return;
        own.append("In this table, for example: ", h("code", { class: "example" }, kit.plain(text, 120)));
        own.hidden = false;
      });
    }
    const code = (text) => h("code", {}, text);
    return h("div", { class: "help small" }, own,
      h("p", { class: "soft" }, "Write ", code("column = value"), ", ", code("column in {one, 'two words'}"), ", ",
        code("column < 18000"), ", ", code("column startswith 'F2'"), " or ", code("column is missing"),
        "; join them with ", code("and"), ", ", code("or"), ", ", code("not"), " and parentheses."),
      h("p", { class: "soft" }, "Several words need quotes, and values are compared character by character; docs/sentences.md has every form."),
      names.length ? h("p", { class: "chips" }, h("span", { class: "soft" }, about),
        names.slice(0, 30).map((name) => h("button", { type: "button", "aria-label": `put ${kit.plain(name)} into the sentence`,
          onclick: () => insert(quoted(name)) }, kit.label(name, 30)))) : null);
  };

  /** Where the cursor stands in a field of text. */
  const insertInto = (input) => (text) => {
    const from = input.selectionStart ?? input.value.length;
    input.setRangeText(text, from, input.selectionEnd ?? from, "end");
    input.focus();
  };

  kit.sentenceForm = { faultsOf, help, insertInto };
})();
