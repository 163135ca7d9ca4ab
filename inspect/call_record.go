package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/logname"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A callRecord holds the facts about a call. The ring's lock guards it.
type callRecord struct {
	number   int64 // of all calls, from 1
	revision uint64
	batch    *batchRecord
	agent    *agentRecord
	parent   *callRecord // the call that made it
	children []*callRecord

	id, tool, as string // as a log may have them, if contents are not shown
	kind         pegboard.CallKind
	targets      []string // without contents their classes, each once

	admitted time.Time
	phases   []phaseChange
	ended    time.Time // zero while it goes on
	state    string    // in a few words
	detached bool

	waitsFor    *callRecord
	waitedGroup bool
	questionID  string // of the last question about it
	answers     []decisionRecord
	repairs     int
	attempts    int
	progress    int
	failure     string // the class of the failure, or ""
	failed      bool
	sameAs      string
	identity    any            // of the call, until it has ended
	unnamed     *pegboard.Call // that goes on, and has no line yet
	content     content
}

// content holds the texts of a call that are kept only if contents are shown.
type content struct {
	ending
	why       string // it waits
	repair    string
	progress  string
	detached  string
	call      pegboard.Call // as the model wrote it; without input if that was too long, or the call is old
	inputSize int
}

// An ending holds the texts of an outcome.
type ending struct {
	before, after string
	result        string
	resultSize    int
	stored        []storedPart
	diffs         []pegboard.Diff
}

// A storedPart is a preview of a result that is in the store.
type storedPart struct{ ref, preview string }

// A decisionRecord is a decision about a call, or about targets that it checked while it ran.
type decisionRecord struct {
	behavior policy.Behavior
	by       policy.Decider
	rule     string
	source   string
	targets  []string
	reason   string // only with contents
}

// A phase is a part of the life of a call, which its bar shows.
type phase uint8

const (
	phaseDecided phase = iota // it is being decided
	phaseWaiting              // for another call, a group, or a place
	phaseAsked                // a question about it is open
	phaseRunning
	phaseAwaited // the host executes it
)

// String returns the phase as the page names it.
func (p phase) String() string {
	return [...]string{"being decided", "waiting", "asked", "running", "awaited"}[p]
}

// A phaseChange is the begin of a phase.
type phaseChange struct {
	phase phase
	after time.Duration // of the admission
}

// maxPhases is how many parts a bar has at most.
const maxPhases = 24

// enter begins a phase.
func (c *callRecord) enter(p phase, at time.Time) {
	c.state = p.String()
	if n := len(c.phases); n > 0 && c.phases[n-1].phase == p || n >= maxPhases {
		return
	}
	c.phases = append(c.phases, phaseChange{p, max(at.Sub(c.admitted), 0)})
}

// phaseNow returns the phase that c is in.
func (c *callRecord) phaseNow() phase {
	if len(c.phases) == 0 {
		return phaseDecided
	}
	return c.phases[len(c.phases)-1].phase
}

// running reports whether the tool was called.
func (c *callRecord) running() bool { return c.attempts > 0 }

// A describer makes texts of events: without contents, such as a log may have that contains no
// part of an input.
type describer struct{ contents bool }

// name returns an id or the name of a tool.
func (d describer) name(s string) string {
	if d.contents {
		return kept(s)
	}
	return logname.Of(s)
}

// newRecord returns the record of a call that was admitted.
func (d describer) newRecord(e *pegboard.Event) *callRecord {
	c := &callRecord{id: d.name(e.Call.ID), admitted: e.Time, phases: make([]phaseChange, 0, 4)}
	tool := e.Call.ToolName()
	if c.tool = d.name(tool); !d.contents && !e.Call.NamesTool() {
		c.tool = logname.Digest(tool)
	}
	if e.Call.Name != tool {
		c.as = d.name(e.Call.Name)
	}
	c.enter(phaseDecided, e.Time)
	if d.contents {
		c.content.inputSize = len(e.Call.Input)
		c.content.call = pegboard.Call{ID: e.Call.ID, Name: e.Call.Name, Input: e.Call.Input}
	}
	return c
}

// targets returns the names of at most maxNames targets.
func (d describer) targets(ts []policy.Target) []string {
	var names []string
	for _, t := range ts {
		name := t.Class()
		if d.contents {
			name = describeTarget(t)
		}
		if len(names) == maxNames {
			return append(names, "…")
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// describeTarget is the target's String for a value of any length.
func describeTarget(t policy.Target) string {
	t.Value = cut(t.Value, maxScan)
	return t.String()
}

// decision returns the record of a decision.
func (d describer) decision(x *policy.Decision, targets []policy.Target) decisionRecord {
	r := decisionRecord{behavior: x.Behavior, by: x.By}
	if x.Rule != nil {
		r.rule, r.source = d.rule(*x.Rule), kept(string(x.Rule.Source))
	}
	if d.contents {
		r.reason = kept(x.Reason)
	}
	r.targets = d.targets(targets)
	return r
}

// rule returns a rule without its behavior.
func (d describer) rule(r policy.Rule) string {
	if d.contents {
		return kept(r.String())
	}
	return kept(r.Redacted())
}

// text returns a text that may contain parts of an input.
func (d describer) text(s string) string {
	if !d.contents {
		return ""
	}
	return kept(s)
}

// failureClass returns what kind of failure err is, without any text of the model.
func failureClass(err error) string {
	if failed := (*pegboard.CallError)(nil); errors.As(err, &failed) {
		if kind := failed.Sentinel(); kind != nil {
			return kind.Error() + " (" + string(failed.Stage) + ")"
		}
		return "failed (" + string(failed.Stage) + ")"
	}
	return "failed"
}

// An outcomeRecord holds the facts about an outcome.
type outcomeRecord struct {
	ending
	state, failure    string
	failed            bool
	attempts, repairs int
	sameAs            string
	kind              pegboard.CallKind
}

// outcome makes the record of an outcome.
func (d describer) outcome(o *pegboard.Outcome, done *outcomeRecord) {
	done.attempts, done.repairs, done.state = o.Attempts, len(o.Repairs), "done"
	switch {
	case o.Err != nil:
		done.failed, done.failure = true, failureClass(o.Err)
		done.state = done.failure
	case o.Result != nil && o.Result.IsError:
		done.failed, done.state = true, "reported a failure"
	}
	if o.SameAs != nil {
		done.sameAs = d.name(o.SameAs.ID)
	}
	if d.contents {
		view := o.View()
		done.kind, done.before, done.after = view.Kind, view.Before, view.After
		done.keepResult(o.Result)
	}
}

// finish records the outcome of c.
func (c *callRecord) finish(done *outcomeRecord, at time.Time) {
	c.ended, c.identity, c.unnamed = at, nil, nil
	c.attempts, c.repairs = max(c.attempts, done.attempts), max(c.repairs, done.repairs)
	c.state, c.failure, c.failed, c.sameAs, c.kind = done.state, done.failure, done.failed, done.sameAs, done.kind
	c.content.ending = done.ending
}

// keepResult records the beginning of the result, and where the rest is.
func (c *ending) keepResult(r *pegboard.Result) {
	if r == nil {
		return
	}
	c.diffs = keptDiffs(r.Diffs)
	var text strings.Builder
	for _, p := range r.Parts {
		if p.Ref != "" && len(c.stored) < maxNames {
			c.stored = append(c.stored, storedPart{strings.Clone(p.Ref), kept(p.Text)})
		}
		c.resultSize += len(p.Text) + len(p.Data)
		if text.Len() > maxKept {
			continue
		}
		switch {
		case p.MIME != "":
			text.WriteString("(" + line(p.MIME) + ")\n")
		case p.Tool != "":
			text.WriteString(line(p.Tool) + "\n")
		default:
			text.WriteString(cut(p.Text, maxKept+1) + "\n")
		}
	}
	c.result = block(strings.TrimSuffix(text.String(), "\n"), maxKept)
}

// keptDiffs returns the diffs if they are small; the call shows no others.
func keptDiffs(diffs []pegboard.Diff) []pegboard.Diff {
	size := 0
	for _, d := range diffs {
		size += len(d.Path) + len(d.MovedFrom)
		for _, h := range d.Hunks {
			for _, l := range h.Lines {
				size += len(l)
			}
		}
	}
	if size > maxKept {
		return nil
	}
	return diffs
}

// input returns the input of a call for a person.
func indented(input json.RawMessage) string {
	var v any
	if json.Unmarshal(input, &v) != nil {
		return string(input)
	}
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return string(input)
	}
	return string(text)
}

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
