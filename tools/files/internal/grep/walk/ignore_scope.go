package walk

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// A frame holds the rules of one directory that has some, or that is the top of
// a repository.
type frame struct {
	up           *frame // of a directory above
	skip         int    // how long the path of the directory is, see selection.above
	rules        [sources]*rules
	top          bool // of a repository
	inRepository bool
}

// judge returns what the ignore files from f up say of a path. Those that count
// more win over those that are nearer.
func (f *frame) judge(full, name string, dir bool) verdict {
	var said [sources]verdict
	leftRepository := false
	for at := f; at != nil; at = at.up {
		for of, rules := range at.rules {
			git := source(of) >= ofGit
			if rules == nil || said[of] != silent || git && (leftRepository || !f.inRepository) {
				continue
			}
			said[of] = rules.judge(full[at.skip:], name, dir)
		}
		leftRepository = leftRepository || at.top
	}
	for _, v := range said {
		if v != silent {
			return v
		}
	}
	return silent
}

// newFrame returns the frame of a directory. read returns the text of the file
// that names lead to, empty if there is none. If the directory has no rules, the
// frame is up.
func newFrame(up *frame, skip int, m marks, read func(names ...string) string) *frame {
	f := &frame{up: up, skip: skip, top: m&markRepository != 0}
	f.inRepository = f.top || up != nil && up.inRepository
	if m&markRipgrep != 0 {
		f.rules[ofRipgrep] = parseRules(read(".rgignore"))
	}
	if m&markAnyTool != 0 {
		f.rules[ofAnyTool] = parseRules(read(".ignore"))
	}
	if m&markGit != 0 && f.inRepository {
		f.rules[ofGit] = parseRules(read(".gitignore"))
	}
	if f.top {
		f.rules[ofExclude] = parseRules(read(".git", "info", "exclude"))
	}
	if !f.top && f.rules == [sources]*rules{} {
		return up
	}
	return f
}

// outer returns the rules of the directories above dir, which is absolute, and
// the path from the uppermost that has some to dir, with a slash at the end.
func outer(dir string) (f *frame, above string) {
	var up []string
	for at := dir; filepath.Dir(at) != at; at = filepath.Dir(at) {
		up = append(up, filepath.Dir(at))
	}
	var ruled []*frame
	var at []string
	for i := len(up) - 1; i >= 0; i-- {
		if next := newFrame(f, 0, marksIn(up[i]), func(names ...string) string { return textAt(up[i], names) }); next != f {
			f = next
			ruled, at = append(ruled, f), append(at, up[i])
		}
	}
	if f == nil {
		return nil, ""
	}
	above = below(at[0], dir)
	for i := range ruled {
		ruled[i].skip = len(above) - len(below(at[i], dir))
	}
	return f, above
}

// below returns the path from one directory to another, with a slash at the end.
func below(from, to string) string {
	rel := strings.TrimPrefix(to[len(from):], string(filepath.Separator))
	return filepath.ToSlash(rel) + "/"
}

// textAt returns the text of the regular file that names lead to from dir.
func textAt(dir string, names []string) string {
	f, err := os.OpenFile(filepath.Join(append([]string{dir}, names...)...), os.O_RDONLY|realpath.Nonblock, 0)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	if fi, err := f.Stat(); err != nil || !fi.Mode().IsRegular() {
		return ""
	}
	text, _ := io.ReadAll(io.LimitReader(f, maxRules))
	return string(text)
}
