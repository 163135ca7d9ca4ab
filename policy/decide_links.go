package policy

import (
	"io/fs"
	"os"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/plain"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// A linkedFile is a file with several hard links that a deny or ask rule is about.
type linkedFile struct {
	path string
	info fs.FileInfo
}

// linkedFiles are those of one ruleset. They are never written to.
type linkedFiles struct {
	set   *ruleset
	files []linkedFile
}

// maxLinkSearch limits the files and directories that are looked at to find the files of rules
// that name no single place. Beyond it, another hard link of such a file is not recognised. Having
// several links is no reason to refuse a file, since most such files belong to package caches.
const maxLinkSearch = 10_000

// linkedFiles returns the files with several hard links that the deny and ask rules in force are
// about. All checks of a running call share one search.
func (e *evaluation) linkedFiles() []linkedFile {
	known := e.linked
	if e.Running != nil {
		known = e.Running.linked.Load()
	}
	if known == nil || known.set != e.perms.set {
		known = &linkedFiles{e.perms.set, e.findLinked()}
		if e.linked = known; e.Running != nil {
			e.Running.linked.Store(known)
		}
	}
	return known.files
}

// matchLinks calls match with each deny or ask rule that is about another hard link of a file of
// t, and with the path of that link.
func (e *evaluation) matchLinks(t *Target, match func(i int32, t *Target, twin string)) {
	set := e.perms.set
	if len(set.fileRules) == 0 || t.Kind != Path || t.at == nil {
		return
	}
	links := t.at.links
	if links == nil { // the rule is new
		links = t.at.seeLinks(t)
	}
	if links == nil {
		return
	}
	for _, file := range links.linked {
		for _, other := range e.linkedFiles() {
			if slices.Contains(t.Names(), other.path) || !os.SameFile(file, other.info) {
				continue
			}
			twin := Target{Kind: Path, Access: t.Access, at: &location{names: []string{other.path}}}
			for _, i := range set.fileRules {
				if e.touchesFile(&set.rules[i], &twin) {
					match(i, t, other.path)
				}
			}
		}
	}
}

// touchesFile reports whether a rule on files touches t.
func (e *evaluation) touchesFile(r *Rule, t *Target) bool {
	return (r.param == nil || !e.hasParameter(r.param.Name)) && r.touches(&e.Tool, t)
}

// findLinked looks for files with several hard links that deny and ask rules are about. It looks
// at the files that rules name. It also searches the directories that rules name and the working
// directories, as deep as a rule may match.
func (e *evaluation) findLinked() (found []linkedFile) {
	set := e.perms.set
	var candidates []int32
	touched := func(path string, tree bool) bool {
		t := Target{Kind: Path, Access: Write, Tree: tree, at: &location{names: []string{path}}} // Write, since a rule on reading is about writing, too
		candidates = set.index.Candidates(patternSubject(&e.Tool, &t, t.Names()), candidates[:0])
		return slices.ContainsFunc(candidates, func(i int32) bool {
			r := &set.rules[i]
			return r.Behavior != Allow && e.touchesFile(r, &t)
		})
	}
	visit := func(path string, mode fs.FileMode) {
		if !mode.IsRegular() || !touched(path, false) {
			return
		}
		if info, err := os.Lstat(path); err == nil && realpath.HasLinks(info) {
			found = append(found, linkedFile{path, info})
		}
	}
	var dirs []string
	for _, place := range set.placesOfFiles() {
		if info, err := os.Lstat(place); err != nil {
			continue
		} else if info.IsDir() {
			dirs = append(dirs, place)
		} else {
			visit(place, info.Mode())
		}
	}
	realpath.Search(dirs, maxLinkSearch, func(dir string) bool { return touched(dir, true) }, visit)
	return found
}

// aboutTwin names the other hard link of a target that a rule is about.
func (e *evaluation) aboutTwin(b Behavior) string {
	if e.twins[b] == "" {
		return ""
	}
	return ", which is another name (a hard link) of " + plain.Visible(e.twins[b])
}
