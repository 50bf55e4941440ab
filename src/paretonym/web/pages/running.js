// A button for long work and what came of it: what runs, what failed, what is out of date.
(() => {
  "use strict";

  const kit = window.Paretonym;
  const { h, clear } = kit;

  const latest = (project, kind) => project.tasks.filter((task) => task.kind === kind).at(-1);
  const busy = (project) => project.tasks.find((task) => task.state === "running");

  /**
   * One kind of work of the open table. `show(result)` draws what it found; it is called again
   * whenever there is something newer; `quick` work starts by itself. Returns {element}.
   */
  kit.running = (context, { kind, start, again, show, quick = false }) => {
    let known = null; // the answer that is on show

    const button = h("button", { class: "main", dataset: { start: kind }, onclick: () => begin() }, start);
    const beside = h("span", { class: "soft small", role: "status" });
    const notices = h("div", {});
    const element = h("div", {}, h("p", { class: "run" }, button, beside), notices);

    const begin = () => {
      button.disabled = true;
      context.start(kind).catch((error) => {
        context.fail(error);
        draw();
      });
    };

    const told = (project) => {
      const running = busy(project);
      if (running) return running.kind === kind ? "running; the bar above shows how far it is" : "waits until the other work has ended";
      if (project.faults.length) return "the job cannot be used as it is";
      return known ? `computed in ${known.task.seconds < 1 ? "less than a second" : `${kit.number(Math.round(known.task.seconds))} s`}` : "";
    };

    const draw = () => {
      const project = context.project();
      const last = latest(project, kind);
      button.textContent = known ? again : start;
      button.classList.toggle("main", !known || known.task.digest !== project.digest);
      button.disabled = Boolean(busy(project)) || project.faults.length > 0;
      beside.textContent = told(project);
      clear(notices);
      if (last && last.state === "failed") notices.append(h("div", { class: "notice bad" }, h("p", { class: "pre-line" }, last.message)));
      if (known && known.task.digest !== project.digest) {
        notices.append(h("div", { class: "notice stale" },
          h("p", {}, "The job was changed since; this is what was found before. ", `Press “${again}” to look at the job as it is now.`)));
      }
    };

    const load = async () => {
      const { id, tasks } = context.project();
      if (!tasks.some((task) => task.kind === kind && task.has_result)) return;
      try {
        const answer = await context.client.get(`/projects/${id}/results/${kind}`);
        if (!element.isConnected) return;
        if (!known || known.task.id !== answer.task.id) {
          known = answer;
          show(answer.result);
        }
      } catch (error) {
        context.fail(error);
      }
      draw();
    };

    /** Work that takes a moment need not be asked for. */
    const alone = async () => {
      await load();
      const project = context.project();
      if (known || !element.isConnected || latest(project, kind) || busy(project) || project.faults.length) return;
      begin();
    };

    context.listen((event) => {
      if (event.kind === "task" && event.task.kind === kind && event.task.has_result) load();
      else draw();
    });
    // the room puts the element into the page first
    queueMicrotask(() => {
      draw();
      if (quick) alone();
      else load();
    });
    return { element };
  };
})();
