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

// A AddedDirectory is a working directory that was added at run time.
type AddedDirectory struct {
	Path   string
	Source RuleSource
}

// An PermissionUpdate is one change of permissions, in the documented form in which hook
// scripts and approval dialogs give it.
type PermissionUpdate struct {
	Type        PermissionUpdateType   `json:"type"`
	Rules       []PermissionUpdateRule `json:"rules,omitempty"`
	Behavior    Behavior               `json:"behavior,omitempty"` // of Rules
	Mode        Mode                   `json:"mode,omitempty"`
	Directories []string               `json:"directories,omitempty"`
	Destination RuleSource             `json:"destination"` // whose rules and directories change
}

// PermissionUpdateType says what an [PermissionUpdate] does.
type PermissionUpdateType string

// The types of update.
const (
	UpdateAddRules          PermissionUpdateType = "addRules"
	UpdateReplaceRules      PermissionUpdateType = "replaceRules" // all of the behavior and the destination
	UpdateRemoveRules       PermissionUpdateType = "removeRules"
	UpdateSetMode           PermissionUpdateType = "setMode" // ModeBypass only where it was available before
	UpdateAddDirectories    PermissionUpdateType = "addDirectories"
	UpdateRemoveDirectories PermissionUpdateType = "removeDirectories"
)

// An PermissionUpdateRule is a rule in the form of an [PermissionUpdate].
type PermissionUpdateRule struct {
	Tool    string `json:"toolName"`
	Pattern string `json:"ruleContent,omitempty"`
}

// String returns the update for a person.
func (u PermissionUpdate) String() string {
	var things []string
	for _, r := range u.Rules {
		things = append(things, r.String())
	}
	switch u.Type {
	case UpdateSetMode:
		return fmt.Sprintf("mode %s", u.Mode)
	case UpdateAddDirectories, UpdateRemoveDirectories:
		return fmt.Sprintf("%s %s in %s", u.Type, strings.Join(u.Directories, ", "), u.Destination)
	case UpdateAddRules:
		return fmt.Sprintf("%s %s in %s", u.Behavior, strings.Join(things, ", "), u.Destination)
	}
	return fmt.Sprintf("%s %s %s in %s", u.Type, u.Behavior, strings.Join(things, ", "), u.Destination)
}

// String returns the rule as it is written.
func (r PermissionUpdateRule) String() string { return Rule{Tool: r.Tool, Pattern: r.Pattern}.String() }

// Apply returns p after the updates, in their order. If one is wrong, nothing
// changes.
func (p Permissions) Apply(updates ...PermissionUpdate) (Permissions, error) {
	q := p
	for _, u := range updates {
		var err error
		if q, err = q.apply(u); err != nil {
			return Permissions{}, fmt.Errorf("update %s: %w", u.Type, err)
		}
	}
	return q, nil
}

func (p Permissions) apply(u PermissionUpdate) (Permissions, error) {
	if u.Destination == SourcePolicy {
		return p, errors.New("what the policy says cannot be changed here")
	}
	switch u.Type {
	case UpdateSetMode:
		if u.Mode == "" {
			return p, errors.New("the mode is missing")
		}
		if u.Mode == ModeBypass && !p.bypass {
			return p, nil
		}
		return p.WithMode(u.Mode)
	case UpdateAddDirectories, UpdateRemoveDirectories:
		p.dirs = slices.Clone(p.dirs)
		for _, path := range u.Directories {
			d := AddedDirectory{Path: path, Source: u.Destination}
			p.dirs = slices.DeleteFunc(p.dirs, func(o AddedDirectory) bool { return o == d })
			if u.Type == UpdateAddDirectories {
				p.dirs = append(p.dirs, d)
			}
		}
		return p, nil
	case UpdateAddRules, UpdateReplaceRules, UpdateRemoveRules:
		return p.applyRules(u)
	}
	return p, errors.New("unknown type of update")
}

func (p Permissions) applyRules(u PermissionUpdate) (Permissions, error) {
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
		return slices.ContainsFunc(given, r.says) || (u.Type == UpdateReplaceRules && r.Behavior == u.Behavior && r.Source == u.Destination)
	})
	if u.Type != UpdateRemoveRules {
		rules = append(rules, given...)
	}
	p.set = newRuleset(rules)
	return p, nil
}

// remember changes the permissions of the conversation as an answer wants it: all
// or nothing.
func (s *Session) remember(updates []PermissionUpdate) error {
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
func (s *Session) save(updates []PermissionUpdate) error {
	updates = slices.DeleteFunc(slices.Clone(updates), func(u PermissionUpdate) bool { return u.Mode == ModeBypass }) // which is for one session
	if s.cfg.OnRemember == nil || len(updates) == 0 {
		return nil
	}
	if err := goroutine.Try(func() error { return s.cfg.OnRemember(context.Background(), updates) }); err != nil {
		return fmt.Errorf("%w: %w", ErrNotSaved, err)
	}
	return nil
}

// permissionsAfter returns what the permissions in force would be once updates are
// remembered.
func (s *Session) permissionsAfter(updates []PermissionUpdate) (*Permissions, error) {
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
func (s *Session) addDirectories(updates []PermissionUpdate) {
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
func additions(updates []PermissionUpdate) []PermissionUpdate {
	return slices.DeleteFunc(slices.Clone(updates), func(u PermissionUpdate) bool { return u.Type != UpdateAddDirectories })
}
