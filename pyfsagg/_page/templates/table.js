"use strict";
document.querySelectorAll("table[data-find]").forEach((table) => {
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const heads = Array.from(table.tHead.rows[0].cells);
  const text = (row, column) => row.cells[column].textContent;
  const name = (row) => row.querySelector("th").textContent;
  const value = (row, column) =>
    parseFloat(text(row, column).replace(/,/g, "").replace(/−/g, "-"));

  heads.forEach((head, column) => {
    if (!head.dataset.sort) return;
    const numeric = head.dataset.sort === "number";
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const descending = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      const compare = (a, b) => {
        if (!numeric) return text(a, column).localeCompare(text(b, column), "en", { numeric: true });
        const [x, y] = [value(a, column), value(b, column)];
        // A missing number stays at the end in either direction.
        if (Number.isNaN(x) || Number.isNaN(y))
          return (Number.isNaN(x) - Number.isNaN(y)) * (descending ? -1 : 1);
        return x - y;
      };
      const sorted = rows.slice().sort(compare);
      body.append(...(descending ? sorted.reverse() : sorted));
    });
  });

  const tools = document.createElement("p");
  const label = document.createElement("label");
  const input = document.createElement("input");
  const found = document.createElement("output");
  const article = /^[aeiou]/.test(table.dataset.find) ? "an" : "a";
  tools.className = "tools";
  input.type = "search";
  label.append(`Find ${article} ${table.dataset.find}`, input);
  tools.append(label, found);
  table.parentElement.before(tools);
  input.addEventListener("input", () => {
    const wanted = input.value.trim().toLowerCase();
    let shown = 0;
    rows.forEach((row) => {
      row.hidden = !name(row).toLowerCase().includes(wanted);
      if (!row.hidden) shown += 1;
    });
    found.textContent = wanted ? `${shown} of ${rows.length}` : "";
  });
});
