package settings

import (
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonedit"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

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
