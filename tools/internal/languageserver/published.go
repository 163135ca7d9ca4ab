package languageserver

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"
)

const (
	maxDiagnostics = 200 // of a file
	maxDiagnosed   = 2000
	// quiet is how long to wait for further diagnostics of a server that does not say to which
	// version of a file they belong.
	quiet = 200 * time.Millisecond
)

// published is the diagnostics that a server has published.
type published struct {
	mu      sync.Mutex
	files   map[string]*publication // by path
	changed chan struct{}           // closed at the next publication or the end
	ended   bool
}

// A publication is the diagnostics of one file.
type publication struct {
	version int // of the document; 0 if the server does not tell
	count   int // how often the server has published for the file
	found   []wireDiagnostic
}

type wireDiagnostic struct {
	Range    wireRange       `json:"range"`
	Severity Severity        `json:"severity"`
	Code     json.RawMessage `json:"code"`
	Source   string          `json:"source"`
	Message  string          `json:"message"`
}

func (p *published) init() {
	p.files, p.changed = map[string]*publication{}, make(chan struct{})
}

// receive takes the parameters of textDocument/publishDiagnostics.
func (p *published) receive(_ *connection, params json.RawMessage) {
	var note struct {
		URI         string           `json:"uri"`
		Version     int              `json:"version"`
		Diagnostics []wireDiagnostic `json:"diagnostics"`
	}
	if json.Unmarshal(params, &note) != nil {
		return
	}
	path := pathOf(note.URI)
	p.mu.Lock()
	defer p.mu.Unlock()
	old, known := p.files[path]
	if path == "" || !known && len(p.files) >= maxDiagnosed {
		return
	}
	if !known {
		old = new(publication)
		p.files[path] = old
	}
	old.version = note.Version
	old.count++
	old.found = slices.Clone(note.Diagnostics[:min(len(note.Diagnostics), maxDiagnostics)])
	for i := range old.found { // a message may have 64 MiB
		d := &old.found[i]
		d.Source, d.Message = shorten(d.Source, maxTitle), shorten(d.Message, maxStderr)
		if len(d.Code) > maxStderr {
			d.Code = nil
		}
	}
	close(p.changed)
	p.changed = make(chan struct{})
}

// forget drops the diagnostics of a file.
func (p *published) forget(path string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.files, path)
}

// close ends every wait.
func (p *published) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		p.ended = true
		close(p.changed)
	}
}

// count returns how often the server has published for a file.
func (p *published) count(path string) int {
	found, _, _ := p.look(path)
	return found.count
}

func (p *published) look(path string) (found publication, changed <-chan struct{}, ended bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if known := p.files[path]; known != nil {
		found = *known
	}
	return found, p.changed, p.ended
}

// wait returns the diagnostics of a version of a file. The server had published that often for
// the file before it learned of the version. It reports false if ctx ends first, or the
// server does, and returns the known ones.
func (p *published) wait(ctx context.Context, path string, version, before int) ([]wireDiagnostic, bool) {
	for {
		found, changed, ended := p.look(path)
		if found.version >= version {
			return found.found, true
		}
		var still <-chan time.Time
		if found.version == 0 && found.count > before {
			still = time.After(quiet)
		}
		if ended {
			return found.found, false
		}
		select {
		case <-changed:
		case <-still:
			return found.found, true
		case <-ctx.Done():
			return found.found, false
		}
	}
}

// diagnostics converts diagnostics of a text.
func diagnostics(found []wireDiagnostic, e encoding, text string) []Diagnostic {
	lines := &textLines{text: text}
	all := make([]Diagnostic, len(found))
	for i, d := range found {
		var code any
		_ = json.Unmarshal(d.Code, &code) // absent is nil
		all[i] = Diagnostic{
			Range: d.Range.in(lines, e), Severity: cmp.Or(d.Severity, Error), Source: d.Source, Message: d.Message,
		}
		switch code := code.(type) {
		case string:
			all[i].Code = shorten(code, maxTitle)
		case float64:
			all[i].Code = string(d.Code)
		}
	}
	return all
}

// A Severity says how bad a diagnostic is.
type Severity int

// Severities of the protocol. A server that names none means an error.
const (
	Error Severity = 1 + iota
	Warning
	Information
	Hint
)

// A Diagnostic is a problem that a server has found in a file.
type Diagnostic struct {
	Range    Range
	Severity Severity
	Code     string // of the server, or ""
	Source   string // such as the name of a checker, or ""
	Message  string // at most 2,000 bytes
}
