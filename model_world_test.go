package pegboard_test

import (
	"context"
	"encoding/json"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

const (
	actionTime = 200 * time.Millisecond // that an action may take
	hookTime   = 50 * time.Millisecond
	askTime    = time.Second
	longAfter  = 10 * time.Minute // after this a deaf action returns, when all others have
)

// world holds the files that the calls of a plan read and write. It notices when two
// calls that conflict run at once.
type world struct {
	mu       sync.Mutex
	files    map[string]string
	running  map[string]action
	ran      map[string]int // how often
	hooked   map[string]int // how often a hook ran after the tool of a call was called
	unhooked map[string]int // and how often one ran since it was not
	overlaps []string
	inner    map[string][]pegboard.Outcome // of the calls that a call made
	then     func(what string)             // what a result does
}

func newWorld() *world {
	return &world{files: map[string]string{}, running: map[string]action{}, ran: map[string]int{}, hooked: map[string]int{}, unhooked: map[string]int{}, inner: map[string][]pegboard.Outcome{}}
}

// session returns one whose hooks, rules and person do what the input says.
func (w *world) session(t *testing.T, change ...func(*pegboard.SessionConfig)) *pegboard.Session {
	t.Helper()
	cfg := pegboard.SessionConfig{
		Permissions: rules(t, pegboard.ModeBypass, pegboard.RuleSet{Deny: []string{"WebFetch(domain:deny.test)"}, Ask: []string{"WebFetch(domain:ask.test)"}}),
		Breaker:     pegboard.BreakerLimits{Errors: -1, Repeats: -1, Denials: -1},
		Hooks: pegboard.JoinHooks(
			pegboard.Hooks{Post: w.count(w.hooked), PostFailure: w.count(w.hooked), NotRun: w.count(w.unhooked)},
			pegboard.Hooks{Pre: preAsPlanned, Post: postAsPlanned, PostFailure: postAsPlanned, NotRun: postAsPlanned, Timeout: hookTime},
			pegboard.Hooks{Post: blockAsPlanned, PostFailure: blockAsPlanned, NotRun: blockAsPlanned, OnFailure: pegboard.FailBlock},
		),
		Ask: askAsPlanned, AskTimeout: askTime,
	}
	for _, f := range change {
		f(&cfg)
	}
	s, err := pegboard.NewSession(cfg)
	require.NoError(t, err)
	worldOf.Set(s, w)
	return s
}

// count returns a hook that counts its calls in counts.
func (w *world) count(counts map[string]int) func(ctx, *pegboard.HookCall) error {
	return func(_ ctx, h *pegboard.HookCall) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		counts[h.Call.ID]++
		return nil
	}
}

// actionOf reads what was planned for a call.
func actionOf(c *pegboard.Call) (p action) {
	_ = json.Unmarshal(c.Input, &p) // an input that cannot be read plans nothing
	return p
}

func preAsPlanned(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
	switch actionOf(h.Call).Pre {
	case "deny":
		return pegboard.Decision{Behavior: pegboard.Deny, Reason: "as planned"}, nil
	case "ask":
		return pegboard.Decision{Behavior: pegboard.Ask, Reason: "as planned"}, nil
	case "error":
		return pegboard.Decision{}, errPlanned
	case "panic":
		panic("as planned")
	case "late":
		time.Sleep(20 * hookTime)
		h.Emit("late")
		return pegboard.Decision{Behavior: pegboard.Deny}, nil
	}
	return pegboard.Decision{}, nil
}

func postAsPlanned(_ ctx, h *pegboard.HookCall) error {
	switch actionOf(h.Call).Post {
	case "replace":
		if !h.Outcome.Result.IsError {
			h.Outcome.Result = pegboard.TextResult("replaced")
		}
	case "error":
		return errPlanned
	case "panic":
		panic("as planned")
	case "late":
		time.Sleep(20 * hookTime)
		h.Emit("late")
		h.Outcome.Result = pegboard.TextResult("late")
	}
	return nil
}

func blockAsPlanned(_ ctx, h *pegboard.HookCall) error {
	if actionOf(h.Call).Post == "block" {
		return errPlanned
	}
	return nil
}

func askAsPlanned(ctx ctx, q *pegboard.Question) (pegboard.Decision, error) {
	switch actionOf(q.Call).Person {
	case "yes":
		return pegboard.Decision{Behavior: pegboard.Allow}, nil
	case "no":
		return pegboard.Decision{Behavior: pegboard.Deny}, nil
	}
	return pegboard.AskLater(ctx, q)
}

// worldOf is the world of a session. The tools of all plans are the same.
var worldOf = pegboard.NewKey[*world]("world")

// planTools are the tools whose calls make up a plan, and planToolsEach are those whose calls
// are never the same.
var (
	planTools     = sync.OnceValue(func() *pegboard.Registry { return newPlanTools(pegboard.SameInput[action]) })
	planToolsEach = sync.OnceValue(func() *pegboard.Registry { return newPlanTools(nil) })
)

func newPlanTools(same func(a, b action) bool) *pegboard.Registry {
	var reg pegboard.Registry
	for name, i := range map[string]pegboard.Interrupt{"Do": pegboard.InterruptBlock, "DoOrStop": pegboard.InterruptCancel, "DoOrLeave": pegboard.InterruptDetach} {
		err := reg.Add(planTool(pegboard.Info{Name: name, Interrupt: i, Timeout: actionTime, CancelsSiblings: i == pegboard.InterruptCancel}, same))
		if err != nil {
			panic(err)
		}
	}
	if err := reg.Add(planTool(pegboard.Info{Name: "Script"}, same)); err != nil {
		panic(err)
	}
	return &reg
}

func planTool(info pegboard.Info, same func(a, b action) bool) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[action, *pegboard.Result]{
		Info: info, Description: "Does one step of a plan.", Equivalent: same,
		Inspect: func(p action, _ *pegboard.Call) pegboard.Traits {
			tr := pegboard.Traits{Concurrency: pegboard.Concurrency(p.Class), ReadOnly: p.Look}
			for _, r := range p.Reads {
				tr.Targets = append(tr.Targets, pegboard.Target{Kind: pegboard.TargetResource, Access: pegboard.AccessRead, Value: r, Tree: p.Tree})
			}
			for _, x := range p.Writes {
				tr.Targets = append(tr.Targets, pegboard.Target{Kind: pegboard.TargetResource, Value: x, Tree: p.Tree})
			}
			if p.Rule != "" {
				tr.Targets = append(tr.Targets, pegboard.Target{Kind: pegboard.TargetHost, Access: pegboard.AccessRead, Value: p.Rule + ".test"})
			}
			return tr
		},
		Validate: func(_ ctx, p action, _ *pegboard.Call) error {
			if p.Valid == "no" {
				return errPlanned
			}
			return nil
		},
		Call: func(ctx ctx, p action, c *pegboard.Call) (*pegboard.Result, error) {
			w, _ := worldOf.Get(c.Session())
			return w.call(ctx, p, c)
		},
	})
}

// enter notes that a call begins, and returns what it reads.
func (w *world) enter(p action, c *pegboard.Call) (saw string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, q := range w.running {
		if p.conflicts(q) && !strings.HasPrefix(c.ID, id+".") {
			w.overlaps = append(w.overlaps, id+" and "+c.ID)
		}
	}
	w.running[c.ID] = p
	w.ran[c.ID]++
	for _, r := range p.Reads {
		saw += w.files[r] + ";"
	}
	return saw
}

func (w *world) leave(p action, c *pegboard.Call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.running, c.ID)
	for _, x := range p.Writes {
		w.files[x] += c.ID
	}
}

func (w *world) call(ctx context.Context, p action, c *pegboard.Call) (*pegboard.Result, error) {
	saw := w.enter(p, c)
	defer w.leave(p, c)
	if len(p.Inner) > 0 {
		return w.script(ctx, c)
	}
	patience, takes := ctx.Done(), time.Duration(p.Ms)*time.Millisecond
	switch p.Ends {
	case "deaf":
		patience, takes = nil, longAfter
	case "hang":
		takes = longAfter
	}
	select {
	case <-time.After(takes):
	case <-patience:
		return pegboard.TextResult(saw), context.Cause(ctx)
	}
	r := pegboard.TextResult(saw)
	if p.Then != "" {
		r.UpdateSession = func(*pegboard.Session) { w.then(p.Then) }
	}
	switch p.Ends {
	case "error":
		return nil, errPlanned
	case "panic":
		panic("as planned")
	case "goexit":
		runtime.Goexit()
	case "deaf":
		c.Emit("back")
	case "flagged":
		r.IsError = true
	case "":
		if saw == "" {
			r.Parts[0].Text = "nothing"
		}
	}
	return r, nil
}

// script makes the calls that were planned.
func (w *world) script(ctx context.Context, c *pegboard.Call) (*pegboard.Result, error) {
	outs := c.Run(ctx, planned{action: actionOf(c), id: c.ID}.inner().calls()...)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.inner[c.ID] = outs
	return pegboard.TextResult("played"), nil
}
