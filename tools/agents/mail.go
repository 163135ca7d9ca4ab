package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/lock"
	"github.com/seed49eaa51d/pegboard/internal/mailbox"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

// maxTaken is how many bytes of messages an agent reads before one request. The others follow
// before the next one.
const maxTaken = 100_000

// mail are the messages of the agents of one conversation.
type mail struct {
	boxes *mailbox.Boxes // nil if they cannot be opened
	err   error          // why
	names *names
	ended sync.Once // close was called

	announcing lock.Mutex                   // held while a mailbox is looked into, so that its last state is told last
	readers    map[string]*pegboard.Session // by the mailbox: the session of its agent
}

// mailNews is the name of the messages among the news of a session.
const mailNews = "messages of agents"

// mailOf returns the mail of the conversation of s.
func (g *Agents) mailOf(s *pegboard.Session) *mail {
	l := g.leaseOf(s)
	return g.mails.GetOrInitRoot(s, func() *mail {
		m := &mail{boxes: mailbox.New(), names: &names{}, readers: map[string]*pegboard.Session{}}
		switch {
		case l.err != nil:
			m.boxes, m.err = nil, l.err
			return m
		case g.options.Dir != "":
			m.boxes, m.err = mailbox.Open(filepath.Join(g.options.Dir, "mail"), checkLetter)
		}
		var problem error
		if m.names, problem = openNames(g.options.Dir, l); problem != nil {
			g.options.logger().Error("the names of agents of an earlier run cannot be read", "error", problem)
			tellProblems(s, []error{problem})
		}
		if m.err != nil {
			g.options.logger().Error("the messages of agents cannot be kept", "error", m.err)
		}
		return m
	})
}

// join makes the news of a main session hand out its messages and the notices of background
// tasks, and its end end the mail. It does nothing for other sessions.
func (g *Agents) join(s *pegboard.Session) {
	if s == nil || len(s.AgentPath()) > 0 {
		return
	}
	g.joined.GetOrInit(s, func() bool {
		m := g.mailOf(s)
		background.Of(s)
		g.rosterOf(s).adopt(s)
		s.OnNotifications(mailNews, func() []pegboard.Part { return m.take(MainName, nil) })
		m.attach(MainName, s)
		s.OnClose(mailNews, func(context.Context) error { return m.close() })
		return true
	})
}

// Notifications removes and returns the messages for the main agent of the conversation of s, and
// makes [pegboard.Session.Notifications] of that session return them from then on. It is for hosts that
// open a conversation again: where agents were started, and where the pool of the main agent
// has SendMessage, Session.Notifications returns the messages without it. The agents of s itself read
// theirs by [Agent.Next], so for their sessions it returns none.
func (g *Agents) Notifications(s *pegboard.Session) []pegboard.Part {
	if len(s.AgentPath()) > 0 {
		return nil
	}
	g.join(s)
	return g.mailOf(s).take(MainName, nil)
}

// Notified returns a channel that is closed when the next message for the main agent of the
// conversation of s arrives, or when the conversation ends. A host that waits calls it before
// [pegboard.Session.Notifications].
func (g *Agents) Notified(s *pegboard.Session) <-chan struct{} {
	g.join(s)
	m := g.mailOf(s)
	if m.boxes == nil {
		return nil
	}
	return m.boxes.Arrival(MainName)
}

// put puts a letter into a mailbox.
func (m *mail) put(box string, l letter) error {
	if m.boxes == nil {
		return m.err
	}
	if err := l.checkLength(); err != nil {
		return err
	}
	raw, err := json.Marshal(l)
	if err != nil {
		return err
	}
	if err := m.boxes.Put(box, raw); err != nil {
		return err
	}
	m.announcing.Lock()
	defer m.announcing.Unlock()
	if s := m.readers[box]; s != nil {
		s.AnnounceNotifications(mailNews, true) // without a look: a mailbox may have many letters
	}
	return nil
}

// attach makes s the session whose agent reads a mailbox, until s is closed. It learns by
// [pegboard.Session.Notified] that there are letters.
func (m *mail) attach(box string, s *pegboard.Session) {
	m.announcing.Lock()
	m.readers[box] = s
	m.announcing.Unlock()
	m.announce(box)
	s.OnClose("mailbox of "+box, func(context.Context) error {
		m.announcing.Lock()
		defer m.announcing.Unlock()
		if m.readers[box] == s {
			delete(m.readers, box)
		}
		return nil
	})
}

// announce tells the session that reads a mailbox whether it has letters.
func (m *mail) announce(box string) {
	m.announcing.Lock()
	defer m.announcing.Unlock()
	if s := m.readers[box]; s != nil {
		s.AnnounceNotifications(mailNews, m.has(box))
	}
}

// take returns the next letters of a mailbox, worded for the model. Those of the last take were
// told, and are removed. Note is called for each letter; it may be nil.
func (m *mail) take(box string, note func(*letter)) (parts []pegboard.Part) {
	if m.boxes == nil {
		return nil
	}
	defer m.announce(box)
	if err := m.boxes.Confirm(box); err != nil {
		parts = append(parts, pegboard.Part{Text: fmt.Sprintf("(Messages that you have read could not be removed, and you may read them again: %v.)", err)})
	}
	messages, problems := m.boxes.Take(box, maxTaken)
	for _, p := range problems {
		parts = append(parts, pegboard.Part{Text: fmt.Sprintf("(A message for you could not be read. It is in %s: %v.)", p.Path, p.Err)})
	}
	for _, raw := range messages {
		var l letter
		if err := json.Unmarshal(raw, &l); err != nil {
			parts = append(parts, pegboard.Part{Text: fmt.Sprintf("(A message for you is of an unknown form: %v.)", err)})
			continue
		}
		if note != nil {
			note(&l)
		}
		parts = append(parts, l.part())
	}
	return parts
}

// confirm removes the letters that were taken: the receiver has them in its conversation.
func (m *mail) confirm(box string) {
	if m.boxes != nil {
		_ = m.boxes.Confirm(box) // the next take tells of it
	}
}

// giveBack puts the letters back that were taken, because the receiver did not come to read them.
func (m *mail) giveBack(box string) {
	if m.boxes != nil {
		_ = m.boxes.GiveBack(box) // they are put back when the conversation is opened again
		m.announce(box)
	}
}

// has reports whether a mailbox has a letter that was not taken.
func (m *mail) has(box string) bool { return m.boxes != nil && m.boxes.Has(box) }

// close ends the mail of a conversation. What the main agent was told counts as read.
func (m *mail) close() (err error) {
	if m.boxes == nil {
		return nil
	}
	m.ended.Do(func() { err = errors.Join(m.boxes.Confirm(MainName), m.boxes.Close()) })
	return err
}
