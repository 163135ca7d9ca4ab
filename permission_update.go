package pegboard

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// SetPermissions replaces the session's own permissions. In a fork it is an
// error if they allow what the parent does not.
func (s *Session) SetPermissions(p Permissions) error {
	s.updating.Lock()
	defer s.updating.Unlock()
	return s.replacePermissions(p)
}

func (s *Session) replacePermissions(p Permissions) error {
	if s.parent != nil {
		if err := s.parent.Permissions().admits(p); err != nil {
			return err
		}
	}
	s.mu.Lock()
	s.perms.Store(p.in(s))
	s.mu.Unlock()
	s.line.NotifyChange()
	return nil
}

// UpdatePermissions replaces the permissions by what change makes of them, with
// nobody else's change in between.
func (s *Session) UpdatePermissions(change func(Permissions) (Permissions, error)) error {
	s.updating.Lock()
	defer s.updating.Unlock()
	p, err := change(*s.perms.Load())
	if err != nil {
		return err
	}
	return s.replacePermissions(p)
}

// A Directory is a working directory that was added at run time.
type Directory struct {
	Path   string
	Source Source
}

// An Update is one change of permissions, in the documented form in which hook
// scripts and approval dialogs give it.
type Update struct {
	Type        UpdateType   `json:"type"`
	Rules       []UpdateRule `json:"rules,omitempty"`
	Behavior    Behavior     `json:"behavior,omitempty"` // of Rules
	Mode        Mode         `json:"mode,omitempty"`
	Directories []string     `json:"directories,omitempty"`
	Destination Source       `json:"destination"` // whose rules and directories change
}

// UpdateType says what an [Update] does.
type UpdateType string

// The types of update.
const (
	AddRules          UpdateType = "addRules"
	ReplaceRules      UpdateType = "replaceRules" // all of the behavior and the destination
	RemoveRules       UpdateType = "removeRules"
	SetMode           UpdateType = "setMode" // ModeBypass only where it was available before
	AddDirectories    UpdateType = "addDirectories"
	RemoveDirectories UpdateType = "removeDirectories"
)

// An UpdateRule is a rule in the form of an [Update].
type UpdateRule struct {
	Tool    string `json:"toolName"`
	Pattern string `json:"ruleContent,omitempty"`
}

// String returns the update for a person.
func (u Update) String() string {
	var things []string
	for _, r := range u.Rules {
		things = append(things, r.String())
	}
	switch u.Type {
	case SetMode:
		return fmt.Sprintf("mode %s", u.Mode)
	case AddDirectories, RemoveDirectories:
		return fmt.Sprintf("%s %s in %s", u.Type, strings.Join(u.Directories, ", "), u.Destination)
	case AddRules:
		return fmt.Sprintf("%s %s in %s", u.Behavior, strings.Join(things, ", "), u.Destination)
	}
	return fmt.Sprintf("%s %s %s in %s", u.Type, u.Behavior, strings.Join(things, ", "), u.Destination)
}

// String returns the rule as it is written.
func (r UpdateRule) String() string { return Rule{Tool: r.Tool, Pattern: r.Pattern}.String() }

// Apply returns p after the updates, in their order. If one is wrong, nothing
// changes.
func (p Permissions) Apply(updates ...Update) (Permissions, error) {
	q := p
	for _, u := range updates {
		var err error
		if q, err = q.apply(u); err != nil {
			return Permissions{}, fmt.Errorf("update %s: %w", u.Type, err)
		}
	}
	return q, nil
}

func (p Permissions) apply(u Update) (Permissions, error) {
	if u.Destination == SourcePolicy {
		return p, errors.New("what the policy says cannot be changed here")
	}
	switch u.Type {
	case SetMode:
		if u.Mode == "" {
			return p, errors.New("the mode is missing")
		}
		if u.Mode == ModeBypass && !p.bypass {
			return p, nil
		}
		return p.WithMode(u.Mode)
	case AddDirectories, RemoveDirectories:
		p.dirs = slices.Clone(p.dirs)
		for _, path := range u.Directories {
			d := Directory{Path: path, Source: u.Destination}
			p.dirs = slices.DeleteFunc(p.dirs, func(o Directory) bool { return o == d })
			if u.Type == AddDirectories {
				p.dirs = append(p.dirs, d)
			}
		}
		return p, nil
	case AddRules, ReplaceRules, RemoveRules:
		return p.applyRules(u)
	}
	return p, errors.New("unknown type of update")
}

func (p Permissions) applyRules(u Update) (Permissions, error) {
	var given []Rule
	for _, text := range u.Rules {
		if strings.Contains(text.Tool, "(") {
			return p, fmt.Errorf("toolName %q holds a parenthesis; what stands in one is ruleContent", text.Tool)
		}
		r, err := ParseRule(u.Behavior, text.String())
		if err != nil {
			return p, err
		}
		r.Source = u.Destination
		if !slices.ContainsFunc(given, r.says) {
			given = append(given, r)
		}
	}
	rules := slices.DeleteFunc(p.Rules(), func(r Rule) bool {
		return slices.ContainsFunc(given, r.says) || (u.Type == ReplaceRules && r.Behavior == u.Behavior && r.Source == u.Destination)
	})
	if u.Type != RemoveRules {
		rules = append(rules, given...)
	}
	p.set = newRuleset(rules)
	return p, nil
}

// remember changes the permissions of the conversation as an answer wants it: all
// or nothing.
func (s *Session) remember(updates []Update) error {
	if len(updates) == 0 {
		return nil
	}
	err := s.main().UpdatePermissions(func(p Permissions) (Permissions, error) { return p.Apply(updates...) })
	if err == nil {
		s.addDirectories(additions(updates))
	}
	return err
}

// save has the host save what was remembered. It is called in the main session.
func (s *Session) save(updates []Update) error {
	updates = slices.DeleteFunc(slices.Clone(updates), func(u Update) bool { return u.Mode == ModeBypass }) // which is for one session
	if s.cfg.Save == nil || len(updates) == 0 {
		return nil
	}
	if err := goroutine.Try(func() error { return s.cfg.Save(context.Background(), updates) }); err != nil {
		return fmt.Errorf("%w: %w", ErrNotSaved, err)
	}
	return nil
}

// permissionsAfter returns what the permissions in force would be once updates are
// remembered.
func (s *Session) permissionsAfter(updates []Update) (*Permissions, error) {
	own := *s.perms.Load()
	if s.parent == nil {
		p, err := own.Apply(updates...)
		return p.in(s), err
	}
	parent, err := s.parent.permissionsAfter(updates)
	if err != nil {
		return nil, err
	}
	p, err := own.Apply(additions(updates)...)
	both := parent.narrowed(*p.in(s))
	return &both, err
}

// addDirectories adds to a fork and those above it what the main session has got.
// What they have besides was admitted when they were made, and what their parents
// have lost since does not count.
func (s *Session) addDirectories(updates []Update) {
	if s.parent == nil || len(updates) == 0 {
		return
	}
	s.parent.addDirectories(updates)
	s.updating.Lock()
	defer s.updating.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if p, err := s.perms.Load().Apply(updates...); err == nil { // as it was for the main session
		s.perms.Store(p.in(s))
	}
}

// additions are the updates that a fork needs, too: it has no directory that its
// parent has unless it is added to both.
func additions(updates []Update) []Update {
	return slices.DeleteFunc(slices.Clone(updates), func(u Update) bool { return u.Type != AddDirectories })
}
