package exchange

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/internal/jsonscan"
)

// maxStray is how many bytes of the first stray text are kept.
const maxStray = 200

// Exchange tracks the requests of one connection. The zero value is ready to use. Its
// methods may be called concurrently.
type Exchange struct {
	mu      sync.Mutex
	last    int                 // number of the last progress token
	tracked map[string]*Request // by progress token, until End
	sent    map[string]sent     // by id as JSON text, until the answer

	strays     int
	firstStray string
}

// sent is a request that was written to the server.
type sent struct {
	method  string
	request *Request // nil if it is not tracked
}

// Begin tracks one more request. The params of the request must carry the token as
// progressToken in their _meta. Progress is called with each notification of progress, in
// order, on the goroutine that reads the connection, and not after End. It may be nil.
func (x *Exchange) Begin(progress func(Progress)) *Request {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.last++
	r := &Request{exchange: x, token: "pegboard-" + strconv.Itoa(x.last), progress: progress}
	if x.tracked == nil {
		x.tracked = map[string]*Request{}
	}
	x.tracked[r.token] = r
	return r
}

// Sent records a message that is about to be written to the server.
func (x *Exchange) Sent(raw []byte) {
	m, ok := parseMessage(raw)
	if !ok || m.id == nil || m.method == nil {
		return
	}
	token := jsonText(member(member(m.params, "_meta"), "progressToken"))
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.sent == nil {
		x.sent = map[string]sent{}
	}
	s := sent{method: jsonText(m.method), request: x.tracked[token]}
	if s.request != nil {
		s.request.ids = append(s.request.ids, string(m.id))
	}
	x.sent[string(m.id)] = s
}

// Received returns the message that the SDK is given for one that the server sent, or nil
// if the SDK must not see it. The exchange keeps parts of raw, which must not be changed
// any more.
func (x *Exchange) Received(raw []byte) []byte {
	m, ok := parseMessage(raw)
	switch {
	case !ok:
		x.stray(raw)
		return nil
	case m.method == nil:
		return x.answered(raw, m)
	case jsonText(m.method) == "notifications/progress":
		x.progressed(m.params)
		return nil
	case !m.isRequest() || unreadable(raw) != nil:
		x.stray(raw)
		return nil
	case len(m.params) == 0 || string(m.params) == "null":
		return m.withParams()
	}
	return raw
}

// unreadable returns why the SDK could not decode a message, such as that its values are
// nested too deeply.
func unreadable(raw []byte) error {
	_, err := jsonrpc.DecodeMessage(raw)
	return err
}

// TooLong returns the answer that the SDK is given for a message that was too long to be
// read. Id is the JSON text of its id, or nil if it is not known. The answer is nil if no
// request has that id.
func (x *Exchange) TooLong(id []byte, limit int) []byte {
	id = wholeNumber(id)
	x.mu.Lock()
	_, known := x.take(string(id))
	x.mu.Unlock()
	if !known {
		x.stray([]byte("a message of more than " + strconv.Itoa(limit) + " bytes"))
		return nil
	}
	return failure(id, "the answer of the server is longer than "+strconv.Itoa(limit)+" bytes and was not read")
}

// Unreadable counts a message that the SDK could not decode.
func (x *Exchange) Unreadable(raw []byte) { x.stray(raw) }

// Answered returns the answer that the SDK is given for a request to which raw is the only
// answer. Id is the JSON text of its id. If raw is no answer to it, the request fails.
func (x *Exchange) Answered(id, raw []byte) []byte {
	if m, ok := parseMessage(raw); ok && m.method == nil && bytes.Equal(m.id, id) {
		return x.answered(raw, m)
	}
	return x.Unanswered(id, raw)
}

// Unanswered returns the answer that the SDK is given for a request whose answer is no
// message. Id is the JSON text of its id. The answer is nil if no request has that id.
func (x *Exchange) Unanswered(id, text []byte) []byte {
	x.stray(text)
	x.mu.Lock()
	_, known := x.take(string(id))
	x.mu.Unlock()
	if !known {
		return nil
	}
	return failure(id, "the server did not answer with a message of the protocol")
}

// Strays returns how many texts of the server were no message that a client could use, and
// the first 200 bytes of the first of them.
func (x *Exchange) Strays() (count int, first string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.strays, x.firstStray
}

// Tracked returns the number of requests that were begun and not ended.
func (x *Exchange) Tracked() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.tracked)
}

func (x *Exchange) stray(raw []byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.strays++; x.strays == 1 {
		x.firstStray = strings.ToValidUTF8(string(raw[:min(len(raw), maxStray)]), "\uFFFD")
	}
}

// take removes and returns the request with that id. The lock is held.
func (x *Exchange) take(id string) (sent, bool) {
	s, ok := x.sent[id]
	delete(x.sent, id)
	return s, ok
}

// answered handles an answer of the server.
func (x *Exchange) answered(raw []byte, m message) []byte {
	x.mu.Lock()
	s, known := x.take(string(m.id))
	x.mu.Unlock()
	if !known {
		x.stray(raw)
		return nil
	}
	shown := s.answered(m)
	if err := unreadable(shown); err != nil {
		return failure(m.id, "the answer of the server cannot be read: "+err.Error())
	}
	return shown
}

// answered returns the answer that the SDK is given for that of the server.
func (s sent) answered(m message) []byte {
	switch {
	case m.repeated, (m.result == nil) == (m.fault == nil):
		return failure(m.id, "the server sent a malformed answer: it needs a result or an error, once")
	case m.fault != nil:
		if !isError(m.fault) {
			return failure(m.id, "the server answered with a malformed error: "+cut(m.fault))
		}
		return answer(m.id, "error", m.fault)
	case s.request == nil:
		return answer(m.id, "result", m.result)
	case m.result[0] != '{':
		return failure(m.id, "the server answered with a result that is not an object: "+cut(m.result))
	case jsonText(member(m.result, "resultType")) == "input_required":
		// The SDK answers the server's questions and repeats the request, if the version of the
		// protocol has that.
		s.request.finish(m.result)
		return answer(m.id, "result", m.result)
	}
	s.request.finish(m.result)
	return answer(m.id, "result", substitute(s.method, m.result))
}

// substitute returns the result that the SDK is given in place of one that was kept.
func substitute(method string, result []byte) []byte {
	switch method {
	case "tools/call":
		return []byte(`{"content":[]}`)
	case "resources/read":
		return []byte(`{"contents":[]}`)
	case "prompts/get":
		return []byte(`{"messages":[]}`)
	case "tools/list":
		return headerTools(result)
	case "resources/list":
		return []byte(`{"resources":[]}`)
	case "resources/templates/list":
		return []byte(`{"resourceTemplates":[]}`)
	case "prompts/list":
		return []byte(`{"prompts":[]}`)
	}
	return result
}

// headerTools returns a result of tools/list with the tools of which the SDK must send
// arguments as headers, and nothing of them but what it needs for that.
func headerTools(result []byte) []byte {
	list := []byte(`{"tools":[`)
	for tool := range elements(member(result, "tools")) {
		name, schema := member(tool, "name"), member(tool, "inputSchema")
		if !strings.Contains(string(schema), "x-mcp-header") || len(name) == 0 || name[0] != '"' {
			continue
		}
		if list[len(list)-1] == '}' {
			list = append(list, ',')
		}
		list = append(append(list, `{"name":`...), name...)
		list = append(append(append(list, `,"inputSchema":`...), schema...), '}')
	}
	return append(list, `]}`...)
}

// progressed delivers a notification of progress.
func (x *Exchange) progressed(params []byte) {
	var p struct {
		Progress *float64 `json:"progress"`
		Total    float64  `json:"total"`
		Message  string   `json:"message"`
	}
	token := jsonText(member(params, "progressToken"))
	if json.Unmarshal(params, &p) != nil || p.Progress == nil {
		x.stray(params)
		return
	}
	x.mu.Lock()
	r := x.tracked[token]
	x.mu.Unlock()
	if r == nil {
		return // it has ended meanwhile
	}
	r.advance(Progress{Value: *p.Progress, Total: p.Total, Message: p.Message})
}

func (x *Exchange) end(r *Request) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.tracked, r.token)
	for _, id := range r.ids {
		delete(x.sent, id)
	}
}

// Pending returns the methods of the requests that were sent and not answered, sorted.
func (x *Exchange) Pending() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	methods := make([]string, 0, len(x.sent))
	for s := range maps.Values(x.sent) {
		methods = append(methods, s.method)
	}
	slices.Sort(methods)
	return methods
}

// isError reports whether a value has the members of a JSON-RPC error.
func isError(value []byte) bool {
	var e struct {
		Code    *int64  `json:"code"`
		Message *string `json:"message"`
	}
	return json.Unmarshal(value, &e) == nil && e.Code != nil && e.Message != nil
}

// answer returns the answer to a request, with one member beside its id.
func answer(id []byte, name string, value []byte) []byte {
	return slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), id, []byte(`,"`+name+`":`), value, []byte(`}`))
}

// failure returns the answer to a request with the code of an internal error.
func failure(id []byte, text string) []byte {
	quoted := jsonobject.Quote(text)
	return answer(id, "error", slices.Concat([]byte(`{"code":-32603,"message":`), quoted, []byte(`}`)))
}

// jsonText returns the string that a JSON value spells, or "" if it is no string.
func jsonText(value []byte) string {
	if len(value) == 0 || value[0] != '"' {
		return ""
	}
	return jsonscan.Unquote(value)
}

// cut returns the beginning of a text for a message.
func cut(text []byte) string {
	return strings.ToValidUTF8(string(text[:min(len(text), maxStray)]), "\uFFFD")
}
