package pegboard

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// A reach says whether a call that reads a tree reads what a rule is about.
type reach int

const (
	reachesNothing reach = iota // nothing of the kind is there, or it is left out
	mayReach                    // nothing is there now
	reaches
)

// concerns reports whether a deny or ask rule that touches a target is about what the call
// does there, and notes if it may be.
func (e *evaluation) concerns(r *Rule, t *Target) bool {
	found, reach := e.reachBelow(r, t)
	switch reach {
	case reaches:
		if e.found[r.Behavior] == "" {
			e.found[r.Behavior] = found
		}
	case mayReach:
		e.record(r, t, Ask, "may be about something below it, which could be there when it is read")
		if e.unsure == nil {
			e.unsure = r
		}
	case reachesNothing:
		e.record(r, t, Undecided, "is about nothing that it would read below")
	}
	return reach == reaches
}

// reachBelow reports whether a command line reads or writes something that a deny or ask
// rule is about, where the rule touches target t. It may touch t only because such a file
// could be below it: then the files below are looked at, now, when the call is decided. found
// is such a file. Another command of the line that runs or writes something could make the
// file before.
//
// A rule on reading is about a tree that is written only if such a file is there: one that
// is made anew was not read.
func (e *evaluation) reachBelow(r *Rule, t *Target) (found string, _ reach) {
	if !t.Tree || t.Kind != TargetPath || t.Shell.FromCommand == "" || e.info.Origin.External() {
		return "", reaches
	}
	if t.Access == AccessWrite && !r.spec.IsOnReading() && !t.Shell.InPlace && t.Shell.Holds == nil {
		return "", reaches
	}
	alone := *t
	alone.Tree = false
	if r.touches(e.info, &alone) {
		return "", reaches
	}
	below := e.searchBelow(t)
	switch found := below.found[r]; {
	case found != "":
		return found, reaches
	case t.Shell.Reads != nil && !e.mayFollowLinks(t) && isPlainFileName(r.Pattern) && !t.Shell.Reads(r.Pattern):
		return "", reachesNothing
	case !below.all:
		return "", reaches
	case e.mayBeMade(r, t):
		return "", mayReach
	}
	return "", reachesNothing
}

// mayBeMade reports whether another command of the line than the one that tree was given to
// may make a file that r is about. A command whose files are guesses may make it itself before
// it reads it, unless the line finds its files.
func (e *evaluation) mayBeMade(r *Rule, tree *Target) bool {
	own := tree.Shell.FromCommand
	if tree.Shell.Guess && tree.Access == AccessRead && !tree.Shell.InPlace {
		own = ""
	}
	return !e.all(func(t *Target) bool {
		if own != "" && (t.Shell.FromCommand == own || t.Kind == TargetCommand && t.Value == own) {
			return true
		}
		switch t.Kind {
		case TargetCommand:
			return t.Shell.ReadOnly || t.Shell.EditsOnly
		case TargetPath:
			return t.Access == AccessRead || t.Shell.Guess || !t.Shell.MovesNames && !r.touches(e.info, t) && !e.isPutBy(t, tree)
		}
		return t.Kind != TargetOpaque
	})
}

// isPutBy reports whether a file that is written is one of those, or near those, that the
// command of a tree copies or moves there: then it gets another name.
func (e *evaluation) isPutBy(written, tree *Target) bool {
	if tree.Access != AccessWrite || tree.Shell.Holds == nil {
		return false
	}
	return !e.all(func(from *Target) bool {
		if from.Kind != TargetPath || from.Shell.FromCommand != tree.Shell.FromCommand || from.Access == AccessWrite && !from.Shell.InPlace {
			return true
		}
		return !slices.ContainsFunc(from.names(), func(name string) bool {
			return slices.ContainsFunc(written.names(), func(other string) bool {
				return realpath.Contains(name, other) || realpath.Contains(other, name)
			})
		})
	})
}

// A treeSearch is what was found below a tree.
type treeSearch struct {
	tree  *Target
	found map[*Rule]string // the first file that each rule is about
	all   bool             // there are no more files than those looked at
}

// searchBelow looks for the files below t that deny and ask rules are about and that the call
// reads or writes: once for all rules, since a tree may be large.
func (e *evaluation) searchBelow(t *Target) *treeSearch {
	if e.below != nil && e.below.tree == t {
		return e.below
	}
	s := &treeSearch{tree: t, found: map[*Rule]string{}}
	e.below = s
	set, left := e.perms.set, 0
	for _, i := range set.fileRules {
		if e.touchesFile(&set.rules[i], t) {
			left++
		}
	}
	var candidates []int32
	follows := e.mayFollowLinks(t)
	own := *e // a tool may keep the function, and with it this copy in place of e
	s.all = walkBelow(t, follows, func(path, shown string) bool {
		one := Target{Kind: TargetPath, Access: t.Access, at: &location{names: namesBelow(t, path)}}
		candidates = set.index.Candidates(patternSubject(own.info, &one, one.names()), candidates[:0])
		for _, i := range candidates {
			r := &set.rules[i]
			if r.Behavior != Allow && s.found[r] == "" && own.touchesFile(r, &one) {
				s.found[r] = shown
				left--
			}
		}
		return left > 0
	})
	return s
}

// mayFollowLinks reports whether the command that reads or writes a tree may follow the links
// in it. A command that is not known may.
func (e *evaluation) mayFollowLinks(t *Target) bool {
	if t.Shell.FollowsLinks || t.Shell.InPlace || t.Access == AccessWrite && t.Shell.Holds != nil {
		return t.Shell.FollowsLinks
	}
	return !e.all(func(c *Target) bool {
		return c.Kind != TargetCommand || c.Value != t.Shell.FromCommand || c.Shell.ReadOnly || c.Shell.EditsOnly
	})
}

// namesBelow returns the names of a file below t, of which path is one.
func namesBelow(t *Target, path string) []string {
	below := []string{path}
	rel, err := filepath.Rel(t.Real(), path)
	if names := t.names(); err == nil && filepath.IsLocal(rel) && len(names) > 1 {
		for _, name := range names {
			below = append(below, filepath.Join(name, rel))
		}
	}
	return below
}

// walkBelow calls visit with the path of each file below t that the call reads or writes, of a
// tree that is written also of each directory, until visit returns false. It returns false if
// there may be more. shown is the path, or the link to it below t that the call follows. What a
// link leads to is read whatever it is called.
func walkBelow(t *Target, follows bool, visit func(path, shown string) bool) (all bool) {
	visitOne := func(path string) bool {
		return t.Shell.Reads != nil && !t.Shell.Reads(filepath.Base(path)) || visit(path, path)
	}
	if t.Shell.Holds != nil {
		err := goroutine.Try(func() error { all = t.Shell.Holds(visitOne); return nil })
		return all && err == nil
	}
	names, roots := t.names(), []string(nil)
	if follows && !t.Shell.FollowsLinks { // otherwise the names hold these places
		real := make([]string, len(names)) // a target need not have a Real
		for i, name := range names {
			real[i] = realpath.Resolve(name)
		}
		places, ok := realpath.LinkTargets(real, maxSearched)
		if all = ok; !all {
			return false
		}
		names = append(slices.Clip(names), places...)
	}
	for _, name := range names {
		root := realpath.Resolve(name)
		if slices.Contains(roots, root) {
			continue
		}
		roots = append(roots, root)
		all = realpath.Walk(root, maxSearched, func(path string, mode fs.FileMode) bool {
			if mode&fs.ModeSymlink != 0 && follows && !visit(realpath.Resolve(path), path) {
				return false
			}
			return mode.IsDir() && t.Access == AccessRead || visitOne(path)
		})
		if !all {
			return false
		}
	}
	return true
}

// aboutFound says which file a rule is about, and how to leave it out.
func (e *evaluation) aboutFound(b Behavior, t *Target) string {
	found := e.found[b]
	if found == "" || t == nil {
		return ""
	}
	text := fmt.Sprintf(": %s is there", visible(found))
	if name := filepath.Base(found); t.Shell.LeaveOut != "" && isPlainFileName(name) {
		text += fmt.Sprintf("; to leave it out, add %s to the command", strings.ReplaceAll(t.Shell.LeaveOut, "NAME", name))
	}
	return text
}

// isPlainFileName reports whether a name means itself in every shell and pattern.
func isPlainFileName(name string) bool {
	return name != "" && name != "." && name != ".." && strings.IndexFunc(name, func(r rune) bool {
		return !strings.ContainsRune("._-", r) && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z')
	}) < 0
}
