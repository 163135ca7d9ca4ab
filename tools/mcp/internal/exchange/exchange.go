package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/seed49eaa51d/pegboard/internal/jsonscan"
)

// ErrKept is the error that the SDK is given for a call of a tool whose result was kept. The
// call has succeeded. The SDK would take longer to decode an empty result than the rest of the
// call takes.
var ErrKept = errors.New("the result was kept")

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
	request *Request // nil if it is not tracked
	method  string   // if it is
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

// Sent records a message of the SDK that is about to be written to the server.
func (x *Exchange) Sent(raw []byte) {
	m := scanMessage(raw)
	if m.id == nil || m.method == nil {
		return
	}
	token := member(member(m.params, "_meta"), "progressToken")
	id := string(m.id)
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.sent == nil {
		x.sent = map[string]sent{}
	}
	s := sent{}
	if len(token) > 2 {
		s.request = x.tracked[string(token[1:len(token)-1])]
	}
	if s.request != nil {
		s.method = jsonText(m.method)
		s.request.ids = append(s.request.ids, id)
	}
	x.sent[id] = s
}

// Received returns the message that the SDK is given for one that the server sent, or nil
// if the SDK must not see it. The exchange keeps parts of raw, which must not be changed
// any more.
func (x *Exchange) Received(raw []byte) jsonrpc.Message {
	m, ok := parseMessage(raw)
	switch {
	case !ok:
		x.stray(raw)
		return nil
	case m.method == nil:
		return x.answered(raw, m)
	case spells(m.method, "notifications/progress"):
		x.progressed(m.params)
		return nil
	case !m.isRequest():
		x.stray(raw)
		return nil
	case len(m.params) == 0 || string(m.params) == "null":
		raw = m.withParams()
	}
	request, err := jsonrpc.DecodeMessage(raw)
	if err != nil { // such as values that are nested too deeply
		x.stray(raw)
		return nil
	}
	return request
}

// ReceivedText is Received for a transport that gives the SDK texts.
func (x *Exchange) ReceivedText(raw []byte) []byte { return Encode(x.Received(raw)) }

// Encode returns the text of a message for the SDK, or nil for a nil message. An answer that the
// SDK could not read, such as one that is nested too deeply, becomes a failure. An answer with
// ErrKept becomes one with an empty result.
func Encode(m jsonrpc.Message) []byte {
	if m == nil {
		return nil
	}
	if r, ok := m.(*jsonrpc.Response); ok && errors.Is(r.Error, ErrKept) {
		m = &jsonrpc.Response{ID: r.ID, Result: r.Result}
	}
	text, err := jsonrpc.EncodeMessage(m)
	if err == nil {
		_, err = jsonrpc.DecodeMessage(text)
	}
	if err == nil {
		return text
	}
	response, ok := m.(*jsonrpc.Response)
	if !ok {
		return nil
	}
	text, _ = jsonrpc.EncodeMessage(failure(response.ID, "the answer of the server cannot be read: "+err.Error())) // a text can always be encoded
	return text
}

// TooLong returns the answer that the SDK is given for a message that was too long to be
// read. Id is the JSON text of its id, or nil if it is not known. The answer is nil if no
// request has that id.
func (x *Exchange) TooLong(id []byte, limit int) jsonrpc.Message {
	id = wholeNumber(id)
	if _, known := x.take(id); !known {
		x.stray([]byte("a message of more than " + strconv.Itoa(limit) + " bytes"))
		return nil
	}
	return failure(idOf(id), "the answer of the server is longer than "+strconv.Itoa(limit)+" bytes and was not read")
}

// Answered returns the answer that the SDK is given for a request to which raw is the only
// answer. Id is the JSON text of its id. If raw is no answer to it, the request fails.
func (x *Exchange) Answered(id, raw []byte) jsonrpc.Message {
	if m, ok := parseMessage(raw); ok && m.method == nil && bytes.Equal(m.id, id) {
		return x.answered(raw, m)
	}
	return x.Unanswered(id, raw)
}

// Unanswered returns the answer that the SDK is given for a request whose answer is no
// message. Id is the JSON text of its id. The answer is nil if no request has that id.
func (x *Exchange) Unanswered(id, text []byte) jsonrpc.Message {
	x.stray(text)
	if _, known := x.take(id); !known {
		return nil
	}
	return failure(idOf(id), "the server did not answer with a message of the protocol")
}

// Strays returns how many texts of the server were no message that a client could use, and
// the first 200 bytes of the first of them.
func (x *Exchange) Strays() (count int, first string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.strays, x.firstStray
}

func (x *Exchange) stray(raw []byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.strays++; x.strays == 1 {
		x.firstStray = strings.ToValidUTF8(string(raw[:min(len(raw), maxStray)]), "\uFFFD")
	}
}

// take removes and returns the request with that id.
func (x *Exchange) take(id []byte) (s sent, known bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if s, known = x.sent[string(id)]; known {
		delete(x.sent, string(id))
	}
	return s, known
}

// answered handles an answer of the server.
func (x *Exchange) answered(raw []byte, m message) jsonrpc.Message {
	s, known := x.take(m.id)
	if !known {
		x.stray(raw)
		return nil
	}
	return s.answered(m)
}

// answered returns the answer that the SDK is given for that of the server.
func (s sent) answered(m message) *jsonrpc.Response {
	id := idOf(m.id)
	switch {
	case m.repeated, (m.result == nil) == (m.fault == nil):
		return failure(id, "the server sent a malformed answer: it needs a result or an error, once")
	case m.fault != nil:
		if e := errorOf(m.fault); e != nil {
			return &jsonrpc.Response{ID: id, Error: e}
		}
		return failure(id, "the server answered with a malformed error: "+cut(m.fault))
	case s.request == nil:
		return &jsonrpc.Response{ID: id, Result: m.result}
	case m.result[0] != '{':
		return failure(id, "the server answered with a result that is not an object: "+cut(m.result))
	}
	s.request.finish(m.result)
	if spells(member(m.result, "resultType"), "input_required") {
		// The SDK answers the server's questions and repeats the request, if the version of the
		// protocol has that.
		return &jsonrpc.Response{ID: id, Result: m.result}
	}
	answer := &jsonrpc.Response{ID: id, Result: substitute(s.method, m.result)}
	if s.method == "tools/call" {
		answer.Error = ErrKept
	}
	return answer
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
// arguments as headers, reduced to their names and input schemas.
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

// errorOf returns the JSON-RPC error in a value, or nil for another value.
func errorOf(value []byte) *jsonrpc.Error {
	var e struct {
		Code    *int64          `json:"code"`
		Message *string         `json:"message"`
		Data    json.RawMessage `json:"data"`
	}
	err := json.Unmarshal(value, &e)
	if isError := err == nil && e.Code != nil && e.Message != nil; !isError {
		return nil
	}
	return &jsonrpc.Error{Code: *e.Code, Message: *e.Message, Data: e.Data}
}

// idOf returns the id that a JSON text spells, which a request has that was sent.
func idOf(text []byte) jsonrpc.ID {
	var id jsonrpc.ID
	if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		id, _ = jsonrpc.MakeID(float64(n)) // a number is always an id
	} else {
		id, _ = jsonrpc.MakeID(jsonText(text)) // so is a string
	}
	return id
}

// failure returns the answer to a request with the code of an internal error.
func failure(id jsonrpc.ID, text string) *jsonrpc.Response {
	return &jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: text}}
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
