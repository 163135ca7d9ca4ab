package languageserver

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"
)

const (
	maxProgress = 20  // titles at a time
	maxTitle    = 200 // bytes
)

// progress is the current work of a server, as it reports it.
type progress struct {
	mu       sync.Mutex
	titles   map[string]string // by token
	watchers map[int]func(title string)
	next     int // watcher
}

// receive takes the parameters of $/progress.
func (p *progress) receive(params json.RawMessage) {
	var note struct {
		Token json.RawMessage `json:"token"`
		Value struct {
			Kind  string `json:"kind"`
			Title string `json:"title"`
		} `json:"value"`
	}
	if json.Unmarshal(params, &note) != nil {
		return
	}
	token := shorten(string(note.Token), maxTitle)
	p.mu.Lock()
	var tell []func(string)
	title := shorten(note.Value.Title, maxTitle)
	switch {
	case note.Value.Kind == "end":
		delete(p.titles, token)
	case note.Value.Kind == "begin" && title != "" && len(p.titles) < maxProgress:
		if p.titles == nil {
			p.titles = map[string]string{}
		}
		p.titles[token] = title
		tell = slices.Collect(maps.Values(p.watchers))
	}
	p.mu.Unlock()
	for _, f := range tell {
		f(title)
	}
}

// current returns the titles of what goes on.
func (p *progress) current() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Values(p.titles))
}

// clear forgets the work of a process that has ended.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.titles)
}

// watch calls f with each title until stop.
func (p *progress) watch(f func(title string)) (stop func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.watchers == nil {
		p.watchers = map[int]func(string){}
	}
	p.next++
	id := p.next
	p.watchers[id] = f
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.watchers, id)
	}
}
