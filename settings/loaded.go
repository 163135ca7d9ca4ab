package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/settings/hooks"
)

// Loaded are the settings in the files. The fields are read-only.
type Loaded struct {
	Mode     policy.Mode   // the mode that sessions start in; ModeDefault if no source sets one
	Withheld []policy.Mode // the modes that a file disables

	// Rules and Directories are those of each source that has any, in the order managed,
	// command line, local, project, user.
	Rules       []policy.RuleSet
	Directories []policy.Directory
	// Restrictions leave the built-in tools that --tools names, for
	// [pegboard.PoolConfig].
	Restrictions []pegboard.Restriction

	// Hooks are those that count, of all sources.
	Hooks hooks.Set
	// HookURLs are the addresses that hooks of type http may call, in which "*" stands for
	// any characters. HookEnv are the variables that their headers may hold. Nil means that no
	// source limits them; an empty list allows none. HookURLs always has the addresses of the
	// hooks of managed files, unless a managed file has the list itself.
	HookURLs, HookEnv []string

	// Env are the variables for commands, hooks and MCP servers.
	Env map[string]string
	// Values are the options of other packages that variables of Env and of the environment set.
	Values Values

	// Servers are the configured MCP servers, each name once, sorted by it.
	Servers []Server
	// Keys are the keys that are the host's, sorted by name; those of the same name from the
	// highest source to the lowest.
	Keys []Key

	Warnings []Warning // ignored settings, to show to the user
	// Broken are the files, and parts of files, that could not be read although they may
	// deny something.
	Broken []*BrokenError

	facts []Fact
	rules map[ruleKey]Position
	hooks map[hookPlace]Position
	state state
}

// A ruleKey names a rule of Rules.
type ruleKey struct {
	source   policy.Source
	behavior policy.Behavior
	text     string
}

// A Warning describes a setting that is ignored, or counts in another way than it may seem.
type Warning struct {
	Position
	Text string // the setting and the reason
}

// String returns the position and the text.
func (w Warning) String() string { return w.Position.String() + ": " + w.Text }

// Permissions returns the loaded permissions. They are valid for a session whose Dir and Home
// are those of the Files. It fails with the errors in Broken.
func (l *Loaded) Permissions() (policy.Permissions, error) {
	if err := l.broken(); err != nil {
		return policy.Permissions{}, err
	}
	p, err := policy.New(l.Mode, l.Rules...)
	if err != nil {
		return policy.Permissions{}, err
	}
	return p.Without(l.Withheld...).WithDirectories(l.Directories...), nil
}

// RulePosition returns where a rule of [Loaded.Permissions] stands, and false if it is of no
// source: if it was added later, for example by an answer. A rule that stands in several files of
// a source, or that was spelled in several ways, has the first place.
func (l *Loaded) RulePosition(r policy.Rule) (at Position, ok bool) {
	at, ok = l.rules[ruleKey{r.Source, r.Behavior, r.String()}]
	return at, ok
}

// HookPosition returns where a hook of [Loaded].Hooks stands, and false if it is of no settings
// file.
func (l *Loaded) HookPosition(h hooks.Handler) (at Position, ok bool) {
	at, ok = l.hooks[placeOf(h)]
	return at, ok
}

// RuleProblems returns the rules of the files and flags that can match no call of the pool's
// tools, or not as they are meant: see [pegboard.Pool.RuleProblems]. Show them with the Warnings,
// once all tools are there.
func (l *Loaded) RuleProblems(p *pegboard.Pool) (warnings []Warning) {
	for _, problem := range p.RuleProblems() {
		if at, ok := l.RulePosition(problem.Rule); ok {
			warnings = append(warnings, Warning{Position: at, Text: problem.String()})
		}
	}
	return warnings
}

// broken returns the errors in Broken.
func (l *Loaded) broken() error {
	var errs []error
	for _, b := range l.Broken {
		errs = append(errs, b)
	}
	return errors.Join(errs...)
}

// WithoutBroken returns the settings without the parts that could not be read, so that Permissions
// does not fail for them. The user must know, since less is denied than the files say. Broken
// parts of managed files stay in Broken.
func (l *Loaded) WithoutBroken() *Loaded {
	rest := *l
	rest.Broken = slices.DeleteFunc(slices.Clone(l.Broken), func(b *BrokenError) bool { return b.Source != policy.SourceManaged })
	return &rest
}

// Key returns the value of a key that is the host's: the JSON text of the highest source that
// has it and is trusted. It returns false if there is no such source.
func (l *Loaded) Key(name string) (value json.RawMessage, from policy.Source, ok bool) {
	for _, k := range l.Keys {
		if k.Name == name && k.Trusted {
			return slices.Clone(k.Value), k.Source, true
		}
	}
	return nil, "", false
}

// HookOptions returns the options of [hooks.New] that the settings define: the directory of the
// project, the variables, the addresses and variables of http hooks, and the limits of Values. The host adds
// its funcs.
func (l *Loaded) HookOptions() hooks.Options {
	return hooks.Options{
		Project: l.state.files.projectDir(), Env: maps.Clone(l.Env), Strict: l.state.files.Strict,
		AllowedURLs: slices.Clone(l.HookURLs), AllowedVars: slices.Clone(l.HookEnv),
		StopCap: l.Values.StopCap, SessionEnd: l.Values.SessionEnd,
	}
}

// Facts returns each setting of each source, and whether it counts: files first, then by kind
// in the order of the constants, and within a kind from the highest source to the lowest.
func (l *Loaded) Facts() []Fact { return slices.Clone(l.facts) }

func (l *Loaded) warn(at Position, format string, args ...any) {
	l.Warnings = append(l.Warnings, Warning{Position: at, Text: fmt.Sprintf(format, args...)})
}

// note adds a fact that counts and returns its index.
func (l *Loaded) note(kind, text string, from policy.Source, at Position) int {
	l.facts = append(l.facts, Fact{Kind: kind, Text: text, Source: from, Position: at, Counts: true})
	return len(l.facts) - 1
}

// keepRule notes where a rule of Rules stands.
func (l *Loaded) keepRule(from policy.Source, b policy.Behavior, text string, at Position) {
	key := ruleKey{from, b, text}
	if _, known := l.rules[key]; !known {
		l.rules[key] = at
	}
}

// discount makes a fact one that does not count.
func (l *Loaded) discount(fact int, format string, args ...any) {
	l.facts[fact].Counts, l.facts[fact].Why = false, fmt.Sprintf(format, args...)
}
