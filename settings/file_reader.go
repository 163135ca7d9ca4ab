package settings

import (
	"errors"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonedit"
	"github.com/seed49eaa51d/pegboard/internal/jsonscan"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// A fileReader reads the settings of one file.
type fileReader struct {
	*loader
	text
	source  pegboard.RuleSource
	anchors anchors
	doc     *jsonedit.Document
	top     []jsonedit.Member
	trusted bool
	file    int      // the fact about the file
	asked   []string // ask rules in place of rules that are not understood
}

// managed reports whether the file is one of the system's administrator.
func (r *fileReader) managed() bool { return r.source == pegboard.SourcePolicy }

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
