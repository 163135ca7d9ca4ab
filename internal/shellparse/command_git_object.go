package shellparse

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// gitRevision matches a revision that is no option, as it is written in a substitution.
var gitRevision = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_./@~^-]*$`)

// printsObjectName reports whether a substitution prints the name of one object of git or
// nothing, as $(git merge-base main HEAD) does.
func (w *walker) printsObjectName(c *syntax.CmdSubst) bool {
	if len(c.Stmts) != 1 || w.env.Shell != Bash || mayAssign(w.src, "IFS") {
		return false
	}
	call, ok := c.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || c.Stmts[0].Negated || !keepsOutput(c.Stmts[0]) {
		return false
	}
	var words []string
	for _, word := range call.Args {
		value, ok := w.verbatim(word)
		if !ok {
			return false
		}
		words = append(words, value)
	}
	if len(words) < 3 || words[0] != "git" {
		return false
	}
	last := words[len(words)-1]
	switch flags := words[2 : len(words)-1]; words[1] {
	case "merge-base":
		return len(flags) == 1 && gitRevision.MatchString(flags[0]) && gitRevision.MatchString(last)
	case "rev-parse": // without --verify it prints words that it does not know as they are
		return gitRevision.MatchString(last) && (last == "HEAD" || slices.Contains(flags, "--verify")) &&
			!slices.ContainsFunc(flags, func(f string) bool { return !has("--verify --short --quiet -q", f) })
	}
	return false
}

// objectName stands for the name of an object of git that is not known.
var objectName = strings.Repeat("0", 40)

// withObjectNames returns a word in which the names of objects of git are replaced, or an
// empty string if it has none or other parts that are not known.
func (m *markedWord) withObjectNames() string {
	var b strings.Builder
	names := 0
	for i, kind := range m.marks {
		switch {
		case kind == markUnknownText, kind == markUnknownWords:
			names++
			b.WriteString(objectName)
		case kind == markProcessSubst, kind == markPlain && strings.IndexByte("~{}", m.text[i]) >= 0:
			return ""
		default:
			b.WriteByte(m.text[i])
		}
	}
	if names == 0 || names != m.ids {
		return ""
	}
	return b.String()
}

// objectReaders are subcommands of git that take revisions and no other files than those
// of the repository.
const objectReaders = "describe diff diff-tree log ls-tree merge-base name-rev rev-list rev-parse shortlog show"

// gitOnObjectNames returns the effect of git, whose arguments may be names of objects that
// are not known. Without quotes such a name may be missing.
func (w *walker) gitOnObjectNames(args []arg) effect {
	found := slices.ContainsFunc(args, func(a arg) bool { return a.withID != "" })
	if !found || !has(objectReaders, args[0].value) || slices.ContainsFunc(args, func(a arg) bool { return strings.HasPrefix(a.value, "--no-i") }) {
		return effectOf("git", args)
	}
	var with, without []arg
	for _, a := range args {
		if a.withID == "" {
			with, without = append(with, a), append(without, a)
			continue
		}
		known := arg{value: a.withID, known: true, source: a.source}
		with = append(with, known)
		switch {
		case !a.anyNumber && a.withID == objectName:
			known.value = "" // git may have printed nothing
			without = append(without, known)
		case a.withID != objectName:
			known.value = strings.ReplaceAll(a.withID, objectName, "")
			without = append(without, known)
		}
	}
	e := effectOf("git", with)
	if other := effectOf("git", without); e.class != ReadOnly || other.class != ReadOnly {
		return effectOf("git", args)
	}
	return e
}
