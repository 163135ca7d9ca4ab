package tooltest

import (
	"context"
	"slices"
	"sync"

	"github.com/seed49eaa51d/pegboard"
)

// A Fake is a tool that answers from a script and remembers its calls. It takes
// the way of any other tool, so that hooks, rules and schemas apply. Make one
// with [NewFake], [FakeConfig.New] or [StandIn].
//
// Its methods may be called concurrently. Calls take the replies in the order in
// which they reach the fake.
type Fake struct {
	pegboard.Tool

	mu      sync.Mutex
	replies []Reply
	calls   []pegboard.Call
}

// NewFake returns a Fake that gives each reply in turn and then repeats the
// last. Without replies every call returns the text "ok".
//
// It takes any object as input. Like every tool that says nothing of itself, it
// counts as writing something unknown: its calls run alone, and only if a rule
// or the session's mode allows them. Use [FakeConfig] to say more. NewFake
// panics if the name is not valid.
func NewFake(name string, replies ...Reply) *Fake { return FakeConfig{Name: name}.New(replies...) }

// StandIn returns a Fake that takes the place of t: it has t's name, schema,
// traits, validation and opinion of a call, but answers from the script. It lets
// a loop be tested with the real permissions and the real order of calls while
// nothing is done.
func StandIn(t pegboard.Tool, replies ...Reply) *Fake {
	if len(replies) == 0 {
		replies = []Reply{{Text: "ok"}}
	}
	return &Fake{Tool: t, replies: slices.Clone(replies)}
}

// Call records c and does what the next reply says.
func (f *Fake) Call(ctx context.Context, c *pegboard.Call) (*pegboard.Result, error) {
	return f.next(c).run(ctx, c)
}

func (f *Fake) next(c *pegboard.Call) Reply {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.replies[min(len(f.calls), len(f.replies)-1)]
	f.calls = append(f.calls, copyCall(*c))
	return r
}

// Calls returns copies of the calls that reached the fake, in that order. A
// call that was refused before is not among them.
func (f *Fake) Calls() []pegboard.Call {
	f.mu.Lock()
	defer f.mu.Unlock()
	calls := slices.Clone(f.calls)
	for i := range calls {
		calls[i] = copyCall(calls[i])
	}
	return calls
}
