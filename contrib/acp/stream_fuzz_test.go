package acp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/contrib/acp"
)

// FuzzServe writes anything to an agent and leaves. What it writes are messages, and it answers
// each id as often as it was asked with that id.
func FuzzServe(f *testing.F) {
	const begin = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}` + "\n"
	for _, seed := range []string{
		"", "\n\n", "{}", "[]", "[{}]", "null", `"x"`, begin, begin + begin, begin + strings.TrimSpace(begin),
		`{"jsonrpc":"2.0","id":"a","method":"session/new","params":{"cwd":"/","mcpServers":[]}}`,
		`{"jsonrpc":"2.0","ID":"a","method":"x"}`, `{"jsonrpc":"2.0","id":1,"id":2,"method":"x","method":""}`, `{"jsonrpc":"2.0","id":1,"method":"","result":null}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","error":null,"params":[1]}`, `{"jsonrpc":"2.0","id":-1.5e3,"result":{}}`, `{"jsonrpc":"3","id":1}`, `{"id":true,"method":"a"}`,
		`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}` + "\n" + begin, "\xff\n" + begin, `{"jsonrpc":"2.0","id":1,"method":"rpc.serverInfo"}`,
		`{"jsonrpc":"2.0","id":"` + "\u0000" + `","method":"session/prompt","params":{"sessionId":"a","prompt":[{"type":"text"}]},"extra":1}`,
	} {
		f.Add([]byte(seed))
	}
	agent, err := acp.New(acp.Options{Logger: quiet(), Open: func(context.Context, *acp.Conversation) (*pegboard.Session, acp.Turn, error) {
		session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: "/"})
		return session, func(context.Context, []pegboard.Part) (sdk.StopReason, error) { return "", nil }, err
	}})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, raw []byte) {
		var out closingBuilder
		require.NoError(t, agent.Serve(t.Context(), readCloser{strings.NewReader(string(raw))}, &out))
		want, got := map[string]int{}, map[string]int{}
		for line := range bytes.SplitSeq(raw, []byte("\n")) {
			if id := requestID(bytes.TrimSpace(line)); id != "" {
				want[id]++
			}
		}
		for line := range strings.Lines(out.String()) {
			var m map[string]json.RawMessage
			require.NoError(t, json.Unmarshal([]byte(line), &m))
			require.Equal(t, `"2.0"`, string(m["jsonrpc"]))
			require.NotContains(t, m, "method", "nothing happens that the editor is told of")
			if id := string(m["id"]); id != "null" {
				got[id]++
			}
		}
		require.Equal(t, want, got)
	})
}

// requestID returns the id of a message that is to be answered under it, or "".
func requestID(line []byte) string {
	var m struct {
		Version        string `json:"jsonrpc"`
		Method         string
		ID             *json.RawMessage
		Params, Result json.RawMessage
		Error          *sdk.RequestError
	}
	if json.Unmarshal(line, &m) != nil {
		var head struct{ ID, Method *json.RawMessage }
		if json.Unmarshal(line, &head) != nil || head.Method == nil {
			return ""
		}
		m.ID, m.Method = head.ID, "unreadable"
	}
	if m.ID == nil || m.Method == "" {
		return ""
	}
	id, _ := json.Marshal(m.ID) // in the form in which it comes back
	return string(id)
}
