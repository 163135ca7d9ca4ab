package exchange_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/exchange"
)

// send begins a request with an id and a method.
func send(x *exchange.Exchange, id, method string, progress func(exchange.Progress)) *exchange.Request {
	r := x.Begin(progress)
	x.Sent(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":%q,"params":{"_meta":{"progressToken":%q}}}`, id, method, r.Token()))
	return r
}

func TestReceived(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 1500) + strings.Repeat("]", 1500)
	tests := []struct {
		name   string
		method string // of the request with id 1; empty for one that is not tracked
		raw    string
		want   string // what the SDK is given; "" for nothing
		result string // that is kept
		strays int
	}{
		{name: "a call", method: "tools/call", raw: `{"jsonrpc":"2.0","id":1,"result":{"content":[{"n":9007199254740993}]}}`,
			want: `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`, result: `{"content":[{"n":9007199254740993}]}`},
		{name: "a resource", method: "resources/read", raw: `{"id":1,"result":{"a":1}}`, want: `{"jsonrpc":"2.0","id":1,"result":{"contents":[]}}`, result: `{"a":1}`},
		{name: "a prompt", method: "prompts/get", raw: `{"id":1,"result":{}}`, want: `{"jsonrpc":"2.0","id":1,"result":{"messages":[]}}`, result: `{}`},
		{name: "resources", method: "resources/list", raw: `{"id":1,"result":{}}`, want: `{"jsonrpc":"2.0","id":1,"result":{"resources":[]}}`, result: `{}`},
		{name: "templates", method: "resources/templates/list", raw: `{"id":1,"result":{}}`, want: `{"jsonrpc":"2.0","id":1,"result":{"resourceTemplates":[]}}`, result: `{}`},
		{name: "prompts", method: "prompts/list", raw: `{"id":1,"result":{}}`, want: `{"jsonrpc":"2.0","id":1,"result":{"prompts":[]}}`, result: `{}`},
		{name: "another method", method: "completion/complete", raw: `{"id":1,"result":{"a":1}}`, want: `{"jsonrpc":"2.0","id":1,"result":{"a":1}}`, result: `{"a":1}`},
		{name: "tools with headers", method: "tools/list", raw: `{"id":1,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}},{"name":"b","description":"x","inputSchema":{"x-mcp-header":"B"}},{"name":7,"inputSchema":{"x-mcp-header":"C"}},{"name":"d","inputSchema":{"x-mcp-header":"D"}}]}}`,
			want:   `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"b","inputSchema":{"x-mcp-header":"B"}},{"name":"d","inputSchema":{"x-mcp-header":"D"}}]}}`,
			result: `{"tools":[{"name":"a","inputSchema":{"type":"object"}},{"name":"b","description":"x","inputSchema":{"x-mcp-header":"B"}},{"name":7,"inputSchema":{"x-mcp-header":"C"}},{"name":"d","inputSchema":{"x-mcp-header":"D"}}]}`},
		{name: "not tracked", raw: `{"jsonrpc":"2.0","id":1,"result":{"a":1}}`, want: `{"jsonrpc":"2.0","id":1,"result":{"a":1}}`},
		{name: "not tracked, deep", raw: `{"jsonrpc":"2.0","id":1,"result":` + deep + `}`, want: failure("the answer of the server cannot be read: unmarshaling jsonrpc message: json: exceeded maximum nesting depth of 1000")},
		{name: "deep", method: "tools/call", raw: `{"id":1,"result":{"a":` + deep + `}}`, want: `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`, result: `{"a":` + deep + `}`},
		{name: "input required", method: "tools/call", raw: `{"id":1,"result":{"resultType":"input_required","a":1}}`, want: `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","a":1}}`, result: `{"resultType":"input_required","a":1}`},
		{name: "error", method: "tools/call", raw: `{"id":1,"error":{"code":-32042,"message":"a","data":{"b":1}}}`, want: `{"jsonrpc":"2.0","id":1,"error":{"code":-32042,"message":"a","data":{"b":1}}}`},
		{name: "error that is none", method: "tools/call", raw: `{"id":1,"error":{"message":"a"}}`, want: failure(`the server answered with a malformed error: {"message":"a"}`)},
		{name: "error with a fraction", method: "tools/call", raw: `{"id":1,"error":{"code":1.5,"message":"a"}}`, want: failure(`the server answered with a malformed error: {"code":1.5,"message":"a"}`)},
		{name: "result null", method: "tools/call", raw: `{"id":1,"result":null}`, want: failure("the server answered with a result that is not an object: null")},
		{name: "result twice", method: "tools/call", raw: `{"id":1,"result":{},"result":{}}`, want: failure("the server sent a malformed answer: it needs a result or an error, once")},
		{name: "id twice", method: "tools/call", raw: `{"id":2,"id":1,"result":{}}`, want: failure("the server sent a malformed answer: it needs a result or an error, once")},
		{name: "escaped keys", method: "tools/call", raw: `{"\u0069d":1,"r\u0065sult":{"a":1}}`, want: `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`, result: `{"a":1}`},
		{name: "keys in capitals", method: "tools/call", raw: `{"ID":1,"Result":{}}`, strays: 1},
		{name: "another id", method: "tools/call", raw: `{"id":2,"result":{}}`, strays: 1},
		{name: "the id as text", method: "tools/call", raw: `{"id":"1","result":{}}`, strays: 1},
		{name: "the id as a fraction", method: "tools/call", raw: `{"id":1.0,"result":{}}`, want: `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`, result: `{}`},
		{name: "the id as an exponent", method: "tools/call", raw: `{"id":10e-1,"result":{}}`, want: `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`, result: `{}`},
		{name: "another fraction", method: "tools/call", raw: `{"id":1.5,"result":{}}`, strays: 1},
		{name: "a batch", method: "tools/call", raw: `[{"id":1,"result":{}}]`, strays: 1},
		{name: "empty", method: "tools/call", raw: ``, strays: 1},
		{name: "two values", method: "tools/call", raw: `{"id":1,"result":{}}{}`, strays: 1},
		{name: "a notification", raw: `{"jsonrpc":"2.0","method":"a","params":{"b":1}}`, want: `{"jsonrpc":"2.0","method":"a","params":{"b":1}}`},
		{name: "a notification without params", raw: `{"jsonrpc":"2.0","method":"a"}`, want: `{"jsonrpc":"2.0","method":"a","params":{}}`},
		{name: "a request with null", raw: `{"jsonrpc":"2.0","id":"x","method":"a","params":null}`, want: `{"jsonrpc":"2.0","id":"x","method":"a","params":{}}`},
		{name: "a request with another version", raw: `{"jsonrpc":"1.0","id":"x","method":"a"}`, strays: 1},
		{name: "a request twice", raw: `{"jsonrpc":"2.0","id":"x","method":"a","method":"b"}`, strays: 1},
		{name: "a request with an endless id", raw: `{"jsonrpc":"2.0","id":1e999,"method":"a"}`, strays: 1},
		{name: "a request that is too deep", raw: `{"jsonrpc":"2.0","id":1,"method":"a","params":` + deep + `}`, strays: 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			x := new(exchange.Exchange)
			var r *exchange.Request
			if tt.method != "" {
				r = send(x, "1", tt.method, nil)
			} else {
				x.Sent([]byte(`{"jsonrpc":"2.0","id":1,"method":"initialize"}`))
			}
			require.Equal(t, tt.want, string(x.ReceivedText([]byte(tt.raw))))
			if r != nil {
				require.Equal(t, tt.result, string(r.Result()))
				r.End()
			}
			strays, _ := x.Strays()
			require.Equal(t, tt.strays, strays)
			require.Zero(t, x.Tracked())
		})
	}
}

// TestKept expects that the SDK decodes no result of a call of a tool, and every other one.
func TestKept(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, method, answer string
		kept                 bool
	}{
		{name: "a call", method: "tools/call", answer: `"result":{"content":[]}`, kept: true},
		{name: "a call that needs input", method: "tools/call", answer: `"result":{"resultType":"input_required"}`},
		{name: "a call that is refused", method: "tools/call", answer: `"error":{"code":1,"message":"no"}`},
		{name: "a resource", method: "resources/read", answer: `"result":{}`},
		{name: "a list", method: "tools/list", answer: `"result":{}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			x := new(exchange.Exchange)
			send(x, "1", tt.method, nil)
			answer, ok := x.Received([]byte(`{"id":1,` + tt.answer + `}`)).(*jsonrpc.Response)
			require.True(t, ok)
			require.Equal(t, tt.kept, errors.Is(answer.Error, exchange.ErrKept))
			require.NotContains(t, string(exchange.Encode(answer)), exchange.ErrKept.Error())
		})
	}
}

func failure(text string) string {
	quoted, _ := json.Marshal(text)
	return `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":` + string(quoted) + `}}`
}

// TestAnswerTwice expects that only the first answer counts, and none after End.
func TestAnswerTwice(t *testing.T) {
	t.Parallel()
	x := new(exchange.Exchange)
	r := send(x, "1", "tools/call", nil)
	require.NotNil(t, x.ReceivedText([]byte(`{"id":1,"result":{"a":1}}`)))
	require.Nil(t, x.ReceivedText([]byte(`{"id":1,"result":{"a":2}}`)))
	require.JSONEq(t, `{"a":1}`, string(r.Result()))
	other := send(x, "2", "tools/call", nil)
	require.Equal(t, []string{"tools/call"}, x.Pending())
	other.End()
	require.Nil(t, x.ReceivedText([]byte(`{"id":2,"result":{"a":2}}`)))
	require.Nil(t, other.Result())
	require.Empty(t, x.Pending())
	strays, first := x.Strays()
	require.Equal(t, 2, strays)
	require.Equal(t, `{"id":1,"result":{"a":2}}`, first)
}

// TestRequestThatIsRepeated expects the result of the last message that carried the token.
func TestRequestThatIsRepeated(t *testing.T) {
	t.Parallel()
	x := new(exchange.Exchange)
	r := send(x, "1", "tools/call", nil)
	require.NotNil(t, x.ReceivedText([]byte(`{"id":1,"result":{"resultType":"input_required"}}`)))
	x.Sent(fmt.Appendf(nil, `{"id":2,"method":"tools/call","params":{"_meta":{"progressToken":%q}}}`, r.Token()))
	require.NotNil(t, x.ReceivedText([]byte(`{"id":2,"result":{"a":1}}`)))
	require.JSONEq(t, `{"a":1}`, string(r.Result()))
}

func TestProgress(t *testing.T) {
	t.Parallel()
	x := new(exchange.Exchange)
	var got, other []exchange.Progress
	r := send(x, "1", "tools/call", func(p exchange.Progress) { got = append(got, p) })
	second := send(x, "2", "tools/call", func(p exchange.Progress) { other = append(other, p) })
	report := func(token, rest string) {
		require.Nil(t, x.ReceivedText(fmt.Appendf(nil, `{"method":"notifications/progress","params":{"progressToken":%s%s}}`, token, rest)))
	}
	token := fmt.Sprintf("%q", r.Token())
	report(token, `,"progress":0`)
	report(token, `,"progress":2,"total":5,"message":"a"`)
	report(token, `,"progress":1`)
	report(token, `,"progress":2`)
	report(token, `,"progress":"3"`)
	report(token, ``)
	report(`1`, `,"progress":1`)
	report(fmt.Sprintf("%q", second.Token()), `,"progress":-1`)
	r.End()
	report(token, `,"progress":9`)
	require.Equal(t, []exchange.Progress{{}, {Value: 2, Total: 5, Message: "a"}}, got)
	require.Equal(t, []exchange.Progress{{Value: -1}}, other)
	strays, _ := x.Strays()
	require.Equal(t, 2, strays)
}

func TestTooLong(t *testing.T) {
	t.Parallel()
	x := new(exchange.Exchange)
	r := send(x, "1", "tools/call", nil)
	require.Equal(t, failure("the answer of the server is longer than 10 bytes and was not read"), string(exchange.Encode(x.TooLong([]byte("1"), 10))))
	require.Nil(t, x.TooLong([]byte("1"), 10))
	require.Nil(t, x.TooLong(nil, 10))
	require.Nil(t, r.Result())
	strays, first := x.Strays()
	require.Equal(t, 2, strays)
	require.Equal(t, "a message of more than 10 bytes", first)
}

// TestFirstStray expects the beginning of a text, as whole characters.
func TestFirstStray(t *testing.T) {
	t.Parallel()
	x := new(exchange.Exchange)
	require.Nil(t, x.ReceivedText([]byte("a"+strings.Repeat("é", 200))))
	_, first := x.Strays()
	require.Equal(t, "a"+strings.Repeat("é", 99)+"\ufffd", first)
}

// FuzzReceived expects that what the SDK is given can be decoded, and that nothing panics.
func FuzzReceived(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"a"}}`,
		`{"jsonrpc":"2.0","id":1.0,"result":{}}`, `{"jsonrpc":"2.0","id":"a","method":"b","params":{}}`, `{"jsonrpc":"2.0","method":"b","params":null}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"pegboard-1","progress":1}}`,
		`{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"a","inputSchema":{"x-mcp-header":1}}]}}`, `[]`, `{"\u0069d":1,"result":{"\ud800":"\xff"}}`,
		`{"id":1e99,"method":"a","jsonrpc":"2.0"}`, `{"id":-0,"result":{}}`, strings.Repeat("[", 1200), "\xff",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		x := new(exchange.Exchange)
		send(x, "1", "tools/call", func(exchange.Progress) {})
		send(x, "2", "tools/list", nil)
		x.Sent([]byte(`{"id":"a","method":"initialize"}`))
		pending := len(x.Pending())
		given := x.ReceivedText(raw)
		if given == nil {
			return
		}
		m, err := jsonrpc.DecodeMessage(given)
		require.NoError(t, err, "%s", given)
		if _, isAnswer := m.(*jsonrpc.Response); isAnswer {
			require.Less(t, len(x.Pending()), pending)
		}
		exchange.RequestID(raw)
	})
}
