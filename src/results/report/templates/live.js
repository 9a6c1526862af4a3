"use strict";
// The page follows the run: each event of the stream says that there is a newer state, which takes the place of the old one.
const status = document.querySelector("footer [role=status]");
const tables = () => Array.from(document.querySelectorAll("table.sortable"));
const filterOf = (table) => table.closest(".wide").previousElementSibling?.querySelector("input");

// Links of the report lead to files beside it, which are not served.
const dropFiles = () => {
  for (const link of document.querySelectorAll("main a[href]")) {
    if (!link.getAttribute("href").startsWith("#")) link.replaceWith(...link.childNodes);
  }
};

const keep = () => ({
  open: Array.from(document.querySelectorAll("details"), (part) => part.open),
  tables: tables().map((table) => {
    const heads = Array.from(table.tHead.rows[0].cells);
    const column = heads.findIndex((head) => head.hasAttribute("aria-sort"));
    const filter = filterOf(table);
    return { words: filter?.value ?? "", typed: filter === document.activeElement, column, order: heads[column]?.getAttribute("aria-sort") };
  }),
});

const restore = (kept) => {
  document.querySelectorAll("details").forEach((part, place) => { part.open = kept.open[place] ?? part.open; });
  tables().forEach((table, place) => {
    const old = kept.tables[place];
    if (!old) return;
    const filter = filterOf(table);
    if (filter && old.words) {
      filter.value = old.words;
      filter.dispatchEvent(new Event("input"));
    }
    if (filter && old.typed) filter.focus();
    const button = table.tHead.rows[0].cells[old.column]?.querySelector("button");
    for (let click = 0; button && click < (old.order === "descending" ? 2 : 1); click += 1) button.click();
  });
};

const show = (text) => {
  const next = new DOMParser().parseFromString(text, "text/html");
  const kept = keep();
  for (const part of ["header", "nav", "main"]) {
    const [old, fresh] = [document.querySelector("body > " + part), next.querySelector("body > " + part)];
    if (old && fresh) old.replaceWith(document.adoptNode(fresh));
  }
  document.title = next.title;
  dropFiles();
  prepareTables();
  restore(kept);
};

const say = (text) => { status.textContent = text; };

let shown = null;
let busy = false;
let newest = null;
const follow = async () => {
  if (busy) return;
  busy = true;
  while (newest !== shown) {
    const wanted = newest;
    try {
      const answer = await fetch("/", { cache: "no-store" });
      if (!answer.ok) throw new Error(await answer.text());
      show(await answer.text());
      shown = wanted;
      document.body.dataset.version = shown;
      say("follows the run");
    } catch (error) {
      say("cannot be read now: " + error.message);
      break;
    }
  }
  busy = false;
};

dropFiles();
prepareTables();
const events = new EventSource("/events");
events.addEventListener("state", (event) => {
  newest = event.data;
  follow();
});
events.onerror = () => say("the connection is gone; trying again");
