// Release: make the chosen candidate, watch every promise being recomputed from the file, take it away.
(() => {
  "use strict";

  const kit = window.Paretonym;
  const { h, clear } = kit;

  /** What the address asks for; null when nothing is chosen. */
  const candidateOf = (address) => {
    const text = address.get("levels") ?? "";
    if (!/^\d+(\.\d+)*$/.test(text)) return null;
    const below = Number(address.get("below"));
    return { levels: text.split(".").map(Number), below: Number.isInteger(below) && below > 0 ? below : null };
  };

  const said = (value) => {
    if (typeof value === "number") return kit.number(value);
    return /^[0-9a-f]{64}$/.test(value) ? `${value.slice(0, 12)}…` : kit.plain(value, 60);
  };
  const columnsWith = (project, roles) => kit.entriesOf(project, "columns")
    .filter(([, one]) => [one?.role].flat().some((role) => roles.includes(role)) && ![one?.role].flat().includes("quasi"))
    .map(([name]) => name);
  /** Names alone, where no front tells the levels. */
  const quasiOf = (project) => kit.entriesOf(project, "columns")
    .filter(([, one]) => [one?.role].flat().includes("quasi")).map(([name]) => ({ name, levels: [] }));
  const named = (names) => names.flatMap((name, i) => [i ? ", " : "", kit.label(name, 40)]);

  // ---- parts of the page

  const levelList = (candidate, columns) => h("ul", { class: "level-list" }, candidate.levels.map((level, i) => {
    const column = columns?.[i];
    return h("li", {}, h("span", { class: "soft" }, column ? kit.label(column.name, 40) : `quasi-identifier ${i + 1}`), " ",
      h("strong", {}, column?.levels[level] ? kit.label(column.levels[level].name, 40) : `level ${level}`));
  }));

  const thresholdOf = (below) => h("p", { class: "soft small" },
    below > 1 ? `Classes of fewer than ${kit.number(below)} people are left out.` : "No class is left out for its size.");

  const valueTable = (values, caption) => kit.simpleTable(["What is measured", "Value"],
    values.map((one) => [kit.label(one.long, 90), one.shown]), caption);
  /** What the job compares first, the rest on demand. */
  const numbersOf = (node, project) => {
    const compared = new Set([project.job?.objectives ?? []].flat().map((one) => String(one).replace(/^(min|max):\s*/, "")));
    const first = node.values.filter((one) => compared.has(one.name) || one.name === "suppressed");
    const rest = node.values.filter((one) => !first.includes(one));
    const sizes = `${kit.plural(node.released, "row")} released in ${kit.plural(node.classes, "class", "classes")}, ${kit.plural(node.suppressed, "row")} left out`;
    return h("div", {}, h("p", { class: "soft" }, sizes), valueTable(first, "What was compared"),
      rest.length ? h("details", {}, h("summary", {}, kit.plural(rest.length, "more measure")), valueTable(rest, "Measures that were not compared")) : null);
  };

  const notice = (kind, ...children) => h("div", { class: `notice ${kind}` }, h("p", {}, children));

  const warnings = (project, node) => {
    const k = node?.values.find((one) => one.name === "k")?.value;
    const through = columnsWith(project, ["insensitive", "weight"]);
    return [
      k === 1 ? notice("bad", "k = 1: some people are alone with their quasi-identifiers. Whoever knows those finds their row.") : null,
      through.length ? notice("", "Passed through unchanged and not protected: ", named(through), ".") : null,
    ].filter(Boolean);
  };

  const checksTable = (checks, running) => h("div", { class: "scroll promises", tabindex: "0", role: "region", "aria-label": "Promises" },
    h("table", { class: "checks" },
      h("caption", {}, "Each statement was promised from the table in memory and then recomputed from the written file."),
      h("thead", {}, h("tr", {}, ["Statement", "Promised", "From the file", "Holds"].map((head) => h("th", { scope: "col" }, head)))),
      h("tbody", { "aria-live": "polite" }, checks.map((check) => h("tr", { class: check.holds ? null : "wrong" },
        h("th", { scope: "row" }, kit.label(check.name, 100)), h("td", { title: kit.plain(check.promised, 200) }, said(check.promised)),
        h("td", { title: kit.plain(check.recomputed, 200) }, said(check.recomputed)),
        h("td", { class: check.holds ? "yes" : "no" }, check.holds ? "✓ holds" : "✗ fails"))),
        running ? h("tr", {}, h("td", { colspan: 4, class: "soft" }, "more to come …")) : null)));

  const share = (part, whole) => {
    const inner = h("span", {});
    inner.style.width = `${whole ? (100 * part) / whole : 0}%`;
    return h("span", { class: "share lost", "aria-hidden": "true" }, inner);
  };
  const lostBy = (one) => h("figure", {}, h("table", { class: "lost" },
    h("caption", {}, "Rows left out by ", kit.label(one.column, 40)),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Value"), h("th", { scope: "col" }, h("span", { class: "sr" }, "Share as a bar")),
      h("th", { scope: "col", class: "num" }, "Left out"), h("th", { scope: "col", class: "num" }, "Of"), h("th", { scope: "col", class: "num" }, "Share"))),
    h("tbody", {}, one.rows.map((row) => h("tr", {}, h("th", { scope: "row" }, kit.label(row.label, 40)), h("td", {}, share(row.lost, row.rows)),
      h("td", { class: "num" }, kit.number(row.lost)), h("td", { class: "num soft" }, kit.number(row.rows)),
      h("td", { class: "num" }, kit.percent(row.rows ? row.lost / row.rows : 0)))))));
  const losers = (node) => h("section", { class: "panel" }, h("h2", {}, "Who lost rows"),
    node.suppressed
      ? [h("p", { class: "soft" }, "A value that loses far more than others is under-represented in the release."),
        h("div", { class: "lost-grid" }, node.lost.map(lostBy))]
      : h("p", {}, "Nobody: every row is in the release."));

  const downloads = (context) => {
    const button = (what, words, says, main = false) => h("li", {},
      h("button", { type: "button", id: `get-${what}`, class: main ? "main" : null,
        onclick: () => context.client.download(context.project().id, what).catch(context.fail) }, words), h("p", { class: "soft small" }, says));
    return h("section", { class: "panel" }, h("h2", {}, "Take it away"), h("ul", { class: "plain downloads" },
      button("public", "What to hand on (zip)", "For the recipient: the data, the manifest with every promise, and the public report.", true),
      button("data", "The data file alone", "For a quick look, or where a report is not wanted."),
      button("release", "Everything, with the internal part (zip)", "For you alone: also the internal report, the plan and the seeds. Do not hand it on.")),
      h("p", {}, "A recipient unpacks the zip and recomputes every public promise with ", h("code", {}, "paretonym verify FOLDER"), "."));
  };

  // ---- the room

  const open = (root, context) => {
    const wanted = candidateOf(context.address);
    const state = { front: null, node: null, trouble: null, last: null, format: "csv", neutralise: false, open: true, fetched: null, watched: false };
    const choice = h("section", { class: "panel", "aria-label": "The candidate" });
    const course = h("div", { "aria-live": "polite" });
    const outcome = h("div", {});
    root.append(h("div", { class: "columns-head" }, h("div", {}, h("h1", {}, "Release"), h("p", { class: "soft" },
      "One candidate is written to a file; then every promise is recomputed from that file. If one fails, nothing is released."))),
      choice, course, outcome);

    const project = () => context.project();
    const lastTask = () => project().tasks.filter((task) => task.kind === "release").at(-1);
    const frontTask = () => kit.newest(project(), "front");
    /** What the levels in the address were looked up in, and so what would be released. */
    const basis = { front: frontTask()?.id ?? null, digest: (frontTask() ?? project()).digest };

    // ---- choosing

    const pickButton = ({ says, index }) => {
      const points = kit.points(state.front);
      const query = { levels: kit.writeLevels(points.levelsOf(index)), below: String(points.below[index]) };
      return h("button", { type: "button", onclick: () => context.go("release", query) },
        kit.plain(says.replace(">=", " ≥ ").replace("<=", " ≤ ")));
    };
    const drawNothing = () => clear(choice).append(h("h2", {}, "Nothing is chosen yet"),
      ...(state.front
        ? [h("p", {}, "Choose a point on the ", h("button", { type: "button", class: "link", onclick: () => context.go("front") }, "Front"),
          " and open it, or take one of these:"), h("div", { class: "chips" }, state.front.picks.map(pickButton))]
        : [h("p", {}, "A release needs a candidate, and candidates come from the front. "),
          h("button", { type: "button", class: "main", onclick: () => context.go("columns") }, "Go to Columns and find the front")]));

    const why = () => {
      const now = project();
      if (now.faults.length) return "The job must be mended first.";
      if (basis.digest !== now.digest) return "The job was changed since this candidate was chosen. Find the front again in Columns and choose from it, or undo the change.";
      if (now.tasks.some((task) => task.state === "running" && task.kind !== "release")) return "Something else is running for this table. Wait for it, or cancel it.";
      if (state.trouble) return state.trouble;
      return state.node && !state.node.feasible
        ? "This candidate does not meet the job's requirements, or leaves out more rows than the job allows. Choose another." : "";
    };
    const make = async () => {
      try {
        await context.start("release", { levels: wanted.levels, below: wanted.below, ...basis,
          format: state.format, neutralise: state.neutralise });
      } catch (error) {
        context.fail(error);
      }
    };
    const options = () => h("div", { class: "row options" },
      kit.field("Format", kit.choose([["csv", "CSV"], ["parquet", "Parquet"]], state.format, { id: "format", onchange: (event) => {
        state.format = event.target.value;
        state.neutralise = state.neutralise && state.format === "csv";
        drawChoice();
      } })),
      h("label", { class: "tick" }, h("input", { type: "checkbox", id: "neutralise", checked: state.neutralise, disabled: state.format !== "csv",
        onchange: (event) => {
          state.neutralise = event.target.checked;
        } }), " neutralise formulas",
        h("span", { class: "soft small" }, "A spreadsheet may run a cell that starts with =, +, - or @. Each such cell of a text column gets a leading '. CSV only.")));
    const drawChoice = () => kit.keepingFocus(choice, () => {
      if (!wanted) {
        drawNothing();
        return;
      }
      const stop = why();
      clear(choice).append(h("h2", {}, "The candidate"), h("div", { class: "release-grid" },
        h("div", {}, levelList(wanted, state.front?.columns ?? quasiOf(project())),
          thresholdOf(wanted.below),
          ...warnings(project(), state.node), options(),
          h("div", { class: "row" }, h("button", { type: "button", id: "make", class: "main big", disabled: Boolean(stop) || lastTask()?.state === "running", onclick: make }, "Make the release"),
            h("button", { type: "button", onclick: () => context.go("node", context.address) }, "Look at it closer"),
            h("button", { type: "button", onclick: () => context.go("front") }, "Choose another")),
          stop ? h("div", { class: "notice bad", id: "why-not" }, h("p", {}, stop)) : null),
        state.node?.values.length ? numbersOf(state.node, project()) : h("p", { class: "soft" }, state.node || state.trouble ? "" : "Computing its numbers …")));
    });

    // ---- the course and the outcome

    const drawCourse = () => {
      const task = lastTask();
      clear(course);
      if (!task || task.state === "done") return;
      const running = task.state === "running";
      course.append(h("section", { class: "panel" },
        h("h2", {}, running ? "Making the release" : task.state === "cancelled" ? "Stopped" : "Nothing was released"),
        running ? h("p", { class: "soft" }, `${task.what || "starting"} …`)
          : h("div", { class: "notice bad" }, h("p", {}, task.message ?? "Stopped; nothing was kept."), h("p", {}, "No file was released.")),
        task.checks.length ? checksTable(task.checks, running) : null));
    };
    const verdict = ({ result, task, stale }) => {
      const count = result.checks.length;
      const held = result.checks.every((check) => check.holds);
      return [
        stale ? notice("", "The job was changed since this release was made. It is still what its manifest says; for the job as it is now, make it again.") : null,
        wanted && (task.levels.join(".") !== wanted.levels.join(".") || (wanted.below !== null && task.below !== wanted.below))
          ? notice("", "This is the last release that was made; it is not of the candidate above.") : null,
        h("div", { class: `notice verdict ${held ? "good" : "bad"}`, id: "verdict" },
          h("p", {}, h("strong", {}, held ? "Every promise was recomputed from the file and holds." : "A promise does not hold.")),
          levelList(result.node, result.columns), thresholdOf(result.node.below),
          h("p", {}, `${kit.plural(count, "statement")} about ${result.file}; ${kit.plural(result.node.released, "row")}, released ${new Date(task.started).toLocaleString()}.`)),
      ];
    };
    const drawOutcome = () => {
      clear(outcome);
      if (!state.last || lastTask()?.state === "running") return;
      const { result } = state.last;
      outcome.append(...verdict(state.last).filter(Boolean), h("div", { class: "release-grid" },
        h("section", { class: "panel" }, h("h2", {}, "The promises"), checksTable(result.checks, false),
          result.unchecked?.length ? h("p", { class: "soft small" }, `Not checked, although the job requires it: ${result.unchecked.join(", ")}.`) : null,
          result.stated.length ? h("p", { class: "soft small" }, `Stated and not recomputed: ${result.stated.join(", ")}.`) : null,
          h("p", { class: "soft small digest" }, `sha256 ${result.sha256}`)),
        downloads(context)), losers(result.node));
    };
    const fetchLast = async () => {
      const task = kit.newest(project(), "release");
      const key = task ? `${task.id} ${project().digest}` : "";
      if (key === state.fetched) return;
      state.fetched = key;
      try {
        state.last = task ? await context.client.get(`/projects/${project().id}/results/release`) : null;
      } catch (error) {
        state.last = null;
        if (error.status !== 404) context.fail(error);
      }
      if (!state.open) return;
      drawOutcome();
      if (state.watched && lastTask()?.state === "done") {
        state.watched = false;
        outcome.querySelector("#verdict")?.scrollIntoView({ block: "center" });
      }
    };

    const follow = ({ kind, task }) => {
      state.watched ||= lastTask()?.state === "running";
      if (kind === "task" && task.kind !== "release" && task.state === "running") return;
      drawChoice();
      drawCourse();
      drawOutcome();
      fetchLast();
    };
    context.listen(follow);

    const begin = async () => {
      try {
        state.front = frontTask() ? await context.source.front() : null;
      } catch (error) {
        context.fail(error);
      }
      if (state.open) drawChoice();
      if (!wanted) return;
      try {
        state.node = await context.source.node(wanted.levels, wanted.below);
      } catch (error) {
        state.trouble = error.message;
      }
      if (state.open) drawChoice();
    };
    follow({ kind: "project" });
    begin();
    return () => {
      state.open = false;
    };
  };

  kit.rooms.release = { title: "Release", open };
})();
