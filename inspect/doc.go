// Package inspect shows in a browser what happens in a session: open questions, calls on a
// timeline, the pool of each agent, decisions, rules, stored results. It is mounted like
// net/http/pprof:
//
//	page, err := inspect.New(inspect.Options{Registry: &registry, Session: session})
//	…
//	http.Handle("/debug/pegboard/", http.StripPrefix("/debug/pegboard", page))
//	executor := pegboard.Executor{OnEvent: page.Record}
//
// The page answers to the names of this machine only. It shows inputs and results, and answers
// questions, only with [Options].Token; without it, it shows names of tools, times, classes of
// targets and rules. It has no metrics and opens no socket. docs/inspector.md describes the
// sections, the limits and the costs.
package inspect
