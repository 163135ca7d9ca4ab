// Package files has the tools that work on files: [Read], [Write], [Edit] and
// [NotebookEdit], [Glob] to find files by name, and [Grep] to search their content. [Tools]
// returns these. [MultiEdit] and [ApplyPatch] are for models that know them: a host adds
// them beside the others, or in place of Edit and Write.
//
// Each call declares its path as its target, and apply_patch all of its paths. The executor
// resolves a path once, before the permission decision, and the tool opens exactly the file that was decided.
// It refuses a path that leads to another file by the time it is opened, and it refuses
// pipes, sockets and devices.
//
// A session may edit the files that it has read. A file counts as read by its content:
// if the file changed since, an edit still succeeds where the text to replace is found
// exactly once. See [Forget] for conversations that lose their beginning, and [Note] for
// files that other tools have shown or written. [pegboard.Question.Preview] returns the
// change that a call of a tool that writes would make, for the user who is asked to allow
// it. For a notebook it has the lines of its JSON. [WriteOptions].MaxBytes also
// applies to it, and whether the system allows writing the file is not checked.
//
// In [pegboard.Call.Observed] the paths of these tools are absolute, and Glob and Grep have
// one, whatever the model wrote. Those in the text of a patch are as the model wrote them:
// a hook finds them resolved in [pegboard.Call.Targets].
//
// A tool of the host opens and writes files in the same way with [OpenFile], [CreateFile],
// [WriteFile] and [UpdateFile].
//
// # Errors
//
// The text of an error tells the model the problem and the next step. Where there is a cause,
// errors.Is finds it, such as fs.ErrNotExist or fs.ErrPermission.
//
// # Concurrency
//
//  1. Calls of one conversation that write the same file run one after another,
//     whichever agents make them and by whatever name they refer to the file.
//  2. The same holds for calls of other conversations and processes that use this
//     package, if the system has advisory file locks. No edit is lost.
//  3. A change of the file by another program during an edit is detected until just
//     before the new file replaces the old one. A change in that last moment is lost.
package files

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/internal/reads"
)

// Tools returns the tools of this package that suit every model, with default options: all
// but [MultiEdit] and [ApplyPatch].
func Tools() []pegboard.Tool {
	return []pegboard.Tool{
		Read(ReadOptions{}), Write(WriteOptions{}), Edit(WriteOptions{}), NotebookEdit(WriteOptions{}),
		Glob(GlobOptions{}), Grep(GrepOptions{}),
	}
}

// Forget drops the record of the files that s has read. Call it when the start of the conversation
// is cut off or summarized: the model then has to read a file again before it edits the file, and
// Read shows text again that it showed before. Read itself notices results that
// [pegboard.Session.TrimResults] replaced or that are gone from the history of the session.
func Forget(s *pegboard.Session) { reads.Of(s).Forget() }

// observedPath returns the path of a call's input in its absolute form, for
// [pegboard.Call.Observed]; an empty path is the working directory.
func observedPath(c *pegboard.Call, property, path string) map[string]any {
	s := c.Session()
	if s == nil {
		return nil
	}
	return map[string]any{property: realpath.Abs(c.Cwd(), s.Home(), cmp.Or(path, "."))}
}

// errUndecided is the error of a call for whose path there was no permission decision.
var errUndecided = errors.New("the call was not admitted by an executor, so no path was decided; run it through an Executor")

// decidedTarget returns the path that c may use.
func decidedTarget(c *pegboard.Call) (policy.Target, error) {
	targets, err := decidedTargets(c, 1)
	if err != nil {
		return policy.Target{}, err
	}
	return targets[0], nil
}

// decidedTargets returns the n paths that c may use, in the order of its traits.
func decidedTargets(c *pegboard.Call, n int) ([]policy.Target, error) {
	paths := slices.DeleteFunc(c.Targets(), func(t policy.Target) bool { return t.Kind != policy.Path })
	if len(paths) != n {
		return nil, errUndecided
	}
	return paths, nil
}

// checkNoNUL returns an error if value contains a NUL character, which no path can.
func checkNoNUL(field, value string) error {
	if strings.ContainsRune(value, 0) {
		return errors.New(field + " holds a NUL character, which no path can; send it without")
	}
	return nil
}

// checkNotDirectory returns an error if path can only name a directory.
func checkNotDirectory(field, path string) error {
	if last := strings.TrimSuffix(filepath.ToSlash(path), "."); strings.HasSuffix(last, "/") || last == "" {
		return fmt.Errorf("%s %q names a directory; send the path of a file", field, path)
	}
	return nil
}

// orDefault returns n, or def if n is not positive.
func orDefault[T ~int | ~int64](n, def T) T {
	if n <= 0 {
		return def
	}
	return n
}

// searchTraits returns the traits of a call that searches directories or files and leaves
// out the files that the session may not read.
func searchTraits(paths ...string) pegboard.Traits {
	traits := pegboard.Traits{Concurrency: pegboard.Shared, ReadOnly: true, Kind: pegboard.KindSearch}
	for _, path := range paths {
		traits.Targets = append(traits.Targets, policy.Target{Kind: policy.Path, Access: policy.Read, Value: path, Tree: true, Filtered: true})
	}
	return traits
}

// mayRead reports whether the session of c may read the file at path, without asking.
func mayRead(c *pegboard.Call, path string) bool {
	return c.Filter(policy.Target{Kind: policy.Path, Access: policy.Read, Value: path})
}

// textResult returns a result with a text for the model and data for the host.
func textResult(text string, data any) *pegboard.Result {
	return &pegboard.Result{Parts: []pegboard.Part{{Text: text}}, Data: data}
}

// writeResult returns the result of a call that changed a file.
func writeResult(text string, diffs []pegboard.Diff, data any) *pegboard.Result {
	r := textResult(text, data)
	if r.Diffs = diffs; len(diffs) > 0 {
		r.Line = changeLine(diffs[0])
	}
	return r
}

// changeLine words a change for a person.
func changeLine(d pegboard.Diff) string {
	added, removed := d.Counts()
	counts := plural(added, "line")
	if d.Omitted > 0 {
		counts = "more than " + counts
	}
	switch {
	case d.New:
		return "Created with " + counts
	case added == 0 && removed == 0 && d.Omitted == 0:
		return "Changed no line"
	case removed == 0:
		return "Added " + counts
	case added == 0:
		return "Removed " + plural(removed, "line")
	}
	return "Added " + counts + ", removed " + plural(removed, "line")
}

// quotePath quotes a path like a Go string if it contains a line end or other control
// characters.
func quotePath(path string) string {
	if strings.ContainsFunc(path, unicode.IsControl) || !utf8.ValidString(path) {
		return strconv.Quote(path)
	}
	return path
}

// plural returns a number with a noun, such as "1 line" or "2 lines".
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
