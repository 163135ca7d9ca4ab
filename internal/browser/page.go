package browser

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A Page is a tab of its own, with cookies of its own. A method that fails ends the test.
type Page struct {
	tb      testing.TB
	pipe    *pipe
	session string

	mu       sync.Mutex
	problems []string
	loads    int // load events
}

// Options describe a tab.
type Options struct {
	Width, Height int // in CSS pixels; 0 means 1280 × 900
	NoScript      bool
	Dark          bool // the person prefers dark colours
}

// Open opens an empty tab.
func (b *Browser) Open(tb testing.TB, o Options) *Page {
	tb.Helper()
	p := &Page{tb: tb, pipe: b.pipe}
	var created struct{ BrowserContextID, TargetID, SessionID string }
	p.must(b.pipe.command("", "Target.createBrowserContext", nil, &created))
	p.must(b.pipe.command("", "Target.createTarget", map[string]any{"url": "about:blank", "browserContextId": created.BrowserContextID}, &created))
	p.must(b.pipe.command("", "Target.attachToTarget", map[string]any{"targetId": created.TargetID, "flatten": true}, &created))
	p.session = created.SessionID
	b.pipe.listen(p.session, p.event)
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		p.send(domain+".enable", nil, nil)
	}
	p.send("Emulation.setScriptExecutionDisabled", map[string]any{"value": o.NoScript}, nil)
	if o.Dark {
		p.send("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": "dark"}}}, nil)
	}
	if o.Width == 0 {
		o.Width, o.Height = 1280, 900
	}
	p.Resize(o.Width, o.Height)
	tb.Cleanup(func() {
		_ = b.pipe.command("", "Target.closeTarget", map[string]any{"targetId": created.TargetID}, nil)
	})
	return p
}

func (p *Page) must(err error) {
	p.tb.Helper()
	if err != nil {
		p.tb.Fatalf("browser: %v", err)
	}
}

func (p *Page) send(method string, params map[string]any, result any) {
	p.tb.Helper()
	p.must(p.pipe.command(p.session, method, params, result))
}

// event notes the messages of the console, and the moment when a document is loaded.
func (p *Page) event(m message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch m.Method {
	case "Page.loadEventFired":
		p.loads++
	case "Log.entryAdded":
		var e struct {
			Entry struct{ Source, Level, Text, URL string }
		}
		_ = json.Unmarshal(m.Params, &e)
		p.problems = append(p.problems, fmt.Sprintf("%s %s: %s (%s)", e.Entry.Source, e.Entry.Level, e.Entry.Text, e.Entry.URL))
	case "Runtime.consoleAPICalled":
		p.problems = append(p.problems, "console: "+string(m.Params))
	case "Runtime.exceptionThrown":
		p.problems = append(p.problems, "exception: "+string(m.Params))
	case "Network.loadingFailed":
		var e struct {
			Type, ErrorText, BlockedReason string
			Canceled                       bool
		}
		_ = json.Unmarshal(m.Params, &e)
		if !e.Canceled || e.BlockedReason != "" {
			p.problems = append(p.problems, fmt.Sprintf("%s not loaded: %s %s", e.Type, e.ErrorText, e.BlockedReason))
		}
	}
}

// Problems returns the messages of the console, the exceptions, and the requests that were
// blocked or failed, since the tab was opened or Problems was called.
func (p *Page) Problems() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	problems := p.problems
	p.problems = nil
	return problems
}

// Resize sets the size of the viewport in CSS pixels.
func (p *Page) Resize(width, height int) {
	p.tb.Helper()
	p.send("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
}

// Go opens an address and waits for the load event: the document and its parts are there.
func (p *Page) Go(address string) {
	p.tb.Helper()
	before := p.loaded()
	var result struct{ ErrorText string }
	p.send("Page.navigate", map[string]any{"url": address}, &result)
	if result.ErrorText != "" {
		p.tb.Fatalf("browser: open %s: %s", address, result.ErrorText)
	}
	p.waitForLoad(before)
}

// Reload loads the document anew.
func (p *Page) Reload() {
	p.tb.Helper()
	before := p.loaded()
	p.send("Page.reload", nil, nil)
	p.waitForLoad(before)
}

// Follow calls act, which leads to another document, and waits until that is loaded.
func (p *Page) Follow(act func()) {
	p.tb.Helper()
	before := p.loaded()
	act()
	p.waitForLoad(before)
}

func (p *Page) loaded() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.loads
}

func (p *Page) waitForLoad(before int) {
	p.tb.Helper()
	p.eventually("a document is loaded", func() bool { return p.loaded() > before })
}

// Eval evaluates JavaScript in the page, waits for a promise that it returns, and decodes the
// value into result, which may be nil. It works also where the page's own scripts may not
// run.
func (p *Page) Eval(script string, result any) {
	p.tb.Helper()
	var reply struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	p.send("Runtime.evaluate", map[string]any{"expression": script, "awaitPromise": true, "returnByValue": true}, &reply)
	if e := reply.ExceptionDetails; e != nil {
		p.tb.Fatalf("browser: %s %s\nin %.300s", e.Text, e.Exception.Description, script)
	}
	if result != nil {
		if err := json.Unmarshal(reply.Result.Value, result); err != nil {
			p.tb.Fatalf("browser: the value of %.300s: %v", script, err)
		}
	}
}

// Text returns the text that a person sees of the first element that a selector finds, or ""
// without one.
func (p *Page) Text(selector string) string {
	p.tb.Helper()
	var text string
	p.Eval(fmt.Sprintf("(document.querySelector(%s)?.innerText ?? '')", quote(selector)), &text)
	return text
}

// Await waits until a condition in JavaScript holds.
func (p *Page) Await(condition string) {
	p.tb.Helper()
	p.eventually(condition, func() bool {
		var holds bool
		p.Eval("Boolean("+condition+")", &holds)
		return holds
	})
}

// AwaitText waits until the page shows a text.
func (p *Page) AwaitText(text string) {
	p.tb.Helper()
	p.Await("document.body && document.body.innerText.includes(" + quote(text) + ")")
}

func (p *Page) eventually(what string, holds func() bool) {
	p.tb.Helper()
	tick, over := time.NewTicker(20*time.Millisecond), time.After(limit)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-over:
			p.tb.Fatalf("browser: in %v it has not become true that %s; the page shows:\n%.3000s", limit, what, p.Text("body"))
		}
	}
}

// Click clicks the middle of the first element that a selector finds.
func (p *Page) Click(selector string) {
	p.tb.Helper()
	var at struct{ X, Y float64 }
	p.Eval(fmt.Sprintf(`(() => {
		const e = document.querySelector(%s);
		e.scrollIntoView({block: "center"});
		const r = e.getBoundingClientRect();
		return {x: r.x + r.width / 2, y: r.y + r.height / 2};
	})()`, quote(selector)), &at)
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		p.send("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at.X, "y": at.Y, "button": "left", "clickCount": 1}, nil)
	}
}

// Press presses a key: Tab, Enter, Space, Escape, ArrowDown or ArrowUp, perhaps with Shift+
// before it.
func (p *Page) Press(name string) {
	p.tb.Helper()
	key, shifted := strings.CutPrefix(name, "Shift+")
	codes := map[string]int{"Tab": 9, "Enter": 13, "Space": 32, "Escape": 27, "ArrowDown": 40, "ArrowUp": 38}
	code, ok := codes[key]
	if !ok {
		p.tb.Fatalf("browser: the key %q is not known", name)
	}
	params := map[string]any{"key": key, "code": key, "windowsVirtualKeyCode": code, "nativeVirtualKeyCode": code, "modifiers": 0}
	if shifted {
		params["modifiers"] = 8
	}
	switch key {
	case "Enter":
		params["text"] = "\r"
	case "Space":
		params["key"], params["text"] = " ", " "
	}
	for _, kind := range []string{"keyDown", "keyUp"} {
		params["type"] = kind
		if kind == "keyUp" {
			delete(params, "text")
		}
		p.send("Input.dispatchKeyEvent", params, nil)
	}
}

// Type types a text into the element that has the focus.
func (p *Page) Type(text string) {
	p.tb.Helper()
	p.send("Input.insertText", map[string]any{"text": text}, nil)
}

// Screenshot returns the viewport as PNG.
func (p *Page) Screenshot() []byte {
	p.tb.Helper()
	var result struct{ Data string }
	p.send("Page.captureScreenshot", map[string]any{"format": "png", "optimizeForSpeed": false}, &result)
	png, err := base64.StdEncoding.DecodeString(result.Data)
	p.must(err)
	return png
}

// quote returns text as a JavaScript string.
func quote(text string) string {
	b, _ := json.Marshal(text) // a string always encodes
	return string(slices.Clip(b))
}
