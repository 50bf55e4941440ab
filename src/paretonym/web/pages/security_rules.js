// The sentences that nobody may be certain of: read, added, changed and taken away.
(() => {
  "use strict";

  const kit = window.Paretonym;
  const { h, clear } = kit;
  const KEYS = ["say", "for", "damage", "prior"];
  const FAULT = /confidential[^:]*?, (?:item|rule) (\d+)/; // from the job's reader, and from the table's
  const NAMES_A_LIMIT = /suppression\.limit/;
  const FIRST = { say: "", for: "", damage: "", prior: "" };

  const FIELDS = [
    { key: "say", label: "Nobody may be certain that …", hint: "a sentence about columns that are released as they are", wide: true },
    { key: "for", label: "about people of whom this is true", hint: "left empty: about everybody", wide: true },
    { key: "damage", label: "damage", hint: "compared with the other rules; left empty: 1" },
    { key: "prior", label: "likely before, such as 1%", hint: "left empty: its share in the table" },
  ];

  const isNothing = (limit) => limit === undefined || limit === null || /^\s*0+(\.0+)?\s*(%|rows?)?\s*$/.test(String(limit));
  const suppresses = (job) => Boolean(job) && !isNothing(job.suppression && job.suppression.limit);
  const noSuppression = { path: ["suppression", "limit"], value: "0 rows" };

  // a number is written without quotes; what is none goes as it is, and the reader says what is wrong
  const valueOf = (key, text) => (key === "damage" && /^\d+(\.\d+)?$/.test(text) ? Number(text) : text);
  const rulesOf = (project) => {
    const rules = project.job && project.job.confidential;
    return Array.isArray(rules) ? rules.map((rule) => (rule && typeof rule === "object" ? rule : { say: rule })) : [];
  };

  /** Without the place in the job, where the message stands at its rule. */
  const bare = (message) => message.replace(/^.*?(?:item|rule) \d+(?:, \w+)?: /, "");

  /** What the reader of the job says about each rule, and what the last run found out about it. */
  const faultsOf = (project, place) => {
    const last = project.tasks.filter((task) => task.kind === "secure").at(-1);
    const late = last && last.state === "failed" && last.digest === project.digest ? [last.message] : [];
    return [...project.faults.map((fault) => fault.message), ...late].flatMap((message) => message.split("\n"))
      .filter((line) => Number((FAULT.exec(line) || [])[1]) === place + 1)
      .map(bare);
  };

  const secretColumns = (project) => kit.entriesOf(project, "columns")
    .filter(([, column]) => ["sensitive", "insensitive"].some((role) => [column && column.role].flat().includes(role)))
    .map(([name]) => name);

  const sentence = (text) => h("code", { class: "sentence" }, kit.label(text, 2000));

  const inWords = (rule) => h("div", { class: "says" },
    h("p", {}, "Nobody may be certain that ", sentence(rule.say), rule.for ? [" about people of whom ", sentence(rule.for), " is true."] : " about anybody."),
    h("p", { class: "soft small" },
      rule.damage ? ["Damage ", kit.label(rule.damage, 20), ", compared with the other rules. "] : "Damage 1. ",
      rule.prior ? ["Before they see the table, outsiders believe it with ", kit.label(rule.prior, 20), "."] : "Before they see the table, outsiders believe it with its share in the table."));

  /** A list that keeps itself in step with the job; `element` goes into the page. */
  kit.secretRules = (context) => {
    const element = h("section", { class: "panel rules", "aria-labelledby": "rules-title" });
    let open = null; // place of the rule that is being changed; the number of rules for a new one
    let drawn = "";

    const save = async (changes, says) => {
      try {
        await context.edit(changes, says);
        return true;
      } catch (error) {
        context.fail(error);
        return false;
      }
    };

    /** A rule with a fault makes the whole job unusable, so it is looked at before it is kept. */
    const wouldBreak = async (changes, place) => {
      try {
        return await kit.sentenceForm.faultsOf(context, changes, ["confidential", place]);
      } catch (error) {
        context.fail(error);
        return null;
      }
    };

    const changesOf = (place, before, after, clears) => {
      const added = Object.fromEntries(KEYS.filter((key) => after[key]).map((key) => [key, valueOf(key, after[key])]));
      const own = before === null
        ? [{ path: ["confidential", place], value: added }]
        : KEYS.filter((key) => String(before[key] ?? "") !== after[key]).map((key) => (after[key]
          ? { path: ["confidential", place, key], value: valueOf(key, after[key]) }
          : { path: ["confidential", place, key], remove: true }));
      return clears ? [...own, noSuppression] : own;
    };

    const form = (place, before) => {
      const project = context.project();
      const asks = suppresses(project.job);
      const inputs = new Map();
      const problem = h("p", { class: "bad-text", role: "alert", id: `rule-${place}-problem` });
      const clears = asks ? h("input", { type: "checkbox", id: `rule-${place}-limit`, checked: true }) : null;
      const field = ({ key, label, hint, wide }) => {
        const id = `rule-${place}-${key}`;
        const input = h("input", { type: "text", id, autocomplete: "off", spellcheck: "false", "aria-describedby": `${id}-hint rule-${place}-problem`,
          value: String((before || FIRST)[key] ?? "") });
        inputs.set(key, input);
        return h("div", { class: wide ? "field wide" : "field" }, h("label", { for: id }, label), input, h("span", { class: "soft small", id: `${id}-hint` }, hint));
      };
      const insert = (text) => kit.sentenceForm.insertInto(inputs.get("say"))(text);
      const refuse = (text) => {
        problem.textContent = text;
        inputs.get("say").focus();
      };
      const close = () => {
        open = null;
        draw(true);
        element.querySelector(`[data-change="${place}"], [data-add]`)?.focus();
      };
      const submit = async (event) => {
        event.preventDefault();
        const after = Object.fromEntries([...inputs].map(([key, input]) => [key, input.value.trim()]));
        if (!after.say) {
          refuse("Say what must stay secret; below it says how.");
          return;
        }
        const changes = changesOf(place, before, after, Boolean(clears && clears.checked));
        const faults = await wouldBreak(changes, place);
        if (faults === null) return;
        if (faults.length) {
          refuse(faults.map(bare).join("; "));
          return;
        }
        const was = open;
        open = null; // the list is drawn anew as soon as the job has changed
        if (changes.length && !(await save(changes, `rule ${place + 1} ${before ? "changed" : "added"}`))) {
          open = was;
          return;
        }
        draw(true);
        element.querySelector(`[data-change="${place}"]`)?.focus();
      };
      problem.textContent = before ? faultsOf(project, place).join("; ") : "";
      return h("form", { class: "rule-form", onsubmit: submit, "aria-label": before ? `Rule ${place + 1}` : "New rule",
        onkeydown: (event) => event.key === "Escape" && rulesOf(project).length && close() },
        h("div", { class: "fields" }, FIELDS.map(field)),
        problem,
        clears ? h("p", {}, clears, " ", h("label", { for: clears.id }, "Leave no rows out: a promise to everybody cannot be kept by dropping those for whom it fails. " +
          "This sets the suppression limit to 0 rows.")) : null,
        kit.sentenceForm.help(context, secretColumns(project), "A secret can be about", insert),
        h("p", { class: "run" }, h("button", { class: "main" }, before ? "Keep the change" : "Add the rule"),
          before || rulesOf(project).length ? h("button", { type: "button", onclick: close }, "Cancel") : null));
    };

    const remove = async (place, count) => {
      // a list without entries is a fault, so the key goes with its last rule
      const path = count === 1 ? ["confidential"] : ["confidential", place];
      open = null;
      if (await save([{ path, remove: true }], `rule ${place + 1} removed`)) {
        draw(true);
        (element.querySelector("[data-change]") || element.querySelector("[data-add], input"))?.focus();
      }
    };

    const entry = (rule, place, rules, project) => {
      const faults = faultsOf(project, place);
      return h("li", { class: faults.length ? "rule faulty" : "rule" },
        open === place ? form(place, rule) : [
          inWords(rule),
          faults.map((fault) => h("p", { class: "bad-text" }, fault)),
          h("p", { class: "run" },
            h("button", { dataset: { change: place }, "aria-label": `Change rule ${place + 1}`, onclick: () => begin(place) }, "Change"),
            h("button", { dataset: { remove: place }, "aria-label": `Remove rule ${place + 1}`, onclick: () => remove(place, rules.length) }, "Remove")),
        ]);
    };

    const begin = (place) => {
      open = place;
      draw(true);
      element.querySelector(`#rule-${place}-say`)?.focus();
    };

    const limitNotice = (project) => {
      if (!suppresses(project.job) || !rulesOf(project).length) return null;
      if (!project.faults.some((fault) => NAMES_A_LIMIT.test(fault.message))) return null;
      return h("div", { class: "notice bad" }, h("p", {}, "Rules hold for everybody, so no rows may be left out. ",
        h("button", { onclick: () => save([noSuppression], "no rows are left out") }, "Set the suppression limit to 0 rows")));
    };

    const none = () => [
      h("p", {}, "This job has no rules yet. A rule is a sentence that nobody may be certain of, such as that somebody has a certain diagnosis. " +
        "With rules, every table that keeps them can be found, and the one that loses least."),
    ];

    const draw = (force = false) => {
      const project = context.project();
      const rules = rulesOf(project);
      const now = JSON.stringify([rules, project.faults, rules.map((_, place) => faultsOf(project, place)), suppresses(project.job)]);
      if (!force && (now === drawn || open !== null)) return; // what is being typed stays
      drawn = now;
      const adding = open === rules.length || !rules.length;
      clear(element).append(
        h("h2", { id: "rules-title" }, "What must stay secret"),
        limitNotice(project) || "",
        ...(rules.length ? [h("ol", { class: "rule-list" }, rules.map((rule, place) => entry(rule, place, rules, project)))] : none()),
        adding ? form(rules.length, null) : h("p", {}, h("button", { dataset: { add: "" }, onclick: () => begin(rules.length) }, "Add a rule")));
    };

    context.listen((event) => {
      if (event.kind === "project" || event.task.kind === "secure") draw();
    });
    draw(true);
    return { element };
  };
})();
