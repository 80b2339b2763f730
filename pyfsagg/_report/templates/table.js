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

const csv = (table) => {
  const words = (each) => (each.querySelector(".plain") || each).textContent;
  const lines = Array.from(table.rows, (row) => Array.from(row.cells, (each) => cell(words(each))).join(","));
  return lines.join("\n") + "\n";
};

const save = (text, type, name) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
};

const toolbar = (before, ...parts) => {
  const tools = document.createElement("p");
  tools.className = "tools";
  tools.append(...parts);
  before.before(tools);
  return tools;
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

document.querySelectorAll("pre").forEach((block) => {
  toolbar(block, button("Copy", copy(block))).classList.add("copy");
});

// Folded parts open for a link that leads into them, and on paper if they are meant to be printed.
const folds = Array.from(document.querySelectorAll("details"));
const unfold = () => {
  const wanted = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const fold = wanted && wanted.closest("details");
  if (!fold || fold.open) return;
  fold.open = true;
  wanted.scrollIntoView();
};
addEventListener("hashchange", unfold);
unfold();
let opened = [];
addEventListener("beforeprint", () => {
  opened = folds.filter((fold) => fold.classList.contains("printed") && !fold.open);
  opened.forEach((fold) => { fold.open = true; });
});
addEventListener("afterprint", () => opened.forEach((fold) => { fold.open = false; }));
if (folds.length) {
  toolbar(folds[0], button("Open all", (made) => {
    const open = folds.some((fold) => !fold.open);
    folds.forEach((fold) => { fold.open = open; });
    made.textContent = open ? "Close all" : "Open all";
  })).classList.add("copy");
}

document.querySelectorAll("figure").forEach((figure) => {
  const title = figure.querySelector("h3");
  figure.querySelector("figcaption").append(" ", button("Save as SVG", () => {
    const drawn = figure.querySelector("svg").cloneNode(true);
    const named = document.createElementNS(drawn.namespaceURI, "title");
    named.textContent = title.textContent;
    drawn.querySelectorAll(".ring").forEach((ring) => ring.remove());
    delete drawn.dataset.points;
    drawn.prepend(named);
    drawn.style.fontFamily = "sans-serif";
    save(new XMLSerializer().serializeToString(drawn), "image/svg+xml", `${title.id}.svg`);
  }));
});

document.querySelectorAll("table.ranking").forEach((table) => {
  const name = table.getAttribute("aria-labelledby");
  const tools = toolbar(table.parentElement, button("Copy as CSV", async (made) => {
    try {
      await navigator.clipboard.writeText(csv(table));
      made.textContent = "Copied";
    } catch {
      save(csv(table), "text/csv", `${name}.csv`);
    }
  }));
  tools.classList.add("copy");
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
      const now = head.getAttribute("aria-sort");
      const descending = now ? now === "ascending" : head.dataset.first === "descending";
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

  const tools = table.parentElement.previousElementSibling;
  const label = document.createElement("label");
  const input = document.createElement("input");
  const found = document.createElement("output");
  const article = /^[aeiou]/.test(table.dataset.find) ? "an" : "a";
  tools.className = "tools";
  input.type = "search";
  label.append(`Find ${article} ${table.dataset.find}`, input);
  tools.prepend(label, found);
  tools.append(button("Save as CSV", () => save(csv(table), "text/csv", "table.csv")));
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

// How many of the first rows are meant can be moved: the rows, their cells and a sentence follow.
document.querySelectorAll("script[data-steps]").forEach((store) => {
  const { noun, start, told, cells } = JSON.parse(store.textContent);
  const table = document.querySelector(`table[aria-labelledby="${store.dataset.steps}"]`);
  const rows = Array.from(table.tBodies[0].rows);
  const columns = Object.keys(cells);
  const before = rows.map((row) =>
    [row.className, ...columns.map((column) => row.cells[column].textContent)]);
  const said = document.createElement("output");
  said.className = "told-of note";
  const show = (number, moved) => {
    rows.forEach((row, place) => {
      row.classList.toggle("selected", moved ? place < number : before[place][0].includes("selected"));
      columns.forEach((column, k) => {
        row.cells[column].textContent = moved ? cells[column][number - 1][place] : before[place][k + 1];
      });
    });
    said.textContent = moved ? told[number - 1] : "";
  };
  const inputs = ["range", "number"].map((type) => {
    const input = document.createElement("input");
    Object.assign(input, { type, min: 1, max: told.length, value: start });
    input.setAttribute("aria-label", `Number of ${noun}`);
    input.addEventListener("input", () => {
      const number = Math.round(Number(input.value));
      if (!(number >= 1 && number <= told.length)) return;
      inputs.forEach((other) => { if (other !== input) other.value = number; });
      show(number, true);
    });
    return input;
  });
  const back = button("As selected", () => {
    inputs.forEach((input) => { input.value = start; });
    show(start, false);
  });
  const tools = table.parentElement.previousElementSibling;
  tools.classList.remove("copy");
  tools.prepend("Best ", ...inputs, back);
  tools.after(said);
});
