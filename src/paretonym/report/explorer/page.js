// The one-file page: its two rooms, each with its state in the address after the #.
(() => {
  "use strict";

  const kit = window.Paretonym;
  const root = document.getElementById("room");
  const live = document.getElementById("live");
  const alarm = document.getElementById("alarm");
  const tabs = [...document.querySelectorAll("nav [data-room]")];
  const last = {};
  let close = () => {};

  const read = () => {
    const [name, query = ""] = location.hash.slice(1).split("?");
    return { name: kit.rooms[name] ? name : "front", address: new URLSearchParams(query) };
  };

  const hash = (name, address) => `#${name}${String(address) ? `?${address}` : ""}`;

  const clean = (query) => {
    const kept = Object.entries(query || {}).filter(([, value]) => value !== null && value !== undefined);
    return new URLSearchParams(kept);
  };

  const fail = (error) => {
    alarm.hidden = false;
    alarm.replaceChildren(kit.h("p", {}, error.message || "Something went wrong on this page."));
  };

  const source = kit.fileSource(JSON.parse(document.getElementById("data").textContent));

  const open = () => {
    const { name, address } = read();
    close();
    alarm.hidden = true;
    last[name] = address;
    for (const tab of tabs) {
      if (tab.dataset.room === name) tab.setAttribute("aria-current", "page");
      else tab.removeAttribute("aria-current");
    }
    const context = {
      source,
      address,
      set(changes) {
        for (const [key, value] of Object.entries(changes)) {
          if (value === null || value === undefined) address.delete(key);
          else address.set(key, value);
        }
        history.replaceState(null, "", hash(name, address));
        showLinks();
      },
      go(room, query) {
        location.hash = hash(room, clean(query));
      },
      say(message) {
        live.textContent = message;
      },
      fail,
    };
    try {
      close = kit.rooms[name].open(root, context) || (() => {});
    } catch (error) {
      close = () => {};
      fail(error);
    }
    showLinks();
  };

  // a tab leads back to where its room was left
  const showLinks = () => {
    for (const tab of tabs) tab.href = hash(tab.dataset.room, last[tab.dataset.room] || "");
  };

  // the same keys as in the app
  const typing = (target) => target.closest("input:not([type=checkbox]), select, textarea");
  window.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || typing(event.target)) return;
    const name = Object.keys(kit.rooms).find((room) => kit.rooms[room].key === event.key);
    if (name) location.hash = hash(name, last[name] || "");
  });

  window.addEventListener("hashchange", () => {
    open();
    window.scrollTo(0, 0);
  });
  open();
})();
