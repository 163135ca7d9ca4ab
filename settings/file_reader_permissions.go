package settings

import (
	"errors"
	"slices"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonedit"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
	"github.com/seed49eaa51d/pegboard/internal/untrusted"
)

// untrustedWhy is why a setting of a project does not count.
const untrustedWhy = "the project is not trusted"

// readPermissions reads the object permissions.
func (r *fileReader) readPermissions() {
	v, ok := r.key(permissionsKey)
	if !ok {
		r.addRules(pegboard.RuleSet{Source: r.source, Untrusted: !r.trusted})
		return
	}
	if !r.doc.Opens(v, '{') {
		r.breaks(v, permissionsKey, `there is %s; write an object such as {"deny": ["Read(.env)"]}`, r.describe(v))
		return
	}
	members := r.doc.Members(v)
	r.checkPermissionKeys(members)
	set := pegboard.RuleSet{Source: r.source, Untrusted: !r.trusted}
	set.Deny = r.readRules(members, pegboard.Deny)
	set.Ask = r.readRules(members, pegboard.Ask)
	set.Allow = r.readRules(members, pegboard.Allow)
	known := make(map[string]bool, len(set.Ask))
	for _, text := range set.Ask {
		known[text] = true
	}
	for _, text := range r.asked {
		if !known[text] {
			known[text], set.Ask = true, append(set.Ask, text)
		}
	}
	r.addRules(set)
	r.readDirectories(members, len(set.Allow))
	r.readMode(members)
	r.readDisabled(members, disableBypassKey, pegboard.ModeBypass)
	r.readDisabled(members, disableAutoKey, pegboard.ModeAuto)
}

// addRules adds the rules of the file, if they count.
func (r *fileReader) addRules(set pegboard.RuleSet) {
	n := len(set.Deny) + len(set.Ask) + len(set.Allow)
	if r.ruledOut() {
		if n > 0 {
			r.warnAt(r.member(permissionsKey), "its rules (%d) do not count, since %v", n, r.policy.rulesOnly)
		}
		return
	}
	r.Rules = append(r.Rules, set)
}

// ruledOut reports whether only rules of managed files count, and the file is not managed.
func (r *fileReader) ruledOut() bool { return r.policy.rulesOnly.on && !r.managed() }

// checkPermissionKeys warns about keys without effect that look as if they had one.
func (r *fileReader) checkPermissionKeys(members []jsonedit.Member) {
	for _, m := range members {
		at := jsonedit.Span{Start: m.Start}
		name := strictjson.AppendKey(permissionsKey, strictjson.Cut(m.Key))
		switch near := meant(m.Key, permissionKeys()); {
		case slices.Contains(ownKeys(), m.Key):
			r.warnAt(at, "%s has no effect here; write it outside of permissions", name)
		case slices.Contains(unenforcedKeys(), m.Key):
			r.warnAt(at, "%s has no effect here; write deny rules", name)
		case near != "":
			r.warnAt(at, "%s is not known and has no effect; did you mean %s?", name, near)
		}
	}
}

// readRules returns the rules of a behavior, each once, as they are spelled in a session. In
// place of a deny or ask rule that is not understood it adds the possible meanings to asked.
func (r *fileReader) readRules(members []jsonedit.Member, b pegboard.Behavior) (rules []string) {
	key := strictjson.AppendKey(permissionsKey, b.String())
	v := jsonedit.Find(members, b.String())
	if v.Missing() || r.doc.Raw(v) == "null" {
		return nil
	}
	wrong := r.wrongDenies
	if b == pegboard.Allow {
		wrong = r.wrongAllows
	}
	items, _ := r.list(v, key, wrong)
	first, added := make(map[string]Position, len(items)), make(map[string]bool, len(items))
	rules = make([]string, 0, len(items))
	r.facts = slices.Grow(r.facts, len(items))
	for _, i := range items {
		rule, err := parseRule(b, i.text)
		var instead pegboard.Rule
		safe := false
		if err != nil && b != pegboard.Allow && !errors.Is(err, errImitates) {
			instead, safe = safeguard(i.text)
		}
		fact := r.fact(FactRule, b.String()+" "+strictjson.Cut(i.text), i.at)
		switch {
		case safe && r.ruledOut():
			r.discount(fact, "%v", r.policy.rulesOnly)
			r.asked = append(r.asked, instead.String())
			continue
		case safe:
			r.warnAt(i.at, "%s rule not understood; what it may mean is asked about, as if it were the ask rule %s: %v", b, instead, err)
			r.facts[fact].Why = "not understood, so it counts as the ask rule " + instead.String()
			r.asked = append(r.asked, r.anchors.inSession(instead)...)
			continue
		case err != nil && b != pegboard.Allow:
			r.breaks(i.at, key, "%v rules: %w", b, err)
			r.discount(fact, "%v", err)
			continue
		case err != nil:
			r.warnAt(i.at, "an allow rule does not count: %v", err)
			r.discount(fact, "%v", err)
			continue
		case b == pegboard.Allow && !r.trusted:
			r.discount(fact, untrustedWhy)
		case r.ruledOut():
			r.discount(fact, "%v", r.policy.rulesOnly)
		}
		text := rule.String()
		if at, twice := first[text]; twice {
			r.discount(fact, "it is there before, in line %d", at.Line)
			continue
		}
		first[text] = r.facts[fact].Position
		for _, spelled := range r.anchors.inSession(rule) {
			if !added[spelled] {
				added[spelled], rules = true, append(rules, spelled)
			}
		}
	}
	return rules
}

var errImitates = errors.New("it imitates a mark of this program")

// parseRule parses the text of a rule, which the model reads in the reason of a denial.
func parseRule(b pegboard.Behavior, text string) (pegboard.Rule, error) {
	if untrusted.Imitates(text) {
		return pegboard.Rule{}, errImitates
	}
	return pegboard.ParseRule(b, text)
}

// readDirectories reads the directories. allowed is the number of allow rules, for the
// warning about both.
func (r *fileReader) readDirectories(members []jsonedit.Member, allowed int) {
	var dirs []pegboard.AddedDirectory
	known := map[string]bool{}
	v := jsonedit.Find(members, directoriesKey)
	if !v.Missing() && r.doc.Raw(v) != "null" {
		items, _ := r.list(v, directoriesKey, r.wrongAllows)
		for _, i := range items {
			if i.text == "" || known[i.text] {
				continue
			}
			known[i.text] = true
			dirs = append(dirs, pegboard.AddedDirectory{Path: i.text, Source: r.source})
			if fact := r.fact(FactDirectory, i.text, i.at); !r.trusted {
				r.discount(fact, untrustedWhy)
			}
		}
	}
	if allowed+len(dirs) > 0 && !r.trusted {
		r.warnAt(r.member(permissionsKey), "its allow rules (%d) and directories (%d) do not count until the project is trusted", allowed, len(dirs))
		return
	}
	r.Directories = append(r.Directories, dirs...)
}

// readMode reads the mode that sessions start in.
func (r *fileReader) readMode(members []jsonedit.Member) {
	v := jsonedit.Find(members, modeKey)
	if v.Missing() || r.doc.Raw(v) == "null" {
		return
	}
	m := pegboard.Mode(r.doc.Text(v))
	fact := r.fact(FactMode, r.describe(v), v)
	p, err := pegboard.NewPermissions(m)
	if m == "" || err != nil {
		r.warnAt(v, "%s: there is no mode %s", modeKey, r.describe(v))
		r.discount(fact, "there is no such mode")
		return
	}
	r.facts[fact].Text = string(p.Mode())
	switch {
	case !allowsMode(r.source, m):
		r.warnAt(v, "%s: %s is not taken from this file", modeKey, m)
		r.discount(fact, "it is not taken from a file of this kind")
	case !r.trusted && (m == pegboard.ModeAcceptEdits || m == pegboard.ModeAuto):
		r.warnAt(v, "%s: %s does not count until the project is trusted", modeKey, m)
		r.discount(fact, untrustedWhy)
	case !r.trusted && p.Mode() == pegboard.ModeDefault: // a lower source may have a stricter one
		r.discount(fact, untrustedWhy)
	default:
		r.setMode(p.Mode(), fact)
	}
}

// readDisabled reads a key that forbids a mode. Any value but "disable", null and false is
// probably a misspelling, so it forbids the mode as well.
func (r *fileReader) readDisabled(members []jsonedit.Member, key string, m pegboard.Mode) {
	v := jsonedit.Find(members, key)
	if v.Missing() || r.doc.Raw(v) == "null" {
		return
	}
	if r.doc.Text(v) != "disable" {
		r.warnAt(v, `%s: %s is not understood; to forbid the mode, write "disable"`, key, r.describe(v))
	}
	if r.doc.Raw(v) == "false" {
		return
	}
	r.fact(FactForbidden, string(m), v)
	if !slices.Contains(r.Withheld, m) {
		r.Withheld = append(r.Withheld, m)
	}
}
