package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonedit"
	"github.com/seed49eaa51d/pegboard/internal/jsonscan"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
	"github.com/seed49eaa51d/pegboard/internal/untrusted"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/settings/hooks"
)

// A fileReader reads the settings of one file.
type fileReader struct {
	*loader
	text
	source  policy.Source
	anchors anchors
	doc     *jsonedit.Document
	top     []jsonedit.Member
	trusted bool
	file    int      // the fact about the file
	asked   []string // ask rules in place of rules that are not understood
}

// managed reports whether the file is one of the system's administrator.
func (r *fileReader) managed() bool { return r.source == policy.SourceManaged }

// warnAt adds a warning about a value.
func (r *fileReader) warnAt(v jsonedit.Span, format string, args ...any) {
	r.warn(r.at(v.Start), format, args...)
}

// breaks notes that a value which may deny something cannot be read.
func (r *fileReader) breaks(v jsonedit.Span, key, format string, args ...any) {
	r.breaksWith(&ValueError{Position: r.at(v.Start), Key: key, Err: fmt.Errorf(format, args...)})
}

func (r *fileReader) breaksWith(err error) {
	r.Broken = append(r.Broken, &BrokenError{Source: r.source, Path: r.path, Err: err})
	if why := &r.facts[r.file].Why; *why == "" {
		*why = err.Error()
	}
}

// fact adds a fact about a value.
func (r *fileReader) fact(kind, text string, v jsonedit.Span) int {
	return r.note(kind, text, r.source, r.at(v.Start))
}

// key returns the value of a key of the file. It returns false if the key is missing or null.
func (r *fileReader) key(name string) (v jsonedit.Span, ok bool) {
	v = jsonedit.Find(r.top, name)
	return v, !v.Missing() && r.doc.Raw(v) != "null"
}

// member returns the member of a key, for its position.
func (r *fileReader) member(name string) jsonedit.Span {
	m := r.top[jsonedit.IndexOf(r.top, name)]
	return jsonedit.Span{Start: m.Start, End: m.Value.End}
}

// boolean returns the value of a key that is true or false. Other values are returned as
// wrong.
func (r *fileReader) boolean(name string) (on, ok, wrong bool) {
	v, ok := r.key(name)
	if !ok {
		return false, false, false
	}
	raw := r.doc.Bytes(v)
	return string(raw) == "true", true, string(raw) != "true" && string(raw) != "false"
}

// readToggle reads a switch that projects may set once they are trusted and that the first file
// decides. It returns true if it has set t.
func (r *fileReader) readToggle(key string, t *toggle) bool {
	on, ok, wrong := r.boolean(key)
	if !ok {
		return false
	}
	v := r.member(key)
	fact := r.fact(FactSwitch, r.switchText(key), v)
	switch {
	case wrong:
		r.warnAt(v, "%s is neither true nor false, so it does not count", key)
		r.discount(fact, "it is neither true nor false")
	case !r.trusted:
		r.warnAt(v, "%s does not count until the project is trusted", key)
		r.discount(fact, untrustedWhy)
	case t.key != "":
		r.discount(fact, "overridden by %v", t.at)
	default:
		*t = toggle{key: key, on: on, at: r.at(v.Start)}
		return true
	}
	return false
}

// switchText returns a key and its value for a fact.
func (r *fileReader) switchText(key string) string {
	v, _ := r.key(key)
	return key + ": " + r.describe(v)
}

// describe returns a short description of a value for a message.
func (r *fileReader) describe(v jsonedit.Span) string {
	switch kind := r.kind(v); kind {
	case "a string":
		return strictjson.Quote(r.doc.Text(v))
	case "a number":
		return "the number " + strictjson.Cut(r.doc.Raw(v))
	default:
		return kind
	}
}

// kind is describe for a value that may be secret.
func (r *fileReader) kind(v jsonedit.Span) string {
	if v.Missing() {
		return "nothing"
	}
	switch raw := r.doc.Bytes(v); raw[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case 't', 'f', 'n':
		return string(raw)
	default:
		return "a number"
	}
}

// string returns the text of a value that must be a string.
func (r *fileReader) string(v jsonedit.Span) (string, error) {
	if !r.doc.Opens(v, '"') {
		return "", fmt.Errorf("there is %s, which is not a string; write it in double quotes", r.describe(v))
	}
	if jsonscan.IndexLoneSurrogate(r.doc.Bytes(v)) >= 0 {
		return "", errors.New("the string holds half a character; write all of it")
	}
	return r.doc.Text(v), nil
}

// An item is a string of a list.
type item struct {
	text string
	at   jsonedit.Span
}

// list returns the strings of a list, and calls wrong for each other element. It returns
// false, after a call of wrong, if the value is no list.
func (r *fileReader) list(v jsonedit.Span, key string, wrong func(at jsonedit.Span, key string, err error)) (items []item, ok bool) {
	if !r.doc.Opens(v, '[') {
		wrong(v, key, fmt.Errorf("there is %s, which is not a list; write a list of strings", r.describe(v)))
		return nil, false
	}
	for i, element := range r.doc.Elements(v) {
		text, err := r.string(element)
		if err != nil {
			wrong(element, strictjson.AppendIndex(key, i), err)
			continue
		}
		items = append(items, item{text: text, at: element})
	}
	return items, true
}

// wrongDenies is for lists that deny something.
func (r *fileReader) wrongDenies(at jsonedit.Span, key string, err error) {
	r.breaks(at, key, "%w", err)
}

// wrongAllows is for lists that allow something.
func (r *fileReader) wrongAllows(at jsonedit.Span, key string, err error) {
	r.warnAt(at, "%s: %v; it does not count", key, err)
}

// readEnv reads the variables of the file that no higher source has.
func (r *fileReader) readEnv() {
	v, ok := r.key(envKey)
	if !ok {
		return
	}
	if !r.doc.Opens(v, '{') {
		r.warnAt(v, `env: there is %s, so that it does not count; write an object such as {"NAME": "text"}`, r.kind(v))
		return
	}
	members := r.doc.Members(v)
	if len(members) > 0 && !r.trusted {
		r.warn(r.at(r.member(envKey).Start), "its variables (%d) do not count until the project is trusted", len(members))
	}
	count := make(map[string]int, len(members))
	for _, m := range members {
		count[m.Key]++
	}
	for _, m := range members {
		at := jsonedit.Span{Start: m.Start}
		fact := r.fact(FactVariable, m.Key, at)
		value, why := r.envValue(m)
		if count[m.Key] > 1 {
			why = "the variable is there twice, so that it does not count; write it once"
		}
		switch set, known := r.env[m.Key]; {
		case !r.trusted:
			r.discount(fact, untrustedWhy)
		case why != "":
			r.warnAt(at, "%s: %s", strictjson.AppendKey(envKey, m.Key), why)
			r.discount(fact, "%s", why)
		case known:
			r.discount(fact, "overridden by %v", set)
		default:
			r.env[m.Key] = r.at(m.Start)
			r.Env[m.Key] = value
		}
	}
}

// envValue returns the value of a variable, or why it does not count.
func (r *fileReader) envValue(m jsonedit.Member) (value, why string) {
	switch raw := r.doc.Raw(m.Value); {
	case m.Key == "" || strings.ContainsAny(m.Key, "=\x00"):
		return "", "a variable cannot have that name, so that it does not count"
	case raw == "null":
		return "", "there is null, so that it does not count; write a text in double quotes, or take it out"
	case raw[0] == '{' || raw[0] == '[':
		return "", "there is " + r.kind(m.Value) + ", so that it does not count; write a text in double quotes"
	case raw[0] != '"': // as Claude Code takes it
		r.warnAt(m.Value, "%s: there is %s, which counts as its text; write it in double quotes", strictjson.AppendKey(envKey, m.Key), r.kind(m.Value))
		return raw, ""
	}
	value, err := r.string(m.Value)
	switch {
	case err != nil:
		return "", err.Error()
	case strings.ContainsRune(value, 0):
		return "", "the text holds a NUL character, so that it does not count"
	}
	return value, ""
}

// readHooks reads the hooks of the file. Those that count are added to sets.
func (r *fileReader) readHooks() {
	v, ok := r.key(hooksKey)
	if !ok {
		return
	}
	set, problems, err := hooks.Parse(r.doc.Bytes(v), r.source, r.path)
	why := r.hooksOff()
	n := r.noteHooks(set, v, why)
	if why != "" {
		if n > 0 || err != nil {
			r.warn(r.at(r.member(hooksKey).Start), "its hooks (%d) do not count: %s", n, why)
		}
		return
	}
	if err != nil {
		r.breaksWith(r.hookError(err, v))
	}
	for _, p := range problems {
		if p.Skipped && p.Guards && r.Strict {
			r.breaksWith(r.hookError(p, v))
			continue
		}
		r.warn(r.at(v.Start+p.Offset), "%s: %s", p.Path, p.Text)
	}
	r.sets = append(r.sets, set.WithRules(func(_ hooks.Handler, rule policy.Rule) []policy.Rule { return r.respell(rule) }))
}

// hooksOff returns why the hooks of the file do not count, or "".
func (r *fileReader) hooksOff() string {
	switch {
	case r.managed() && r.precedence.noManagedHooks, !r.managed() && r.precedence.noHooks.on:
		return r.precedence.noHooks.String()
	case !r.managed() && r.precedence.hooksOnly.on:
		return r.precedence.hooksOnly.String()
	case !r.trusted:
		return untrustedWhy
	}
	return ""
}

// noteHooks adds a fact about each hook, and returns their number. Why is why they do not
// count.
func (r *fileReader) noteHooks(set hooks.Set, v jsonedit.Span, why string) (n int) {
	for _, event := range set.Events() {
		for _, h := range set.Handlers(event) {
			at := r.at(v.Start + h.Offset)
			r.hooks[placeOf(h)] = at
			fact := r.note(FactHook, hookText(h), r.source, at)
			if why != "" {
				r.discount(fact, "%s", why)
			} else {
				r.counted[placeOf(h)] = fact
			}
			n++
		}
	}
	return n
}

// A hookPlace is the event of a hook and its place in a file.
type hookPlace struct {
	event, path string
	offset      int
}

func placeOf(h hooks.Handler) hookPlace { return hookPlace{h.Event, h.Path, h.Offset} }

// joinHooks joins the hooks of all files. The facts about those that a higher file has, too, do
// not count.
func (l *loader) joinHooks() {
	l.Hooks = hooks.Join(l.sets...)
	for _, event := range l.Hooks.Events() {
		for _, h := range l.Hooks.Handlers(event) {
			delete(l.counted, placeOf(h))
		}
	}
	for _, fact := range l.counted {
		l.discount(fact, "a higher file has the same hook, which runs once")
	}
	l.keepManagedHooks()
}

// hookText describes a hook for a person.
func hookText(h hooks.Handler) string {
	var does string
	switch {
	case h.Command != "":
		does = strings.Join(append([]string{h.Command}, h.Args...), " ")
	case h.URL != "":
		does = withoutSecrets(h.URL)
	case h.Tool != "":
		does = h.Server + " " + h.Tool
	default:
		does = h.Prompt
	}
	text := h.Event
	if h.Matcher != "" {
		text += " " + strictjson.Quote(h.Matcher)
	}
	if h.If != "" {
		text += " if " + h.If
	}
	return fmt.Sprintf("%s: %s %s", text, h.Type, strictjson.Quote(does))
}

// withoutSecrets returns an address without its user, query and fragment.
func withoutSecrets(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "an address that is no URL"
	}
	u.User, u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = nil, "", false, "", ""
	return u.String()
}

// hookError returns the error of a part of the hooks with its position.
func (r *fileReader) hookError(err error, v jsonedit.Span) error {
	var p hooks.Problem
	if !errors.As(err, &p) {
		return &ValueError{Position: r.at(v.Start), Key: hooksKey, Err: err}
	}
	return &ValueError{Position: r.at(v.Start + p.Offset), Key: p.Path, Err: errors.New(p.Text)}
}

// respell returns the rule of a hook as it is spelled in a session. A rule that cannot be
// spelled so stays as it is.
func (r *fileReader) respell(rule policy.Rule) (all []policy.Rule) {
	for _, text := range r.anchors.inSession(rule) {
		spelled, err := policy.ParseRule(rule.Behavior, text)
		if err != nil {
			return []policy.Rule{rule}
		}
		spelled.Source = rule.Source
		all = append(all, spelled)
	}
	return all
}

// limit adds a list of the file to those of the others. An empty list is a limit, too. The list
// of an untrusted project does not count: it could keep a hook from running that denies calls.
func (r *fileReader) limit(key string, all *[]string) {
	v, ok := r.key(key)
	if !ok {
		return
	}
	items, _ := r.list(v, key, r.wrongAllows)
	if !r.trusted {
		r.warnAt(r.member(key), "%s does not count until the project is trusted", key)
	} else if *all == nil {
		*all = []string{}
	}
	for _, i := range items {
		if fact := r.fact(FactSwitch, key+": "+strictjson.Quote(i.text), i.at); r.trusted {
			*all = append(*all, i.text)
		} else {
			r.discount(fact, untrustedWhy)
		}
	}
}

// keepManagedHooks adds the addresses of the hooks of managed files to HookURLs, unless a
// managed file has that list itself: other files do not switch these hooks off.
func (l *loader) keepManagedHooks() {
	if l.HookURLs == nil || slices.ContainsFunc(l.readers, func(r *fileReader) bool {
		_, ok := r.key(hookURLsKey)
		return ok && r.managed()
	}) {
		return
	}
	for _, event := range l.Hooks.Events() {
		for _, h := range l.Hooks.Handlers(event) {
			if h.Source == policy.SourceManaged && h.URL != "" && !slices.Contains(l.HookURLs, h.URL) {
				l.HookURLs = append(l.HookURLs, h.URL)
			}
		}
	}
}

// checkKeys refuses keys of this package that are there twice, and takes them out, since
// readers differ on their meaning.
func (r *fileReader) checkKeys() {
	for _, key := range ownKeys() {
		if _, twice := jsonedit.Repeated(r.top, key); twice {
			r.breaks(r.member(key), key, "the key is there twice; write it once")
			r.top = slices.DeleteFunc(slices.Clone(r.top), func(m jsonedit.Member) bool { return m.Key == key })
		}
	}
}

// maxNear limits the unknown keys for which a known key is suggested. Users misspell fewer.
const maxNear = 1000

// meant returns the key of this package that a key may stand for, or "".
func (l *loader) meant(key string) string {
	near, known := l.near[key]
	if !known && len(l.near) < maxNear {
		near = meant(key, ownKeys())
		l.near[key] = near
	}
	return near
}

// readKeys reads the keys that are the host's.
func (r *fileReader) readKeys() {
	own, last := ownKeys(), make(map[string]int, len(r.top))
	for i, m := range r.top {
		last[m.Key] = i
	}
	for i, m := range r.top {
		if slices.Contains(own, m.Key) {
			continue
		}
		at := r.at(m.Start)
		if last[m.Key] != i { // as in most readers, the last one counts
			r.warn(at, "%s is there twice, and the last one counts; write it once", strictjson.Cut(m.Key))
			continue
		}
		switch near := r.meant(m.Key); {
		case m.Key == serversKey:
			r.warn(at, "mcpServers is not read from settings files; write it into .mcp.json")
		case slices.Contains(permissionKeys(), m.Key):
			r.warn(at, "%s has no effect here; write it inside permissions", m.Key)
		case slices.Contains(unenforcedKeys(), m.Key):
			r.warn(at, "%s has no effect here; write deny rules", m.Key)
		case m.Key == sandboxKey && r.doc.Opens(m.Value, '{') && r.doc.Raw(jsonedit.Find(r.doc.Members(m.Value), "enabled")) == "true":
			r.warn(at, "sandbox.enabled has no effect by itself: commands run in a sandbox only if the program gives its shell one, and rules on files do not bind what they run")
		case near != "":
			r.warn(at, "%s is not known; did you mean %s?", strictjson.AppendKey("", strictjson.Cut(m.Key)), near)
		}
		r.Keys = append(r.Keys, Key{
			Name: m.Key, Value: json.RawMessage(slices.Clone(r.doc.Bytes(m.Value))),
			Source: r.source, Position: at, Trusted: r.trusted,
		})
	}
}

// untrustedWhy is why a setting of a project does not count.
const untrustedWhy = "the project is not trusted"

// readPermissions reads the object permissions.
func (r *fileReader) readPermissions() {
	v, ok := r.key(permissionsKey)
	if !ok {
		r.addRules(policy.RuleSet{Source: r.source, Untrusted: !r.trusted})
		return
	}
	if !r.doc.Opens(v, '{') {
		r.breaks(v, permissionsKey, `there is %s; write an object such as {"deny": ["Read(.env)"]}`, r.describe(v))
		return
	}
	members := r.doc.Members(v)
	r.checkPermissionKeys(members)
	set := policy.RuleSet{Source: r.source, Untrusted: !r.trusted}
	set.Deny = r.readRules(members, policy.Deny)
	set.Ask = r.readRules(members, policy.Ask)
	set.Allow = r.readRules(members, policy.Allow)
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
	r.readDisabled(members, disableBypassKey, policy.ModeBypass)
	r.readDisabled(members, disableAutoKey, policy.ModeAuto)
}

// addRules adds the rules of the file, if they count.
func (r *fileReader) addRules(set policy.RuleSet) {
	n := len(set.Deny) + len(set.Ask) + len(set.Allow)
	if r.ruledOut() {
		if n > 0 {
			r.warnAt(r.member(permissionsKey), "its rules (%d) do not count, since %v", n, r.precedence.rulesOnly)
		}
		return
	}
	r.Rules = append(r.Rules, set)
}

// ruledOut reports whether only rules of managed files count, and the file is not managed.
func (r *fileReader) ruledOut() bool { return r.precedence.rulesOnly.on && !r.managed() }

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
func (r *fileReader) readRules(members []jsonedit.Member, b policy.Behavior) (rules []string) {
	key := strictjson.AppendKey(permissionsKey, b.String())
	v := jsonedit.Find(members, b.String())
	if v.Missing() || r.doc.Raw(v) == "null" {
		return nil
	}
	wrong := r.wrongDenies
	if b == policy.Allow {
		wrong = r.wrongAllows
	}
	items, _ := r.list(v, key, wrong)
	first, added := make(map[string]Position, len(items)), make(map[string]bool, len(items))
	rules = make([]string, 0, len(items))
	r.facts = slices.Grow(r.facts, len(items))
	for _, i := range items {
		rule, err := parseRule(b, i.text)
		var instead policy.Rule
		safe := false
		if err != nil && b != policy.Allow && !errors.Is(err, errImitates) {
			instead, safe = safeguard(i.text)
		}
		fact := r.fact(FactRule, b.String()+" "+strictjson.Cut(i.text), i.at)
		switch {
		case safe && r.ruledOut():
			r.discount(fact, "%v", r.precedence.rulesOnly)
			r.asked = append(r.asked, instead.String())
			continue
		case safe:
			r.warnAt(i.at, "%s rule not understood; what it may mean is asked about, as if it were the ask rule %s: %v", b, instead, err)
			r.facts[fact].Why = "not understood, so it counts as the ask rule " + instead.String()
			for _, spelled := range r.anchors.inSession(instead) {
				r.asked = append(r.asked, spelled)
				r.keepRule(r.source, policy.Ask, spelled, r.facts[fact].Position)
			}
			continue
		case err != nil && b != policy.Allow:
			r.breaks(i.at, key, "%v rules: %w", b, err)
			r.discount(fact, "%v", err)
			continue
		case err != nil:
			r.warnAt(i.at, "an allow rule does not count: %v", err)
			r.discount(fact, "%v", err)
			continue
		case b == policy.Allow && !r.trusted:
			r.discount(fact, untrustedWhy)
		case r.ruledOut():
			r.discount(fact, "%v", r.precedence.rulesOnly)
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
				r.keepRule(r.source, b, spelled, r.facts[fact].Position)
			}
		}
	}
	return rules
}

var errImitates = errors.New("it imitates a mark of this program")

// parseRule parses the text of a rule, which the model reads in the reason of a denial.
func parseRule(b policy.Behavior, text string) (policy.Rule, error) {
	if untrusted.Imitates(text) {
		return policy.Rule{}, errImitates
	}
	return policy.ParseRule(b, text)
}

// readDirectories reads the directories. allowed is the number of allow rules, for the
// warning about both.
func (r *fileReader) readDirectories(members []jsonedit.Member, allowed int) {
	var dirs []policy.Directory
	known := map[string]bool{}
	v := jsonedit.Find(members, directoriesKey)
	if !v.Missing() && r.doc.Raw(v) != "null" {
		items, _ := r.list(v, directoriesKey, r.wrongAllows)
		for _, i := range items {
			if i.text == "" || known[i.text] {
				continue
			}
			known[i.text] = true
			dirs = append(dirs, policy.Directory{Path: i.text, Source: r.source})
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
	m := policy.Mode(r.doc.Text(v))
	fact := r.fact(FactMode, r.describe(v), v)
	p, err := policy.New(m)
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
	case !r.trusted && (m == policy.ModeAcceptEdits || m == policy.ModeAuto):
		r.warnAt(v, "%s: %s does not count until the project is trusted", modeKey, m)
		r.discount(fact, untrustedWhy)
	case !r.trusted && p.Mode() == policy.ModeDefault: // a lower source may have a stricter one
		r.discount(fact, untrustedWhy)
	default:
		r.setMode(p.Mode(), fact)
	}
}

// readDisabled reads a key that forbids a mode. Any value but "disable", null and false is
// probably a misspelling, so it forbids the mode as well.
func (r *fileReader) readDisabled(members []jsonedit.Member, key string, m policy.Mode) {
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
