// How the page speaks with the server: one token, one error form, tasks that are watched.
(() => {
  "use strict";

  const kit = window.Paretonym;
  const STORED = "paretonym-token";
  const OFTEN = 400; // milliseconds between two looks at a running task

  const JSON_HEADERS = { "Content-Type": "application/json" };

  /** The token, or a code for it, comes behind # in the address, which is never sent; then it leaves the address. */
  const takeToken = async () => {
    const given = new URLSearchParams(location.hash.slice(1));
    const code = given.get("code");
    if (given.has("token")) localStorage.setItem(STORED, given.get("token"));
    if (code || given.has("token")) history.replaceState(null, "", location.pathname + location.search);
    if (code) await exchange(code);
    return localStorage.getItem(STORED) ?? "";
  };
  /** A code that was used before gives nothing; the first request is refused then, and says what to do. */
  const exchange = async (code) => {
    const response = await fetch("/api/entry", { method: "POST", headers: JSON_HEADERS, body: JSON.stringify({ code }) });
    if (response.ok) localStorage.setItem(STORED, (await response.json()).token);
  };

  class Refusal extends Error {
    constructor(status, message, where, kind = null) {
      super(message);
      Object.assign(this, { status, where, kind });
    }
  }

  const refusalOf = async (response) => {
    try {
      const told = await response.json();
      return new Refusal(response.status, told.message, told.where, told.kind);
    } catch {
      return new Refusal(response.status, "the server answered in a way that is not understood", null);
    }
  };

  /** The last work of a kind that left something to show. */
  kit.newest = (project, kind) => project.tasks.filter((task) => task.kind === kind && task.has_result).at(-1);

  kit.client = () => {
    const taking = takeToken();

    const call = async (method, path, { json, body } = {}) => {
      let response;
      try {
        const headers = { "X-Paretonym-Token": await taking, ...(json === undefined ? {} : JSON_HEADERS) };
        response = await fetch(`/api${path}`, {
          method, headers, body: json === undefined ? body : JSON.stringify(json),
        });
      } catch {
        throw new Refusal(0, "the explorer does not answer; is it still running in the terminal?", null);
      }
      if (!response.ok) throw await refusalOf(response);
      return response.json();
    };
    const get = (path) => call("GET", path);
    const post = (path, json = {}) => call("POST", path, { json });

    /** One file from the server, once: the browser saves it. */
    const download = async (project, what) => {
      const { address } = await post(`/projects/${project}/downloads`, { what });
      kit.h("a", { href: address, download: "" }).click();
    };

    return { call, get, post, download };
  };

  /** Looks at running tasks until none runs; `heard` gets each task whenever it changed. */
  kit.watching = (client, heard) => {
    const known = new Map();
    let timer = null;

    const look = async () => {
      timer = null;
      for (const id of [...known.keys()]) {
        try {
          const task = await client.get(`/tasks/${id}`);
          if (task.state !== "running") known.delete(id);
          heard(task);
        } catch (error) {
          if (error.status === 404) known.delete(id);
        }
      }
      again();
    };
    const again = () => {
      if (known.size && timer === null) timer = setTimeout(look, OFTEN);
    };
    return (task) => {
      if (task.state === "running" && !known.has(task.id)) {
        known.set(task.id, task);
        again();
      }
    };
  };
})();
