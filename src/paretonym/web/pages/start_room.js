// Where a visit begins: choose a table, go on with one, or try an example.
(() => {
  "use strict";

  const kit = window.Paretonym;
  const { h } = kit;
  const ENCODINGS = [["utf-8", "UTF-8"], ["cp1252", "Windows-1252 (Western)"], ["latin-1", "Latin-1"], ["utf-16", "UTF-16"]];
  const DELIMITERS = [["", "whatever fits"], [",", "comma"], [";", "semicolon"], ["\t", "tab"], ["|", "bar"]];

  const capital = (text) => text[0].toUpperCase() + text.slice(1);
  const HEAD = 4096; // bytes of a file that tell whether it is text

  /** Control characters stand in no text, but for UTF-16, which says so at its start or is half zeros. */
  const isBinary = async (file) => {
    const bytes = new Uint8Array(await file.slice(0, HEAD).arrayBuffer());
    const zeros = bytes.filter((byte) => byte === 0).length;
    const wide = (bytes[0] ^ bytes[1]) === 1 && bytes[0] >= 0xfe;
    return !wide && zeros < 0.4 * bytes.length && bytes.some((byte) => byte < 9);
  };

  const HEADERS = [["", "must look like names"], ["true", "holds the names"], ["false", "is a record; number the columns"]];

  const open = (root, context) => {
    const busy = h("p", { class: "soft", role: "status" });
    const begin = async (work, says, refused = context.fail) => {
      busy.textContent = says;
      try {
        const project = await work();
        context.visit(`/table/${project.id}`);
      } catch (error) {
        busy.textContent = "";
        await refused(error);
      }
    };

    const ask = (message, control) => {
      context.fail({ message });
      reading.open = true;
      control.focus();
    };

    /** A file that is not what it was taken for. */
    const misread = (file) => async (error) => {
      input.value = ""; // so that the same file can be chosen again
      if (error.kind === "header") {
        ask(`The first row of ${kit.plain(file.name, 80)} looks like somebody's record, not like names of columns. Say below what it holds, then choose the file again.`, header);
        return;
      }
      if (error.kind !== "encoding") {
        context.fail(error);
        return;
      }
      if (await isBinary(file)) {
        context.fail({ message: `${kit.plain(file.name, 80)} is no table: it does not hold text. Save it as CSV or Parquet in the program that made it, and choose that file.` });
        return;
      }
      ask(`${kit.plain(file.name, 80)} is not ${encoding.selectedOptions[0].text} text. Choose its encoding below, then choose the file again; ` +
        "tables that were saved on Windows are often Windows-1252.", encoding);
    };

    const take = async (file) => {
      const state = await context.client.get("/state");
      if (file.size > state.upload_limit) {
        context.fail({ message: `${file.name} has ${kit.number(file.size)} bytes; at most ` +
          `${kit.number(state.upload_limit)} are taken here. Start the explorer with the file's path instead: ` +
          "paretonym explore TABLE" });
        return;
      }
      const query = new URLSearchParams({ name: file.name, encoding: encoding.value });
      if (delimiter.value) query.set("delimiter", delimiter.value);
      if (header.value) query.set("header", header.value);
      await begin(() => context.client.call("POST", `/tables?${query}`, { body: file }),
        "Reading the table and looking at its columns …", misread(file));
    };

    const option = ([value, label]) => h("option", { value }, label);
    const encoding = h("select", { id: "encoding" }, ENCODINGS.map(option));
    const delimiter = h("select", { id: "delimiter" }, DELIMITERS.map(option));
    const header = h("select", { id: "header" }, HEADERS.map(option));
    const reading = h("details", { class: "reading" }, h("summary", {}, "How the text is read"),
      h("p", {}, h("label", { for: "encoding" }, "Encoding "), encoding, " ",
        h("label", { for: "delimiter" }, "Cells are apart by "), delimiter),
      h("p", {}, h("label", { for: "header" }, "The first row "), header));
    const input = h("input", { type: "file", id: "file", accept: ".csv,.tsv,.txt,.gz,.parquet",
      onchange: () => input.files[0] && take(input.files[0]) });
    const drop = h("div", { class: "drop" },
      h("label", { for: "file" }, "Choose a table, or drop it here"), input,
      h("p", { class: "soft small" }, "CSV (also .gz) or Parquet, one row for each person, names in the first row."),
      reading);
    drop.addEventListener("dragover", (event) => {
      event.preventDefault();
      drop.classList.add("over");
    });
    drop.addEventListener("dragleave", () => drop.classList.remove("over"));
    drop.addEventListener("drop", (event) => {
      event.preventDefault();
      drop.classList.remove("over");
      if (event.dataTransfer.files[0]) take(event.dataTransfer.files[0]);
    });

    const rest = h("div", {});
    root.append(h("div", { class: "start" },
      h("h1", {}, "Release a table of personal records"),
      h("p", { class: "lead" }, "See every trade-off between privacy and detail, choose one, and have every " +
        "promise recomputed from the file that is written. Nothing leaves this machine."),
      drop, busy, rest));

    const lost = ({ unsaved, running }) => [
      unsaved ? "its edits are not saved" : "", running ? "work on it is running and would be stopped" : "",
    ].filter(Boolean).join(", and ");
    const close = async (one) => {
      try {
        const now = (await context.client.get("/state")).projects.find(({ id }) => id === one.id);
        if (now && lost(now) && !confirm(`Close ${kit.plain(one.name, 60)}? ${capital(lost(now))}.`)) return;
        show(await context.client.call("DELETE", `/projects/${one.id}`));
        context.say(`${kit.plain(one.name, 60)} is closed`);
      } catch (error) {
        context.fail(error);
      }
    };
    const openNow = (one) => h("li", {},
      h("a", { href: `/table/${one.id}`, onclick: (event) => {
        event.preventDefault();
        context.visit(`/table/${one.id}`);
      } }, kit.label(one.name, 60)), " ",
      h("button", { class: "link", "aria-label": `Close ${kit.plain(one.name, 60)}`, dataset: { close: one.id }, onclick: () => close(one) }, "Close"));

    const show = (state) => {
      const opened = state.projects.map(openNow);
      const examples = state.examples.map((one) => h("li", {},
        h("button", { dataset: { example: one.name },
          onclick: () => begin(() => context.client.post(`/examples/${one.name}`), "Opening …") }, one.name),
        h("span", { class: "soft" }, one.says)));
      kit.clear(rest).append(
        opened.length ? h("section", { class: "panel" }, h("h2", {}, "Open now"), h("ul", {}, opened)) : "",
        h("section", { class: "panel" }, h("h2", {}, "Or try an example"), h("ul", { class: "plain" }, examples)),
        h("p", { class: "soft small" }, state.temporary
          ? "Uploaded tables and results lie in a private folder on this machine and are removed when the explorer " +
            "ends. Download what you want to keep."
          : "Uploaded tables and results stay in the folder that the explorer was started with."),
        h("p", { class: "soft small" }, state.software));
    };
    context.client.get("/state").then(show).catch(context.fail);
  };

  kit.rooms.start = { title: "Start", open };
})();
