// The frame around the rooms: addresses, the bar, edits and tasks of the open table.
(() => {
  "use strict";

  const kit = window.Paretonym;
  const { h, clear } = kit;
  const ORDER = ["columns", "front", "node", "security", "groups", "release"];
  const POINT = ["levels", "below", "other", "other_below"]; // the chosen one, and what it is compared with
  const POINTED = { front: POINT, node: POINT, release: POINT.slice(0, 2) }; // rooms that speak of it
  const READING = ["security", "groups"]; // rooms that show what the job's text says
  const NAMES = {
    columns: "Columns", front: "Front", node: "Node", security: "Security", groups: "Groups", release: "Release",
  };
  const WORK = {
    front: "Searching the front", secure: "Searching secure tables", signal: "Counting groups",
    attack: "Attacking the groups", protect: "Protecting the groups", release: "Making the release",
  };

  const bar = document.getElementById("bar");
  const room = document.getElementById("room");
  const messages = document.getElementById("messages");
  const said = document.getElementById("said");
  const client = kit.client();
  const state = { project: null, close: null, room: null, drawn: null, fronts: new Map(), listeners: new Set(), shown: new Set() };
  const looks = new Map(); // by room, table and front: the query that the room was last looked at with
  const points = new Map(); // by table and front: what was last chosen

  // ---- messages

  const note = (text, kind) => {
    const line = h("div", { class: `notice ${kind}`, role: kind === "bad" ? "alert" : "status" }, h("p", {}, text),
      h("button", { class: "link", "aria-label": "Close this message", onclick: () => line.remove() }, "close"));
    messages.append(line);
    while (messages.children.length > 4) messages.firstChild.remove();
    if (kind !== "bad") setTimeout(() => line.remove(), 8000);
  };
  /** For those who do not see what changed. */
  const say = (text) => {
    said.textContent = text;
  };
  const fail = (error) => {
    note(error.message || String(error), "bad");
    if (error.status === 409 && state.project) refresh();
  };

  // ---- the project

  const update = (project) => {
    state.project = project;
    for (const task of project.tasks) watch(task);
    if (state.drawn && state.drawn !== roomFor(state.room)) {
      redraw(); // the text can be read again, or not any more
      return;
    }
    drawBar();
    for (const listener of [...state.listeners]) listener({ kind: "project", project });
  };
  const refresh = async () => {
    if (!state.project) return;
    try {
      update(await client.get(`/projects/${state.project.id}`));
    } catch (error) {
      if (error.status !== 0) fail(error);
    }
  };
  const heard = (task) => {
    const project = state.project;
    if (!project || task.project !== project.id) return;
    project.tasks = [...project.tasks.filter((one) => one.id !== task.id), task];
    drawTask(task);
    for (const listener of [...state.listeners]) listener({ kind: "task", task });
    if (task.state === "failed" && !state.shown.has(task.id)) {
      state.shown.add(task.id);
      note(`${WORK[task.kind]}: ${task.message}`, "bad");
    }
  };
  const watch = kit.watching(client, heard);

  const start = async (kind, options = {}) => {
    const task = await client.post(`/projects/${state.project.id}/tasks`, { kind, ...options });
    watch(task);
    heard(task);
    return task;
  };
  const cancel = async (task) => heard(await client.post(`/tasks/${task.id}/cancel`));

  /** One change after the other: the second of two quick ones would be taken for another tab's. */
  let changing = Promise.resolve();
  const inTurn = (way, data = {}) => {
    const { id } = state.project;
    const made = changing.then(async () => {
      if (state.project?.id !== id) return;
      update(await client.post(`/projects/${id}/${way}`, { revision: state.project.revision, ...data }));
    });
    changing = made.catch(() => {});
    return made;
  };

  /** Change the job: `changes` is a list of {path, value} or {path, remove: true}. */
  const edit = (changes, says) => inTurn("edits", { changes, says });
  /** What would be wrong after changes that are not made. */
  const check = (changes) => client.post(`/projects/${state.project.id}/check`, { changes });
  /** Made from the text as it was shown, so that it is refused where something was changed since. */
  const rewrite = async (text) => {
    const { id, revision } = state.project;
    update(await client.post(`/projects/${id}/edits`, { revision, text }));
  };
  const step = (way) => () => inTurn(way).catch(fail);
  const save = async () => {
    await step("save")();
    if (state.project.saved) note(`saved to ${state.project.path}`, "good");
  };

  // ---- the bar

  const link = (href, label, attributes = {}, go = () => visit(href)) =>
    h("a", { href, ...attributes, onclick: (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
      event.preventDefault();
      go();
    } }, label);

  // ---- what was looked at: turning to a room finds it as it was left

  /** Levels and measures mean something for one front only. */
  const sight = () => `${state.project.id} ${kit.newest(state.project, "front")?.digest ?? ""}`;
  const pick = (query, parts) => Object.fromEntries(parts.filter((part) => query.has(part)).map((part) => [part, query.get(part)]));
  const remember = (query) => {
    if (!state.project) return;
    looks.set(`${state.room} ${sight()}`, query.toString());
    if (!POINTED[state.room]) return;
    const chosen = pick(query, POINTED[state.room]);
    const before = points.get(sight()) ?? {};
    const same = chosen.levels === before.levels && chosen.below === before.below;
    if (chosen.levels && !(state.room === "release" && same)) points.set(sight(), chosen);
  };

  /** To another room as it was left; the chosen point comes along where it means something. */
  const turnTo = (name) => {
    const query = new URLSearchParams(looks.get(`${name} ${sight()}`));
    if (POINTED[name]) {
      POINT.forEach((part) => query.delete(part));
      const chosen = new URLSearchParams(points.get(sight()));
      Object.entries(pick(chosen, POINTED[name])).forEach(([part, value]) => query.set(part, value));
    }
    visit(addressOf(name, query.toString()));
  };

  const roomLink = (name, place) =>
    h("li", {}, link(addressOf(name), [h("kbd", { "aria-hidden": "true" }, String(place + 1)), NAMES[name]], {
      "aria-current": state.room === name ? "page" : null, "aria-keyshortcuts": String(place + 1),
    }, () => turnTo(name)));

  const howFar = (task) =>
    h("div", { class: "how-far" },
      h("span", {}, `${WORK[task.kind]}: ${task.what}`),
      task.total
        ? h("progress", { max: String(task.total), value: task.done, "aria-label": task.what })
        : h("progress", { "aria-label": task.what }),
      task.total ? h("span", { class: "soft" }, kit.percent(Math.min(1, task.done / task.total))) : null,
      h("span", { class: "soft" }, `${Math.round(task.seconds)} s`));
  const taskStrip = (task) =>
    h("div", { class: "task", role: "group", "aria-label": WORK[task.kind], dataset: { task: task.id } },
      howFar(task), h("button", { onclick: () => cancel(task).catch(fail) }, "Cancel"));
  /** While work goes on the rest of the bar stays: a button that is replaced while it is pressed does nothing. */
  const drawTask = (task) => {
    const strip = [...bar.querySelectorAll(".task")].find((one) => one.dataset.task === task.id);
    if (strip && task.state === "running") strip.querySelector(".how-far").replaceWith(howFar(task));
    else drawBar();
  };

  const edits = (project) => {
    const done = project.edits.filter((one) => !one.undone);
    const undone = project.edits.filter((one) => one.undone);
    return h("div", { class: "edits" },
      h("button", { id: "undo", disabled: !done.length, onclick: step("undo"), "aria-keyshortcuts": "Control+Z",
        title: done.length ? `undo: ${done.at(-1).says}` : null }, "Undo"),
      h("button", { id: "redo", disabled: !undone.length, onclick: step("redo"),
        title: undone.length ? `redo: ${undone[0].says}` : null }, "Redo"),
      project.savable
        ? h("button", { id: "save", disabled: project.saved, onclick: save },
            project.saved ? "Saved" : `Save ${project.path}`)
        : h("button", { id: "job", onclick: () => client.download(project.id, "job").catch(fail) }, "Download job"),
      h("details", { class: "history" }, h("summary", {}, kit.plural(done.length, "edit")),
        h("ol", {}, project.edits.map((one) => h("li", { class: one.undone ? "undone" : null },
          one.undone ? h("s", {}, one.says) : one.says)))));
  };

  const closeHistory = () => {
    const list = bar.querySelector("details.history");
    if (!list?.open) return;
    list.open = false;
    if (list.contains(document.activeElement)) list.querySelector("summary").focus();
  };
  addEventListener("click", (event) => {
    if (!event.target.closest("details.history")) closeHistory();
  });

  const drawBar = () => {
    const project = state.project;
    const focused = document.activeElement && bar.contains(document.activeElement) ? document.activeElement.id : "";
    const open = bar.querySelector("details.history")?.open;
    clear(bar).append(
      h("div", { class: "top" },
        link("/", h("strong", {}, "paretonym"), { class: "home", "aria-label": "paretonym, start page" }),
        project ? h("span", { class: "name" }, kit.label(project.name, 40)) : null,
        project ? edits(project) : null));
    if (!project) return;
    const nav = h("nav", { "aria-label": "Rooms" }, h("ul", {}, ORDER.map(roomLink)));
    bar.append(nav);
    if (project.faults.length) {
      bar.append(h("p", { class: "notice bad fault" }, `The job cannot be used as it is: ${project.faults[0].message} `,
        state.room === "columns" ? null : link(addressOf("columns"), "Mend it in Columns")));
    }
    for (const task of project.tasks) if (task.state === "running") bar.append(taskStrip(task));
    if (open) bar.querySelector("details.history").open = true;
    if (focused) document.getElementById(focused)?.focus();
  };

  // ---- addresses

  const addressOf = (name, query = "") => `/table/${state.project.id}/${name}${query ? `?${query}` : ""}`;
  const visit = (href) => {
    history.pushState(null, "", href);
    route();
  };

  const sourceOf = (id) => {
    const remembered = new Map();
    const once = (key, make) => {
      if (!remembered.has(key)) {
        remembered.set(key, make().catch((error) => {
          remembered.delete(key);
          throw error;
        }));
        if (remembered.size > 60) remembered.delete(remembered.keys().next().value);
      }
      return remembered.get(key);
    };
    const shown = () => state.fronts.get(id)?.task ?? null; // levels belong to the front that this page shows
    const ask = (what, data) => {
      const asked = { ...data, front: shown() };
      return once(`${what}${JSON.stringify(asked)}`, () => client.post(`/projects/${id}/${what}`, asked));
    };
    return {
      live: true,
      front: () => {
        const task = kit.newest(state.project, "front");
        if (shown() !== task?.id) {
          const view = client.get(`/projects/${id}/front?task=${encodeURIComponent(task.id)}`);
          client.post(`/projects/${id}/open`).catch(() => {}); // the first click finds the table open
          state.fronts.set(id, { task: task.id, view });
          view.catch(() => state.fronts.delete(id));
        }
        return state.fronts.get(id).view;
      },
      node: (levels, below) => ask("node", { levels: [...levels], below }),
      compare: (a, b) => ask("compare", {
        a: { levels: [...a.levels], below: a.below }, b: { levels: [...b.levels], below: b.below },
      }),
      preview: (levels, below) => client.post(`/projects/${id}/preview`, { levels: [...levels], below, front: shown() }),
    };
  };

  const contextOf = () => {
    const address = new URLSearchParams(location.search);
    const own = new Set();
    return {
      client, address, say, fail, start, cancel, edit, check, rewrite, refresh, update,
      project: () => state.project,
      source: sourceOf(state.project ? state.project.id : ""),
      go: (name, query = "") => {
        const asked = new URLSearchParams(query).toString();
        if (asked) visit(addressOf(name, asked));
        else turnTo(name);
      },
      visit,
      set: (values) => {
        for (const [name, value] of Object.entries(values)) {
          if (value === null || value === undefined) address.delete(name);
          else address.set(name, value);
        }
        remember(address);
        const query = address.toString();
        history.replaceState(null, "", location.pathname + (query ? `?${query}` : ""));
      },
      listen: (listener) => {
        state.listeners.add(listener);
        own.add(listener);
      },
      leave: () => own.forEach((listener) => state.listeners.delete(listener)),
    };
  };

  kit.rooms.unreadable = { title: "The job cannot be read", open: (root) => {
    const [fault] = state.project.faults;
    root.append(h("section", { class: "panel" }, h("h1", {}, "The job cannot be read"),
      h("p", {}, "What it says about this room cannot be known. Mend its text first, or undo the last edit."),
      fault ? h("p", { class: "notice bad pre-line" }, fault.line ? `Line ${fault.line}: ` : "", fault.message) : null,
      h("p", {}, link(addressOf("columns"), "Mend the text in Columns"))));
  } };
  kit.rooms.nowhere = { title: "There is no such room", open: (root) => root.append(h("section", { class: "panel" },
    h("h1", {}, "There is no such room"), h("p", {}, "The address names none of the rooms above. Go to ", link(addressOf("columns"), "Columns"), " or to another one."))) };

  const roomFor = (name) => kit.rooms[READING.includes(name) && !state.project.job ? "unreadable" : name];
  const leave = () => {
    if (state.close) state.close();
    state.close = null;
    state.drawn = null;
  };
  const redraw = () => {
    leave();
    show(state.room);
  };

  const show = (name) => {
    const chosen = roomFor(name);
    state.drawn = chosen;
    state.room = name;
    closeHistory();
    drawBar();
    const context = contextOf();
    remember(context.address);
    const title = chosen.title;
    document.title = state.project ? `${title} · ${state.project.name} · paretonym` : "paretonym";
    document.documentElement.dataset.room = name;
    clear(room);
    const close = chosen.open(room, context);
    state.close = () => {
      context.leave();
      if (typeof close === "function") close();
    };
    room.focus({ preventScroll: true });
    scrollTo(0, 0);
  };

  let learned = null;
  /** What is known of measures, asked for once. */
  const learn = () => {
    learned ??= client.get("/state").then(kit.words.learn).catch((error) => {
      learned = null;
      throw error;
    });
    return learned;
  };

  const route = async () => {
    leave();
    const [, kind, id, name] = location.pathname.split("/");
    if (kind !== "table" || !id) {
      state.project = null;
      show("start");
      return;
    }
    try {
      await learn();
      if (!state.project || state.project.id !== id) update(await client.get(`/projects/${id}`));
    } catch (error) {
      fail(error);
      state.project = null;
      history.replaceState(null, "", "/");
      show("start");
      return;
    }
    if (location.pathname.split("/")[2] !== id) return; // gone elsewhere meanwhile
    const first = state.project.has.columns || !state.project.has.groups ? "columns" : "groups";
    show(ORDER.includes(name) ? name : name ? "nowhere" : first);
  };

  // ---- keys

  // ticks, sliders and buttons have no use for digits; a select looks for them among its words
  const typing = (target) => target.closest("textarea, select, [contenteditable], " +
    "input:not([type=checkbox], [type=radio], [type=range], [type=file])");
  addEventListener("keydown", (event) => {
    if (event.key === "Escape") closeHistory();
    if (!state.project || event.altKey || event.metaKey || typing(event.target)) return;
    if (event.ctrlKey) {
      if (event.key === "z") step("undo")();
      return;
    }
    const place = Number(event.key) - 1;
    if (ORDER[place]) turnTo(ORDER[place]);
  });
  addEventListener("popstate", route);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) refresh();
  });
  addEventListener("DOMContentLoaded", route);
})();
