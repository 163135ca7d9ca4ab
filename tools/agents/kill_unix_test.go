//go:build unix

package agents_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
)

// killedMail names the directory in the environment of a program whose agents write to each other
// until it is killed.
const killedMail = "PEGBOARD_KILLED_MAIL"

// failure matches the line behind the reason why a requirement of a test does not hold.
var failure = regexp.MustCompile(`^\s*Test:`)

// A note is a message of the test: the number counts the messages of one writer, in one program, to
// one receiver.
type note struct {
	To, From string
	Number   int
}

var noteText = regexp.MustCompile(`note to (\S+) from (\S+) number (\d+)\.`)

func (n note) text() string {
	return fmt.Sprintf("note to %s from %s number %d.", n.To, n.From, n.Number)
}

// notesIn returns the notes in a text, in their order.
func notesIn(t *testing.T, text string) (all []note) {
	t.Helper()
	for _, m := range noteText.FindAllStringSubmatch(text, -1) {
		n := note{To: m[1], From: m[2]}
		_, err := fmt.Sscan(m[3], &n.Number)
		require.NoError(t, err)
		all = append(all, n)
	}
	return all
}

// A program is one process of the conversation, with three agents and the main agent.
type program struct {
	*house
	t   *testing.T
	dir string

	story // guards the map
	sent  map[[2]string]int
}

// newProgram opens the conversation of a directory.
func newProgram(t *testing.T, dir string, loop func(*program) agents.Loop) *program {
	t.Helper()
	p := &program{t: t, dir: dir, sent: map[[2]string]int{}}
	project := filepath.Join(dir, "project")
	require.NoError(t, os.MkdirAll(project, 0o700))
	permissions, err := policy.New(policy.ModeAcceptEdits)
	require.NoError(t, err)
	p.house = newHouse(t, pegboard.SessionConfig{Dir: project, Permissions: permissions}, loop(p), func(o *agents.Options) { o.Dir = filepath.Join(dir, "state") }, files.Tools()...)
	return p
}

// say tells the witness what has happened, in one write.
func (p *program) say(word string, notes ...note) {
	for _, n := range notes {
		fmt.Printf("%s %s %s %d\n", word, n.To, n.From, n.Number)
	}
}

// write returns the input of a SendMessage call with the next note.
func (p *program) write(from, to string) (n note, input string) {
	from = fmt.Sprintf("%s/%d", from, os.Getpid())
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent[[2]string{from, to}]++
	n = note{To: to, From: from, Number: p.sent[[2]string{from, to}]}
	return n, fmt.Sprintf(`{"to":%q,"message":%q,"summary":"a note"}`, to, n.text())
}

// others returns whom an agent can write to.
func (p *program) others(id string) []string {
	all := []string{agents.MainName}
	for _, s := range p.agents.List(p.session) {
		all = append(all, s.ID)
	}
	return slices.DeleteFunc(all, func(o string) bool { return o == id })
}

// talk is the loop of a host with the wire of a provider. Its model writes notes and files at random.
func (p *program) talk(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
	messages, executor := slices.Clone(a.History()), pegboard.Executor{}
	var said wire.Message
	var outcomes []pegboard.Outcome
	for turn := 1; ; turn++ {
		parts, err := a.Next(ctx, agents.Usage{Input: 1})
		if err != nil {
			return agents.Reply{}, err
		}
		var text strings.Builder
		for _, part := range parts {
			text.WriteString(part.Text)
		}
		read := notesIn(p.t, text.String())
		p.say("told", read...)
		pool, err := a.Pool()
		if err != nil {
			return agents.Reply{}, err
		}
		codec := anthropic.New(pool, anthropic.Config{})
		request := codec.Results(&said, outcomes, parts...)
		if err := a.Append(request...); err != nil {
			return agents.Reply{}, err
		}
		p.say("kept", read...)
		messages, _ = codec.Normalize(append(messages, request...))
		reply, notes := p.reply(a, turn)
		m, err := codec.Read(strings.NewReader(reply)).Message()
		if err != nil {
			return agents.Reply{}, err
		}
		if err := a.Append(m.History...); err != nil {
			return agents.Reply{}, err
		}
		if len(m.Calls) == 0 {
			return agents.Reply{Text: m.Text, Used: agents.Usage{Output: 1}}, nil
		}
		outcomes, said = executor.Run(ctx, pool, m.Calls...), *m
		for _, o := range outcomes {
			if n, ok := notes[o.Call.ID]; ok && o.Err == nil {
				p.say("sent", n)
			} else if ok && ctx.Err() == nil {
				fmt.Println("refused", strings.ReplaceAll(o.Result.Text(), "\n", " "))
			}
		}
		messages = append(messages, m.History...)
	}
}

// reply returns the next message of the model, and the notes that its calls write.
func (p *program) reply(a *agents.Agent, turn int) (body string, notes map[string]note) {
	type block map[string]any
	notes = map[string]note{}
	var content []block
	call := func(name, input string) string {
		id := fmt.Sprintf("toolu_%d_%d_%d", os.Getpid(), time.Now().UnixNano(), len(content))
		content = append(content, block{"type": "tool_use", "id": id, "name": name, "input": json.RawMessage(input)})
		return id
	}
	file := fmt.Sprintf("%s-%d.txt", a.ID, os.Getpid())
	switch rand.N(8) {
	case 0:
		content = append(content, block{"type": "text", "text": "That is all."})
	case 1:
		call("Read", fmt.Sprintf(`{"file_path":%q}`, file))
	case 2:
		call("Write", fmt.Sprintf(`{"file_path":%q,"content":%q}`, file, "begin\n"+strings.Repeat("line\n", rand.N(3000))+"end\n"))
	case 3:
		call("Edit", fmt.Sprintf(`{"file_path":%q,"old_string":"begin\n","new_string":"begin\nline %d\n"}`, file, turn))
	default:
		others := p.others(a.ID)
		for range 1 + rand.N(2) {
			n, input := p.write(a.ID, others[rand.N(len(others))])
			notes[call("SendMessage", input)] = n
		}
	}
	raw, err := json.Marshal(block{"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": content, "stop_reason": "tool_use", "usage": block{"input_tokens": 1, "output_tokens": 1}})
	require.NoError(p.t, err)
	return string(raw), notes
}

// live starts the agents of the conversation, or goes on with those that there are, and then writes
// to them and reads its news until it is killed.
func (p *program) live() {
	ctx := p.t.Context()
	known := p.agents.List(p.session)
	if len(known) == 0 { // a program that was killed here may have made the team
		p.team(p.t, "TeamCreate", `{"team_name":"red"}`)
		for _, input := range []map[string]any{{"name": "anna", "run_in_background": true}, {"name": "carl", "team_name": "red"}} {
			require.NoError(p.t, p.call(p.t, input).Err)
		}
		go p.run(ctx, agentCall(p.t, map[string]any{"name": "bert", "run_in_background": false})) // the main agent waits for it
	}
	for _, s := range known {
		p.send(s.ID)
	}
	var told []note
	for {
		news := notesIn(p.t, strings.Join(news(p.session), "\n")) // what was told before is confirmed
		p.say("kept", told...)
		p.say("told", news...)
		told = news
		for _, s := range p.agents.List(p.session) {
			fmt.Println("agent", s.ID)
		}
		if all := p.others(agents.MainName); rand.N(3) == 0 && len(all) > 0 {
			p.send(all[rand.N(len(all))])
		}
		time.Sleep(time.Duration(rand.N(4)) * time.Millisecond)
	}
}

// send writes a note of the main agent.
func (p *program) send(to string) {
	n, input := p.write(agents.MainName, to)
	out := p.run(p.t.Context(), pegboard.Call{ID: "send", Name: "SendMessage", Input: json.RawMessage(input)})[0]
	if out.Err != nil {
		fmt.Println("refused", strings.ReplaceAll(out.Result.Text(), "\n", " "))
		return
	}
	p.say("sent", n)
}

// A mailWitness reads what programs say that they have done, until they are killed.
type mailWitness struct {
	dir        string
	agents     map[string]bool
	sent, kept map[note]bool
	told       map[note]int
	last       map[[2]string]int // the highest number that a receiver was told of a writer
}

// run runs a program and kills it at a random moment: while it starts, or after it has begun to
// write.
func (w *mailWitness) run(t *testing.T) {
	t.Helper()
	cmd := child(t, killedMail, w.dir, "-test.v") // then the reason of a failure comes before its end
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	kill := func(within time.Duration) {
		timer := time.AfterFunc(rand.N(within), func() { _ = cmd.Process.Kill() })
		t.Cleanup(func() { timer.Stop() })
	}
	again, began, failed := map[note]bool{}, rand.N(3) == 0, false
	if began {
		kill(time.Second / 2)
	}
	var words []string // whatever else it says
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var n note
		word, rest, _ := strings.Cut(lines.Text(), " ")
		if !slices.Contains([]string{"sent", "told", "kept", "agent"}, word) {
			words = append(words, lines.Text())
			ends := strings.HasPrefix(lines.Text(), "--- FAIL") // by itself, and may say why after this line
			if failed = failed || ends || word == "refused" || failure.MatchString(lines.Text()); failed && !ends {
				_ = cmd.Process.Kill() // what it has written is still read
			}
			continue
		}
		if !began {
			began = true
			kill(time.Second / 4)
		}
		if word == "agent" && len(rest) == len("agent-12345678") {
			w.agents[rest] = true
		}
		if _, err := fmt.Sscan(rest, &n.To, &n.From, &n.Number); err != nil {
			continue // cut by the kill
		}
		switch word {
		case "sent":
			w.sent[n] = true
		case "told":
			require.False(t, again[n], "%+v was told twice by one program", n)
			again[n] = true
			w.tell(t, n)
		case "kept":
			w.kept[n] = true
		}
	}
	err = cmd.Wait()
	said := strings.Join(words, "\n") + "\n" + stderr.String()
	if failed {
		require.Fail(t, "a program has failed", said)
	}
	require.ErrorContains(t, err, "killed", "%s", said)
}

// tell counts a note. One that the receiver has kept is not told again, and only one that was told in
// the moment of a kill is told out of its order.
func (w *mailWitness) tell(t *testing.T, n note) {
	t.Helper()
	require.False(t, w.kept[n], "%+v was kept", n)
	if w.told[n]++; w.told[n] == 1 {
		way := [2]string{n.To, n.From}
		require.Greater(t, n.Number, w.last[way], "%v", way)
		w.last[way] = n.Number
	}
}

// checkFiles checks what a killed program has left: conversations that the wire can repair, and
// files that are whole.
func (w *mailWitness) checkFiles(t *testing.T) {
	t.Helper()
	codec := wireOf(t)
	transcripts, err := filepath.Glob(filepath.Join(w.dir, "state", "agents", "*.jsonl"))
	require.NoError(t, err)
	for _, path := range transcripts {
		var messages []json.RawMessage
		lines := strings.SplitAfter(readFile(t, path), "\n")
		for i, line := range lines {
			if i == len(lines)-1 {
				continue // it is empty, or a part of a line
			}
			require.True(t, json.Valid([]byte(line)), "%s: line %d", path, i+1)
			messages = append(messages, json.RawMessage(line))
		}
		repaired, _ := codec.Normalize(messages)
		requireAnswered(t, repaired)
		_, more := codec.Normalize(repaired)
		require.Empty(t, more)
	}
	written, err := filepath.Glob(filepath.Join(w.dir, "project", "*.txt"))
	require.NoError(t, err)
	for _, path := range written {
		text := readFile(t, path)
		require.True(t, strings.HasPrefix(text, "begin\n") && strings.HasSuffix(text, "end\n"), path)
	}
}

// wireOf returns a wire without tools.
func wireOf(t *testing.T) wire.Codec {
	t.Helper()
	s, err := pegboard.NewSession(pegboard.SessionConfig{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	return anthropic.New(new(pegboard.Registry).AssemblePool(s, pegboard.PoolConfig{}), anthropic.Config{})
}

// requireAnswered requires that each call in a conversation has one result, in the next message.
func requireAnswered(t *testing.T, messages []json.RawMessage) {
	t.Helper()
	var open []string
	for _, raw := range messages {
		var m struct {
			Role    string
			Content []struct {
				Type, ID string
				For      string `json:"tool_use_id"`
			}
		}
		require.NoError(t, json.Unmarshal(raw, &m), "%s", raw)
		var calls, results []string
		for _, b := range m.Content {
			switch b.Type {
			case "tool_use":
				calls = append(calls, b.ID)
			case "tool_result":
				results = append(results, b.For)
			}
		}
		require.Equal(t, open, results, "%s", raw)
		if open = calls; len(calls) > 0 {
			require.Equal(t, "assistant", m.Role)
		}
	}
	require.Empty(t, open)
}

// drain opens the conversation, makes each agent go on and read what is left for it, and requires
// that no note was lost.
func (w *mailWitness) drain(t *testing.T) {
	t.Helper()
	var told story
	codec := wireOf(t)
	quiet := func(*program) agents.Loop {
		return func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
			parts, err := a.Next(ctx, agents.Usage{})
			if err != nil {
				return agents.Reply{}, err
			}
			told.add(userText(parts))
			reply := json.RawMessage(`{"role":"assistant","content":[{"type":"text","text":"I have read it."}]}`)
			return agents.Reply{Text: "I have read it."}, a.Append(append(codec.User(parts...), reply)...)
		}
	}
	p := newProgram(t, w.dir, quiet)
	list := p.agents.List(p.session)
	require.GreaterOrEqual(t, len(list), len(w.agents))
	for _, s := range list {
		require.NotEqual(t, agents.Running, s.State)
		out := p.run(t.Context(), pegboard.Call{ID: "send", Name: "SendMessage", Input: fmt.Appendf(nil, `{"to":%q,"message":"Go on."}`, s.ID)})[0]
		require.NoError(t, out.Err, "%s %s", s.Name, out.Result.Text())
	}
	var words []string
	require.Eventually(t, func() bool {
		words = append(words, news(p.session)...)
		for _, s := range p.agents.List(p.session) {
			if s.State == agents.Running && s.Name != "carl" { // the teammate waits for messages
				return false
			}
			if !strings.Contains(w.conversation(t, s.ID), "Do it.") { // the teammate has not begun yet
				return false
			}
		}
		return w.isRead(t, append(told.all(), words...))
	}, time.Minute, 5*time.Millisecond, "a note was lost")
	for _, text := range append(told.all(), words...) {
		require.NotContains(t, text, "could not be read")
		require.NotContains(t, text, "cannot be read")
		for _, n := range notesIn(t, text) {
			w.tell(t, n)
		}
	}
	running := map[string]bool{}
	for _, s := range p.agents.List(p.session) {
		running[s.ID] = s.State == agents.Running
	}
	require.NoError(t, p.session.Close(t.Context()))
	for n := range w.told {
		if !running[n.To] { // the teammate may not have confirmed what a killed program told it
			w.kept[n] = true
		}
	}
	for n := range w.sent {
		require.Positive(t, w.told[n], "%+v was lost", n)
	}
	for _, s := range list {
		conversation := w.conversation(t, s.ID)
		require.Contains(t, conversation, `Do it.`, "the task of %s %s", s.Name, s.ID)
		for n := range w.told {
			require.True(t, n.To != s.ID || strings.Contains(conversation, n.text()), "%+v", n)
		}
	}
}

// conversation returns what an agent has kept of its conversation, "" if it has not begun to.
func (w *mailWitness) conversation(t *testing.T, id string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(w.dir, "state", "agents", id+".jsonl"))
	if !errors.Is(err, fs.ErrNotExist) {
		require.NoError(t, err)
	}
	return string(b)
}

// isRead reports whether each note that was sent was told, earlier or in these texts, and is in the
// conversation of its receiver.
func (w *mailWitness) isRead(t *testing.T, texts []string) bool {
	t.Helper()
	read := map[note]bool{}
	for _, text := range texts {
		for _, n := range notesIn(t, text) {
			read[n] = true
		}
	}
	for n := range w.sent {
		if !read[n] && w.told[n] == 0 {
			return false
		}
	}
	for n := range w.told { // a program may have been killed before it was in the conversation
		read[n] = true
	}
	for n := range read {
		if n.To != agents.MainName && !strings.Contains(w.conversation(t, n.To), n.text()) {
			return false
		}
	}
	return true
}

// TestKilledMail kills a program at random points of a conversation, again and again: an agent in
// the background, one that the main agent waits for, and a teammate write files and messages to each
// other and to the main agent. No message is lost, and none is told twice except in the moment of
// telling. Each agent goes on with its task and its conversation.
func TestKilledMail(t *testing.T) {
	if dir := os.Getenv(killedMail); dir != "" {
		newProgram(t, dir, func(p *program) agents.Loop { return p.talk }).live()
	}
	t.Parallel()
	var sent, kept int
	for range effort.Of(t, 40) {
		w := &mailWitness{dir: t.TempDir(), agents: map[string]bool{}, sent: map[note]bool{}, kept: map[note]bool{}, told: map[note]int{}, last: map[[2]string]int{}}
		for kill := range 4 {
			w.run(t)
			w.checkFiles(t)
			if kill%2 == 1 { // the other programs go on from what a killed one has left
				w.drain(t)
			}
		}
		sent, kept = sent+len(w.sent), kept+len(w.kept)
	}
	require.Positive(t, sent)
	t.Logf("%d notes sent, %d kept", sent, kept)
}
