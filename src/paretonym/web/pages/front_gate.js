// Before a front is found there is nothing to show of it: the rooms Front and Node wait here.
(() => {
  "use strict";

  const kit = window.Paretonym;
  const { h, clear } = kit;

  const running = (project) => project.tasks.find((task) => task.kind === "front" && task.state === "running");

  const last = (project) => project.tasks.filter((task) => task.kind === "front").at(-1);

  const waiting = (project, start) => {
    const ended = last(project);
    if (running(project)) {
      return [h("p", { role: "status" }, "The search is running. What it finds appears here; you may leave this page and come back."),
        h("p", { class: "soft" }, "The bar above shows how far it is.")];
    }
    return [
      ended ? h("p", { class: "notice bad", id: "ended" }, `The search left no front: ${ended.message}`) : null,
      h("p", {}, ended ? "" : "No front was searched for this table yet. ", "A search compares every way to generalise its " +
        "quasi-identifiers and keeps those that no other way beats."),
      h("button", { class: "main big", id: "find-front", disabled: project.faults.length > 0, onclick: start }, "Find the front"),
      project.faults.length ? h("p", { class: "soft" }, "The job has to be mended in Columns first.") : null,
    ];
  };

  const stale = (project, task, start) =>
    task.digest === project.digest ? null : h("div", { class: "notice", id: "stale" },
      h("p", {}, "The job was changed since this front was found; what you see belongs to the job as it was then. ",
        h("button", { class: "link", onclick: start }, "Search again")));

  /** A newer search that left nothing must not pass for the front that is on show. */
  const fruitless = (project, task) => {
    const ended = last(project);
    return ended.id === task.id || ended.state === "running" ? null : h("div", { class: "notice bad", id: "ended" },
      h("p", {}, `The last search left no front: ${ended.message}`), h("p", {}, "What you see was found before it."));
  };

  const gate = (room) => {
    const inside = room.open;
    room.open = (root, context) => {
      const notice = h("div", {});
      const place = h("div", {});
      root.append(notice, place);
      let close = null;
      let shown = null;
      const start = () => context.start("front").catch(context.fail);

      const draw = () => {
        const project = context.project();
        const task = kit.newest(project, "front");
        clear(notice).append(...(task ? [fruitless(project, task), stale(project, task, start)] : []).filter(Boolean));
        if (task ? task.id === shown : false) return;
        if (close) close();
        close = null;
        shown = task ? task.id : null;
        clear(place);
        if (task) close = inside(place, context) || null;
        else place.append(h("section", { class: "panel waiting" }, h("h1", {}, room.title), waiting(project, start)));
      };
      context.listen(draw);
      draw();
      return () => close && close();
    };
  };

  gate(kit.rooms.front);
  gate(kit.rooms.node);
})();
