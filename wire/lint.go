package wire

import (
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire/internal/dialect"
	"github.com/seed49eaa51d/pegboard/wire/internal/poolcheck"
)

// A Problem is a part of a tool that a provider refuses or takes only in a weaker form.
type Problem struct {
	Tool    string // its name in the pool; empty if all tools are meant
	Reason  string // which part the provider does not take, and how to change it
	Omitted bool   // the tool cannot be sent at all
}

// String returns the problem on one line.
func (p Problem) String() string {
	if p.Tool == "" {
		return p.Reason
	}
	if p.Omitted {
		return p.Tool + " is left out: " + p.Reason
	}
	return p.Tool + ": " + p.Reason
}

// Lint returns the problems that the provider would have with the tools of a pool: first
// those of each tool, in the order of the pool, then those of the request as a whole. The
// same pool gives the same problems. Without any, every tool is sent as it is declared.
//
// A problem need not be solved. If a schema is sent in a weaker form, descriptions tell
// the model the rest, and the input of each call is checked against the schema as
// declared. A tool that cannot be sent at all is left out, and the other tools are sent.
//
// That a tool is deferred is no problem if the provider or [pegboard.ToolSearch] can
// search it. Lint checks a deferred tool like any other, because it is sent once it is
// found. Lint does not know the Config of a [Codec]: for a pool that is assembled with
// [pegboard.Deferral].ProviderSearch it assumes that the Codec lets the provider search.
//
// Lint converts every schema again. It is for tests and the start of a program, not for
// each request.
func Lint(p *pegboard.Pool, to Provider) []Problem {
	poolcheck.MustExist(p, "wire.Lint")
	l, ok := newLinter(to)
	if !ok {
		return []Problem{{Reason: fmt.Sprintf("%d is no provider; use one of this package's", int(to))}}
	}
	l.searches, l.loaded = hasSearch(p), map[string]bool{}
	for d := range p.Loaded() {
		l.loaded[d.Name] = true
	}
	l.names = l.plain[0].NameRule().Names(namesOf(p, pegboard.Builtin), namesOf(p, pegboard.External))
	for _, part := range []pegboard.Partition{pegboard.Builtin, pegboard.External} {
		for d := range p.Declarations(part) {
			l.tool(d)
		}
	}
	l.request()
	return l.problems
}

// hasSearch reports whether the model can call [pegboard.ToolSearch].
func hasSearch(p *pegboard.Pool) bool {
	const name = "ToolSearch"
	t, ok := p.Lookup(name)
	return ok && t.Info().Name == name // and not an alias of another tool
}

func namesOf(p *pegboard.Pool, part pegboard.Partition) (list []string) {
	for d := range p.Declarations(part) {
		list = append(list, d.Name)
	}
	return list
}

// How many tools one request may hold.
//
// source: Anthropic Messages API, documentation of the tool search tool; OpenAI's older API
// reference of the parameter functions.
const (
	maxDeferred  = 10_000 // deferred tools of Anthropic
	maxFunctions = 128    // functions of some models of OpenAI
)

// A linter checks the tools of one request.
type linter struct {
	to     Provider
	strict []dialect.Dialect // none if the provider has no strict tools
	plain  []dialect.Dialect
	defers bool // the provider has a form for deferred tools

	searches bool            // the pool has ToolSearch
	loaded   map[string]bool // the tools that it has found

	names          dialect.Names
	use            dialect.Use
	sent, deferred int
	problems       []Problem
}

func newLinter(to Provider) (l *linter, ok bool) {
	switch to {
	case Anthropic:
		return &linter{to: to, strict: []dialect.Dialect{dialect.AnthropicStrict}, plain: []dialect.Dialect{dialect.Anthropic}, defers: true}, true
	case OpenAIChat, OpenAIResponses:
		return &linter{
			to: to, strict: []dialect.Dialect{dialect.OpenAIStrict}, plain: []dialect.Dialect{dialect.OpenAI},
			defers: to == OpenAIResponses,
		}, true
	case Gemini:
		return &linter{to: to, plain: []dialect.Dialect{dialect.GeminiSchema, dialect.GeminiJSON}}, true
	default:
		return nil, false
	}
}

func (l *linter) note(tool, format string, args ...any) {
	l.problems = append(l.problems, Problem{Tool: tool, Reason: fmt.Sprintf(format, args...)})
}

// tool checks one tool.
func (l *linter) tool(d pegboard.Declaration) {
	form, strict, err := l.form(d)
	if err != nil {
		reason := strings.ReplaceAll(err.Error(), "\n", "; ")
		l.problems = append(l.problems, Problem{Tool: d.Name, Reason: "its input schema cannot be sent: " + reason, Omitted: true})
		return
	}
	l.count(d)
	if api := l.names.API(d.Name); api != d.Name {
		l.note(d.Name, "its name is sent as %s; %s takes %s", api, l.to, l.plain[0].NameRule())
	}
	if d.Strict && !strict {
		l.note(d.Name, "it is sent without strict: %s", l.notStrict(form))
	}
	if len(form.Lost) > 0 {
		l.note(d.Name, "only its descriptions say what the schema sent cannot: %s", strings.Join(form.Lost, "; "))
	}
	if d.Deferred && !l.defers && !l.searches {
		l.note(d.Name, "it is sent at once: %s does not search for tools; add ToolSearch to the pool", l.to)
	}
}

// count counts a tool that can be sent. A request to Anthropic holds all deferred tools,
// and the model sees those that were found. Other requests hold a deferred tool only once
// ToolSearch has found it.
func (l *linter) count(d pegboard.Declaration) {
	if d.Deferred {
		l.deferred++
	}
	if !d.Deferred || !l.searches || l.loaded[d.Name] || l.to == Anthropic {
		l.sent++
	}
}

// form returns the form in which the tool's schema is sent.
func (l *linter) form(d pegboard.Declaration) (form dialect.Form, strict bool, err error) {
	if !d.Strict || len(l.strict) == 0 {
		form, err = dialect.First(d.InputSchema, l.plain...)
		return form, false, err
	}
	form, err = dialect.First(d.InputSchema, append(l.strict[:1:1], l.plain...)...)
	if err != nil || form.Dialect != l.strict[0] {
		return form, false, err
	}
	if l.to == Anthropic && !l.use.Add(dialect.UseOf(form.Schema)) {
		form, err = dialect.First(d.InputSchema, l.plain...)
		return form, false, err
	}
	return form, true, nil
}

// notStrict returns why a tool is not sent in its strict form.
func (l *linter) notStrict(form dialect.Form) string {
	if len(l.strict) == 0 {
		return l.to.String() + " does not have it"
	}
	if len(form.Refused) > 0 {
		return form.Refused[0].Error()
	}
	limit := dialect.MaxUse()
	return fmt.Sprintf("with those before it the request would have more than %d strict tools, %d optional parameters or %d of several types",
		limit.Tools, limit.Optional, limit.Unions)
}

// request checks the tools together.
func (l *linter) request() {
	switch {
	case l.to == Anthropic && l.deferred > maxDeferred:
		l.note("", "%d tools are deferred, and %s takes %d; offer fewer", l.deferred, l.to, maxDeferred)
	case l.to == Anthropic && l.sent > 0 && l.deferred == l.sent:
		l.note("", "all tools are deferred; %s wants one that is not: add ToolSearch to the pool, or its own search", l.to)
	case (l.to == OpenAIChat || l.to == OpenAIResponses) && l.sent > maxFunctions:
		l.note("", "%d tools are sent, and some models of %s take %d; offer fewer, or let them be searched", l.sent, l.to, maxFunctions)
	}
}
