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
  const titles = heads.map((head) => (head.querySelector(".plain") || head).textContent);
  const lines = [titles, ...rows.map((row) => Array.from(row.cells, (each) => each.textContent))];
  const text = lines.map((cells) => cells.map(cell).join(",")).join("\n");
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
// A picture says what the point is that is pointed at, by mouse, finger or arrow keys.
const NEAR = 16; // pixels
document.querySelectorAll("svg[data-points]").forEach((svg) => {
  const [sentences, points] = JSON.parse(svg.dataset.points);
  const frame = svg.parentElement;
  const told = document.createElement("output");
  const ring = document.createElementNS("http://www.w3.org/2000/svg", "circle");
  let at = -1;
  told.className = "told";
  told.hidden = true;
  ring.setAttribute("class", "ring");
  ring.setAttribute("r", "6");
  frame.tabIndex = 0;
  frame.setAttribute("role", "group");
  frame.setAttribute("aria-label", "Picture; the arrow keys left and right read its points");
  frame.append(told);
  const scale = () => svg.clientWidth / svg.viewBox.baseVal.width;
  const leave = () => {
    at = -1;
    told.hidden = true;
    ring.remove();
  };
  const show = (which) => {
    if (which === at) return;
    at = (which + points.length) % points.length;
    const [x, y, sentence, ...words] = points[at];
    told.textContent = sentences[sentence].replace(/\{(\d)\}/g, (_, word) => words[word]);
    told.hidden = false;
    ring.setAttribute("cx", x);
    ring.setAttribute("cy", y);
    svg.append(ring);
    const above = y * scale() - told.offsetHeight - 12;
    const middle = x * scale() - told.offsetWidth / 2;
    told.style.left = `${Math.max(0, Math.min(middle, frame.clientWidth - told.offsetWidth))}px`;
    told.style.top = `${above < 0 ? y * scale() + 12 : above}px`;
  };
  const point = (event) => {
    const area = svg.getBoundingClientRect();
    const far = points.map(([x, y]) =>
      Math.hypot(x * scale() + area.left - event.clientX, y * scale() + area.top - event.clientY));
    const nearest = far.indexOf(Math.min(...far));
    if (far[nearest] <= NEAR) show(nearest);
    else leave();
  };
  svg.addEventListener("pointermove", point);
  svg.addEventListener("pointerdown", point);
  svg.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && leave());
  frame.addEventListener("blur", leave);
  frame.addEventListener("keydown", (event) => {
    const to = { ArrowRight: at + 1, ArrowLeft: at < 0 ? -1 : at - 1, Home: 0, End: -1 }[event.key];
    if (event.key === "Escape") leave();
    if (to === undefined) return;
    event.preventDefault();
    show(to);
  });
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
    const plain = document.createElement("span"); // print repeats heads, but no buttons in them
    plain.className = "plain";
    plain.append(...label.map((node) => node.cloneNode(true)));
    sorter.append(...label);
    head.append(plain, sorter);
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
