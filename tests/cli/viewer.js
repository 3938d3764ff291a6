// Appended to a page of --emit=html by viewer.py: uses it as a person does, and leaves what is seen in an attribute of the body.
(async () => {
    while (!document.body.dataset.ready)
        await new Promise(r => setTimeout(r, 10));
    const seen = { opened: performance.now() }, labels = () => [...document.querySelectorAll("g.item > text:not(.badge)")].map(t => t.textContent);
    const press = k => (document.activeElement || document.body).dispatchEvent(new KeyboardEvent("keydown", { key: k, bubbles: true, cancelable: true }));
    const box = () => document.getElementById("world").getAttribute("transform");
    document.getElementById("graph").focus();
    seen.title = document.title;
    seen.closed = labels();
    seen.tree = document.querySelector("#tree pre").textContent.split("\n")[0];
    seen.remarks = document.querySelectorAll("#remarks .remark").length;
    const before = box();
    press("+");
    seen.zooms = box() !== before;
    press("f");
    seen.fits = box() === before;
    press("ArrowLeft");
    seen.pans = box() !== before;
    press("f");
    press("e");
    seen.expanded = labels();
    press("c");
    seen.collapsed = labels().length === seen.closed.length;
    press("/");
    seen.focus = document.activeElement.id;
    const search = document.getElementById("search");
    search.value = SEARCHED;
    search.dispatchEvent(new Event("input"));
    press("Enter");
    seen.found = document.getElementById("found").textContent;
    seen.shown = labels();
    seen.details = document.getElementById("details").innerText;
    seen.times = [...document.querySelectorAll("text.badge")].map(t => t.textContent);
    document.querySelector('g.item[data-id="1"]').dispatchEvent(new MouseEvent("dblclick", { bubbles: true }));
    seen.toggled = labels().length !== seen.shown.length;
    // From a line of the loop tree to its element, and from the element to its lines.
    const line = [...document.querySelectorAll("#tree .line[data-item]")].find(l => l.textContent.includes(LINE));
    if (line) {
        const text = line.textContent.trim(), tab = () => document.querySelector("section.on").id;
        line.dispatchEvent(new MouseEvent("click", { bubbles: true }));
        seen.chosen = document.querySelector("g.on > text").textContent;
        document.getElementById("graph").focus();
        const marked = () => [...document.querySelectorAll("#tree .line.on")].map(l => l.textContent.trim());
        press("t");
        seen.lines = { tab: tab(), marked: marked(), there: marked().includes(text) };
        press("t");
        seen.back = tab();
        document.querySelector('g.item[data-id="0"]').dispatchEvent(new MouseEvent("click", { bubbles: true }));
        seen.unmarked = marked().length;
        document.getElementById("graph").focus();
        press("t"); // what is not shown cannot be focused
        line.focus();
        press("Enter");
        seen.entered = document.querySelector("g.on > text").textContent;
    }
    const scopes = [...document.querySelectorAll("g.item")];
    seen.inside = scopes.every(g => { // children lie in their parents
        const outer = g.parentElement.closest("g.item");
        const a = g.querySelector(".box").getBoundingClientRect(), b = outer && outer.querySelector(".box").getBoundingClientRect();
        return !b || (a.left >= b.left - 1 && a.right <= b.right + 1 && a.top >= b.top - 1 && a.bottom <= b.bottom + 1);
    });
    document.body.dataset.seen = JSON.stringify(seen);
})();
