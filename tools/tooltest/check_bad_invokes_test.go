package tooltest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

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
