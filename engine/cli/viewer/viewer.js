"use strict";
// The page of sdfg-run --emit=html. Items are what can be seen: regions, states, scopes of maps, nodes. One that has children is closed, a box
// with its name, or open, a box around them. Children are laid out when their parent is opened for the first time.

const TITLE = 20, PAD = 10, MOST = 700; // more children than this stand in rows: the layout's time grows faster than their number
const COLOURS = { SDFG: "#f1f3f5", ControlFlowRegion: "#f3f0ff", LoopRegion: "#e5dbff", ConditionalBlock: "#fff3bf", Branch: "#fff9db", SDFGState: "#e7f5ff",
    Map: "#ebfbee", Consume: "#ebfbee", NestedSDFG: "#fff0f6", AccessNode: "#ffffff", Tasklet: "#ffe8cc", LibraryNode: "#d0ebff" };
const items = [];
const byPath = new Map(), byNumbers = new Map();
let root, selected, hits = [], hit = -1, view = { x: 0, y: 0, k: 1 };
const $ = id => document.getElementById(id);
const escaped = text => String(text).replace(/[&<>"]/g, c => "&#" + c.charCodeAt(0) + ";");

// ---- from the graph to items ----

function add(parent, kind, label, raw) {
    const item = { id: items.length, parent, kind, label: label || "", raw, children: [], edges: [], open: false, remarks: [], times: [] };
    items.push(item);
    if (parent)
        parent.children.push(item);
    return item;
}

// Symbols have a $ before them in files, or their type around them.
const plain = text => String(text).replace(/\bsymbol\(([^,()]+), [^()]*\)/g, "$1").replace(/\$(?=[A-Za-z_])/g, "");

// Python's exclusive end of an inclusive one.
function beyond(end) {
    if (/^-?\d+$/.test(end))
        return Number(end) + 1;
    const m = end.match(/^-(\d+) \+ (.+)$/), one = end.match(/^(.+) - 1$/);
    return m ? (m[1] === "1" ? "" : `-${m[1] - 1} + `) + m[2] : one ? one[1] : end + " + 1";
}

function range(r) {
    const [start, end, step] = [r.start, r.end, r.step || "1"].map(plain);
    return start === end ? start : `${start}:${beyond(end)}${step === "1" ? "" : ":" + step}`;
}

function subset(s) {
    if (!s)
        return "";
    return s.type === "Indices" ? `[${s.indices.map(plain).join(", ")}]` : `[${(s.ranges || []).map(range).join(", ")}]`;
}

function memlet(e) {
    const m = e.attributes && e.attributes.data && e.attributes.data.attributes;
    if (!m || !m.data)
        return "";
    const part = m.subset || m.src_subset || m.dst_subset;
    return m.data + subset(part) + (m.wcr ? ` (${m.wcr})` : "");
}

function transition(e) {
    const a = (e.attributes && e.attributes.data && e.attributes.data.attributes) || {};
    const condition = a.condition && (a.condition.string_data || a.condition);
    const sets = Object.entries(a.assignments || {}).map(([name, value]) => `${name} = ${value}`);
    return plain([condition && condition !== "1" && condition !== "True" ? "if " + condition : "", ...sets].filter(Boolean).join("\n"));
}

const code = c => typeof c === "string" ? c : c ? c.string_data || "" : "";

// Paths are those of messages and remarks, positions alone: "0/4".
function place(item, path, region, state, node) {
    item.path = path;
    byPath.set(path, item);
    byNumbers.set(`${region},${state},${node}`, item);
}

function readRegion(item, json, path) {
    const region = json.cfg_list_id, here = new Map();
    byNumbers.set(`${region},-1,-1`, item);
    if (json.type === "SDFG")
        item.arrays = json.attributes._arrays;
    (json.nodes || []).forEach((block, i) => {
        const child = add(item, block.type, block.label, block);
        here.set(Number(block.id), child);
        place(child, path + i, region, Number(block.id), -1);
        if (block.type === "ConditionalBlock")
            block.branches.forEach(([condition, inner], k) => {
                const branch = add(child, "Branch", condition ? "if " + code(condition) : "else", inner);
                place(branch, `${child.path}/${k}`, region, -1, -1);
                readRegion(branch, inner, branch.path + "/");
                if (k)
                    child.edges.push({ from: child.children[k - 1], to: branch, text: "" });
            });
        else if (block.type === "SDFGState")
            readState(child, block, region);
        else {
            const a = block.attributes || {};
            if (block.type === "LoopRegion")
                child.label += ": " + [code(a.init_statement), code(a.loop_condition), code(a.update_statement)].filter(Boolean).join("; ");
            readRegion(child, block, child.path + "/");
        }
    });
    (json.edges || []).forEach(e =>
        item.edges.push({ from: here.get(Number(e.src)), to: here.get(Number(e.dst)), text: transition(e), raw: e }));
}

function readState(state, json, region) {
    const number = Number(json.id), here = new Map(), scopes = new Map(); // scopes: item by the id of the entry
    const parentOf = n => n.scope_entry === null || n.scope_entry === undefined ? state : scopes.get(Number(n.scope_entry));
    const entry = n => /^(Map|Consume)Entry$/.test(n.type), exit = n => /^(Map|Consume)Exit$/.test(n.type);
    const make = (n, i) => {
        if (here.has(Number(n.id)))
            return;
        if (!exit(n) && n.scope_entry !== null && n.scope_entry !== undefined && !scopes.has(Number(n.scope_entry)))
            make(...byId.get(Number(n.scope_entry)));
        let parent = parentOf(n);
        if (entry(n)) {
            const scope = add(parent, n.type.replace("Entry", ""), n.label, n);
            scopes.set(Number(n.id), scope);
            place(scope, `${state.path}/${i}`, region, number, Number(n.id));
            parent = scope;
        }
        const label = exit(n) ? "exit" : entry(n) ? "entry" : n.label;
        const item = add(parent, n.type, label, n);
        here.set(Number(n.id), item);
        if (!entry(n))
            place(item, `${state.path}/${i}`, region, number, Number(n.id));
        if (n.type === "NestedSDFG" && n.attributes.sdfg)
            readRegion(item, n.attributes.sdfg, item.path + "/");
    };
    const byId = new Map((json.nodes || []).map((n, i) => [Number(n.id), [n, i]]));
    (json.nodes || []).forEach(make);
    (json.edges || []).forEach(e => {
        let from = here.get(Number(e.src)), to = here.get(Number(e.dst));
        // Seen from outside, entry and exit are their scope.
        if (/Exit$/.test(from.kind) && from.parent !== to.parent)
            from = from.parent;
        if (/Entry$/.test(to.kind) && from.parent !== to.parent)
            to = to.parent;
        if (from.parent === to.parent)
            from.parent.edges.push({ from, to, text: memlet(e), raw: e });
        else // of a scope inside: its exit, seen from this one
            for (let a = from; a; a = a.parent)
                if (a.parent === to.parent) {
                    to.parent.edges.push({ from: a, to, text: memlet(e), raw: e });
                    break;
                }
    });
}

// The deepest element that "state[0] "a"/map[4] "b", ..." names.
function elementOf(path) {
    const numbers = [];
    for (let m; (m = path.match(/^\/?([a-z]+)(?:\[(\d+)\])?(?: "(?:[^"\\]|\\.)*")?/)) && m[0]; path = path.slice(m[0].length))
        if (m[2] !== undefined && m[1] !== "edge")
            numbers.push(m[2]);
    while (numbers.length && !byPath.has(numbers.join("/")))
        numbers.pop();
    return byPath.get(numbers.join("/")) || root;
}

// Lines of the loop tree and where they come from: comments name the element of what follows. The end of a block belongs to its begin.
function readTree(text) {
    const lines = [], begins = [];
    let item = root;
    for (const line of text.replace(/\n$/, "").split("\n")) {
        const comment = line.match(/^\s*\/\/ (.*)$/);
        if (comment) {
            item = comment[1] === "-" ? root : elementOf(comment[1]);
            continue;
        }
        const of = /^\s*}/.test(line) && begins.length ? begins.pop() : item;
        if (/{$/.test(line))
            begins.push(of);
        lines.push({ text: line, item: of });
    }
    return lines;
}

function readRemarks(text) {
    return text.split("\n").filter(Boolean).map(line => {
        const [, kind, topic, rest] = line.match(/^(\S+)\s+(\S+)\s+(.*)$/) || [, "", "", line];
        const item = elementOf(rest);
        const remark = { kind, topic, text: rest, item };
        item.remarks.push(remark);
        return remark;
    });
}

function readReport(report) {
    items.forEach(i => i.times = []);
    for (const e of (report && report.traceEvents) || []) {
        const a = e.args || {}, none = v => v === undefined ? -1 : v;
        const item = byNumbers.get(`${none(a.cfg_id ?? a.sdfg_id)},${none(a.state_id)},${none(a.id)}`);
        if (item && e.dur !== undefined)
            item.times.push(e.dur);
    }
}

const middle = times => [...times].sort((a, b) => a - b)[times.length >> 1];
const duration = us => us >= 1e6 ? (us / 1e6).toPrecision(3) + " s" : us >= 1e3 ? (us / 1e3).toPrecision(3) + " ms" : us.toPrecision(3) + " us";

// ---- layout ----

// Edges between the same two items are one line.
const edgeLabel = edges => short(edges.map(e => e.text).filter(Boolean).join(", ").replace(/\n/g, "; "), 36);
const short = (text, n) => text.length > n ? text.slice(0, n - 1) + "…" : text;

function size(item) {
    const text = short(item.label || item.kind, 48);
    item.w = Math.max(44, 7.8 * text.length + 30);
    item.h = 28;
}

function layout(item) {
    if (!item.open || !item.children.length) {
        size(item);
        return;
    }
    item.children.forEach(c => { if (c.dirty !== false) layout(c); c.dirty = false; });
    const paths = new Map();
    let w = 0, h = 0;
    if (item.children.length > MOST) {
        let x = 0, y = 0, row = 0;
        for (const c of item.children) {
            if (x > 6000)
                [x, y, row] = [0, y + row + 20, 0];
            [c.x, c.y] = [x, y];
            x += c.w + 20;
            row = Math.max(row, c.h);
            w = Math.max(w, x);
        }
        h = y + row;
    } else {
        const g = new dagre.graphlib.Graph().setGraph({ nodesep: 16, ranksep: 30, marginx: 0, marginy: 0 });
        item.children.forEach(c => g.setNode(c.id, { width: c.w, height: c.h }));
        const texts = new Map();
        for (const e of item.edges)
            if (e.from !== e.to)
                texts.set(e.from.id + "," + e.to.id, [...(texts.get(e.from.id + "," + e.to.id) || []), e]);
        for (const edges of texts.values()) // room for labels, where that does not take the layout too long
            g.setEdge(edges[0].from.id, edges[0].to.id, texts.size > 150 ? {} :
                { width: 6 * edgeLabel(edges).length + 6, height: edgeLabel(edges) ? 14 : 0, labelpos: "r" });
        dagre.layout(g);
        for (const c of item.children) {
            const n = g.node(c.id);
            [c.x, c.y] = [n.x - c.w / 2, n.y - c.h / 2];
        }
        g.edges().forEach(e => paths.set(e.v + "," + e.w, g.edge(e)));
        w = g.graph().width;
        h = g.graph().height;
    }
    item.paths = paths;
    const title = 7.8 * short(item.label || item.kind, 80).length + 40;
    item.w = Math.max(w + 2 * PAD, title);
    item.h = h + TITLE + 2 * PAD;
    item.inset = (item.w - w) / 2;
}

// An item has changed: it and all around it are laid out again.
function touch(item) {
    for (let a = item; a; a = a.parent)
        a.dirty = true;
}

// ---- drawing ----

function shape(item, w, h) {
    const fill = COLOURS[item.kind] || "#e9ecef";
    const kind = item.kind;
    if (kind === "AccessNode")
        return `<ellipse class="box" cx="${w / 2}" cy="${h / 2}" rx="${w / 2}" ry="${h / 2}" fill="${fill}"/>`;
    const slant = Math.min(10, h / 3);
    const points = kind === "Tasklet" ? [[slant, 0], [w - slant, 0], [w, slant], [w, h - slant], [w - slant, h], [slant, h], [0, h - slant], [0, slant]] :
        /Entry$/.test(kind) ? [[slant, 0], [w - slant, 0], [w, h], [0, h]] : /Exit$/.test(kind) ? [[0, 0], [w, 0], [w - slant, h], [slant, h]] :
        kind === "LibraryNode" ? [[0, 0], [w - slant, 0], [w, slant], [w, h], [0, h]] : null;
    if (points)
        return `<polygon class="box" points="${points.map(p => p.join()).join(" ")}" fill="${fill}"/>`;
    return `<rect class="box" width="${w}" height="${h}" rx="4" fill="${fill}"/>`;
}

function draw(item, out) {
    const open = item.open && item.children.length;
    const classes = [item === selected ? "on" : "", hits.includes(item) ? "hit" : ""].join(" ");
    out.push(`<g class="item ${classes}" data-id="${item.id}" transform="translate(${item.x || 0},${item.y || 0})">`);
    out.push(shape(open ? { kind: item.kind === "NestedSDFG" || item.children.length ? item.kind : "" } : item, item.w, item.h));
    const sign = item.children.length ? open ? "▾ " : "▸ " : "";
    const text = escaped(sign + short(item.label || item.kind, open ? 80 : 48));
    out.push(open ? `<text x="8" y="15">${text}</text>` : `<text x="${item.w / 2}" y="${item.h / 2 + 4}" text-anchor="middle">${text}</text>`);
    if (item.times.length)
        out.push(`<text class="badge" x="${item.w}" y="-3" text-anchor="end">${duration(middle(item.times))}</text>`);
    if (open) {
        out.push(`<g transform="translate(${item.inset},${TITLE + PAD})">`);
        const lines = new Map();
        for (const e of item.edges) {
            const line = item.paths.get(e.from.id + "," + e.to.id);
            if (line)
                lines.set(line, [...(lines.get(line) || []), e]);
        }
        for (const [line, edges] of lines) {
            out.push(`<path class="edge" d="M${line.points.map(p => p.x.toFixed(1) + "," + p.y.toFixed(1)).join("L")}"/>`);
            const text = edgeLabel(edges), p = line.x === undefined ? line.points[line.points.length >> 1] : { x: line.x - line.width / 2, y: line.y };
            if (text)
                out.push(`<text class="label" x="${p.x + 4}" y="${p.y + 4}">${escaped(text)}</text>`);
        }
        item.children.forEach(c => draw(c, out));
        out.push("</g>");
    }
    out.push("</g>");
}

function show() {
    if (root.dirty !== false)
        layout(root);
    root.dirty = false;
    const out = ['<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0,0L8,4L0,8z" fill="#8a929b"/></marker></defs>'];
    draw(root, out);
    $("world").innerHTML = out.join("");
    move();
}

function move() {
    $("world").setAttribute("transform", `translate(${view.x},${view.y}) scale(${view.k})`);
}

function fit() {
    const r = $("graph").getBoundingClientRect();
    view.k = Math.min(1.5, (r.width - 20) / root.w, (r.height - 20) / root.h);
    // The whole of a long program is too small to read: then its beginning.
    view.k = Math.max(view.k, Math.min(0.35, (r.width - 20) / root.w));
    view.x = Math.max(10, (r.width - root.w * view.k) / 2);
    view.y = Math.max(10, (r.height - root.h * view.k) / 2);
    move();
}

function zoom(by, x, y) {
    const k = Math.min(8, Math.max(0.02, view.k * by));
    view.x = x - (x - view.x) * k / view.k;
    view.y = y - (y - view.y) * k / view.k;
    view.k = k;
    move();
}

// Where an item lies in the drawing.
function position(item) {
    let [x, y] = [item.x || 0, item.y || 0];
    for (let a = item.parent; a; a = a.parent)
        [x, y] = [x + (a.x || 0) + a.inset, y + (a.y || 0) + TITLE + PAD];
    return [x, y];
}

function center(item) {
    const r = $("graph").getBoundingClientRect(), [x, y] = position(item);
    view.k = Math.max(view.k, 0.6);
    view.x = r.width / 2 - (x + item.w / 2) * view.k;
    view.y = r.height / 2 - (y + Math.min(item.h, 200) / 2) * view.k;
    move();
}

// Opens or closes; the item stays where it is on the screen.
function toggle(item) {
    if (!item.children.length)
        return;
    const before = position(item);
    item.open = !item.open;
    touch(item);
    show();
    const after = position(item);
    view.x += (before[0] - after[0]) * view.k;
    view.y += (before[1] - after[1]) * view.k;
    move();
}

function go(item, here) {
    for (let a = item.parent; a; a = a.parent)
        if (!a.open) {
            a.open = true;
            touch(a);
        }
    choose(item, here);
    show();
    center(item);
}

// ---- the panel ----

function tab(name) {
    document.querySelectorAll("nav button").forEach(b => b.classList.toggle("on", b.dataset.tab === name));
    document.querySelectorAll("section").forEach(s => s.classList.toggle("on", s.id === name));
}

function source(raw) {
    const d = raw && raw.attributes && raw.attributes.debuginfo;
    if (!d || !d.start_line)
        return "";
    const file = d.filename || (root.raw.source_files || [])[d.file_index];
    return file ? `${file}:${d.start_line}` : `line ${d.start_line}`;
}

// The lines of the loop tree that come from the element or from what is inside it.
function linesOf(item) {
    const inside = i => { for (; i; i = i.parent) if (i === item) return true; return false; };
    return item === root ? [] : [...document.querySelectorAll("#tree .line[data-item]")].filter(l => inside(items[l.dataset.item]));
}

function showLines() {
    tab("tree");
    const first = document.querySelector("#tree .line.on");
    if (first)
        first.scrollIntoView({ block: "center" });
}

// `here`: the panel stays as it is.
function choose(item, here) {
    selected = item;
    document.querySelectorAll("#tree .line.on").forEach(l => l.classList.remove("on"));
    const lines = linesOf(item);
    lines.forEach(l => l.classList.add("on"));
    const rows = [["kind", item.kind], ["element", elementPath(item)]], raw = item.raw || {}, a = raw.attributes || {};
    if (source(raw))
        rows.push(["source", source(raw)]);
    if (item.times.length)
        rows.push(["time", `${duration(middle(item.times))} (middle of ${item.times.length})`]);
    for (const [key, value] of Object.entries(a))
        if (!["sdfg", "_arrays", "debuginfo", "code", "guid"].includes(key) && value !== null && value !== "" && JSON.stringify(value) !== "{}")
            rows.push([key, value.type === "Range" ? subset(value) : typeof value === "object" ? short(JSON.stringify(value), 400) : value]);
    let arrays;
    for (let i = item; i && !arrays; i = i.parent)
        arrays = i.arrays;
    const data = item.kind === "AccessNode" && arrays && arrays[a.data];
    if (data)
        rows.push(["container", `${data.type} ${data.attributes.dtype}[${plain((data.attributes.shape || []).join(", "))}]` +
                   (data.attributes.transient ? ", transient" : "")]);
    if (lines.length)
        rows.push(["loop tree", `${lines.length} line${lines.length > 1 ? "s" : ""} (t)`]);
    const edges = item.parent ? item.parent.edges.filter(e => (e.from === item || e.to === item) && e.text) : [];
    $("details").innerHTML = `<h3>${escaped(item.label || item.kind)}</h3><table>` +
        rows.map(([k, v]) => `<tr><td>${escaped(k)}</td><td>${escaped(v)}</td></tr>`).join("") + "</table>" +
        (code(a.code) ? `<h4>Code</h4><pre>${escaped(code(a.code))}</pre>` : "") +
        (edges.length ? "<h4>Edges</h4>" + edges.map(e => `<div>${e.to === item ? "→ " : "← "}${escaped(e.text)}</div>`).join("") : "") +
        (item.remarks.length ? "<h4>Remarks</h4>" + item.remarks.map(remarkLine).join("") : "");
    if (!here)
        tab("details");
}

function elementPath(item) {
    const names = [];
    for (let a = item; a.parent; a = a.parent)
        if (!/^(Map|Consume)(Entry|Exit)$/.test(a.kind))
            names.unshift(`${a.kind} "${a.label}"`);
    return names.join(" / ") || root.label;
}

const remarkLine = r => `<div class="remark ${escaped(r.kind)}" data-item="${r.item.id}"><b>${escaped(r.topic)}</b> ${escaped(r.text)}</div>`;

// ---- search ----

function search(text) {
    const wanted = text.trim().toLowerCase();
    hits = wanted ? items.filter(i => i !== root && !/(Entry|Exit)$/.test(i.kind) &&
        (i.label.toLowerCase().includes(wanted) || i.kind.toLowerCase() === wanted || code((i.raw.attributes || {}).code).toLowerCase().includes(wanted))) : [];
    hit = -1;
    $("found").textContent = wanted ? `${hits.length} found` : "";
    show();
}

function next(step) {
    if (!hits.length)
        return;
    hit = (hit + step + hits.length) % hits.length;
    $("found").textContent = `${hit + 1} of ${hits.length}`;
    go(hits[hit]);
}

// ---- events ----

function itemAt(target) {
    const g = target.closest && target.closest("g.item");
    return g ? items[g.dataset.id] : null;
}

function expandLevel() {
    const closed = items.filter(i => !i.open && i.children.length && (!i.parent || visible(i)));
    closed.forEach(i => { i.open = true; touch(i); });
    show();
}

function visible(item) {
    for (let a = item.parent; a; a = a.parent)
        if (!a.open)
            return false;
    return true;
}

function collapseAll() {
    items.forEach(i => { if (i.open && i !== root) { i.open = false; touch(i); } });
    show();
    fit();
}

function key(e) {
    if (e.target === $("search")) {
        if (e.key === "Enter")
            next(e.shiftKey ? -1 : 1);
        if (e.key === "Escape")
            $("graph").focus();
        return;
    }
    const r = $("graph").getBoundingClientRect(), x = r.width / 2, y = r.height / 2, step = 60;
    const actions = {
        "/": () => $("search").focus(), "f": fit, "c": collapseAll, "e": expandLevel, "n": () => next(1), "p": () => next(-1),
        "t": () => $("tree").classList.contains("on") ? tab("details") : showLines(),
        "+": () => zoom(1.25, x, y), "=": () => zoom(1.25, x, y), "-": () => zoom(0.8, x, y), "Enter": () => e.target.closest(".line") ? go(items[e.target.dataset.item], true) : selected && toggle(selected),
        "ArrowLeft": () => { view.x += step; move(); }, "ArrowRight": () => { view.x -= step; move(); },
        "ArrowUp": () => { view.y += step; move(); }, "ArrowDown": () => { view.y -= step; move(); },
    };
    if (actions[e.key] && !e.ctrlKey && !e.metaKey && !e.altKey) {
        e.preventDefault();
        actions[e.key]();
    }
}

function listen() {
    const graph = $("graph");
    let drag = null;
    graph.addEventListener("pointerdown", e => { drag = { x: e.clientX, y: e.clientY, vx: view.x, vy: view.y, moved: false }; });
    window.addEventListener("pointermove", e => {
        if (!drag || !e.buttons)
            return;
        drag.moved = drag.moved || Math.abs(e.clientX - drag.x) + Math.abs(e.clientY - drag.y) > 4;
        if (drag.moved) {
            view.x = drag.vx + e.clientX - drag.x;
            view.y = drag.vy + e.clientY - drag.y;
            move();
        }
    });
    graph.addEventListener("click", e => {
        const item = itemAt(e.target);
        if (item && !(drag && drag.moved)) {
            choose(item);
            document.querySelectorAll("g.on").forEach(g => g.classList.remove("on"));
            e.target.closest("g.item").classList.add("on");
        }
        drag = null;
    });
    graph.addEventListener("dblclick", e => { const item = itemAt(e.target); if (item) toggle(item); });
    graph.addEventListener("wheel", e => {
        e.preventDefault();
        const r = graph.getBoundingClientRect();
        zoom(Math.exp(-e.deltaY / 500), e.clientX - r.left, e.clientY - r.top);
    }, { passive: false });
    document.addEventListener("keydown", key);
    $("search").addEventListener("input", e => search(e.target.value));
    $("fit").onclick = fit;
    $("collapse").onclick = collapseAll;
    $("expand").onclick = expandLevel;
    $("report").onchange = async e => { readReport(JSON.parse(await e.target.files[0].text())); show(); };
    document.querySelectorAll("nav button").forEach(b => b.onclick = () => b.dataset.tab === "tree" ? showLines() : tab(b.dataset.tab));
    document.querySelector("aside").addEventListener("click", e => {
        const r = e.target.closest(".remark"), line = e.target.closest(".line[data-item]");
        if (r || line)
            go(items[(r || line).dataset.item], !!line);
    });
}

// Python's JSON has NaN and Infinity, too.
function parse(text) {
    try {
        return JSON.parse(text);
    } catch {
        return JSON.parse(text.replace(/("(?:[^"\\]|\\.)*")|-?\b(?:NaN|Infinity)\b/g, (word, string) => string || `"${word}"`));
    }
}

async function start() {
    const bytes = Uint8Array.from(atob($("data").textContent), c => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    const data = parse(await new Response(stream).text());
    root = add(null, "SDFG", data.name, data.sdfg);
    root.open = true;
    readRegion(root, data.sdfg, "");
    const remarks = readRemarks(data.remarks);
    readReport(data.report);
    document.title = $("name").textContent = data.name;
    document.querySelector("#tree pre").innerHTML = readTree(data.tree).map(l => l.item === root ? `<span class="line">${escaped(l.text)}</span>` :
        `<span class="line" tabindex="0" data-item="${l.item.id}">${escaped(l.text)}</span>`).join("\n");
    $("remarks").innerHTML = remarks.map(remarkLine).join("") || "none";
    listen();
    choose(root);
    show();
    fit();
    document.body.dataset.ready = items.length;
}

start();
