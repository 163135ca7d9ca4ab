package pegboard

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Fact is what a [FactRule] wants to be true of a call.
type Fact uint8

// The facts. The zero value wants nothing.
const (
	FactAny Fact = iota
	FactYes      // the call has the trait
	FactNo       // it does not
)

// A FactRule decides calls by what they are, whatever their tool is called: see [Traits].
// It decides a call if each fact that it wants is true, and it names at least one.
//
// A deny or ask rule holds like one of a [RuleSet], in every mode. An allow rule is as wide
// as one that names a tool without a pattern: it covers all targets of the call, but no
// value that cannot be understood, nothing that cannot be seen into while a deny or ask
// pattern could be about it, and no file that a command writes outside the working
// directories. It wants at least one FactYes, since a tool that says nothing has no trait.
//
// The facts are those that the tool states, corrected by the targets: a call that writes a
// file, or runs a command that turns out to be none that only reads, is not read-only, and
// one that names a host is open-world.
//
// What a tool of a source says of its calls is the word of its server. It counts only for a
// rule that names the source in ToolSource, and where [Permissions.WithTrustedSources] names
// it. For any other rule each such call may be anything: an allow rule does not cover it,
// and a deny or ask rule decides it.
type FactRule struct {
	Behavior Behavior
	Source   RuleSource // of the rule; it is shown in explanations

	ReadOnly    Fact
	Destructive Fact
	OpenWorld   Fact

	ToolSource string // only calls of tools of this source, see Origin; empty means of any tool
}

// check returns what is wrong with r.
func (r *FactRule) check() error {
	facts := [...]Fact{r.ReadOnly, r.Destructive, r.OpenWorld}
	wants := map[Fact]bool{}
	for _, f := range facts {
		wants[f] = true
		if f > FactNo {
			return fmt.Errorf("fact rule %q: there is no fact %d", r, f)
		}
	}
	wrong := func(text string) error { return fmt.Errorf("fact rule %q: %w", r, errors.New(text)) }
	switch {
	case r.Behavior < Allow || r.Behavior > Deny:
		return wrong(fmt.Sprintf("the behavior is %v; a rule allows, asks or denies", r.Behavior))
	case !validText(r.ToolSource):
		return wrong("the source of the tools holds a control character or is not UTF-8")
	case !wants[FactYes] && !wants[FactNo]:
		return wrong("it names no fact; a rule such as mcp__server is about all calls")
	case r.ReadOnly == FactYes && r.Destructive == FactYes:
		return wrong("no call is read-only and destructive")
	case r.Behavior == Allow && !wants[FactYes]:
		return wrong("an allow rule needs a FactYes, since a tool that says nothing of a call has no trait")
	}
	return nil
}

// matches reports whether r decides a call of the tool, given its facts, and whether the
// tool is trusted to tell them.
func (r *FactRule) matches(i *Info, trusted, readOnly, destructive, openWorld bool) bool {
	switch {
	case r.ToolSource != "" && r.ToolSource != i.Origin.Source:
		return false
	case !trusted && r.ToolSource == "":
		return r.Behavior != Allow // its tool may say anything
	}
	return r.ReadOnly.is(readOnly) && r.Destructive.is(destructive) && r.OpenWorld.is(openWorld)
}

// is reports whether a trait is as f wants it.
func (f Fact) is(trait bool) bool { return f == FactAny || (f == FactYes) == trait }

// String returns what r is about, without its behavior: "read-only, not open-world, of
// github".
func (r FactRule) String() string {
	var words []string
	for _, f := range []struct {
		fact Fact
		word string
	}{{r.ReadOnly, "read-only"}, {r.Destructive, "destructive"}, {r.OpenWorld, "open-world"}} {
		switch f.fact {
		case FactYes:
			words = append(words, f.word)
		case FactNo:
			words = append(words, "not "+f.word)
		}
	}
	if r.ToolSource != "" {
		words = append(words, "of "+r.ToolSource)
	}
	return strings.Join(words, ", ")
}

// describe returns the rule for an explanation.
func (r *FactRule) describe() string {
	text := r.Behavior.String() + " rule on calls that are " + strconv.Quote(r.String())
	if r.Source != "" {
		text += " from " + string(r.Source)
	}
	return text
}
