package tooltest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

func TestCheckFindsBadTools(t *testing.T) {
	t.Parallel()
	for _, tt := range badTools() {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			inputs := tt.inputs
			if inputs == nil {
				inputs = []string{goodInput, otherInput}
			}
			err := tooltest.Check(tt.tool, inputs...)
			require.Error(t, err)
			require.Equal(t, []string{tt.rule}, rulesOf(t, err), "%v", err)
			require.Contains(t, err.Error(), tt.got)
		})
	}
}

// rulesOf returns the rules that the violations of an error are of.
func rulesOf(t *testing.T, err error) []string {
	t.Helper()
	joined, ok := err.(interface{ Unwrap() []error })
	require.True(t, ok)
	rules := map[string]bool{}
	for _, e := range joined.Unwrap() {
		var v *tooltest.ContractError
		require.ErrorAs(t, e, &v)
		require.NotEmpty(t, v.Why, "a rule without a purpose: %s", v.Rule)
		rules[v.Rule] = true
	}
	return slices.Sorted(maps.Keys(rules))
}

func TestCheckDoesNotHang(t *testing.T) {
	t.Parallel()
	for i, named := range hanging(nil) {
		t.Run(named.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				defer close(release)
				tt := hanging(release)[i]
				s, err := tooltest.NewSession(t.TempDir())
				require.NoError(t, err)
				start := time.Now()
				err = tooltest.Checker{Session: s, Grace: 5 * time.Second}.Check(tt.tool, goodInput)
				require.Equal(t, []string{tt.rule}, rulesOf(t, err), "%v", err)
				require.Contains(t, err.Error(), tt.got)
				require.Less(t, time.Since(start), time.Minute)
			})
		})
	}
}

func TestCheckerGrace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := tooltest.StandIn(good(), tooltest.Reply{Sleep: 10 * time.Second, Stubborn: true})
		require.NoError(t, tooltest.Checker{Grace: time.Minute}.Check(slow, goodInput))
		err := tooltest.Checker{Grace: time.Second}.Check(slow, goodInput)
		require.Equal(t, []string{tooltest.RuleCancel}, rulesOf(t, err))
		require.ErrorContains(t, err, "within 1s")
		time.Sleep(time.Hour) // the calls that nobody waited for end
	})
}

func TestCheckerUsesTheSession(t *testing.T) {
	t.Parallel()
	s, err := pegboard.NewSession(pegboard.SessionConfig{ID: "mine", Dir: t.TempDir()})
	require.NoError(t, err)
	picky := bent{Tool: good(), validate: func(c *pegboard.Call) error {
		if c.Session().ID() != "mine" {
			return errors.New("not here")
		}
		return nil
	}}
	require.NoError(t, tooltest.Checker{Session: s}.Check(picky, otherInput))
	require.Error(t, tooltest.Check(picky, otherInput))
	require.NoError(t, s.Close(t.Context()))
}

type editInput struct {
	Path  string `json:"path"`
	All   *bool  `json:"all,omitempty"`
	Edits []struct {
		Old string            `json:"old"`
		Env map[string]string `json:"env,omitempty"`
	} `json:"edits"`
}

func TestCheckPassesGoodTools(t *testing.T) {
	t.Parallel()
	edit := pegboard.Build(pegboard.Definition[editInput, *pegboard.Result]{
		Info: pegboard.Info{Name: "Edit"}, Description: "For a test.",
		Inspect: func(in editInput, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Targets: []policy.Target{{Kind: policy.Path, Value: in.Path}}, Concurrency: pegboard.PerTarget}
		},
		Call: func(context.Context, editInput, *pegboard.Call) (*pegboard.Result, error) { return nil, nil },
	})
	for _, tt := range []struct {
		name   string
		tool   pegboard.Tool
		inputs []string
	}{
		{name: "built", tool: shout(), inputs: []string{`{"text":"a"}`, `{"text":""}`}},
		{name: "nested", tool: edit, inputs: []string{`{"path":"a","edits":[{"old":"x","env":{"a":"1","A":"2"}},{"old":"y"}],"all":true}`, `{"path":"a","edits":[]}`}},
		{name: "fake", tool: tooltest.NewFake("Bash"), inputs: []string{``, `{}`, `{"command":"ls","x":{"y":[1,{"z":null}]}}`}},
		{name: "fake of a schema", tool: good(), inputs: []string{goodInput, otherInput}},
		{name: "stand-in", tool: tooltest.StandIn(edit), inputs: []string{" {\"path\":\"a\",\n\"edits\":[{\"old\":\"x\"}]} "}},
		{name: "slow but obedient", tool: tooltest.NewFake("T", tooltest.Reply{Sleep: time.Hour}), inputs: []string{`{}`}},
		{name: "only a person may allow it", tool: tooltest.FakeConfig{Name: "T", RequiresUser: true}.New(), inputs: []string{`{}`}},
		{name: "executed by the host", inputs: []string{`{"path":"a","edits":[]}`}, tool: pegboard.Build(pegboard.Definition[editInput, string]{
			Info: pegboard.Info{Name: "T", ExternalResult: true}, Description: "For a test.",
		})},
		{name: "hidden by a gate", tool: tooltest.NewFake("CronCreate"), inputs: []string{`{}`}},
		{
			name: "references and combinations", inputs: []string{`{"a":{"a":{}},"b":1,"c":"x"}`},
			tool: withSchema(`{"type":"object","properties":{"a":{"$ref":"#"},"b":{"anyOf":[{"type":"string"},{"type":"integer"}]},"c":true}}`),
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.NoError(t, tooltest.Check(tt.tool, tt.inputs...))
		})
	}
}

// TestCheckRunsCallCancelledOnly holds Check to what its comment says of side
// effects.
func TestCheckRunsCallCancelledOnly(t *testing.T) {
	t.Parallel()
	fake := good()
	watched := bent{Tool: fake, call: func(ctx context.Context, _ *pegboard.Call) {
		if ctx.Err() == nil {
			panic("the context is alive")
		}
	}}
	require.NoError(t, tooltest.Check(watched, goodInput, otherInput))
	require.Equal(t, []string{goodInput, goodInput, otherInput, otherInput}, inputsOf(fake.Calls()))
}

// TestCheckRulesAreComplete: every rule is explained, is listed in the manual and in docs/tools.md,
// and has a bad tool that breaks it.
func TestCheckRulesAreComplete(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("check.go")
	require.NoError(t, err)
	page, err := os.ReadFile("../../docs/tools.md")
	require.NoError(t, err)
	broken := map[string]bool{}
	for _, tt := range append(badTools(), hanging(nil)...) {
		broken[tt.rule] = true
	}
	for rule, why := range tooltest.Rules() {
		require.NotEmpty(t, why)
		require.True(t, broken[rule], "no bad tool breaks the rule %q", rule)
		require.Contains(t, strings.ToLower(string(source)), "//   - "+strings.ToLower(rule))
		require.Contains(t, string(page), "\n| "+rule+" | ", "docs/tools.md has no row that says what usually breaks the rule")
	}
}

// dialogs show questions to a user, one dialog for each.
type dialogs struct {
	mu   sync.Mutex
	open map[string]chan policy.Decision // by the question's id
}

func newDialogs() *dialogs { return &dialogs{open: map[string]chan policy.Decision{}} }

func (d *dialogs) show(id string) <-chan policy.Decision {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open[id] = make(chan policy.Decision, 1)
	return d.open[id]
}

func (d *dialogs) hide(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.open, id)
}

func (d *dialogs) ask(ctx context.Context, q *pegboard.Question) (policy.Decision, error) {
	answer := d.show(q.ID)
	defer d.hide(q.ID)
	select {
	case a := <-answer:
		return a, nil
	case <-ctx.Done():
		return policy.Decision{}, context.Cause(ctx)
	}
}

// click is the user. A dialog that is not there any more cannot be clicked.
func (d *dialogs) click(q *pegboard.Question, answer policy.Decision) {
	for range 100 { // until the dialog is shown
		d.mu.Lock()
		dialog := d.open[q.ID]
		d.mu.Unlock()
		if dialog != nil {
			dialog <- answer
			return
		}
		time.Sleep(time.Millisecond)
	}
}

type badAsker struct {
	name string
	// make returns the asker and its user. What waits for ever ends with release.
	make  func(release <-chan struct{}) (pegboard.Asker, func(*pegboard.Question, policy.Decision))
	rules []string
	got   string
}

// over changes what an asker with dialogs returns.
func over(change func(ctx context.Context, q *pegboard.Question, ask pegboard.Asker) (policy.Decision, error)) func(<-chan struct{}) (pegboard.Asker, func(*pegboard.Question, policy.Decision)) {
	return func(<-chan struct{}) (pegboard.Asker, func(*pegboard.Question, policy.Decision)) {
		d := newDialogs()
		return func(ctx context.Context, q *pegboard.Question) (policy.Decision, error) {
			return change(ctx, q, d.ask)
		}, d.click
	}
}

func badAskers() []badAsker {
	answers, panics := []string{tooltest.RuleAskerAnswers}, []string{tooltest.RuleAskerPanics}
	return []badAsker{
		{name: "allows whatever the user says", rules: answers, got: "the user denied the call, and its error is <nil>", make: over(func(ctx context.Context, q *pegboard.Question, ask pegboard.Asker) (policy.Decision, error) {
			d, err := ask(ctx, q)
			if err == nil {
				d.Behavior = policy.Allow
			}
			return d, err
		})},
		{name: "loses the answer to a long question", rules: answers, got: "the user allowed the call, and its error is", make: over(func(ctx context.Context, q *pegboard.Question, ask pegboard.Asker) (policy.Decision, error) {
			d, err := ask(ctx, q)
			if len(q.Call.Input) > 1<<20 {
				return policy.Decision{}, errors.New("too long")
			}
			return d, err
		})},
		{name: "waits for its user only", rules: []string{tooltest.RuleAskerEnds}, got: "when the call was cancelled, did not return within 1m0s", make: func(release <-chan struct{}) (pegboard.Asker, func(*pegboard.Question, policy.Decision)) {
			d := newDialogs()
			return func(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
				answer := d.show(q.ID)
				select {
				case a := <-answer:
					return a, nil
				case <-release:
					return policy.Decision{}, nil
				}
			}, d.click
		}},
		{name: "allows in the end", rules: []string{tooltest.RuleAskerSilence}, got: "it returned Allow when the call was cancelled", make: over(func(ctx context.Context, q *pegboard.Question, ask pegboard.Asker) (policy.Decision, error) {
			d, err := ask(ctx, q)
			if err != nil {
				return policy.Decision{Behavior: policy.Allow}, nil //nolint:nilerr // the mistake that is to be found
			}
			return d, nil
		})},
		{name: "lines of a terminal", rules: []string{tooltest.RuleAskerOther}, got: "the user answered the question before", make: func(<-chan struct{}) (pegboard.Asker, func(*pegboard.Question, policy.Decision)) {
			lines := make(chan policy.Decision, 10)
			return func(ctx context.Context, _ *pegboard.Question) (policy.Decision, error) {
				select {
				case a := <-lines:
					return a, nil
				case <-ctx.Done():
					return policy.Decision{}, context.Cause(ctx)
				}
			}, func(_ *pegboard.Question, answer policy.Decision) { lines <- answer }
		}},
		{name: "passes it on", rules: []string{tooltest.RuleAskerKnown}, got: "it returned the behavior ask", make: over(func(context.Context, *pegboard.Question, pegboard.Asker) (policy.Decision, error) {
			return policy.Decision{Behavior: policy.Ask}, nil
		})},
		{name: "panics without targets", rules: panics, got: "panic: runtime error: index out of range", make: over(func(ctx context.Context, q *pegboard.Question, ask pegboard.Asker) (policy.Decision, error) {
			_ = fmt.Sprint("May ", q.Targets[0].Value, "?")
			return ask(ctx, q)
		})},
		{name: "panics at control characters", rules: panics, got: "panic: no such glyph", make: over(func(ctx context.Context, q *pegboard.Question, ask pegboard.Asker) (policy.Decision, error) {
			if strings.Contains(q.Call.Targets()[0].Value, "\x1b") {
				panic("no such glyph")
			}
			return ask(ctx, q)
		})},
		{name: "ends the goroutine", rules: panics, got: "ended its goroutine", make: over(func(context.Context, *pegboard.Question, pegboard.Asker) (policy.Decision, error) {
			runtime.Goexit()
			return policy.Decision{}, nil
		})},
	}
}

func TestCheckAskerFindsBadAskers(t *testing.T) {
	t.Parallel()
	for _, tt := range badAskers() {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				err := tooltest.CheckAsker(tt.make(release))
				close(release)
				time.Sleep(time.Hour)
				require.ElementsMatch(t, tt.rules, rulesOf(t, err), "%v", err)
				require.ErrorContains(t, err, tt.got)
			})
		})
	}
}

func TestCheckAskerRulesAreComplete(t *testing.T) {
	t.Parallel()
	broken := map[string]bool{}
	for _, tt := range badAskers() {
		broken[tt.rules[0]] = true
	}
	requireRules(t, "CheckAsker", tooltest.AskerRules(), broken)
}

func TestCheckAskerPassesGoodAskers(t *testing.T) {
	t.Parallel()
	d := newDialogs()
	for _, tt := range []struct {
		name string
		ask  pegboard.Asker
		user func(*pegboard.Question, policy.Decision)
	}{
		{name: "dialogs", ask: d.ask, user: d.click},
		{name: "answered by Session.Answer", ask: pegboard.AskLater, user: func(q *pegboard.Question, answer policy.Decision) {
			_ = q.Answer(answer) // the question may be over
		}},
		{name: "a policy that allows", ask: func(context.Context, *pegboard.Question) (policy.Decision, error) {
			return policy.Decision{Behavior: policy.Allow}, nil
		}},
		{name: "a policy that abstains", ask: func(context.Context, *pegboard.Question) (policy.Decision, error) {
			return policy.Decision{}, nil
		}},
		{name: "a bridge that fails", ask: func(context.Context, *pegboard.Question) (policy.Decision, error) {
			return policy.Decision{}, errors.New("not connected")
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.NoError(t, tooltest.AskerChecker{Grace: time.Minute}.Check(tt.ask, tt.user))
		})
	}
}

// The user answers each question by its id, wherever it is shown.
func ExampleCheckAsker() {
	fmt.Println(tooltest.CheckAsker(pegboard.AskLater, func(q *pegboard.Question, answer policy.Decision) {
		if err := q.Answer(answer); err != nil && !errors.Is(err, pegboard.ErrQuestionClosed) {
			fmt.Println(err)
		}
	}))

	// An asker that reads the next line of a terminal, whichever question it was meant for.
	lines := make(chan policy.Decision, 10)
	err := tooltest.CheckAsker(func(ctx context.Context, _ *pegboard.Question) (policy.Decision, error) {
		select {
		case answer := <-lines:
			return answer, nil
		case <-ctx.Done():
			return policy.Decision{}, context.Cause(ctx)
		}
	}, func(_ *pegboard.Question, answer policy.Decision) { lines <- answer })
	var v *tooltest.ContractError
	if errors.As(err, &v) {
		fmt.Println(v.Rule)
		fmt.Println(v.Why)
	}
	// Output:
	// <nil>
	// other questions are not answered
	// a person has seen another call than the one that would run
}

type badInvoke struct {
	name   string
	invoke pegboard.Invoke
	refuse error // of build
	rules  []string
	got    string
}

func call(ctx context.Context, t pegboard.Tool, c *pegboard.Call) (*pegboard.Result, error) {
	return t.Call(ctx, c)
}

// with is an Invoke that changes the call.
func with(change func(c *pegboard.Call)) pegboard.Invoke {
	return func(ctx context.Context, t pegboard.Tool, c *pegboard.Call) (*pegboard.Result, error) {
		changed := *c
		change(&changed)
		return t.Call(ctx, &changed)
	}
}

// returning is an Invoke that changes what the call returns.
func returning(change func(r *pegboard.Result, err error) (*pegboard.Result, error)) pegboard.Invoke {
	return func(ctx context.Context, t pegboard.Tool, c *pegboard.Call) (*pegboard.Result, error) {
		return change(t.Call(ctx, c))
	}
}

func badInvokes() []badInvoke {
	bytesRule, results := []string{tooltest.RuleInvokeBytes}, []string{tooltest.RuleInvokeResults}
	return []badInvoke{
		{name: "no worker", refuse: errors.New("no worker"), rules: []string{tooltest.RuleInvokeMade}, got: "no worker"},
		{name: "compacted", rules: bytesRule, got: `\t\"x\" : 1.0`, invoke: with(func(c *pegboard.Call) {
			var b bytes.Buffer
			_ = json.Compact(&b, c.Input)
			c.Input = b.Bytes()
		})},
		{name: "decoded and encoded", rules: bytesRule, got: `\"b\":1,\"a\":2`, invoke: with(func(c *pegboard.Call) {
			var v any
			_ = json.Unmarshal(c.Input, &v)
			c.Input, _ = json.Marshal(v)
		})},
		{name: "as it was sent", rules: bytesRule, got: "by a hook", invoke: with(func(c *pegboard.Call) { c.Input = c.Sent() })},
		{name: "an id of its own", rules: []string{tooltest.RuleInvokeBytes, tooltest.RuleInvokeOnce}, got: "the call \"bytes 0\" did not run", invoke: with(func(c *pegboard.Call) {
			if c.Name != "InvokeWait" && c.ID != "ran" {
				c.ID = "job_1"
			}
		})},
		{name: "text only", rules: results, got: "has 1 parts", invoke: returning(func(r *pegboard.Result, err error) (*pegboard.Result, error) {
			if r == nil {
				return nil, err
			}
			return &pegboard.Result{IsError: r.IsError, Parts: []pegboard.Part{{Text: r.Text()}}}, err
		})},
		{name: "no titles", rules: results, got: "part 2 is", invoke: returning(func(r *pegboard.Result, err error) (*pegboard.Result, error) {
			if r != nil {
				for i := range r.Parts {
					r.Parts[i].Title = ""
				}
			}
			return r, err
		})},
		{name: "all is well", rules: results, got: "IsError is false", invoke: returning(func(r *pegboard.Result, err error) (*pegboard.Result, error) {
			if r != nil {
				r.IsError = false
			}
			return r, err
		})},
		{name: "one text for all errors", rules: []string{tooltest.RuleInvokeErrors}, got: "part 0 is", invoke: returning(func(r *pegboard.Result, err error) (*pegboard.Result, error) {
			if err != nil {
				err = errors.New("the worker failed")
			}
			return r, err
		})},
		{name: "errors are results", rules: []string{tooltest.RuleInvokeErrors}, got: "the error <nil>", invoke: returning(func(r *pegboard.Result, err error) (*pegboard.Result, error) {
			if err != nil {
				r = &pegboard.Result{IsError: true, Parts: []pegboard.Part{{Text: err.Error()}}}
			}
			return r, nil
		})},
		{name: "no result beside an error", rules: []string{tooltest.RuleInvokeErrors}, got: "has 1 parts; in this process, 2", invoke: returning(func(r *pegboard.Result, err error) (*pegboard.Result, error) {
			if err != nil {
				r = nil
			}
			return r, err
		})},
		{name: "a panic is an error", rules: []string{tooltest.RuleInvokePanics}, got: "the worker crashed", invoke: func(ctx context.Context, t pegboard.Tool, c *pegboard.Call) (r *pegboard.Result, err error) {
			defer func() {
				if recover() != nil {
					err = errors.New("the worker crashed")
				}
			}()
			return t.Call(ctx, c)
		}},
		{name: "twice", rules: []string{tooltest.RuleInvokeOnce}, got: `the call "again 1" ran 2 times`, invoke: func(ctx context.Context, t pegboard.Tool, c *pegboard.Call) (*pegboard.Result, error) {
			if c.ID == "again 1" {
				_, _ = t.Call(ctx, c)
			}
			return t.Call(ctx, c)
		}},
		{name: "again after an error", rules: []string{tooltest.RuleInvokeOnce}, got: `the call "fails" ran 2 times`, invoke: func(ctx context.Context, t pegboard.Tool, c *pegboard.Call) (*pegboard.Result, error) {
			if r, err := t.Call(ctx, c); err == nil || ctx.Err() != nil {
				return r, err
			}
			return t.Call(ctx, c)
		}},
		{name: "cached", rules: []string{tooltest.RuleInvokeOnce}, got: `the call "again 2" did not run`, invoke: cachedByInput()},
	}
}

// cachedByInput gives the result of a call to later calls of the same name and input.
func cachedByInput() pegboard.Invoke {
	var mu sync.Mutex
	seen := map[string]*pegboard.Result{}
	return func(ctx context.Context, t pegboard.Tool, c *pegboard.Call) (*pegboard.Result, error) {
		key := c.Name + string(c.Input)
		mu.Lock()
		r, ok := seen[key]
		mu.Unlock()
		if ok && c.Name == "InvokeEcho" && bytes.Contains(c.Input, []byte("again")) {
			return r, nil
		}
		r, err := t.Call(ctx, c)
		mu.Lock()
		seen[key] = r
		mu.Unlock()
		return r, err
	}
}

// slowInvokes wait; what they started ends with ctx.
func slowInvokes(ctx context.Context) []badInvoke {
	one := make(chan struct{}, 1)
	return []badInvoke{
		{name: "never returns", rules: []string{tooltest.RuleInvokeReturns}, got: "a call did not return within 1m0s", invoke: func(context.Context, pegboard.Tool, *pegboard.Call) (*pegboard.Result, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}},
		{name: "one at a time", rules: []string{tooltest.RuleInvokeBeside}, got: "a call did not return within 1m0s", invoke: func(own context.Context, t pegboard.Tool, c *pegboard.Call) (*pegboard.Result, error) {
			one <- struct{}{}
			defer func() { <-one }()
			return t.Call(own, c)
		}},
		{name: "a context of its own", rules: []string{tooltest.RuleInvokeCancel}, got: "the Invoke did not return", invoke: func(_ context.Context, t pegboard.Tool, c *pegboard.Call) (*pegboard.Result, error) {
			return t.Call(ctx, c)
		}},
		{name: "returns and leaves it running", rules: []string{tooltest.RuleInvokeCancel}, got: "the context of the tool did not end within 1m0s", invoke: func(own context.Context, t pegboard.Tool, c *pegboard.Call) (*pegboard.Result, error) {
			type returned struct {
				result *pegboard.Result
				err    error
			}
			if c.Name == "InvokeCrash" {
				return t.Call(own, c)
			}
			done := make(chan returned, 1)
			go func() {
				r, err := t.Call(ctx, c)
				done <- returned{r, err}
			}()
			select {
			case r := <-done:
				return r.result, r.err
			case <-own.Done():
				return nil, context.Cause(own)
			}
		}},
	}
}
