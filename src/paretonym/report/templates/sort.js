// makes the headings of tables with class "sortable" sort their column; the page works without
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  table.tHead.querySelectorAll("th").forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      for (const other of table.tHead.querySelectorAll("th")) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const value = (row) => Number(row.cells[column].dataset.v);
      const rows = [...body.rows].sort((a, b) => (up ? 1 : -1) * (value(a) - value(b)));
      body.append(...rows);
    });
  });
}
