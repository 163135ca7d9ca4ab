package hooks_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// A hook that asks about a call and changes its input has asked about the new input, also if
// its own rule does not concern that.
func TestRewriteKeepsTheQuestion(t *testing.T) {
	t.Parallel()
	rewrite := printing(`{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "ask",
		"permissionDecisionReason": "sure?", "updatedInput": {"text": "bye"}}}`)
	for _, more := range [][]string{nil, {`"if": "Note(text:hello)"`}, {`"once": true`}} {
		t.Run(strings.Join(more, ""), func(t *testing.T) {
			t.Parallel()
			o := noteOptions{source: "skill"}
			s := newNoteScene(t, commandHook("PreToolUse", "", rewrite, more...), o)
			out := s.call("hello")
			require.Empty(t, s.noted, "the tool ran")
			require.Contains(t, out.Result.Text(), "sure?")
		})
	}
}

// Calls of scripts may have no id, or the same one. What a hook has asked about one of them
// stays when the other is changed, too.
func TestRewriteIsOfOneCall(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"", "inner"} {
		t.Run("id "+id, func(t *testing.T) {
			t.Parallel()
			var changed, ran atomic.Int32
			pen := pegboard.Build(pegboard.Definition[noteIn, string]{
				Info: pegboard.Info{Name: "Pen"}, Description: "Writes.", Traits: readsNote,
				Validate: func(_ context.Context, in noteIn, c *pegboard.Call) error {
					if in.Text == "oh dear" && c.Parent() != nil { // until the inputs of both calls are changed
						changed.Add(1)
						for end := time.Now().Add(waitTime / 4); changed.Load() < 2 && time.Now().Before(end); {
							time.Sleep(pollTime)
						}
					}
					return nil
				},
				Call: func(context.Context, noteIn, *pegboard.Call) (string, error) { ran.Add(1); return "", nil },
			})
			script := pegboard.Build(pegboard.Definition[noteIn, string]{
				Info: pegboard.Info{Name: "Script"}, Description: "Calls Pen.", Traits: readsNote,
				Call: func(ctx context.Context, in noteIn, c *pegboard.Call) (string, error) {
					return "", c.Run(ctx, pegboard.Call{ID: id, Name: "Pen", Input: json.RawMessage(`{"text": "` + in.Text + `"}`)})[0].Err
				},
			})
			s := newNoteScene(t, commandHook("PreToolUse", "Pen", `python3 -c '
import json, sys, time
text = json.load(sys.stdin)["tool_input"]["text"]
time.sleep(0.3 if text == "b" else 0)
if not text.startswith("oh "):
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": text,
        "permissionDecision": "ask" if text == "a" else "allow", "updatedInput": {"text": "oh dear"}}}))'`),
				noteOptions{tools: []pegboard.Tool{script, pen}})
			out := s.exec.Run(s.Context(), s.pool,
				pegboard.Call{ID: "call-1", Name: "Script", Input: json.RawMessage(`{"text": "a"}`)},
				pegboard.Call{ID: "call-2", Name: "Script", Input: json.RawMessage(`{"text": "b"}`)})
			require.NoError(t, out[1].Err)
			require.Equal(t, int32(1), ran.Load())
		})
	}
}
