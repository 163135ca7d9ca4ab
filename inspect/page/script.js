// Fetches what a stream of events says has changed, and puts it in place. The page is whole without it.
"use strict";
(() => {
  const body = document.body;
  const byId = (id) => document.getElementById(id);

  // get returns the elements of a part of the page, or nothing.
  const get = async (query) => {
    const answer = await fetch("rows?" + query, { credentials: "same-origin", cache: "no-store" });
    if (answer.status === 401) { // logged out elsewhere: what is shown must not stay
      location.reload();
      return null;
    }
    if (!answer.ok) return null;
    const part = new DOMParser().parseFromString(await answer.text(), "text/html");
    part.left = answer.headers.get("X-Left"); // the rest was too long
    return part;
  };

  // putRow puts a call in the place of its former state, or behind the one that it follows.
  const putRow = (list, row) => {
    const before = byId(row.id);
    if (before) {
      if (!before.contains(document.activeElement)) before.replaceWith(row);
      return;
    }
    const after = byId("call-" + row.dataset.after);
    if (after && list.contains(after)) after.after(row);
    else if (row.dataset.after === "0") list.prepend(row);
    else list.append(row);
  };

  // putBatches puts changed calls into their batches, and new batches at the top.
  const putBatches = (batches) => {
    const timeline = byId("timeline");
    for (const batch of batches) {
      const mine = byId(batch.id);
      if (!mine) {
        timeline.prepend(batch);
        continue;
      }
      mine.querySelector("h2").replaceWith(batch.querySelector("h2"));
      const list = mine.querySelector("ol");
      for (const row of [...batch.querySelectorAll("li.call")]) putRow(list, row);
    }
    const all = timeline.querySelectorAll("li.call");
    for (const row of [...all].slice(400)) row.remove();
    for (const batch of [...timeline.querySelectorAll(".batch")]) if (!batch.querySelector("li")) batch.remove();
  };

  // putQuestions adds and removes questions. One that stays is not touched: a person may be answering it.
  const putQuestions = (fresh) => {
    const list = byId("questions");
    const old = new Map([...list.querySelectorAll(".question")].map((q) => [q.id, q]));
    const next = [...fresh.children].map((q) => old.get(q.id) || q);
    for (const child of [...list.children]) if (!next.includes(child)) child.remove();
    next.forEach((q, i) => {
      if (list.children[i] !== q) list.insertBefore(q, list.children[i] || null);
    });
  };

  const showOpen = (count) => {
    const text = count > 0 ? "(" + count + ")" : "";
    if (byId("open").textContent !== text) {
      byId("open").textContent = text;
      byId("status").textContent = count > 0 ? count + (count === 1 ? " question is" : " questions are") + " open." : "No question is open.";
    }
    document.title = document.title.replace(/^\(\d+\) /, "");
    if (count > 0) document.title = text + " " + document.title;
  };

  const update = async (change) => {
    if (change.questions) {
      const part = await get("questions");
      const fresh = part && part.getElementById("questions");
      if (fresh) {
        showOpen(Number(fresh.dataset.open));
        if (body.dataset.section === "") putQuestions(fresh);
      }
    }
    const timeline = byId("timeline");
    if (!timeline || !("live" in timeline.dataset)) return;
    let calls = change.calls;
    if ("only" in timeline.dataset) calls = calls.filter((n) => byId("call-" + n)); // the page of one call
    const agent = new URLSearchParams(location.search).get("agent") || "";
    for (let left = calls.join(","); left; ) {
      const part = await get("calls=" + left + "&agent=" + encodeURIComponent(agent));
      if (!part) return;
      putBatches([...part.querySelectorAll(".batch")]);
      left = part.left;
    }
  };

  let last = Promise.resolve(); // one update after the other
  const events = new EventSource("events?after=" + encodeURIComponent(body.dataset.revision));
  events.onmessage = (e) => {
    last = last.then(() => update(JSON.parse(e.data))).catch(() => {});
  };
  window.addEventListener("pageshow", (e) => {
    if (e.persisted) location.reload(); // a page from the browser's cache may be of another login
  });
})();
