package settings

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonedit"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
	"github.com/seed49eaa51d/pegboard/settings/hooks"
)

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
	r.sets = append(r.sets, set.WithRules(func(_ hooks.Handler, rule pegboard.Rule) []pegboard.Rule { return r.respell(rule) }))
}

// hooksOff returns why the hooks of the file do not count, or "".
func (r *fileReader) hooksOff() string {
	switch {
	case r.managed() && r.policy.noManagedHooks, !r.managed() && r.policy.noHooks.on:
		return r.policy.noHooks.String()
	case !r.managed() && r.policy.hooksOnly.on:
		return r.policy.hooksOnly.String()
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
			fact := r.note(FactHook, hookText(h), r.source, r.at(v.Start+h.Offset))
			if why != "" {
				r.discount(fact, "%s", why)
			} else {
				r.hooks[placeOf(h)] = fact
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
			delete(l.hooks, placeOf(h))
		}
	}
	for _, fact := range l.hooks {
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
func (r *fileReader) respell(rule pegboard.Rule) (all []pegboard.Rule) {
	for _, text := range r.anchors.inSession(rule) {
		spelled, err := pegboard.ParseRule(rule.Behavior, text)
		if err != nil {
			return []pegboard.Rule{rule}
		}
		spelled.Source = rule.Source
		all = append(all, spelled)
	}
	return all
}

// limit joins a list of the file with those of the others. The list is a limit even if it is
// empty. That of a project that is not trusted is none, since a hook that cannot run does not
// deny anything.
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
			if h.Source == pegboard.SourcePolicy && h.URL != "" && !slices.Contains(l.HookURLs, h.URL) {
				l.HookURLs = append(l.HookURLs, h.URL)
			}
		}
	}
}
