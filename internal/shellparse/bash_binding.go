package shellparse

import (
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// bindings are the words that any part of the line assigns to its variables, by name: what
// a variable may hold, for rules that deny. What it surely holds at some place is another
// fact, see setVariable. Those under the empty name are words that xargs may add to a
// command.
type bindings map[string][]arg

// maxBindings limits the words that are recorded for one variable, maxPossibleValues
// those that are tried for all variables of a command.
const (
	maxBindings       = 64
	maxPossibleValues = 1024
)

// variableWord matches a word that is a variable, optionally with a path below it.
var variableWord = regexp.MustCompile(`^\$(?:([A-Za-z_][A-Za-z_0-9]*)|\{([A-Za-z_][A-Za-z_0-9]*)(?:\[[@*]\])?\})(/.*)?$`)

// possibleValues returns the values that the line gives to a word that is not known:
// those of its variable, from an assignment or a loop, or those printed for xargs.
func (w *walker) possibleValues(a arg) []arg {
	if a.isAdded() {
		return w.bindings()[""]
	}
	parts := variableWord.FindStringSubmatch(strings.ReplaceAll(a.source, `"`, ""))
	if parts == nil {
		return nil
	}
	bound := w.bindings()[parts[1]+parts[2]]
	values := make([]arg, 0, len(bound))
	for _, v := range bound {
		v.value += parts[3]
		v.glob = v.glob || strings.ContainsAny(parts[3], "*?[")
		values = append(values, v)
	}
	return values
}

// bindings finds the words on its first call. It searches the whole line and ignores
// the order in which parts run.
func (w *walker) bindings() bindings {
	if w.bindingCache != nil || w.file == nil {
		return w.bindingCache
	}
	w.bindingCache = bindings{}
	syntax.Walk(w.file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			switch {
			case n.Name == nil || n.Naked:
			case n.Value != nil:
				w.addBinding(n.Name.Value, n.Value)
			case n.Array == nil: // NAME=
				w.bindingCache[n.Name.Value] = append(w.bindingCache[n.Name.Value], literalArg(""))
			}
			if n.Name != nil && n.Array != nil {
				for _, e := range n.Array.Elems {
					w.addBinding(n.Name.Value, e.Value)
				}
			}
		case *syntax.WordIter:
			w.addBinding(n.Name.Value, n.Items...)
		case *syntax.Redirect:
			if n.Op == syntax.WordHdoc {
				w.addBinding("", n.Word)
			}
		case *syntax.CallExpr:
			if len(n.Args) > 1 && has("echo printf", n.Args[0].Lit()) {
				w.addBinding("", n.Args[1:]...)
			}
		}
		return true
	})
	return w.bindingCache
}

// addBinding adds the words that are known. Words that hold commands are skipped, since
// expanding them would list the commands twice.
func (w *walker) addBinding(name string, words ...*syntax.Word) {
	defer func(shown string) { w.shown = shown }(w.shown)
	for _, word := range words {
		if len(w.bindingCache[name]) >= maxBindings {
			return
		}
		if word == nil || strings.ContainsAny(w.sourceOf(word), "(`") {
			continue
		}
		for _, a := range w.expandWord(nil, word) {
			if a.known {
				w.bindingCache[name] = append(w.bindingCache[name], a)
			}
		}
	}
}
