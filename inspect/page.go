package inspect

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

//go:embed page
var files embed.FS

// A Page shows what happens in a session. It is an [http.Handler]. Make it with [New]; a zero
// Page records and shows nothing.
//
// # Concurrency
//
//  1. All methods may be called concurrently.
//  2. Record waits for no browser and no disk, only for a short copy of the page's own list.
//  3. A stream of events to a browser ends after a minute, and the browser asks for
//     the next one: so [http.Server.Shutdown] is not held for longer.
type Page struct {
	o         Options
	guard     *guard
	ring      *ring
	templates *template.Template
	style     []byte
	script    []byte
	routes    map[string]route
	sections  []navItem
	streams   chan struct{} // one value for each stream that may still begin
}

// A route answers the requests of one path.
type route struct {
	method string
	serve  func(w http.ResponseWriter, r *http.Request) error
}

// A navItem is a section in the list of sections.
type navItem struct{ Path, Title string }

// New returns a page. The error says which option is missing or wrong.
func New(o Options) (*Page, error) {
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("inspect: %w", err)
	}
	p := &Page{o: o, guard: newGuard(o.Token, o.Hosts), ring: newRing(cmp.Or(o.Keep, DefaultKeep), o.Contents, o.Session), streams: make(chan struct{}, maxStreams)}
	var err error
	if p.templates, err = template.New("").ParseFS(files, "page/page.html"); err != nil {
		return nil, fmt.Errorf("inspect: %w", err)
	}
	if p.style, err = files.ReadFile("page/style.css"); err != nil {
		return nil, fmt.Errorf("inspect: %w", err)
	}
	if p.script, err = files.ReadFile("page/script.js"); err != nil {
		return nil, fmt.Errorf("inspect: %w", err)
	}
	p.setRoutes()
	return p, nil
}

// setRoutes makes the table of paths. All are in one folder, so that links and redirects can
// be relative.
func (p *Page) setRoutes() {
	p.routes = map[string]route{
		"style.css": {http.MethodGet, asset("text/css; charset=utf-8", p.style)},
		"script.js": {http.MethodGet, asset("text/javascript; charset=utf-8", p.script)},
		"events":    {http.MethodGet, p.serveEvents},
		"rows":      {http.MethodGet, p.serveRows},
		"answer":    {http.MethodPost, p.serveAnswer},
	}
	if p.o.Token != "" {
		p.routes["logout"] = route{http.MethodPost, p.serveLogout}
	}
	section := func(path, title string, body func(*http.Request) (any, error)) {
		p.sections = append(p.sections, navItem{path, title})
		p.routes[path] = route{http.MethodGet, p.show(path, title, body)}
	}
	section("", "Questions", p.questions)
	section("timeline", "Timeline", p.timeline)
	section("pools", "Pools", p.pool)
	if p.o.Token != "" { // whether a tool accepts an input depends on files, and so reveals them
		section("try", "Try", p.try)
		p.routes["decide"] = route{http.MethodPost, p.serveTry}
	}
	section("search", "Search", p.search)
	section("results", "Results", p.results)
	section("rules", "Rules", p.rules)
	for i, s := range p.o.Sections {
		section("section-"+strconv.Itoa(i+1), cmp.Or(line(s.Title), "Section "+strconv.Itoa(i+1)), hostSection(s))
	}
	p.routes["call"] = route{http.MethodGet, p.show("call", "Call", p.call)}
	p.routes["result"] = route{http.MethodGet, p.show("result", "Stored result", p.result)}
}

// Record remembers an event: for [pegboard.Executor].OnEvent, beside the host's own listener. It
// keeps no part of the event that could change.
func (p *Page) Record(e pegboard.Event) {
	if p == nil || p.ring == nil || e.Call == nil {
		return
	}
	p.ring.record(&e)
}

// ServeHTTP implements [http.Handler].
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if p == nil || p.ring == nil {
		http.NotFound(w, r)
		return
	}
	if !p.guard.admits(w, r) {
		return
	}
	if addsSlash(w, r) {
		return
	}
	route, ok := p.routes[pathOf(r)]
	switch {
	case !ok:
		refuse(w, http.StatusNotFound, "There is no such page here.")
		return
	case r.Method != route.method && (r.Method != http.MethodHead || route.method != http.MethodGet):
		w.Header().Set("Allow", route.method)
		refuse(w, http.StatusMethodNotAllowed, "This path takes "+route.method+" only.")
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxPerTry)
	if err := route.serve(w, r); err != nil {
		p.showError(w, r, err)
	}
}

// refuse answers in plain text, which tells nothing of the session.
func refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = fmt.Fprintln(w, text)
}

func asset(mime string, content []byte) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Content-Type", mime)
		_, _ = w.Write(content)
		return nil
	}
}

// A pageError is an error with its status.
type pageError struct {
	status int
	text   string
}

func (e *pageError) Error() string { return e.text }

// A pageView is the data of the template that all pages share.
type pageView struct {
	Title, Path string
	Sections    []navItem
	Open        int    // questions
	Revision    uint64 // of the facts that are shown
	LogOut      bool
	Contents    bool
	Kind        string // of the body: its template
	Body        any
}

// show returns the route of a section.
func (p *Page) show(path, title string, body func(*http.Request) (any, error)) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		revision := p.ring.now() // before the body, so that no change after it is missed
		v, err := body(r)
		if err != nil {
			return err
		}
		return p.write(w, http.StatusOK, "page", p.view(path, title, revision, v))
	}
}

func (p *Page) view(path, title string, revision uint64, body any) pageView {
	kind := cmp.Or(path, "questions")
	if strings.HasPrefix(path, "section-") {
		kind = "section"
	}
	return pageView{
		Title: title, Path: path, Sections: p.sections, Open: len(p.o.Session.Questions()), Revision: revision,
		LogOut: p.o.Token != "", Contents: p.o.Contents, Kind: kind, Body: body,
	}
}

// showError answers with a page that states the error.
func (p *Page) showError(w http.ResponseWriter, _ *http.Request, err error) {
	status := http.StatusInternalServerError
	if known := (*pageError)(nil); errors.As(err, &known) {
		status = known.status
	} else if tooLong := (*http.MaxBytesError)(nil); errors.As(err, &tooLong) {
		status, err = http.StatusRequestEntityTooLarge, fmt.Errorf("the request has more than %d bytes", tooLong.Limit)
	}
	if p.write(w, status, "page", p.view("error", strconv.Itoa(status)+" "+http.StatusText(status), p.ring.now(), line(err.Error()))) != nil {
		refuse(w, http.StatusInternalServerError, "The page cannot be made.")
	}
}

// write executes a template and answers with it. Nothing is sent if that fails.
func (p *Page) write(w http.ResponseWriter, status int, name string, data any) error {
	page, err := p.render(name, data)
	if err == nil {
		send(w, status, page)
	}
	return err
}

// render executes a template.
func (p *Page) render(name string, data any) ([]byte, error) {
	var b bytes.Buffer
	if err := p.templates.ExecuteTemplate(&b, name, data); err != nil {
		return nil, err
	}
	return appendVisible(make([]byte, 0, b.Len()+64), b.Bytes()), nil
}

// send answers with a page.
func send(w http.ResponseWriter, status int, page []byte) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(page) // a browser that has gone away is not told
}

// serveLogout ends the logins of all browsers.
func (p *Page) serveLogout(w http.ResponseWriter, r *http.Request) error {
	p.guard.logOut(w, r)
	refuse(w, http.StatusOK, "Logged out, in all browsers. The address with the token logs in again.")
	return nil
}
