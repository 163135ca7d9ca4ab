package mcp_test

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	modeName = "MCP_TEST_MODE" // how the server that this binary plays behaves
	markName = "MCP_TEST_MARK" // which test a process belongs to
	never    = 10 * time.Minute
)

// playServer makes this binary an MCP server with a mode of misbehaviour.
func playServer(mode string) int {
	s := &scripted{mode: mode, tools: usualTools, answers: map[string]chan string{}}
	switch mode {
	case "exit":
		fmt.Fprintln(os.Stderr, "no configuration found")
		return 3
	case "usage":
		fmt.Println("usage: server [--stdio]\n\n  --stdio  speak MCP")
		<-time.After(never)
	case "shut":
		_ = os.Stdout.Close()
		<-time.After(never)
	case "fork":
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), modeName+"=usual")
		child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
		if child.Run() != nil {
			return 1
		}
		return 0
	case "banner":
		fmt.Print("starting server on stdio…\n\n\x1b[32mready\x1b[0m\n[1,2,3]\n\"text\"\n{\"a\":1}\n{broken\n")
	case "early":
		fmt.Println(`{"jsonrpc":"2.0","id":0,"result":{}}`)
		fmt.Println(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}}`)
		fmt.Println(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		fmt.Println(`{"jsonrpc":"2.0","id":"q","method":"roots/list"}`)
	}
	return s.serve()
}

// usualTools are the tools of a server that lists nothing special.
var usualTools = []string{"echo", "say", "huge", "wait", "die", "shut", "deaf", "change", "vanish", "storm", "ask", "endless", "flood", "lists"}

// A scripted server does what its calls ask for.
type scripted struct {
	mode string

	mu      sync.Mutex // held while a message is written
	tools   []string   // that are listed
	pages   int
	answers map[string]chan string // of the client, by id
}

type scriptedMessage struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Name      string
		Cursor    string
		Arguments scriptedInput
		Meta      struct{ ProgressToken json.RawMessage } `json:"_meta"`
	}
}

type scriptedInput struct {
	Text    string   `json:"text,omitempty"`
	Lines   []string `json:"lines,omitempty"` // in base64
	Bytes   int      `json:"bytes,omitempty"`
	Count   int      `json:"count,omitempty"`
	Request string   `json:"request,omitempty"` // method and params of a request to the client
}

func (s *scripted) serve() int {
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			if s.mode == "stubborn" {
				<-time.After(never)
			}
			return 0
		}
		var m scriptedMessage
		if json.Unmarshal([]byte(line), &m) != nil {
			continue
		}
		switch {
		case m.Method == "":
			s.mu.Lock()
			if answer := s.answers[string(m.ID)]; answer != nil {
				answer <- strings.TrimSpace(line)
			}
			s.mu.Unlock()
		case m.Method == "tools/call" && m.Params.Name == "deaf":
			<-time.After(never)
		case s.mode == "ignore":
		case m.ID != nil:
			go s.handle(m)
		}
	}
}

func (s *scripted) write(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Println(text)
}

func (s *scripted) result(m scriptedMessage, result string) {
	s.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result))
}

func (s *scripted) text(m scriptedMessage, text string) {
	quoted, _ := json.Marshal(text)
	s.result(m, fmt.Sprintf(`{"content":[{"type":"text","text":%s}]}`, quoted))
}

func (s *scripted) fault(m scriptedMessage, code int, text string) {
	s.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, m.ID, code, text))
}

func (s *scripted) handle(m scriptedMessage) {
	switch m.Method {
	case "initialize":
		if s.mode == "refuse" {
			s.fault(m, -32000, "the license has expired")
			return
		}
		if s.mode == "version" {
			s.result(m, `{"protocolVersion":"1999-01-01","capabilities":{},"serverInfo":{"name":"old","version":"1"}}`)
			return
		}
		s.result(m, `{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true},"logging":{},"resources":{},"prompts":{}},"serverInfo":{"name":"scripted","version":"1"}}`)
	case "tools/list":
		s.list(m)
	case "tools/call":
		s.call(m)
	case "logging/setLevel":
		s.result(m, `{}`)
	default:
		s.fault(m, -32601, "no such method")
	}
}

// call makes a call. An answer that a case does not give, the call does not get.
func (s *scripted) call(m scriptedMessage) {
	in := m.Params.Arguments
	switch m.Params.Name {
	case "echo":
		s.text(m, in.Text)
	case "say":
		for _, line := range in.Lines {
			raw, _ := base64.StdEncoding.DecodeString(line)
			s.write(strings.NewReplacer("$ID", string(m.ID), "$TOKEN", string(m.Params.Meta.ProgressToken)).Replace(string(raw)))
		}
	case "huge":
		s.huge(m, in.Bytes, true)
	case "endless":
		s.huge(m, in.Bytes, false)
	case "die":
		fmt.Fprintln(os.Stderr, "fatal:", in.Text)
		os.Exit(3)
	case "shut":
		_ = os.Stdout.Close()
	case "change":
		s.mu.Lock()
		s.tools = append(append([]string{}, usualTools...), in.Text)
		s.mu.Unlock()
		s.changed(1)
		s.text(m, "changed")
	case "vanish":
		s.mu.Lock()
		s.tools = []string{"echo"}
		s.mu.Unlock()
		s.changed(1)
		<-time.After(300 * time.Millisecond)
		s.fault(m, -32602, "unknown tool: vanish")
	case "storm":
		s.changed(in.Count)
		s.text(m, "stormed")
	case "flood":
		for i := range in.Count {
			s.write(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`, m.Params.Meta.ProgressToken, i))
		}
		s.text(m, "flooded")
	case "lists":
		s.mu.Lock()
		pages := s.pages
		s.mu.Unlock()
		s.text(m, strconv.Itoa(pages))
	case "ask":
		s.text(m, s.ask(in.Request))
	}
}

func (s *scripted) changed(times int) {
	for range times {
		s.write(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		if times > 1 {
			time.Sleep(time.Second / time.Duration(times))
		}
	}
}

// ask sends a request to the client and returns its answer.
func (s *scripted) ask(request string) string {
	answer := make(chan string, 1)
	s.mu.Lock()
	id := fmt.Sprintf(`"ask-%d"`, len(s.answers))
	s.answers[id] = answer
	s.mu.Unlock()
	s.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, id, request))
	return <-answer
}

// huge writes a result of some bytes, with or without an end.
func (s *scripted) huge(m scriptedMessage, size int, ends bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"`, m.ID)
	piece := strings.Repeat("a", 1<<20)
	for left := size; left > 0; left -= len(piece) {
		fmt.Print(piece[:min(left, len(piece))])
	}
	if ends {
		fmt.Print(`"}]}}` + "\n")
	} else {
		<-time.After(never)
	}
}

// list lists the tools, or what the mode says.
func (s *scripted) list(m scriptedMessage) {
	s.mu.Lock()
	tools := s.tools
	s.pages++
	page := s.pages
	s.mu.Unlock()
	var list []string
	for _, name := range tools {
		list = append(list, fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object"}}`, name))
	}
	more := ""
	switch s.mode {
	case "many":
		for i := range 10_000 {
			list = append(list, fmt.Sprintf(`{"name":"tool-%d","description":"Does the thing number %d.","inputSchema":{"type":"object"}}`, i, i))
		}
	case "pages":
		more = fmt.Sprintf(`,"nextCursor":"%d"`, page)
		list = []string{fmt.Sprintf(`{"name":"tool-%d","inputSchema":{"type":"object"}}`, page)}
	case "circle":
		more = `,"nextCursor":"again"`
	case "heavy":
		more = fmt.Sprintf(`,"nextCursor":"%d"`, page)
		list = []string{fmt.Sprintf(`{"name":"tool-%d","description":"%s","inputSchema":{"type":"object"}}`, page, strings.Repeat("a", 512<<10))}
	case "nolist":
		s.result(m, `{"tools":{}}`)
		return
	case "faultylist":
		s.fault(m, -32603, "the database is down")
		return
	case "odd":
		list = append(list, oddTools()...)
	case "file":
		text, err := os.ReadFile(os.Getenv("MCP_TEST_TOOLS"))
		var all []json.RawMessage
		if err != nil || json.Unmarshal(text, &all) != nil {
			s.fault(m, -32603, "no list")
			return
		}
		list = nil
		for _, tool := range all {
			list = append(list, string(tool))
		}
	}
	s.result(m, `{"tools":[`+strings.Join(list, ",")+`]`+more+`}`)
}

// oddTools are definitions that cannot be used, or only in part.
func oddTools() []string {
	schema := func(properties int) string {
		var list []string
		for i := range properties {
			list = append(list, strconv.Quote(fmt.Sprintf("property-%d", i))+`:{"type":"string","description":"`+strings.Repeat("x", 1000)+`"}`)
		}
		return `{"type":"object","properties":{` + strings.Join(list, ",") + `}}`
	}
	return []string{
		`{"name":"` + strings.Repeat("n", 300) + `","inputSchema":{"type":"object"}}`,
		`{"name":"Fold.Me","inputSchema":{"type":"object"}}`,
		`{"name":"fold_me","inputSchema":{"type":"object"}}`,
		`{"name":"big","inputSchema":` + schema(2100) + `}`,
		`{"name":"file","inputSchema":{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}}`,
		`{"name":"address","inputSchema":{"type":"object","properties":{"a":{"$ref":"` + os.Getenv("MCP_TEST_REF") + `"}}}}`,
		`{"name":"","inputSchema":{"type":"object"}}`,
		`{"inputSchema":{"type":"object"}}`,
		`{"name":7,"inputSchema":{"type":"object"}}`,
		`{"name":"no-schema"}`,
		`{"name":"null-schema","inputSchema":null}`,
		`{"name":"text-schema","inputSchema":"object"}`,
		`null`, `7`, `"echo"`, `[]`, `{}`,
		`{"name":"echo","description":"a second one","inputSchema":{"type":"object"}}`,
		`{"name":"control\u0000name","inputSchema":{"type":"object"}}`,
		`{"name":"deep","inputSchema":` + strings.Repeat(`{"properties":{"a":`, 600) + `{}` + strings.Repeat(`}}`, 600) + `}`,
	}
}
