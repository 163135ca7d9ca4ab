package inspect

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// maxCompared is how many other calls of a message are compared with the one that is shown.
const maxCompared = 100

// toolPatience is how long code of a tool may take to answer for a page.
const toolPatience = 2 * time.Second

// callView is the section of one call.
type callView struct {
	Batches  []batchView // one with one row
	Targets  []string
	Contents bool
	Input    string
	NoInput  string
	Result   string
	Stored   []storedView
	Diffs    []diffView // that it has made
	Now      decidedNow
	NoTrace  string
}

// decidedNow is the decision of the pool at the time of the view, with its consequences.
type decidedNow struct {
	Trace     string
	Preview   []diffView // of the same call, if it ran now
	NoPreview string
	Conflicts []noteView // with other calls of the message
}

// A storedView is a link to a stored result.
type storedView struct{ Ref, Text string }

func (p *Page) call(r *http.Request) (any, error) {
	number, err := strconv.ParseInt(r.URL.Query().Get("n"), 10, 64)
	if err != nil {
		return nil, &pageError{http.StatusNotFound, "There is no such call."}
	}
	v, asked, others, err := p.callNow(number)
	if err != nil || !p.o.Contents {
		return v, err
	}
	if v.NoInput != "" {
		v.NoTrace = v.NoInput
		return v, nil
	}
	pool := p.poolOf(asked.agent)
	var now decidedNow
	if !within(r.Context(), func(ctx context.Context) { now = decideAgain(ctx, pool, asked, others) }) {
		v.NoTrace = "the tool has not answered in time"
		return v, nil
	}
	v.Now = now
	return v, nil
}

// A keptCall is a call with its number and agent.
type keptCall struct {
	call   pegboard.Call
	number int64
	agent  *agentRecord
}

// callNow returns the recorded facts about a call, without asking its tool, and the calls that could
// conflict with it.
func (p *Page) callNow(number int64) (v callView, asked keptCall, others []keptCall, err error) {
	p.ring.nameOpen()
	p.ring.mu.Lock()
	defer p.ring.mu.Unlock()
	c := p.ring.call(number)
	if c == nil {
		return v, asked, nil, &pageError{http.StatusNotFound, "There is no such call, or it is too old to be remembered."}
	}
	v = callView{Batches: p.ring.batchViews([]placedRow{{call: c}}), Targets: c.targets, Contents: p.o.Contents}
	siblings := c.batch.roots
	if c.parent != nil {
		siblings = c.parent.children
	}
	for _, s := range siblings {
		if s != c && (s.content.call.Input != nil || s.content.inputSize == 0) && len(others) < maxCompared {
			others = append(others, keptCall{s.content.call, s.number, s.agent})
		}
	}
	k := &c.content
	if k.call.Input == nil && k.inputSize > 0 {
		v.NoInput = fmt.Sprintf("the input of %d bytes is not kept any more", k.inputSize)
	}
	v.Input, v.Result = block(indented(k.call.Input), maxBlock), k.result
	for _, s := range k.stored {
		v.Stored = append(v.Stored, storedView{s.ref, line(s.preview)})
	}
	for _, d := range k.diffs {
		v.Diffs = append(v.Diffs, newDiffView(d))
	}
	return v, keptCall{k.call, number, c.agent}, others, nil
}

// decideAgain decides a call under the permissions of this moment.
func decideAgain(ctx context.Context, pool *pegboard.Pool, asked keptCall, others []keptCall) (v decidedNow) {
	v.Trace = block(pool.ExplainDecision(ctx, asked.call).String(), maxBlock)
	if tool, made, err := pool.Rebuild(asked.call); err == nil {
		v.Preview, v.NoPreview = previewOf(ctx, &pegboard.Question{Tool: tool, Call: made})
	}
	for _, o := range others {
		if ctx.Err() != nil {
			break
		}
		first, second := o, asked
		if second.number < first.number {
			first, second = second, first
		}
		if why, ok := pool.Conflict(first.call, second.call); ok {
			v.Conflicts = append(v.Conflicts, noteView{line(why), o.number})
		}
	}
	return v
}

// poolOf returns the pool that an agent has now: the main agent's is assembled anew, that of
// another is the one of its newest message.
func (p *Page) poolOf(a *agentRecord) *pegboard.Pool {
	p.ring.mu.Lock()
	pool := a.pool
	p.ring.mu.Unlock()
	if a.session == p.o.Session || pool == nil {
		return p.o.Registry.AssemblePool(a.session, p.o.Pool)
	}
	return pool
}

// within calls f, which runs code of tools, and reports whether it has returned in time.
// If not, what f has written must not be read.
func within(ctx context.Context, f func(ctx context.Context)) bool {
	ctx, cancel := context.WithTimeout(ctx, toolPatience)
	defer cancel()
	select {
	case <-goroutine.Go(func() { f(ctx) }):
		return true
	case <-ctx.Done():
		return false
	}
}
