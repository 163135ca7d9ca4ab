package shell

import (
	"bytes"
	"crypto/sha256"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/policy"
	lines "github.com/seed49eaa51d/pegboard/policy/shell"
	"github.com/seed49eaa51d/pegboard/tools/internal/reads"
)

// fileToolsAdvice returns a line that names the tools for files in the pool, and with
// commands the ones that they replace. It is empty if there are no such tools.
func fileToolsAdvice(s pegboard.Scope, commands bool) string {
	var look, change, instead []string
	for _, tool := range []struct {
		name, command string
		list          *[]string
	}{{"Read", "cat", &look}, {"Glob", "find", &look}, {"Grep", "", &look}, {"Edit", "sed", &change}, {"Write", "echo", &change}} {
		if !s.Has(tool.name) {
			continue
		}
		*tool.list = append(*tool.list, tool.name)
		if tool.command != "" {
			instead = append(instead, tool.command)
		}
	}
	var text string
	switch {
	case len(look)+len(change) == 0:
		return ""
	case len(change) == 0:
		text = "Use " + listed(look, "and") + " to look at files"
	case len(look) == 0:
		text = "Use " + listed(change, "and") + " to change files"
	default:
		text = "Use " + listed(look, "and") + " to look at files, and " + listed(change, "and") + " to change them"
	}
	if commands && len(instead) > 0 {
		text += ", not " + listed(instead, "or")
	}
	return text + ".\n"
}

// listed joins words as a sentence lists them.
func listed(words []string, last string) string {
	n := len(words)
	if n == 1 {
		return words[0]
	}
	return strings.Join(words[:n-1], ", ") + " " + last + " " + words[n-1]
}

// A fileView is the file that a line shows, if the line shows one file and does
// nothing else. Its zero value means that the line does not.
type fileView struct {
	path   string
	before os.FileInfo // before the line ran
}

// newFileView returns the file that the line of c will show.
func newFileView(line *lines.Line, c *pegboard.Call) fileView {
	if !showsOneFile(line) {
		return fileView{}
	}
	for _, t := range c.Targets() {
		if t.Kind == policy.Path && t.Real() != "" {
			fi, err := os.Lstat(t.Real())
			if err != nil || !fi.Mode().IsRegular() {
				return fileView{}
			}
			return fileView{path: t.Real(), before: fi}
		}
	}
	return fileView{}
}

// viewers are the programs whose output counts as a read of the file that they are
// given, according to the documentation of Claude Code. The output of sed counts only
// if sed prints lines, see sedPrintsLines.
var viewers = map[string]bool{
	"cat": true, "nl": true, "bat": true, "batcat": true, "head": true, "tail": true,
	"grep": true, "egrep": true, "fgrep": true, "rg": true, "sed": true,
}

// sedPrintsLines matches the form of sed that only prints a range of lines.
var sedPrintsLines = regexp.MustCompile(`^sed -n ['"]?\d+(,(\d+|\$))?p['"]? [^-]\S*$`)

// showsOneFile reports whether the line is one viewer of one file, whose output is
// neither piped nor redirected.
func showsOneFile(line *lines.Line) bool {
	if line.Unknown != "" || len(line.Commands) != 1 {
		return false
	}
	cmd := &line.Commands[0]
	isFile := func(t policy.Target) bool { return t.Kind == policy.Path }
	files := filesOf(cmd)
	if !cmd.ReadOnly || len(files) != 1 || slices.ContainsFunc(line.Targets[len(cmd.Targets):], isFile) { // of a redirection
		return false
	}
	if f := &files[0]; f.Access == policy.Write || f.Tree || f.Shell.Glob || f.Shell.Guess {
		return false
	}
	name, _, _ := strings.Cut(cmd.Text, " ")
	return viewers[name] && (name != "sed" || sedPrintsLines.MatchString(cmd.Text))
}

// maxViewedFile is the size in bytes of the largest file that is hashed after it was
// shown. A larger file must be read with Read before it is edited.
const maxViewedFile = 16 << 20

// record records for the session of c that the file was shown, unless the file has
// changed meanwhile. The whole file counts as read if it is equal to printed,
// otherwise a part of it.
func (v fileView) record(c *pegboard.Call, printed []byte) {
	if v.path == "" || len(printed) == 0 || v.before.Size() > maxViewedFile {
		return
	}
	f, err := realpath.Open(v.path)
	if err != nil {
		return // a file that does not exist cannot be edited
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxViewedFile+1))
	if err != nil {
		return
	}
	fi, err := f.Stat()
	if err != nil || !os.SameFile(fi, v.before) || fi.Size() != v.before.Size() || !fi.ModTime().Equal(v.before.ModTime()) || int64(len(data)) != fi.Size() {
		return
	}
	reads.Of(c.Session()).Record(v.path, reads.View{
		Info: fi, Size: fi.Size(), Changed: fi.ModTime(),
		To: fi.Size(), Sum: sha256.Sum256(data), Excerpt: !bytes.Equal(data, printed),
	})
}
