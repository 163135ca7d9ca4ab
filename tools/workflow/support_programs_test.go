package workflow_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard/tools/workflow"
)

// A program is a workflow that can be written in JavaScript and run in Go.
type program interface {
	// script returns an expression, a promise of the result.
	script() string
	run(ctx context.Context, r *workflow.Run) (any, error)
}

// asks starts an agent. Its prompt may begin with fail.
type asks struct{ prompt string }

func (p asks) script() string { return fmt.Sprintf("agent(%s)", mustJSON(p.prompt)) }

func (p asks) run(ctx context.Context, r *workflow.Run) (any, error) {
	a, err := r.Agent(ctx, p.prompt, workflow.AgentOptions{})
	if err != nil {
		return nil, err
	}
	return a.Text, nil
}

// forgives gives a text in the place of a failure.
type forgives struct{ inner program }

func (p forgives) script() string {
	return "(async () => { try { return await " + p.inner.script() + " } catch (e) { if (!(e instanceof AgentError)) throw e; return 'forgiven' } })()"
}

func (p forgives) run(ctx context.Context, r *workflow.Run) (any, error) {
	v, err := p.inner.run(ctx, r)
	if errors.Is(err, workflow.ErrAgent) {
		return "forgiven", nil
	}
	return v, err
}

// sequence runs programs one after the other.
type sequence []program

func (p sequence) script() string {
	var b strings.Builder
	b.WriteString("(async () => { const all = []; ")
	for _, inner := range p {
		b.WriteString("all.push(await " + inner.script() + "); ")
	}
	return b.String() + "return all })()"
}

func (p sequence) run(ctx context.Context, r *workflow.Run) (any, error) {
	all := []any{}
	for _, inner := range p {
		v, err := inner.run(ctx, r)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

// together runs programs side by side.
type together []program

func (p together) script() string {
	all := make([]string, len(p))
	for i, inner := range p {
		all[i] = "() => " + inner.script()
	}
	return "parallel([" + strings.Join(all, ", ") + "])"
}

func (p together) run(ctx context.Context, r *workflow.Run) (any, error) {
	branches := make([]workflow.Func, len(p))
	for i, inner := range p {
		branches[i] = inner.run
	}
	return r.Parallel(ctx, branches...)
}

// flows takes items through stages, each an agent, of which some start two.
type flows struct {
	items  []string
	stages []string
}

func (p flows) script() string {
	var b strings.Builder
	b.WriteString("pipeline(" + mustJSON(p.items))
	for i, stage := range p.stages {
		if i%2 == 1 {
			fmt.Fprintf(&b, ", async (v, item, i) => (await parallel([() => agent(v + %s), () => agent(item + i)])).join('&')", mustJSON(stage))
			continue
		}
		fmt.Fprintf(&b, ", v => agent(v + %s)", mustJSON(stage))
	}
	return b.String() + ")"
}

func (p flows) run(ctx context.Context, r *workflow.Run) (any, error) {
	items := make([]any, len(p.items))
	for i, item := range p.items {
		items[i] = item
	}
	stages := make([]workflow.Stage, len(p.stages))
	for i, stage := range p.stages {
		stages[i] = func(ctx context.Context, r *workflow.Run, previous, item any, index int) (any, error) {
			first := asks{fmt.Sprint(previous, stage)}
			if i%2 == 0 {
				return first.run(ctx, r)
			}
			both, err := r.Parallel(ctx, first.run, asks{fmt.Sprint(item, index)}.run)
			if err != nil {
				return nil, err
			}
			return text(both[0]) + "&" + text(both[1]), nil
		}
	}
	return r.Pipeline(ctx, items, stages...)
}

// text is how join writes a value.
func text(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// calls runs a workflow inside. The test registers one for each.
type calls struct {
	name  string
	inner program
}

func (p calls) script() string { return fmt.Sprintf("workflow(%s, 1)", mustJSON(p.name)) }

func (p calls) run(ctx context.Context, r *workflow.Run) (any, error) {
	return r.Workflow(ctx, p.name, 1)
}

// A programmer makes programs at random.
type programmer struct {
	*rand.Rand
	prompts int
	named   map[string]program
}

func (g *programmer) prompt() string {
	g.prompts++
	word := "p"
	if g.IntN(8) == 0 {
		word = "fail"
	}
	return fmt.Sprintf("%s%d.", word, g.prompts)
}

func (g *programmer) program(depth int, mayCall bool) program {
	if depth == 0 {
		return asks{g.prompt()}
	}
	several := func() (all []program) {
		for range 1 + g.IntN(4) {
			all = append(all, g.program(depth-1, mayCall))
		}
		return all
	}
	switch n := g.IntN(6); {
	case n == 0:
		return forgives{g.program(depth-1, mayCall)}
	case n == 1:
		return sequence(several())
	case n == 2:
		p := flows{stages: []string{"s" + g.prompt(), "t"}[:1+g.IntN(2)]}
		for range 1 + g.IntN(4) {
			p.items = append(p.items, g.prompt())
		}
		return p
	case n == 3 && mayCall:
		p := calls{name: fmt.Sprintf("w%d", len(g.named)), inner: g.program(depth-1, false)}
		g.named[p.name] = p.inner
		return p
	}
	return together(several())
}

// slow is echo that takes a time which depends on the prompt and a seed.
func slow(seed uint64) func(ctx context.Context, r workflow.AgentRequest) (workflow.AgentResult, error) {
	return func(ctx context.Context, r workflow.AgentRequest) (workflow.AgentResult, error) {
		h := sha256.Sum256(fmt.Append(nil, seed, r.Prompt))
		select {
		case <-time.After(time.Duration(1 + binary.BigEndian.Uint64(h[:])%1_000_000_007)):
		case <-ctx.Done():
			return workflow.AgentResult{}, context.Cause(ctx)
		}
		return echo(ctx, r)
	}
}
