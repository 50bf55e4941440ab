// What adversaries restore of a group's whereabouts, and how far they may be believed.
(() => {
  "use strict";

  const kit = window.Paretonym;
  const { h } = kit;
  const RULES = 10;
  const SEEN = { outlier: "recovered", false: "false alarm", missed: "hidden" };

  const nameOf = (one) => kit.adversaries[one.name] || kit.plain(one.name);
  const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
  const decimal = (value) => (value === null || value === undefined ? "–" : kit.number(Math.round(value * 100) / 100));
  const between = (bounds, show) => (bounds ? ` (95 % interval ${show(bounds[0])} to ${show(bounds[1])})` : "");
  const mean = (values) => kit.number(Math.round((10 * values.reduce((sum, value) => sum + value, 0)) / values.length) / 10);

  const youdenWords = (value) => {
    if (value === null || value === undefined) return "cannot be told";
    if (value >= 0.95) return "all but perfect agreement";
    if (value >= 0.5) return "much better than a guess";
    return value > 0.1 ? "better than a guess" : "no better than a guess";
  };
  const rankWords = (value) => {
    if (value === null || value === undefined) return "cannot be told";
    if (value >= 0.95) return "ranks the true places first";
    if (value >= 0.6) return "ranks the true places before most others";
    return value > 0.4 ? "ranks no better than chance" : "ranks the true places last, which gives them away as well";
  };

  const controlWords = ({ as_good: good, trials }) => {
    if (!trials.length) return "There was no control.";
    return `After learning from permuted labels, ${kit.plural(trials.length, "try", "tries")}: ${mean(trials.map((trial) => trial.tp))} true and ` +
      `${mean(trials.map((trial) => trial.fp))} false on average, ${good ? `${kit.number(good)} at least as good` : "none as good"}.`;
  };

  const fact = (name, says) => [h("dt", {}, name), h("dd", {}, says)];
  const adversaryCard = (one) => {
    const found = one.adequacy;
    const true_ = found.tp + found.fn;
    return h("article", { class: "panel adversary", dataset: { adversary: one.name } },
      h("h3", {}, capital(nameOf(one))),
      h("p", { class: "big" }, h("strong", { class: found.tp ? "fails" : "wins" }, `${kit.number(found.tp)} of ${kit.number(true_)}`), ` ${true_ === 1 ? "place" : "places"} recovered`),
      h("p", {}, `${kit.plural(found.fp, "false alarm")}, ${kit.number(found.fn)} hidden, ${kit.plural(found.tn, "other area")} not pointed at.`),
      h("dl", { class: "words-list" },
        fact("Trust", found.tp + found.fp
          ? `${kit.percent(found.tp / (found.tp + found.fp))} of what it points at is true${between(one.precision_interval, kit.percent)}`
          : "it points at no area"),
        fact("Youden J", `${decimal(found.youden_j)}: ${youdenWords(found.youden_j)}${between(one.intervals.youden_j, decimal)}`),
        fact("Predictive J", `${decimal(found.predictive_j)}${between(one.intervals.predictive_j, decimal)}`),
        fact("Agreement", found.pa === null ? "–" : `${kit.percent(found.pa)} of the areas are told rightly (PA)`),
        fact("Evidence", `${kit.plain(found.evidence)} (MB ${decimal(found.mb)})`),
        fact("AUC", `${decimal(one.ranking.auc)}: ${rankWords(one.ranking.auc)}${between(one.ranking.interval, decimal)}`),
        fact("Control", controlWords(one.control))));
  };

  const placesOf = (group) => group.regions.flatMap((region, number) => {
    const truth = region.outliers[group.signal];
    const marks = group.attackers.map((one) => kit.marksOf(region.areas, one.regions[number].outliers, truth));
    return region.areas.flatMap((area, place) => (truth.includes(area) || marks.some((each) => each[place])
      ? [{ area, region: region.region, members: region.quantity[place], true: truth.includes(area), marks: marks.map((each) => each[place]) }] : []));
  });

  const placesTable = (group, told) => {
    const places = placesOf(group);
    if (!places.length) return h("p", {}, "No area stands out, in truth or to an adversary.");
    const seen = (mark) => h("td", {}, mark ? h("span", { class: mark === "outlier" ? "fails" : mark === "missed" ? "wins" : null }, kit.markWords([mark], SEEN)) : "");
    return h("div", { class: "scroll tall", tabindex: "0", role: "region", "aria-label": "Areas that stand out" }, h("table", { class: "places" },
      h("caption", {}, "Areas that stand out in truth or to somebody. An adversary sees only its own column."),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Area"), h("th", { scope: "col", class: "num" }, "Members"), h("th", { scope: "col" }, "In truth"),
        group.attackers.map((one) => h("th", { scope: "col" }, capital(nameOf(one)))))),
      h("tbody", {}, places.map((place) => h("tr", {},
        h("th", { scope: "row" }, kit.label(place.area, 60), told || place.region === null ? null : [" (", kit.label(place.region, 40), ")"]),
        h("td", { class: "num" }, kit.number(place.members)), h("td", {}, place.true ? kit.markWords(["outlier"]) : "none"), place.marks.map(seen))))));
  };

  const rulesOf = (one) => {
    if (!one.rules.length) return null;
    const row = (rule) => h("tr", {}, h("td", {}, kit.label(rule.text, 400)), h("td", { class: "num" }, kit.percent(rule.support)),
      h("td", { class: "num" }, decimal(rule.df)), h("td", { class: "num" }, rule.no_false_positives ? "nobody else" : decimal(rule.rcf)));
    const body = h("tbody", {}, one.rules.slice(0, RULES).map(row));
    const rest = one.rules.length - RULES;
    const more = rest > 0 ? h("button", { dataset: { more: one.name }, onclick: () => {
      body.append(...one.rules.slice(RULES).map(row));
      more.remove();
    } }, `${kit.number(rest)} more`) : null;
    return h("section", { class: "panel" }, h("h3", {}, `What the ${nameOf(one)} say`),
      h("p", { class: "soft" }, "Each rule describes people who are likely to belong to the group."),
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Rules" }, h("table", { class: "rules-table" },
        h("caption", {}, "Support: share of the group that the rule finds. DF: support less the same share of everybody. RCF: members for each other person found."),
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Rule"), ["Support", "DF", "RCF"].map((head) => h("th", { scope: "col", class: "num" }, head)))), body)),
      more ? h("p", {}, more) : null);
  };

  const regionFigure = (group, region, state, charts) => {
    const number = group.regions.indexOf(region);
    const truth = region.outliers[group.signal];
    const kind = kit.groupKinds[state.kind];
    const values = (one) => one.regions[number][state.kind === "quantity" ? "restored" : "concentration"];
    const rows = [
      { name: "true signal", values: region[state.kind], marks: kit.standing(region.areas, truth), color: kit.colors.blue },
      ...group.attackers.map((one) => ({ name: `restored by ${nameOf(one)}`, values: values(one), marks: kit.marksOf(region.areas, one.regions[number].outliers, truth), color: kit.colors.grey })),
    ];
    return kit.signalFigure({
      title: kit.regionName(region.region), areas: region.areas, rows, kind, order: state.order,
      label: `True and restored signals over ${kit.plural(region.areas.length, "area")}; the numbers stand in the table below.`,
      caption: [kit.markWords(["outlier", "false", "missed"], { outlier: "stands out, in truth and below it" }),
        `The marks are those of the ${group.signal}, by which the job judges. Each row has its own scale: its shape counts.`],
    }, charts);
  };

  /** Everything about the attack on one group. `told`: an area's name holds its region. */
  kit.groupAttack = (group, state, charts, told) => {
    const recovered = placesOf(group).filter((place) => place.true && place.marks.includes("outlier")).length;
    const truth = group.regions.reduce((sum, region) => sum + region.outliers[group.signal].length, 0);
    const says = !truth ? "No area stands out in the true signal, so that there is nothing to recover by this technique."
      : recovered ? `${kit.number(recovered)} of ${kit.plural(truth, "place")} ${recovered === 1 ? "is" : "are"} recovered by at least one adversary, without the removed columns.`
        : "No place is recovered by these adversaries with this auxiliary file. Others may have better ones.";
    return [
      h("div", { class: recovered ? "notice bad" : "notice" }, h("p", {}, h("strong", {}, says))),
      h("section", { class: "panel" }, h("h3", {}, "What leaks, and to whom"), kit.sentences(group.findings), kit.sentences(group.attack_notes, "findings soft"), placesTable(group, told)),
      h("div", { class: "side-by-side" }, group.attackers.map(adversaryCard)),
      kit.regionFigures(group.regions, state.region, (region) => regionFigure(group, region, state, charts)),
      ...group.attackers.map(rulesOf),
    ];
  };
})();
