package shell

import (
	"bytes"
	"crypto/sha256"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/internal/shellparse"
	"github.com/seed49eaa51d/pegboard/tools/internal/reads"
)

// A viewing is a line that shows one file and does nothing else. Its zero value
// shows none.
type viewing struct {
	real string
	was  os.FileInfo // before the line ran
}

// newViewing returns what the line of c is about to show.
func newViewing(line *shellparse.Line, c *pegboard.Call) viewing {
	if !showsOne(line) {
		return viewing{}
	}
	for _, t := range c.Targets() {
		if t.Kind == pegboard.TargetPath && t.Real() != "" {
			fi, err := os.Lstat(t.Real())
			if err != nil || !fi.Mode().IsRegular() {
				return viewing{}
			}
			return viewing{real: t.Real(), was: fi}
		}
	}
	return viewing{}
}

// viewers are the programs whose output counts as a read of the one file that
// they are given, by the documentation of the harness we are compatible with.
// Sed counts only as a printer of lines, see printsLines.
var viewers = map[string]bool{
	"cat": true, "nl": true, "bat": true, "batcat": true, "head": true, "tail": true,
	"grep": true, "egrep": true, "fgrep": true, "rg": true, "sed": true,
}

// printsLines knows the one form of sed that only shows a stretch of a file.
var printsLines = regexp.MustCompile(`^sed -n ['"]?\d+(,(\d+|\$))?p['"]? [^-]\S*$`)

// showsOne reports whether the line is one viewer of one file, its output neither
// piped nor redirected.
func showsOne(line *shellparse.Line) bool {
	if line.Unknown != "" || len(line.Commands) != 1 || len(line.Paths) > 0 {
		return false
	}
	cmd := &line.Commands[0]
	if cmd.Class != shellparse.ReadOnly || len(cmd.Paths) != 1 {
		return false
	}
	if p := cmd.Paths[0]; p.Write || p.Tree || p.Glob || p.Guess {
		return false
	}
	name, _, _ := strings.Cut(cmd.Text, " ")
	return viewers[name] && (name != "sed" || printsLines.MatchString(cmd.Text))
}

// maxViewed is the largest file that is hashed after it was shown, in bytes. A
// larger one has to be read with Read before it is edited.
const maxViewed = 16 << 20

// note records for the session of c what was shown, unless the file changed
// meanwhile. The whole of a file counts as seen if printed is just that, or else a
// part of it.
func (v viewing) note(c *pegboard.Call, printed []byte) {
	if v.real == "" || len(printed) == 0 || v.was.Size() > maxViewed {
		return
	}
	f, err := realpath.Open(v.real)
	if err != nil {
		return // it is gone, so nothing of it can be edited
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxViewed+1))
	if err != nil {
		return
	}
	fi, err := f.Stat()
	if err != nil || !os.SameFile(fi, v.was) || fi.Size() != v.was.Size() || !fi.ModTime().Equal(v.was.ModTime()) || int64(len(data)) != fi.Size() {
		return
	}
	reads.Of(c.Session()).Note(v.real, reads.View{
		Info: fi, Size: fi.Size(), Changed: fi.ModTime(),
		To: fi.Size(), Sum: sha256.Sum256(data), Part: !bytes.Equal(data, printed),
	})
}
