package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// newProject returns a folder with a project in it.
func newProject(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	require.NoError(t, makeProject(dir))
	return dir
}

// startHost returns a host that is closed with the test.
func startHost(t *testing.T, dir string, ask pegboard.Asker, listen func(pegboard.Event)) *host {
	t.Helper()
	h, err := newHost(t.Context(), dir, ask, listen)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, h.close()) })
	return h
}

// begin has an agent make calls, and returns where their outcomes will be.
func begin(ctx context.Context, t *testing.T, h *host, agent string, calls ...pegboard.Call) <-chan []pegboard.Outcome {
	t.Helper()
	session, err := h.agent(agent)
	require.NoError(t, err)
	for i := range calls {
		calls[i].ID = fmt.Sprint(i)
	}
	done := make(chan []pegboard.Outcome, 1)
	go func() { done <- h.executor.Run(ctx, h.registry.AssemblePool(session, pegboard.PoolConfig{}), calls...) }()
	return done
}

func write(name, content string) pegboard.Call {
	input, err := json.Marshal(map[string]string{"file_path": name, "content": content})
	if err != nil {
		panic(err) // strings can be encoded
	}
	return call("Write", string(input))
}

func stage(name string) pegboard.Call { return call("Bash", `{"command": "git add -f `+name+`"}`) }

func readProject(t *testing.T, dir, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "project", filepath.FromSlash(name)))
	require.NoError(t, err)
	return string(b)
}

// program is one that speaks the protocol.
type program struct {
	t    *testing.T
	dir  string
	host *host
	said io.WriteCloser
	told chan message
}

func newProgram(t *testing.T, dir string) *program {
	t.Helper()
	answers, said := io.Pipe()
	heard, out := io.Pipe()
	l := newLineProtocol(out)
	p := &program{t: t, dir: dir, said: said, told: make(chan message, 100)}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		l.serve(answers)
	}()
	go func() {
		defer close(p.told)
		for messages := json.NewDecoder(heard); ; {
			var m message
			if messages.Decode(&m) != nil {
				return
			}
			p.told <- m
		}
	}()
	t.Cleanup(func() {
		require.NoError(t, said.Close())
		<-ended
		require.NoError(t, out.Close())
		require.Empty(t, p.told, "all that was told was expected")
	})
	p.host = startHost(t, dir, l.ask, l.event)
	return p
}

// asked returns the next n cards, by the base name of the first target's path.
func (p *program) asked(n int) map[string]*card {
	p.t.Helper()
	cards := map[string]*card{}
	for range n {
		m := <-p.told
		require.NotNil(p.t, m.Ask, "%+v", m)
		cards[filepath.Base(m.Ask.Targets[0])] = m.Ask
	}
	require.Len(p.t, cards, n)
	return cards
}

func (p *program) one() *card {
	p.t.Helper()
	for _, c := range p.asked(1) {
		return c
	}
	return nil
}

// say answers, and returns what is told next.
func (p *program) say(a answer) message {
	p.t.Helper()
	require.NoError(p.t, json.NewEncoder(p.said).Encode(a))
	return <-p.told
}

// number returns the number of the suggestion of c that reads so.
func number(t *testing.T, c *card, text string) int {
	t.Helper()
	for i, s := range c.Always {
		if s == text {
			return i + 1
		}
	}
	require.Failf(t, "no such suggestion", "%q in %q", text, c.Always)
	return 0
}

// screen is what a terminal shows. Its reader waits for what is yet to come.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
	more sync.Cond // of mu
	read int       // how far expect has come
}

func newScreen() *screen {
	s := &screen{}
	s.more.L = &s.mu
	return s
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.more.Broadcast()
	return s.text.Write(b)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// expect waits until text is shown, behind what was expected before, and returns
// all from there to its end. It panics after a minute, in which anything would have been shown.
func (s *screen) expect(text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	late := false
	defer time.AfterFunc(time.Minute, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		late = true
		s.more.Broadcast()
	}).Stop()
	for {
		rest := s.text.String()[s.read:]
		if before, _, ok := strings.Cut(rest, text); ok {
			s.read += len(before) + len(text)
			return before + text
		}
		if late {
			panic("not shown: " + text + "\nthere is:\n" + rest)
		}
		s.more.Wait()
	}
}
