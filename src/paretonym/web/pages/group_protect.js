// What swaps of areas did about a group: before and after, what it cost, who still finds something.
(() => {
  "use strict";

  const kit = window.Paretonym;
  const { h } = kit;
  const BY = { attributes: "by its attributes", model: "as the fuzzy rules tell it" };
  const METHODS = { flow: "minimum-cost flow", memetic: "memetic algorithm as published", improved: "memetic algorithm, improved" };

  const decimal = (value) => (value === null || value === undefined ? "–" : kit.number(Math.round(value * 100) / 100));
  const listed = (names) => (names.length ? names.map((name, i) => [i ? ", " : "", kit.label(name, 40)]) : "none");

  const proofWords = (group) => (group.gap === 0
    ? "proven to be the least: no other such swaps distort less"
    : `at most ${kit.percent(group.gap)} of it could be saved: nothing needs less than ${kit.number(group.lower_bound)}`);

  const fact = (name, value, says) => h("div", {}, h("dt", {}, name), h("dd", {}, value, h("span", { class: "soft small" }, says)));
  const summary = (group) => h("dl", { class: "cards" },
    fact("Swaps", kit.number(group.swaps), `pairs of similar records exchanged their areas (${METHODS[group.method] || kit.plain(group.method)})`),
    fact("Distortion", kit.number(group.distortion), group.swaps ? proofWords(group) : "nothing had to be swapped"),
    fact("Stood out before", kit.number(group.outliers_before.length), "counted in every step"),
    fact("Stand out after", kit.number(Object.values(group.standing_out).reduce((sum, areas) => sum + areas.length, 0)),
      group.feasible_job ? "all restrictions of the job hold" : "a restriction of the job does not hold"));

  const stageTable = (stage) => h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "What it cost" }, h("table", {},
    h("caption", {}, "Distortion adds up the influential metric over all swaps; “at least” is what anything that fulfils the restrictions distorts."),
    h("thead", {}, h("tr", {}, ["Region", "Stood out", "Stand out now"].map((head) => h("th", { scope: "col" }, head)),
      ["Swaps", "Distortion", "At least", "Gap", "Compatibility"].map((head) => h("th", { scope: "col", class: "num" }, head)))),
    h("tbody", {}, stage.regions.map((region) => h("tr", {},
      h("th", { scope: "row" }, region.region === null ? "all areas" : kit.label(region.region, 40)), h("td", {}, listed(region.outliers_before)), h("td", {}, listed(region.outliers_after)),
      [kit.number(region.swaps), kit.number(region.distortion), kit.number(region.lower_bound), kit.percent(region.gap), decimal(region.compatibility)]
        .map((cell) => h("td", { class: "num" }, cell)))))));

  const regionFigure = (region, state, charts) => {
    const wanted = region.areas.map((area) => (Object.hasOwn(region.thresholds, area) ? region.thresholds[area] : null));
    return kit.signalFigure({
      title: kit.regionName(region.region), areas: region.areas, kind: kit.groupKinds.quantity, order: state.order, oneScale: true,
      rows: [
        { name: "before", values: region.before, marks: kit.standing(region.areas, region.outliers_before), color: kit.colors.grey, wanted },
        { name: "after", values: region.after, marks: kit.standing(region.areas, region.outliers_after), color: kit.colors.blue, wanted },
      ],
      label: `Members in each of ${kit.plural(region.areas.length, "area")}, before and after the swaps; the numbers stand in the table below.`,
      caption: [kit.markWords(["outlier"]), h("span", { class: "mark", "aria-hidden": "true" }, "▬"), " what an outlier should sink to. Both rows have the same scale."],
    }, charts);
  };

  const adversaries = (group) => {
    if (!group.attackers.length) return h("p", { class: "soft" }, "Nobody attacked the group, before or after: it has no auxiliary file.");
    return h("section", { class: "panel" }, h("h3", {}, "Who finds it now"),
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Adversaries before and after" }, h("table", { class: "before-after" },
        h("caption", {}, "Places that stood out before, looked for again in the swapped table by adversaries who learn from the auxiliary file."),
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Adversary"), ["Recovered before", "after", "False before", "after", "Youden J before", "after"].map((head) => h("th", { scope: "col", class: "num" }, head)))),
        h("tbody", {}, group.attackers.map((one) => {
          const places = one.before.tp + one.before.fn;
          const count = (found) => h("td", { class: "num" }, h("span", { class: found ? "fails" : "wins" }, `${kit.number(found)} of ${kit.number(places)}`));
          return h("tr", {}, h("th", { scope: "row" }, kit.adversaries[one.name] || kit.plain(one.name)), count(one.recovered_before), count(one.recovered_after),
            [kit.number(one.before.fp), kit.number(one.after.fp), decimal(one.before.youden_j), decimal(one.after.youden_j)].map((cell) => h("td", { class: "num" }, cell)));
        })))));
  };

  /** What was written, for all groups together. */
  kit.protectFiles = (found, context) => {
    const held = found.checks.filter((check) => check.holds).length;
    const download = h("button", { dataset: { download: "protect" }, onclick: () => context.client.download(context.project().id, "protect").catch(context.fail) }, "Download the files");
    return h("div", { class: "panel" },
      h("p", {}, found.released
        ? `The table was written without the removed columns; ${held === found.checks.length ? `all ${kit.plural(held, "check")}` : `${kit.number(held)} of ${kit.plural(found.checks.length, "check")}`} recomputed from the file hold.`
        : "The job has columns to generalise, so that the swaps were written to swaps.json: name that file under swaps: in the job, and release as usual."),
      found.released ? h("p", { class: "soft" }, "Only the whereabouts of the groups were treated; nothing is promised here about single persons.") : null,
      h("p", { class: "run" }, download, h("span", { class: "soft small" }, "A zip with the table, its reports and the internal folder. The internal files hold the pairs: keep them inside.")));
  };

  kit.groupProtect = (group, state, charts) => [
    h("section", { class: "panel" }, h("h3", {}, "What was done"), summary(group), kit.sentences(group.findings)),
    adversaries(group),
    ...group.stages.filter((stage) => stage.regions.length).flatMap((stage) => [
      h("section", { class: "stack" }, h("h3", {}, `The group ${BY[stage.against] || kit.plain(stage.against)}`), stageTable(stage),
        kit.regionFigures(stage.regions, state.region, (region) => regionFigure(region, state, charts))),
    ]),
  ];
})();
