package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/mcp"
)

const answered = `{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"first"}]}}`

// TestMessages has a server answer a call in all wrong ways. Each call has one end, and the
// next one works.
func TestMessages(t *testing.T) {
	tests := []struct {
		name   string
		says   []string
		text   string // of the result
		err    string // of the outcome
		strays int
	}{
		{name: "two answers", says: []string{answered, `{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"second"}]}}`}, text: "first", strays: 1},
		{name: "an id that was not asked", says: []string{`{"jsonrpc":"2.0","id":99999,"result":{"content":[]}}`, answered}, text: "first", strays: 1},
		{name: "id null", says: []string{`{"jsonrpc":"2.0","id":null,"result":{"content":[]}}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}`, answered}, text: "first", strays: 2},
		{name: "no id", says: []string{`{"jsonrpc":"2.0","result":{"content":[]}}`, answered}, text: "first", strays: 1},
		{name: "an id of another type", says: []string{`{"jsonrpc":"2.0","id":{"a":1},"result":{}}`, `{"jsonrpc":"2.0","id":[1],"result":{}}`, `{"jsonrpc":"2.0","id":true,"result":{}}`, answered}, text: "first", strays: 3},
		{name: "a batch", says: []string{`[` + answered + `]`, answered}, text: "first", strays: 1},
		{name: "text", says: []string{"log: calling", "", "null", `"a"`, "7", answered}, text: "first", strays: 4},
		{name: "a message that is cut", says: []string{`{"jsonrpc":"2.0","id":$ID,"result":{"cont`, answered}, text: "first", strays: 1},
		{name: "invalid UTF-8", says: []string{`{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"a` + "\xff" + `b"}]}}`}, text: "a\ufffdb"},
		{name: "duplicate results", says: []string{`{"jsonrpc":"2.0","id":$ID,"result":{"content":[]},"result":{"content":[]}}`}, err: "malformed answer"},
		{name: "result and error", says: []string{`{"jsonrpc":"2.0","id":$ID,"result":{"content":[]},"error":{"code":1,"message":"a"}}`}, err: "malformed answer"},
		{name: "neither result nor error", says: []string{`{"jsonrpc":"2.0","id":$ID}`}, err: "malformed answer"},
		{name: "duplicate keys within", says: []string{`{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"a"}],"content":[{"type":"text","text":"b"}]}}`}, text: "b"},
		{name: "error null", says: []string{`{"jsonrpc":"2.0","id":$ID,"error":null,"result":{"content":[{"type":"text","text":"first"}]}}`}, text: "first"},
		{name: "error of a wrong type", says: []string{`{"jsonrpc":"2.0","id":$ID,"error":"no"}`}, err: `malformed error: "no"`},
		{name: "error with a text code", says: []string{`{"jsonrpc":"2.0","id":$ID,"error":{"code":"E1","message":"no"}}`}, err: `malformed error`},
		{name: "error with marks of the host", says: []string{`{"jsonrpc":"2.0","id":$ID,"error":{"code":1,"message":"<system-reminder>\u001b\u202e"}}`}, err: `\<system-reminder>\x1b\u202e`},
		{name: "malformed error with marks", says: []string{`{"jsonrpc":"2.0","id":$ID,"error":"<system-reminder>\u202e"}`}, err: `\<system-reminder>\u202e`},
		{name: "text with marks of the host", says: []string{`{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"<system-reminder>\u001b"}]}}`}, text: `\<system-reminder>\x1b`},
		{name: "result null", says: []string{`{"jsonrpc":"2.0","id":$ID,"result":null}`}, err: "not an object: null"},
		{name: "result list", says: []string{`{"jsonrpc":"2.0","id":$ID,"result":[]}`}, err: "not an object: []"},
		{name: "no version", says: []string{`{"id":$ID,"result":{"content":[{"type":"text","text":"first"}]}}`}, text: "first"},
		{name: "version 1", says: []string{`{"jsonrpc":"1.0","id":$ID,"result":{"content":[{"type":"text","text":"first"}]}}`}, text: "first"},
		{name: "id as a float", says: []string{`{"jsonrpc":"2.0","id":$ID.0,"result":{"content":[{"type":"text","text":"first"}]}}`}, text: "first"},
		{name: "content null", says: []string{`{"jsonrpc":"2.0","id":$ID,"result":{"content":null}}`}},
		{name: "unknown kind", says: []string{`{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"hologram","data":1},{"type":"text","text":"b"}]}}`}, text: "hologram"},
		{name: "deep", says: []string{`{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"first"}],"structuredContent":{"a":` + deep(2000) + `}}}`}, text: "first"},
		{name: "too deep", says: []string{`{"jsonrpc":"2.0","id":$ID,"result":{"content":[],"structuredContent":{"a":` + deep(20_000) + `}}}`, answered}, text: "first", strays: 1},
		{name: "deep error", says: []string{`{"jsonrpc":"2.0","id":$ID,"error":{"code":1,"message":"a","data":` + deep(2000) + `}}`}, err: "refused the request: a (code 1)"},
		{name: "addresses null", says: []string{`{"jsonrpc":"2.0","id":$ID,"error":{"code":-32042,"message":"log in","data":{"elicitations":[null]}}}`}, err: "log in"},
		{name: "addresses of a wrong type", says: []string{`{"jsonrpc":"2.0","id":$ID,"error":{"code":-32042,"message":"log in","data":{"elicitations":7}}}`}, err: "log in"},
		{name: "no addresses", says: []string{`{"jsonrpc":"2.0","id":$ID,"error":{"code":-32042,"message":"log in","data":{"elicitations":[]}}}`}, err: "log in"},
		{name: "address without data", says: []string{`{"jsonrpc":"2.0","id":$ID,"error":{"code":-32042,"message":"log in"}}`}, err: "log in"},
		{name: "input required without questions", says: []string{`{"jsonrpc":"2.0","id":$ID,"result":{"resultType":"input_required"}}`}, text: "asked for further input"},
		{name: "progress that falls", says: []string{progress(`$TOKEN`, 3), progress(`$TOKEN`, 2), progress(`$TOKEN`, 3), answered}, text: "first"},
		{name: "progress after the end", says: []string{answered, progress(`$TOKEN`, 1)}, text: "first"},
		{name: "progress for no call", says: []string{progress(`"pegboard-9999"`, 1), progress(`17`, 1), progress(`null`, 1), answered}, text: "first"},
		{name: "progress that is none", says: []string{progressOf(`"a"`), progressOf(`null`), progressOf(`1e400`), `{"jsonrpc":"2.0","method":"notifications/progress"}`, `{"jsonrpc":"2.0","method":"notifications/progress","params":[1]}`, answered}, text: "first", strays: 5},
		{name: "notifications without params", says: append(bare("", "message", "elicitation/complete", "cancelled", "tools/list_changed", "resources/updated", "resources/list_changed", "prompts/list_changed", "initialized", "unknown"), answered), text: "first"},
		{name: "notifications with null", says: append(bare(`,"params":null`, "message", "elicitation/complete", "cancelled", "tools/list_changed", "resources/updated", "resources/list_changed", "prompts/list_changed"), answered), text: "first"},
		{name: "notifications with a list", says: append(bare(`,"params":[1]`, "message", "elicitation/complete", "cancelled", "tools/list_changed"), answered), text: "first"},
		{name: "notifications with wrong members", says: append(bare(`,"params":{"level":7,"data":{},"elicitationId":[],"requestId":{},"logger":1}`, "message", "elicitation/complete", "cancelled"), answered), text: "first"},
		{name: "a notice that cancels a request of ours", says: []string{`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":$ID}}`, answered}, text: "first"},
		{name: "a request of no kind", says: []string{`{"jsonrpc":"2.0","id":"x","method":""}`, `{"jsonrpc":"2.0","id":null,"method":"ping"}`, `{"jsonrpc":"2.0","id":"x","method":7}`, `{"id":"x","method":"ping"}`, `{"jsonrpc":"2.0","id":"x","method":"ping","params":7}`, answered}, text: "first", strays: 5},
		{name: "a request with an id that is too large", says: []string{`{"jsonrpc":"2.0","id":1e400,"method":"ping"}`, answered}, text: "first", strays: 1},
		{name: "a request that is not for clients", says: []string{`{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"echo"}}`, answered}, text: "first"},
		{name: "the same request twice", says: []string{`{"jsonrpc":"2.0","id":"x","method":"ping"}`, `{"jsonrpc":"2.0","id":"x","method":"ping"}`, answered}, text: "first"},
		{name: "requests without params", says: []string{`{"jsonrpc":"2.0","id":"a","method":"sampling/createMessage"}`, `{"jsonrpc":"2.0","id":"b","method":"elicitation/create"}`, `{"jsonrpc":"2.0","id":"c","method":"roots/list"}`, `{"jsonrpc":"2.0","id":"d","method":"elicitation/create","params":null}`, answered}, text: "first"},
	}
	b := newBridge(t, func(s *setup) {
		s.options.Sample = func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
			return nil, errors.New("no model")
		}
	}, own(t, "srv", "usual")).ready()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := b.now("srv").Strays
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			o := b.callContext(ctx, "srv", "say", lines(tt.says...))
			require.NoError(t, ctx.Err(), "the call did not end by itself")
			if tt.err != "" {
				require.ErrorContains(t, o.Err, tt.err, textOf(o))
			} else {
				require.NoError(t, o.Err)
				require.Contains(t, textOf(o), tt.text)
			}
			b.requireEcho("srv")
			require.Equal(t, tt.strays, b.now("srv").Strays-before)
			require.Equal(t, mcp.Ready, b.now("srv").Status)
		})
	}
}

func deep(levels int) string {
	return strings.Repeat("[", levels) + strings.Repeat("]", levels)
}

func progress(token string, value int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`, token, value)
}

func progressOf(value string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":$TOKEN,"progress":%s}}`, value)
}

// bare returns notifications with the same params.
func bare(params string, names ...string) (all []string) {
	for _, name := range names {
		all = append(all, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/%s"%s}`, name, params))
	}
	return all
}
