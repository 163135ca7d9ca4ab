package pegboard

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A PermissionUpdate is one change of permissions, in the form that Claude Code documents
// for hook scripts and approval dialogs.
type PermissionUpdate struct {
	Type        PermissionUpdateType   `json:"type"`
	Rules       []PermissionUpdateRule `json:"rules,omitempty"`
	Behavior    Behavior               `json:"behavior,omitempty"` // of Rules
	Mode        Mode                   `json:"mode,omitempty"`
	Directories []string               `json:"directories,omitempty"`
	Destination RuleSource             `json:"destination"` // whose rules and directories change
}

// PermissionUpdateType says what a [PermissionUpdate] changes.
type PermissionUpdateType string

// The types of update.
const (
	UpdateAddRules          PermissionUpdateType = "addRules"
	UpdateReplaceRules      PermissionUpdateType = "replaceRules" // all rules of the behavior and the destination
	UpdateRemoveRules       PermissionUpdateType = "removeRules"
	UpdateSetMode           PermissionUpdateType = "setMode" // without effect for ModeBypass where it is not offered; an error for any other mode
	UpdateAddDirectories    PermissionUpdateType = "addDirectories"
	UpdateRemoveDirectories PermissionUpdateType = "removeDirectories"
)

// A PermissionUpdateRule is a rule in the form of a [PermissionUpdate].
type PermissionUpdateRule struct {
	Tool    string `json:"toolName"`
	Pattern string `json:"ruleContent,omitempty"`
}

// String returns the rule as it is written in settings.
func (r PermissionUpdateRule) String() string {
	return Rule{Tool: r.Tool, Pattern: r.Pattern}.String()
}

// String returns the update for a person.
func (u PermissionUpdate) String() string {
	var rules []string
	for _, r := range u.Rules {
		rules = append(rules, r.String())
	}
	switch u.Type {
	case UpdateSetMode:
		return fmt.Sprintf("mode %s", u.Mode)
	case UpdateAddDirectories, UpdateRemoveDirectories:
		return fmt.Sprintf("%s %s in %s", u.Type, strings.Join(u.Directories, ", "), u.Destination)
	case UpdateAddRules:
		return fmt.Sprintf("%s %s in %s", u.Behavior, strings.Join(rules, ", "), u.Destination)
	}
	return fmt.Sprintf("%s %s %s in %s", u.Type, u.Behavior, strings.Join(rules, ", "), u.Destination)
}

// apply returns p after the update.
func (u PermissionUpdate) apply(p Permissions) (Permissions, error) {
	if u.Destination == SourcePolicy {
		return p, errors.New("what the policy says cannot be changed here")
	}
	if u.Destination == SourceTurn && (u.Type == UpdateSetMode || u.Type == UpdateAddDirectories) {
		return p, fmt.Errorf("only rules end with a turn; use the destination %s for a mode or directories", SourceSession)
	}
	switch u.Type {
	case UpdateSetMode:
		if u.Mode == "" {
			return p, errors.New("the mode is missing")
		}
		if u.Mode == ModeBypass && !p.Offers(ModeBypass) {
			return p, nil // as Claude Code documents it
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
		return u.applyRules(p)
	}
	return p, errors.New("unknown type of update")
}

func (u PermissionUpdate) applyRules(p Permissions) (Permissions, error) {
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
		if !slices.ContainsFunc(given, r.sameText) {
			given = append(given, r)
		}
	}
	rules := slices.DeleteFunc(p.Rules(), func(r Rule) bool {
		if u.Type == UpdateAddRules && r.bases != nil && !slices.Equal(r.anchored.bases, p.place.anchors) {
			return false // it is about other files, see Session.SetDir
		}
		return slices.ContainsFunc(given, r.sameText) || (u.Type == UpdateReplaceRules && r.Behavior == u.Behavior && r.Source == u.Destination)
	})
	if u.Type != UpdateRemoveRules {
		rules = append(rules, given...)
	}
	p.set = newRuleset(rules)
	return p, nil
}
