// What is cut off or lies over something else in a page, a line each.
(() => {
  const wrong = [];
  const width = document.documentElement.clientWidth;
  const named = (each) => `<${each.tagName.toLowerCase()}> ${each.textContent.trim().slice(0, 50)}`;
  const seen = (each) => each.getClientRects().length > 0 && getComputedStyle(each).visibility !== "hidden";
  const box = (each) => each.getBoundingClientRect();
  if (document.documentElement.scrollWidth > width)
    wrong.push(`the page is ${document.documentElement.scrollWidth} pixels wide in ${width}`);
  // What scrolls in a box of its own may be wider than the page, on a screen.
  const printed = matchMedia("print").matches;
  document.querySelectorAll("body *").forEach((each) => {
    if (!seen(each) || each.closest("svg") || (!printed && each.closest(".scroll > *, pre > *"))) return;
    const { left, right } = box(each);
    if (left < -1 || right > width + 1) wrong.push(`from ${left} to ${right} of ${width}: ${named(each)}`);
  });
  document.querySelectorAll("td, th").forEach((cell) => {
    if (seen(cell) && cell.scrollWidth > cell.clientWidth + 1) wrong.push(`cut in a cell: ${named(cell)}`);
  });
  // Blocks of the page one below the other.
  document.querySelectorAll("header, main, section, figure").forEach((parent) => {
    const blocks = Array.from(parent.children).filter((each) => seen(each) && getComputedStyle(each).position !== "absolute");
    blocks.slice(1).forEach((block, before) => {
      if (box(block).top < box(blocks[before]).bottom - 1)
        wrong.push(`over another: ${named(blocks[before])} and ${named(block)}`);
    });
  });
  // Words of a picture.
  document.querySelectorAll("svg").forEach((svg, number) => {
    const frame = box(svg);
    const texts = Array.from(svg.querySelectorAll("text")).filter((each) => each.textContent.trim());
    const room = 1 * frame.width / svg.viewBox.baseVal.width;
    const boxes = texts.map(box);
    boxes.forEach((one, i) => {
      if (one.left < frame.left - room || one.right > frame.right + room || one.top < frame.top - room || one.bottom > frame.bottom + room)
        wrong.push(`cut in picture ${number + 1}: ${texts[i].textContent}`);
      // Words that stand aslant have boxes larger than themselves.
      if (/rotate\(-?(?!0|90)/.test(texts[i].getAttribute("transform") || "")) return;
      boxes.slice(i + 1).forEach((other, k) => {
        const later = texts[i + 1 + k];
        if (/rotate\(-?(?!0|90)/.test(later.getAttribute("transform") || "")) return;
        const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left);
        const high = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
        if (wide > 2 * room && high > 4 * room)
          wrong.push(`over another in picture ${number + 1}: ${texts[i].textContent} and ${later.textContent}`);
      });
    });
  });
  return wrong;
})()
