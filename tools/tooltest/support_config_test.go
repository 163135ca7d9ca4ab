package tooltest_test

import (
	"context"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/session"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// configCalls are the calls of Config and CtxInspect, and of the tools for tests.
func configCalls() []shownCall {
	config, err := session.Config(session.Setting{
		Name: "theme", Type: session.TypeText,
		Get: func(context.Context, *pegboard.Session) (any, error) { return "dark", nil },
		Set: func(context.Context, *pegboard.Session, any) error { return nil },
	})
	if err != nil {
		panic(err)
	}
	view := func(title string, kind pegboard.CallKind, before, while, after string) pegboard.View {
		return pegboard.View{Title: title, Kind: kind, Folds: kind == pegboard.KindRead || kind == pegboard.KindList, Before: before, While: while, After: after}
	}
	return []shownCall{
		{made: "session.Config", tool: config, input: `{"setting":"theme"}`, want: view("Settings", pegboard.KindRead, "Look at the setting theme", "Looking at the setting theme", `theme is "dark"`)},
		{made: "session.Config", tool: config, input: `{"setting":"theme","value":"light"}`, want: view("Settings", pegboard.KindEdit, `Set theme to "light"`, `Setting theme to "light"`, `theme is "dark"`)},
		{made: "session.CtxInspect", tool: session.CtxInspect(), input: `{}`, want: view("Context", pegboard.KindList, "Inspect the context", "Inspecting the context", "Inspected")},
		{made: "session.CtxInspect", tool: session.CtxInspect(), input: `{"what":"tools"}`, want: view("Context", pegboard.KindList, "Inspect the tools of the context", "Inspecting the tools of the context", "Inspected")},
		{made: "tooltest.Overflow", tool: tooltest.Overflow(10), input: `{}`, want: view("Overflow", pegboard.KindRead, "Overflow", "Running Overflow", "line 00000")},
		{made: "tooltest.Asks", tool: tooltest.Asks(), input: `{}`, want: view("Permission test", pegboard.KindRun, "Ask for permission", "Asking for permission", "allowed")},
	}
}
