package gemini_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// expectation is what encoding/json alone finds in the responses of a reply.
type expectation struct {
	calls  []string // names and arguments
	ids    []string // of the calls; empty if they have none
	text   string
	parts  []string // as they are sent back
	reason string
	open   *streamedCall
}

// streamedCall is a call whose arguments come in pieces, all of them strings at the
// root.
type streamedCall struct {
	name, signature string
	keys            []string
	values          map[string]string
}

// responsesOf returns the responses in a body of any form.
func responsesOf(t *testing.T, body string) (all []json.RawMessage) {
	t.Helper()
	switch trimmed := strings.TrimSpace(body); {
	case strings.HasPrefix(trimmed, "{"):
		return []json.RawMessage{json.RawMessage(trimmed)}
	case strings.HasPrefix(trimmed, "["):
		require.NoError(t, json.Unmarshal([]byte(trimmed), &all))
		return all
	}
	for line := range strings.Lines(strings.ReplaceAll(body, "\r\n", "\n")) {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			all = append(all, json.RawMessage(strings.TrimSpace(data)))
		}
	}
	return all
}

func oracle(t *testing.T, body string) (want expectation) {
	t.Helper()
	for _, raw := range responsesOf(t, body) {
		var r struct {
			Candidates []struct {
				Content      struct{ Parts []json.RawMessage }
				FinishReason string
			}
		}
		require.NoError(t, json.Unmarshal(raw, &r))
		for _, c := range r.Candidates {
			for _, p := range c.Content.Parts {
				want.part(t, p)
			}
			if c.FinishReason != "" {
				want.reason = c.FinishReason
			}
		}
	}
	return want
}

func (want *expectation) part(t *testing.T, raw json.RawMessage) {
	t.Helper()
	var p struct {
		Text             *string
		Thought          bool
		ThoughtSignature string
		FunctionCall     *struct {
			ID, Name     string
			Args         json.RawMessage
			PartialArgs  []struct{ JSONPath, StringValue string }
			WillContinue bool
		}
	}
	require.NoError(t, json.Unmarshal(raw, &p))
	f := p.FunctionCall
	switch {
	case f == nil:
		if p.Text != nil && !p.Thought {
			want.text += *p.Text
		}
		if p.Text == nil || *p.Text != "" || p.ThoughtSignature != "" {
			want.parts = append(want.parts, string(raw))
		}
	case f.WillContinue || want.open != nil:
		if want.open == nil {
			want.open = &streamedCall{name: f.Name, signature: p.ThoughtSignature, values: map[string]string{}}
		}
		for _, piece := range f.PartialArgs {
			key := strings.TrimPrefix(piece.JSONPath, "$.")
			if _, known := want.open.values[key]; !known {
				want.open.keys = append(want.open.keys, key)
			}
			want.open.values[key] += piece.StringValue
		}
		if !f.WillContinue {
			want.closeCall()
		}
	default:
		want.calls = append(want.calls, f.Name+" "+string(f.Args))
		want.ids = append(want.ids, f.ID)
		want.parts = append(want.parts, string(raw))
	}
}

func (want *expectation) closeCall() {
	var members []string
	for _, key := range want.open.keys {
		members = append(members, fmt.Sprintf("%q:%q", key, want.open.values[key]))
	}
	args := "{" + strings.Join(members, ",") + "}"
	want.calls = append(want.calls, want.open.name+" "+args)
	want.ids = append(want.ids, "")
	part := fmt.Sprintf(`{"functionCall":{"name":%q,"args":%s}`, want.open.name, args)
	if want.open.signature != "" {
		part += fmt.Sprintf(`,"thoughtSignature":%q`, want.open.signature)
	}
	want.parts = append(want.parts, part+"}")
	want.open = nil
}
