package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
)

// A host is one process, with its session.
type host struct {
	dir     string
	out     io.Writer
	session *pegboard.Session
	pool    *pegboard.Pool
}

// A saved conversation is all that a process leaves to the next one, beside the journal.
type saved struct {
	Messages []json.RawMessage    // of the conversation
	Last     wire.Message         // the model's, whose calls are not answered yet
	Waiting  *pegboard.Suspension // nil if nothing waits
}

func newHost(dir string, out io.Writer) (*host, error) {
	key, err := keyOf(filepath.Join(dir, "key"))
	if err != nil {
		return nil, err
	}
	journal, err := pegboard.NewFileJournal(filepath.Join(dir, "journal"))
	if err != nil {
		return nil, err
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{
		ID: "release-1.2", Dir: dir, Suspend: &pegboard.Suspending{Key: key, Journal: journal},
	})
	if err != nil {
		return nil, err
	}
	var registry pegboard.Registry
	if err := registry.Add(tools()...); err != nil {
		return nil, err
	}
	return &host{dir, out, session, registry.AssemblePool(session, pegboard.PoolConfig{})}, nil
}

// keyOf returns the key that signs, and makes it the first time. A host that is used in earnest
// has it from where it keeps secrets.
func keyOf(path string) ([]byte, error) {
	key, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		key = make([]byte, 32)
		_, _ = rand.Read(key) // never fails
		err = os.WriteFile(path, key, 0o600)
	}
	return key, err
}

// say writes a line.
func (h *host) say(format string, args ...any) { _, _ = fmt.Fprintf(h.out, format+"\n", args...) }

// codec returns the wire. While calls wait, it adds no results in their place.
func (h *host) codec(waiting bool) wire.Codec {
	return anthropic.New(h.pool, anthropic.Config{Suspended: waiting})
}

// ask runs the first message of the model.
func (h *host) ask(ctx context.Context) error {
	h.say("-- first process --")
	s := &saved{Messages: h.codec(false).User(pegboard.Part{Text: "Release version 1.2."})}
	m, err := h.codec(false).Read(strings.NewReader(model(s.Messages))).Message()
	if err != nil {
		return err
	}
	s.Last, s.Messages = *m, append(s.Messages, m.History...)
	var executor pegboard.Executor
	return h.proceed(s, executor.Run(pegboard.WithTurn(ctx, m.ID), h.pool, m.Calls...))
}

// answer takes the user's answer to the question about a tool.
func (h *host) answer(ctx context.Context, tool string, allowed bool) error {
	h.say("-- next process, the user has answered about %s --", tool)
	s, err := h.load()
	if err != nil {
		return err
	}
	answers := map[string]policy.Decision{}
	for _, q := range s.Waiting.Questions {
		switch {
		case q.Tool != tool:
		case allowed:
			answers[q.ID] = policy.Decision{Behavior: policy.Allow}
		default:
			answers[q.ID] = policy.Decision{Behavior: policy.Deny, Reason: "Not on a Friday."}
		}
	}
	var executor pegboard.Executor
	outcomes, err := executor.Resume(ctx, h.pool, s.Waiting, answers)
	if err != nil {
		return err
	}
	return h.proceed(s, outcomes)
}

// proceed saves the conversation if calls wait. Otherwise the model reads the results.
func (h *host) proceed(s *saved, outcomes []pegboard.Outcome) (err error) {
	for _, o := range outcomes {
		h.say("  %s: %s", o.Call.ToolName(), o.View().After)
	}
	if s.Waiting, err = h.session.Suspension(outcomes); err != nil {
		return err
	}
	if s.Waiting == nil {
		s.Messages = append(s.Messages, h.codec(false).Results(&s.Last, outcomes)...)
		m, err := h.codec(false).Read(strings.NewReader(model(s.Messages))).Message()
		if err != nil {
			return err
		}
		h.say("  model: %s", m.Text)
		return nil
	}
	for _, q := range s.Waiting.Questions {
		h.say("  open: may it %s %s?", strings.ToLower(q.Tool), q.Targets[0].Value)
	}
	_, repairs := h.codec(true).Normalize(s.Messages)
	h.say("  the history lacks %d results, and waits", len(repairs))
	return h.save(s)
}

func (h *host) path() string { return filepath.Join(h.dir, "conversation.json") }

func (h *host) save(s *saved) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return os.WriteFile(h.path(), text, 0o600)
}

func (h *host) load() (*saved, error) {
	text, err := os.ReadFile(h.path())
	if err != nil {
		return nil, err
	}
	s := new(saved)
	return s, json.Unmarshal(text, s)
}
