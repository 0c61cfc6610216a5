// The page: it shows the snapshots of the stream as tables, as texts only, and says when they are old.
"use strict";

const STALE_S = 3;
const RETRY_MS = 1000;
let last = 0;
let snapshot = null;
let anew = false;

history.replaceState(null, "", "/");

function element(id) {
  return document.getElementById(id);
}

function put(node, text) {
  if (node.textContent !== text) {
    node.textContent = text;
  }
}

function resize(parent, count, name) {
  while (parent.children.length > count) {
    parent.lastElementChild.remove();
  }
  while (parent.children.length < count) {
    parent.append(document.createElement(name));
  }
}

function fill(row, cells, columns, name) {
  resize(row, cells.length, name);
  cells.forEach((text, at) => {
    const cell = row.children[at];
    put(cell, text);
    const column = columns[at] || "";
    const classes = [];
    if (column.endsWith(">")) {
      classes.push("figure");
    }
    if (column.startsWith("result") && /^[+-]/.test(text)) {
      classes.push(text.startsWith("+") ? "gain" : "loss");
    }
    if (text === "UNKNOWN" || text === "none!" || text.endsWith("½") || text.endsWith(" old")) {
      classes.push("warn");
    }
    cell.className = classes.join(" ");
    cell.dataset.label = column.replace(">", "");
  });
}

function drawTable(section, table) {
  if (section.children.length === 0) {
    const heading = document.createElement("h2");
    const scroll = document.createElement("div");
    const whole = document.createElement("table");
    whole.append(document.createElement("thead"), document.createElement("tbody"));
    whole.tHead.append(document.createElement("tr"));
    scroll.className = "scroll";
    scroll.tabIndex = 0;
    scroll.append(whole);
    section.append(heading, scroll);
  }
  const [heading, scroll] = section.children;
  const whole = scroll.firstElementChild;
  const more = table.total > table.rows.length ? ", the first " + table.rows.length : "";
  put(heading, table.name + " (" + table.total + more + ")");
  const names = table.columns.map((column) => column.replace(">", ""));
  fill(whole.tHead.rows[0], names, [], "th");
  table.columns.forEach((column, at) => {
    whole.tHead.rows[0].children[at].className = column.endsWith(">") ? "figure" : "";
    whole.tHead.rows[0].children[at].scope = "col";
  });
  resize(whole.tBodies[0], table.rows.length, "tr");
  table.rows.forEach((cells, at) => fill(whole.tBodies[0].rows[at], cells, table.columns, "td"));
}

function draw() {
  const main = element("tables");
  resize(main, snapshot.tables.length, "section");
  snapshot.tables.forEach((table, at) => drawTable(main.children[at], table));
}

function drawFacts(lost) {
  const status = snapshot.status;
  const unknown = status.unknown ? ", " + status.unknown + " UNKNOWN" : "";
  const states = [status.risk_mode && "risk mode " + status.risk_mode,
    status.word === "desk gone" ? "" : status.working + " working" + unknown, status.links.join(", "), status.reason];
  // States of a desk that nobody hears are not shown: they would read as those of now.
  put(element("facts"), [status.account, ...(lost ? [] : states)].filter(Boolean).join(" · "));
}

function nameState(lost) {
  if (!lost) {
    return snapshot.status.word;
  }
  if (anew) {
    return "started anew: open the address that crossdesk page has printed";
  }
  return snapshot === null ? "connecting" : "page program gone";
}

function tell() {
  const silent = (performance.now() - last) / 1000;
  const age = snapshot === null ? silent : snapshot.age_s + silent;
  const gone = snapshot !== null && snapshot.status.word === "desk gone";
  const lost = snapshot === null || anew || silent > STALE_S;
  const stale = lost || gone || age > STALE_S;
  document.body.className = stale ? "stale" : snapshot.status.word === "in sync" ? "" : "warned";
  put(element("word"), nameState(lost));
  if (snapshot !== null) {
    drawFacts(lost);
  }
  put(element("age"), snapshot === null ? "no data yet"
    : (stale ? "OLD: the figures below are " : "data ") + age.toFixed(age < 10 ? 1 : 0) + " s old");
}

async function askAnew() {
  // Another run of the program knows neither this cookie nor the token of before.
  try {
    anew = (await fetch("/")).status === 403;
  } catch {
    anew = false;
  }
  tell();
}

function listen() {
  const stream = new WebSocket("ws://" + location.host + "/stream");
  stream.onmessage = (event) => {
    snapshot = JSON.parse(event.data);
    last = performance.now();
    anew = false;
    draw();
    tell();
  };
  stream.onclose = async () => {
    await askAnew();
    setTimeout(listen, RETRY_MS);
  };
}

setInterval(tell, 250);
listen();
