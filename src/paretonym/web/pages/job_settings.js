// The rest of the job: what is compared, what must hold, how much may be left out, how to search.
(() => {
  "use strict";

  const kit = window.Paretonym;
  const { h, clear } = kit;
  const { MEASURES, DIRECTIONS, measuresFor, measureSays, partsOf } = kit.words;
  const MOST = 6; // objectives

  const RULES = {
    staircase: "Every threshold within the limit is a candidate of its own.",
    required: "No more is left out than the requirements ask for.",
    paper: "The largest k that the limit allows.",
  };
  const METHODS = {
    auto: "Exact where that is quick enough.", exhaustive: "Looks at every candidate.",
    exact: "Skips what cannot be on the front.", evolve: "Searches for a time; not exact.",
    "pbg-ea": "The evolutionary search of the paper; not exact.",
  };

  kit.jobSettings = (context) => {
    const element = h("section", { class: "panel settings", "aria-label": "What to compare" });

    const edit = (changes, says) => context.edit(changes, says).catch((error) => {
      context.fail(error);
      draw();
    });
    const job = () => context.project().job ?? {};

    // ---- objectives

    /** Box sizes belong to one list of objectives, so they go when another is made. */
    const setObjectives = (list, says) => edit([{ path: ["objectives"], value: list },
      ...(job().epsilon ? [{ path: ["epsilon"], remove: true }] : [])], says);

    const objectiveLine = (list) => (written, place) => {
      const move = (by) => {
        const next = [...list];
        next.splice(place + by, 0, ...next.splice(place, 1));
        setObjectives(next, `objectives: ${kit.plain(written, 30)} moved`);
      };
      const button = (id, words, sign, disabled, onclick) =>
        h("button", { type: "button", id: `${id}-${place}`, class: "icon", "aria-label": `${words} ${kit.plain(written)}`, title: words, disabled, onclick }, sign);
      return h("li", {}, h("div", {}, h("strong", {}, kit.label(written, 50)), h("div", { class: "small" }, measureSays(written))),
        h("div", { class: "row" },
          button("up", "Move up", "↑", place === 0, () => move(-1)),
          button("down", "Move down", "↓", place === list.length - 1, () => move(1)),
          button("drop", "Remove", "×", list.length < 2,
            () => setObjectives(list.filter((_, i) => i !== place), `objectives: ${kit.plain(written, 30)} removed`))));
    };

    const objectives = () => {
      const list = [job().objectives ?? []].flat().map(String);
      const there = new Set(list.map((one) => one.replace(/^(min|max):\s*/, "")));
      const free = measuresFor(context.project()).filter((one) => !there.has(one.replace(/^(min|max):/, "")));
      const add = kit.choose(free.map((one) => [one, kit.plain(one, 50)]), "", { id: "add-objective", disabled: list.length >= MOST,
        onchange: (event) => setObjectives([...list, event.target.value], `objectives: ${kit.plain(event.target.value, 30)} added`) });
      return h("div", {}, h("h3", {}, "Compare"),
        h("ol", { class: "entries" }, list.map(objectiveLine(list))),
        kit.field("Add an objective", add, list.length >= MOST ? `At most ${MOST} are compared.` : "The front holds every candidate that no other beats in all of them."));
    };

    // ---- requirements

    const boundLine = ([measure, bound]) => {
      const { direction = "max", unit } = MEASURES.get(partsOf(measure).base) ?? {};
      const path = ["require", measure];
      const id = `require-${measure}`;
      const value = unit === "flag"
        ? h("span", {}, "holds")
        : [`${DIRECTIONS[direction ?? "max"].side} `, h("input", { type: "text", id, size: 6, value: String(bound), "aria-label": `Bound of ${kit.plain(measure)}`,
            onchange: (event) => edit([{ path, value: kit.numeric(event.target.value) }], `require: ${kit.plain(measure, 30)}`) })];
      return h("li", {}, h("div", {}, h("strong", {}, kit.label(measure, 50)), h("div", {}, value)),
        h("button", { type: "button", class: "icon", id: `un${id}`, "aria-label": `Remove the requirement on ${kit.plain(measure)}`, title: "Remove",
          onclick: () => edit([Object.keys(job().require).length > 1 ? { path, remove: true } : { path: ["require"], remove: true }],
            `require: ${kit.plain(measure, 30)} removed`) }, "×"));
    };

    /** A flag goes into the job as such, other bounds as numbers or percentages. */
    const first = (measure) => {
      const { unit, first_bound } = MEASURES.get(partsOf(measure).base);
      return unit === "flag" ? first_bound === "true" : kit.numeric(first_bound);
    };
    const requirements = () => {
      const entries = kit.entriesOf(context.project(), "require");
      const free = measuresFor(context.project(), ({ first_bound }) => first_bound !== null).filter((one) => !entries.some(([name]) => name === one));
      const add = kit.choose(free.map((one) => [one, kit.plain(one, 50)]), "", { id: "add-requirement",
        onchange: (event) => edit([{ path: ["require", event.target.value], value: first(event.target.value) }],
          `require: ${kit.plain(event.target.value, 30)}`) });
      return h("div", {}, h("h3", {}, "Require"),
        entries.length ? h("ul", { class: "entries" }, entries.map(boundLine)) : h("p", { class: "soft small" }, "Nothing is required: every candidate counts."),
        kit.field("Add a requirement", add));
    };

    // ---- suppression and search

    const keyed = (section, key, control, words, hint) => kit.field(words, control((value) => {
      const path = [section, key];
      const alone = Object.keys(job()[section] ?? {}).every((one) => one === key);
      const gone = alone ? { path: [section], remove: true } : { path, remove: true };
      edit([value.trim() ? { path, value: kit.numeric(value) } : gone], `${section}: ${key}${value.trim() ? ` ${value.trim().slice(0, 30)}` : " removed"}`);
    }), hint);
    const text = (id, value, placeholder) => (send) => h("input", { type: "text", id, size: 10, value: value ?? "", placeholder,
      onchange: (event) => send(event.target.value) });
    const select = (id, choices, value) => (send) => kit.choose(choices, value, { id, onchange: (event) => send(event.target.value) });

    const suppression = () => {
      const now = job().suppression ?? {};
      return h("div", {}, h("h3", {}, "Leave out"),
        keyed("suppression", "limit", text("limit", now.limit, "0 rows"), "Rows that may be left out", "1% of the rows, or a number such as 30 rows"),
        keyed("suppression", "rule", select("rule", Object.keys(RULES), now.rule ?? "staircase"), "Rule", RULES[now.rule ?? "staircase"]));
    };
    const search = () => {
      const now = job().search ?? {};
      return h("div", {}, h("h3", {}, "Search"),
        keyed("search", "method", select("method", Object.keys(METHODS), now.method ?? "auto"), "Method", METHODS[now.method ?? "auto"]),
        keyed("search", "budget", text("budget", now.budget, "none"), "Budget", "60s, 10min or 5000 evaluations"),
        keyed("search", "seed", text("seed", now.seed, "none"), "Seed", "For searches that draw lots"));
    };

    const draw = () => kit.keepingFocus(element, () => {
      clear(element).append(h("h2", {}, "What to compare"));
      if (!context.project().job) {
        element.append(h("p", { class: "soft" }, "The job's text cannot be read as it is. Mend it below, or undo."));
        return;
      }
      element.append(h("div", { class: "settings-grid" }, objectives(), requirements(), suppression(), search()));
    });
    return { element, draw };
  };
})();
