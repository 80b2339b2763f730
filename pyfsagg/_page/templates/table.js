"use strict";
const MOST = 5; // features told of that have no row

const button = (title, act) => {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = title;
  made.addEventListener("click", () => act(made));
  return made;
};

// A cell that begins like a formula is a text to spreadsheets if a quote stands before it.
const cell = (text) => {
  const plain = text.replace(/−/g, "-");
  const safe = /^[=+@\t\r]|^-(?![\d.])/.test(plain) ? `'${plain}` : plain;
  return /[",\n\r]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
};

const save = (heads, rows) => {
  const lines = [heads, ...rows.map((row) => Array.from(row.cells))];
  const text = lines.map((cells) => cells.map((each) => cell(each.textContent)).join(",")).join("\n");
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text + "\n"], { type: "text/csv" }));
  link.download = "table.csv";
  link.click();
  URL.revokeObjectURL(link.href);
};

// Where a page may not write to the clipboard, the text is marked to be copied by hand.
const copy = (block) => async (made) => {
  const range = document.createRange();
  range.selectNodeContents(block);
  getSelection().removeAllRanges();
  getSelection().addRange(range);
  try {
    await navigator.clipboard.writeText(block.textContent);
    made.textContent = "Copied";
  } catch {
    made.textContent = "Marked";
  }
};

document.querySelectorAll("pre, p[data-copy]").forEach((block) => {
  const tools = document.createElement("p");
  tools.className = "tools copy";
  tools.append(button("Copy", copy(block)));
  block.before(tools);
});
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
    const label = Array.from(head.childNodes);
    const sorter = button("", () => {
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
    sorter.append(...label);
    head.append(sorter);
  });

  const store = document.querySelector(
    `script[data-hidden="${table.getAttribute("aria-labelledby")}"]`);
  const hidden = store ? JSON.parse(store.textContent) : [];
  const total = rows.length + hidden.length;

  const tools = document.createElement("p");
  const label = document.createElement("label");
  const input = document.createElement("input");
  const found = document.createElement("output");
  const article = /^[aeiou]/.test(table.dataset.find) ? "an" : "a";
  tools.className = "tools";
  input.type = "search";
  label.append(`Find ${article} ${table.dataset.find}`, input);
  tools.append(label, found);
  tools.append(button("Save as CSV", () => save(heads, rows)));
  table.parentElement.before(tools);
  input.addEventListener("input", () => {
    const wanted = input.value.trim().toLowerCase();
    let shown = 0;
    rows.forEach((row) => {
      row.hidden = !name(row).toLowerCase().includes(wanted);
      if (!row.hidden) shown += 1;
    });
    const others = wanted ? hidden.filter(([each]) => each.toLowerCase().includes(wanted)) : [];
    const told = others.slice(0, MOST).map(([each, text]) => `${each}: ${text}`);
    const more = others.length > MOST ? [`${others.length - MOST} more`] : [];
    const count = `${shown + others.length} of ${total}`;
    found.textContent = wanted ? [count, ...told, ...more].join("; ") : "";
  });
});
