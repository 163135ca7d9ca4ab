package inspect

import (
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

// maxResultPage is how many bytes of a stored result a page shows.
const maxResultPage = 16 << 10

// A resultsView is the results that are in the store.
type resultsView struct {
	Contents bool
	Stored   []storedResultView // newest call first
	Trimmed  []trimmedView
}

// A storedResultView is a result whose preview the model has.
type storedResultView struct {
	Call               int64
	Tool, Ref, Preview string
}

// A trimmedView is a result that the model is not sent any more.
type trimmedView struct {
	Agent, Call, Tool, Ref, Why string
	Size                        int
}

func (p *Page) results(*http.Request) (any, error) {
	v := resultsView{Contents: p.o.Contents}
	if !p.o.Contents {
		return v, nil
	}
	v.Stored = p.ring.storedResults()
	for _, a := range p.ring.agentsNow() {
		trimmed := a.TrimmedResults()
		slices.Reverse(trimmed)
		for _, t := range trimmed[:min(len(trimmed), maxRows)] {
			why := "too long together with those beside it"
			if t.Masked {
				why = "old"
			}
			v.Trimmed = append(v.Trimmed, trimmedView{p.ring.agentName(a), line(t.CallID), line(t.Tool), t.Ref, why, t.Size})
		}
	}
	return v, nil
}

// agentsNow returns the sessions of the agents that were met, the main one first.
func (r *ring) agentsNow() []*pegboard.Session {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []*agentRecord
	for _, a := range r.agents.bySession {
		all = append(all, a)
	}
	slices.SortFunc(all, func(a, b *agentRecord) int { return a.number - b.number })
	sessions := make([]*pegboard.Session, 0, len(all))
	for _, a := range all {
		sessions = append(sessions, a.session)
	}
	return sessions
}

// storedResults returns the newest previews.
func (r *ring) storedResults() (views []storedResultView) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for n := r.last; n > 0 && n > r.last-int64(len(r.calls)) && len(views) < maxRows; n-- {
		c := r.call(n)
		if c == nil {
			continue
		}
		for _, s := range c.content.stored {
			views = append(views, storedResultView{n, line(c.tool), s.ref, line(s.preview)})
		}
	}
	return views
}

// A resultView is a page of a stored result.
type resultView struct {
	Ref        string
	From, To   int64
	Text       string
	Next, Prev string // queries, or empty
}

func (p *Page) result(r *http.Request) (any, error) {
	if !p.o.Contents {
		return nil, &pageError{http.StatusForbidden, "Results are not shown on this page."}
	}
	ref := r.URL.Query().Get("ref")
	from, _ := strconv.ParseInt(r.URL.Query().Get("from"), 10, 64)
	from = max(from, 0)
	text, more, err := p.readResult(r, ref, from)
	if err != nil {
		return nil, err
	}
	v := resultView{Ref: line(ref), From: from, To: from + int64(len(text)), Text: text}
	query := func(from int64) string {
		return "?" + url.Values{"from": {strconv.FormatInt(from, 10)}, "ref": {ref}}.Encode()
	}
	if more {
		v.Next = query(v.To)
	}
	if from > 0 {
		v.Prev = query(max(from-maxResultPage, 0))
	}
	return v, nil
}

// readResult reads a page of a result, and reports whether there is more.
func (p *Page) readResult(r *http.Request, ref string, from int64) (text string, more bool, err error) {
	f, err := p.o.Session.ResultStore().Open(r.Context(), ref)
	if errors.Is(err, fs.ErrNotExist) || ref == "" {
		return "", false, &pageError{http.StatusNotFound, "There is no such result, or it was removed for its age."}
	} else if err != nil {
		return "", false, &pageError{http.StatusNotFound, "The result cannot be opened: " + err.Error()}
	}
	defer func() { _ = f.Close() }() // it was only read
	if s, ok := f.(io.Seeker); ok {
		_, err = s.Seek(from, io.SeekStart)
	} else {
		_, err = io.CopyN(io.Discard, f, from)
	}
	var b strings.Builder
	if err == nil {
		_, err = io.CopyN(&b, f, maxResultPage+1)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return "", false, &pageError{http.StatusNotFound, "The result cannot be read: " + err.Error()}
	}
	if b.Len() <= maxResultPage {
		return b.String(), false, nil
	}
	return cut(b.String(), maxResultPage), true, nil
}
