package browser

import (
	"encoding/json"
	"fmt"
	"slices"
)

// describe is a JavaScript function that names an element.
const describe = `const describe = e => e.tagName.toLowerCase() + (e.id && "#" + e.id) + (e.name ? "[name=" + e.name + "]" : "") +
	(e.className && typeof e.className == "string" ? "." + e.className.trim().replace(/\s+/g, ".") : "") + " " + (e.innerText || e.value || "").slice(0, 40);`

// Violations returns the rules of WCAG 2.1 A and AA, and the good practices, that the page
// breaks, as axe-core finds them: labels, roles, contrast and more. The first argument is
// the source of axe-core, the others are the only rules to check, or none for all.
func (p *Page) Violations(axe string, only ...string) []string {
	p.tb.Helper()
	p.Eval(axe+"; 0", nil)
	var found []string
	options := map[string]any{"resultTypes": []string{"violations"}}
	if len(only) > 0 {
		options["runOnly"] = only
	}
	encoded, _ := json.Marshal(options) // strings always encode
	p.Eval(`axe.run(document, `+string(encoded)+`).then(r =>
		r.violations.flatMap(v => v.nodes.map(n => v.id + ": " + v.help + ": " + n.target.join(" ") + ": " + n.html.slice(0, 200) + " " + n.any.map(c => c.message).join("; "))))`, &found)
	return found
}

// Overflowing returns the elements that reach beyond the right edge of the viewport and are
// not inside an element that scrolls or clips, and the document if it is wider than that.
func (p *Page) Overflowing() []string {
	p.tb.Helper()
	var found []string
	p.Eval(`(() => {`+describe+`
		const wide = document.documentElement.clientWidth, found = [];
		if (document.documentElement.scrollWidth > wide) found.push("the document: " + document.documentElement.scrollWidth + " of " + wide);
		const contained = e => { for (e = e.parentElement; e && e != document.body; e = e.parentElement) if (getComputedStyle(e).overflowX != "visible") return true; return false; };
		for (const e of document.body.querySelectorAll("*")) {
			const r = e.getBoundingClientRect();
			if (r.width > 0 && r.right > wide + 1 && !contained(e)) found.push(describe(e) + ": to " + Math.round(r.right) + " of " + wide);
		}
		return found;
	})()`, &found)
	return found
}

// Unreached returns the links, buttons and fields that are visible and do not get the focus
// while a person presses Tab until the focus is back at the beginning. If the page replaces
// some of them meanwhile, it begins anew.
func (p *Page) Unreached() []string {
	p.tb.Helper()
	for range 20 {
		p.tabThrough()
		var result struct {
			Replaced bool
			Found    []string
		}
		p.Eval(`(() => {`+describe+`
			const gone = pegboardControls.some(e => !e.isConnected);
			return {replaced: gone, found: pegboardControls.filter(e => !pegboardReached.has(e)).map(describe)};
		})()`, &result)
		if !result.Replaced {
			return result.Found
		}
	}
	p.tb.Fatal("browser: the page replaces its controls all the time")
	return nil
}

// tabThrough presses Tab until the focus is where it was before.
func (p *Page) tabThrough() {
	p.tb.Helper()
	var controls int
	p.Eval(`(() => {
		document.activeElement?.blur();
		window.scrollTo(0, 0);
		window.pegboardControls = [...document.querySelectorAll("a[href], button, input, select, textarea, summary")]
			.filter(e => !e.disabled && e.type != "hidden" && e.checkVisibility());
		window.pegboardReached = new Set();
		return pegboardControls.length;
	})()`, &controls)
	for range controls + 10 { // areas that scroll may get the focus, too
		p.Press("Tab")
		var again bool
		p.Eval(`(() => {
			const e = document.activeElement;
			const again = pegboardReached.has(e);
			pegboardReached.add(e);
			return again;
		})()`, &again)
		if again {
			return
		}
	}
}

// InvisibleFocus returns the controls that look the same with the focus as without it.
func (p *Page) InvisibleFocus() []string {
	p.tb.Helper()
	var found []string
	p.Eval(fmt.Sprintf(`(() => {%s
		const look = e => { const s = getComputedStyle(e); return [s.outlineStyle, s.outlineWidth, s.outlineColor, s.boxShadow, s.borderColor, s.backgroundColor].join(); };
		return [...document.querySelectorAll("a[href], button, input, select, textarea, summary")].filter(e => !e.disabled && e.type != "hidden" && e.checkVisibility()).filter(e => {
			e.blur();
			const before = look(e);
			e.focus({focusVisible: true});
			const same = look(e) == before;
			e.blur();
			return same;
		}).map(describe);
	})()`, describe), &found)
	return slices.Compact(found)
}
