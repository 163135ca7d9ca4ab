package anthropic_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
)

// TestNormalizeStaleReferences takes away a tool that a conversation refers to.
func TestNormalizeStaleReferences(t *testing.T) {
	t.Parallel()
	before := anthropic.New(poolOf(t, tool(t, "clock", "", anyObject), tool(t, "notes.add", "", anyObject), aliased(t, "Agent", "Task")), anthropic.Config{})
	after := anthropic.New(poolOf(t, tool(t, "clock", "", anyObject), tool(t, "notes.add", "", refusedSchema), aliased(t, "Agent", "Task")), anthropic.Config{})
	notes := before.Name("notes.add")
	in := messagesOf([]string{
		hello, assistant(use("a", "search"), use("b", "search")),
		`{"role": "user","content":[` + resultOf("a", refer("clock"), refer(notes), refer("Task")) + `, ` + resultOf("b", says) + `]}`,
		assistant(onServer, `{"type":"tool_search_tool_result","tool_use_id":"srvtoolu_1","content":{"type":"tool_search_tool_search_result","tool_references":[`+refer(notes)+`]}}`),
		user(refer(notes)),
	})
	got, repairs := before.Normalize(in)
	renamed := wire.Repair{Kind: wire.StaleReference, CallID: "a", Message: 2}
	agent := `{"type":"tool_reference","tool_name":"Agent"}` // the request holds no tool Task
	require.Equal(t, []wire.Repair{renamed}, repairs)
	require.Equal(t, user(resultOf("a", refer("clock"), refer(notes), agent), resultOf("b", says)), string(got[2]))

	got, repairs = after.Normalize(in)
	require.Equal(t, []wire.Repair{renamed, renamed}, repairs)
	require.Equal(t, "stale reference", repairs[0].Kind.String())
	require.Equal(t, user(resultOf("a", refer("clock"), `{"type":"text","text":"`+gone(notes)+`"}`, agent), resultOf("b", says)), string(got[2]))
	require.Equal(t, append(in[:2:2], in[3:]...), append(got[:2:2], got[3:]...), "more was changed")

	again, repairs := after.Normalize(got)
	require.Equal(t, got, again)
	require.Empty(t, repairs)

	var zero anthropic.Codec
	got, _ = zero.Normalize(in)
	require.Equal(t, in, got)
}

// TestNormalizeStaleReferencesAndMore makes both kinds of repair at once.
func TestNormalizeStaleReferencesAndMore(t *testing.T) {
	t.Parallel()
	w := anthropic.New(poolOf(t, tool(t, "clock", "", anyObject)), anthropic.Config{})
	got, repairs := w.Normalize(messagesOf([]string{assistant(use("a", "search"), use("b", "clock")), hello, user(resultOf("a", refer("x")))}))
	require.Equal(t, []wire.Repair{
		{Kind: wire.MissingResult, CallID: "b"},
		{Kind: wire.MisplacedResult, CallID: "a", Message: 2},
		{Kind: wire.EmptyMessage, Message: 2},
		{Kind: wire.StaleReference, CallID: "a", Message: 2},
	}, repairs)
	require.Equal(t, []json.RawMessage{json.RawMessage(assistant(use("a", "search"), use("b", "clock"))), json.RawMessage(
		user(resultOf("a", `{"type":"text","text":"`+gone("x")+`"}`), unanswered("b", "clock"), `{"type":"text","text":"Hello <you>"}`))}, got)
}
