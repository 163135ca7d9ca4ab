package pegboard

import (
	"context"
	"log/slog"
)

// LogEvents returns a function for [Executor].OnEvent that logs events to l: denials and
// failures at level Warn, all others at Debug. It logs no input and no result: of a
// denial the rule, of a failure the stage and the sentinel error. The kind of a call is the
// one that its tool tells in Traits. Of a tool that was called by an alias it logs the name
// as "tool", and the alias as "as".
func LogEvents(l *slog.Logger) func(Event) {
	return func(e Event) {
		level, attrs := slog.LevelDebug, []slog.Attr{slog.String("tool", e.Call.ToolName())}
		if e.Call.Name != e.Call.ToolName() {
			attrs = append(attrs, slog.String("as", e.Call.Name))
		}
		attrs = append(attrs, slog.String("call", e.Call.ID))
		if e.Call.FromText {
			attrs = append(attrs, slog.Bool("from_text", true))
		}
		if s := e.Call.Session(); s != nil && s.AgentID() != "" {
			attrs = append(attrs, slog.String("agent", s.AgentID()))
		}
		if e.Awaited != nil {
			attrs = append(attrs, slog.String("awaited", e.Awaited.ID))
		}
		if e.WaitsFor != nil {
			attrs = append(attrs, slog.String("waits_for", e.WaitsFor.ID))
		}
		if d := e.Decision; d != nil {
			attrs = append(attrs, slog.String("behavior", d.Behavior.String()))
			if d.Rule != nil {
				attrs = append(attrs, slog.String("rule", d.Rule.describe()))
			} else if d.FactRule != nil {
				attrs = append(attrs, slog.String("rule", d.FactRule.describe()))
			}
			if d.Behavior != Allow {
				level = slog.LevelWarn
			}
		}
		if o := e.Outcome; o != nil {
			attrs = append(attrs, slog.Duration("elapsed", o.Elapsed), slog.Bool("failed", o.Result.IsError))
			if o.SameAs != nil {
				attrs = append(attrs, slog.String("same_as", o.SameAs.ID))
			}
			if o.Attempts > 1 {
				attrs = append(attrs, slog.Int("attempts", o.Attempts))
			}
			if o.Err != nil {
				level = slog.LevelWarn
				attrs = append(attrs, slog.String("error", errorClass(o.Err)))
			}
		}
		ctx := context.Background()
		if !l.Enabled(ctx, level) {
			return // the tool need not be asked for the kind
		}
		if _, traits, _ := e.Call.describe(); traits.Kind.known() != KindOther {
			attrs = append(attrs, slog.String("kind", traits.Kind.String()))
		}
		l.LogAttrs(ctx, level, "tool call "+e.Kind.String(), attrs...)
	}
}
