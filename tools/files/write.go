package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/edit"
	"github.com/seed49eaa51d/pegboard/tools/internal/reads"
)

type writeInput struct {
	FilePath string `json:"file_path" jsonschema:"minLength=1" jsonschema_description:"The absolute path of the file. A relative one is taken from the working directory."`
	Content  string `json:"content" jsonschema_description:"The whole new content of the file"`
}

// A WriteOutput is the Result.Data of a [Write] call.
type WriteOutput struct {
	Type            string          `json:"type"`     // "create" or "update"
	FilePath        string          `json:"filePath"` // absolute
	Content         string          `json:"content"`  // as given in the call
	StructuredPatch []pegboard.Hunk `json:"structuredPatch"`
	OriginalFile    *string         `json:"originalFile"` // nil if the file did not exist

	text  string // for the model
	diffs []pegboard.Diff
}

// Write returns the tool that creates a file or replaces its whole content.
//
// The session must have read an existing file completely, and the content must not have
// changed since. The file keeps its encoding, byte order mark, mode, owner and links,
// and its line ends where the new content has "\n". A new file gets exactly the bytes
// of the content; missing directories are created. The change is atomic: at any moment,
// even if the process is killed, the file has either the old or the new content. The
// exception is a file with several hard links, or one that must not be replaced: it is
// written in place, with a backup next to it until the write is complete.
func Write(o WriteOptions) pegboard.Tool {
	return buildWriter(o, pegboard.Definition[writeInput, WriteOutput]{
		Info:        pegboard.Info{Name: "Write", Title: "Write"},
		Description: "Writes a file, new or as a whole.",
		Prompt: func(s pegboard.Scope) string {
			text := "Writes a file: makes a new one, with the directories it needs, or replaces the whole content of one that was read before."
			if s.Has("Edit") {
				text += " To change a part of a file use Edit."
			}
			return text
		},
		Inspect: func(in writeInput, _ *pegboard.Call) pegboard.Traits { return o.traits(in.FilePath) },
		Observe: func(in writeInput, c *pegboard.Call) map[string]any { return observedPath(c, "file_path", in.FilePath) },
		Validate: func(_ context.Context, in writeInput, _ *pegboard.Call) error {
			return errors.Join(checkNoNUL("file_path", in.FilePath), checkNotDirectory("file_path", in.FilePath))
		},
		ClassifierInput: func(in writeInput, _ *pegboard.Call) string { return in.FilePath + "\n" + in.Content },
		Summary: func(in writeInput, c *pegboard.Call) pegboard.Summary {
			name := c.ShortPath(in.FilePath)
			return pegboard.Summary{Before: "Write " + name, While: "Writing " + name}
		},
		Result: func(out WriteOutput) *pegboard.Result { return writeResult(out.text, out.diffs, out) },
	}, planWrite)
}

// planWrite plans the whole content of a file.
func planWrite(f targetFile, in writeInput, snapshot *atomicfile.Snapshot) (plan[WriteOutput], error) {
	if snapshot == nil {
		return planCreate(f, in.Content)
	}
	return planOverwrite(f, snapshot, in.Content)
}

// planCreate plans a new file.
func planCreate(f targetFile, content string) (plan[WriteOutput], error) {
	data, err := edit.NewFile(content)
	if err != nil {
		return plan[WriteOutput]{}, &adviceError{text: err.Error(), err: err}
	}
	return plan[WriteOutput]{data: data, output: func(done written) WriteOutput {
		return WriteOutput{
			Type: "create", FilePath: f.target.Value, Content: content, StructuredPatch: []pegboard.Hunk{},
			text:  fmt.Sprintf("Made %s.", f.target.Value) + done.caveat + done.diagnosis,
			diffs: done.diffs,
		}
	}}, nil
}

// planOverwrite plans new content for an existing file.
func planOverwrite(f targetFile, snapshot *atomicfile.Snapshot, content string) (plan[WriteOutput], error) {
	text, err := edit.Parse(snapshot.Data)
	if err != nil {
		return plan[WriteOutput]{}, &adviceError{err: err, text: fmt.Sprintf("%s exists, and is not text that can be overwritten safely: %v. If it may go, remove it first.", f.target.Value, err)}
	}
	if err := checkOverwrite(f, snapshot, text); err != nil {
		return plan[WriteOutput]{}, err
	}
	change, err := text.Rewrite(content)
	if err != nil {
		return plan[WriteOutput]{}, &adviceError{text: f.target.Value + ": " + err.Error(), err: err}
	}
	return plan[WriteOutput]{data: change.Data, output: func(done written) WriteOutput {
		return WriteOutput{
			Type: "update", FilePath: f.target.Value, Content: content, OriginalFile: &change.Old,
			StructuredPatch: done.patch,
			text:            fmt.Sprintf("Replaced the content of %s.", f.target.Value) + done.caveat + done.diagnosis,
			diffs:           done.diffs,
		}
	}}, nil
}

// checkOverwrite returns an error if the model has not seen the whole current content.
// If the file changed since it was read, the error shows the content, so that the model
// can repeat the call.
func checkOverwrite(f targetFile, snapshot *atomicfile.Snapshot, text *edit.Text) error {
	if f.options.AllowUnread || f.state().SeenWhole(f.target.Real(), snapshot.Data) {
		return nil
	}
	refuse := func(format string, args ...any) error {
		return &adviceError{text: f.target.Value + fmt.Sprintf(format, args...), err: errUnseen}
	}
	standing := f.knowledge(snapshot.Data)
	if standing != reads.Unread && f.state().Outdated(f.target.Real(), snapshot.Data) {
		standing = reads.Stale // although the text that was seen may still be there
	}
	switch standing {
	case reads.Unread:
		return refuse(" exists already and was not read. Read it first, so that nothing is overwritten unseen; use %s to change a part of it.", f.partly)
	case reads.Stale:
		advice := f.target.Value + " changed since it was read, and nothing was written."
		if shown, ok := currentContent(f, text); ok {
			return &shownError{adviceError: adviceError{text: advice + shown, err: errUnseen}, file: f, snapshot: snapshot}
		}
		return &adviceError{text: advice + " Read it again.", err: errUnseen}
	}
	if isNotebook(f.target.Value) {
		return refuse(" was read in part only. Read it whole first, so that nothing is overwritten unseen, or change its cells with NotebookEdit.")
	}
	line := firstUnseenLine(f, snapshot, text)
	return refuse(" was read in part only: from line %d on not everything was shown. Read it from there (offset %d), so that nothing is overwritten unseen. If a line is longer than Read shows, use %s, which changes a part.", line, line, f.partly)
}

// firstUnseenLine returns the number of the first line that the model may not have
// seen.
func firstUnseenLine(f targetFile, snapshot *atomicfile.Snapshot, text *edit.Text) int {
	if strings.HasPrefix(text.Encoding(), "UTF-16") {
		return 1 // a line feed is two bytes, so bytes do not count lines
	}
	return 1 + bytes.Count(snapshot.Data[:f.state().SeenPrefix(f.target.Real(), snapshot.Data)], []byte{'\n'})
}

// The limits of the content that an error shows.
const (
	maxPresented      = 200 // lines
	maxPresentedBytes = 16 << 10
)

// currentContent returns the content of the file for an error. It reports false if the
// content is too long.
func currentContent(f targetFile, text *edit.Text) (shown string, ok bool) {
	all := text.String()
	lines := strings.Count(all, "\n") + 1
	if lines > maxPresented || len(all) > maxPresentedBytes {
		return "", false
	}
	return " Its content now, after which the call may be repeated if it is still right:\n" +
		edit.Excerpt(all, []edit.Range{{First: 1, Last: lines}}, 0, numberedLine), true
}

// WriteOptions configure [Write], [Edit], [NotebookEdit], [MultiEdit] and [ApplyPatch]. The zero value is valid.
type WriteOptions struct {
	// MaxBytes is the maximum size of a file that is changed, in bytes. 0 means
	// DefaultMaxWritten.
	MaxBytes int64
	// ConfigDirs are directories of the host program, in which these tools never write:
	// no rule, mode or user can allow it. Relative paths are relative to the session's
	// directory, and ~ is its home. Letter case is ignored. A hard link elsewhere to a
	// file in such a directory is not recognized. Files that other programs execute or
	// trust, such as those in .git and .claude, need not be listed: the user is asked
	// about them wherever they are.
	ConfigDirs []string
	// AllowUnread allows changing a file that the session has not read. A rule that
	// denies reading a file still denies changing it.
	AllowUnread bool
	// Diagnose returns the problems of a file that a linter, compiler or language server
	// finds, one text for each. It is called after each change, and before the first one of
	// a session to a file that exists, so that the model is told which problems are new:
	// those whose text was not there before, numbers aside. The result of the change ends
	// with up to MaxDiagnosis bytes of them. An error is told, too, and the change stays.
	// Diagnose must end with ctx, since the file is locked meanwhile. It may be called
	// concurrently for different files.
	Diagnose func(ctx context.Context, path string) ([]string, error)
	// DiagnoseTimeout is how long one call of Diagnose may take. 0 means
	// DefaultDiagnoseTimeout.
	DiagnoseTimeout time.Duration
}

// DefaultMaxWritten is the default of [WriteOptions].MaxBytes: 64 MiB, our choice. The
// old content of the file is held in memory.
const DefaultMaxWritten = 64 << 20

// traits returns the traits of a call that writes the files at these paths.
func (o WriteOptions) traits(paths ...string) pegboard.Traits {
	traits := pegboard.Traits{Concurrency: pegboard.PerTarget, Kind: pegboard.KindEdit}
	for _, path := range paths {
		traits.Targets = append(traits.Targets, policy.Target{Kind: policy.Path, Access: policy.Write, Value: path})
	}
	return traits
}

// permit denies writing in ConfigDirs.
func (o WriteOptions) permit(c *pegboard.Call) policy.Decision {
	s := c.Session()
	if s == nil {
		return policy.Decision{}
	}
	for _, t := range c.Targets() {
		for _, dir := range o.ConfigDirs {
			abs := realpath.Abs(c.Dir(), s.Home(), dir)
			if contains(abs, t.Value) || contains(realpath.Resolve(abs), t.Real()) {
				return policy.Decision{Behavior: policy.Deny, Reason: t.Value + " belongs to the configuration of the program that runs this agent, which no tool may write"}
			}
		}
	}
	return policy.Decision{}
}

// contains reports whether path is dir or is below it. It ignores letter case and
// recognizes other names of dir.
func contains(dir, path string) bool {
	if realpath.Contains(strings.ToLower(dir), strings.ToLower(path)) {
		return true
	}
	is, err := os.Stat(dir)
	for ; err == nil; path = filepath.Dir(path) {
		if fi, no := os.Stat(path); no == nil && os.SameFile(is, fi) {
			return true
		}
		if path == filepath.Dir(path) {
			break
		}
	}
	return false
}

// buildWriter returns the tool with the definition d, which changes a file and plans
// changes with w. A call whose change cannot be planned is refused before anybody is asked
// about it.
func buildWriter[In, Out any](o WriteOptions, d pegboard.Definition[In, Out], w planner[In, Out]) pegboard.Tool {
	valid := d.Validate
	d.Validate = func(ctx context.Context, in In, c *pegboard.Call) error {
		if err := valid(ctx, in, c); err != nil {
			return err
		}
		return w.check(ctx, o, in, c)
	}
	d.Permit = func(_ context.Context, _ In, c *pegboard.Call) policy.Decision { return o.permit(c) }
	d.Call = func(ctx context.Context, in In, c *pegboard.Call) (Out, error) { return w.apply(ctx, o, in, c) }
	d.Preview = func(ctx context.Context, in In, c *pegboard.Call) ([]pegboard.Diff, error) {
		return w.propose(ctx, o, in, c)
	}
	return pegboard.Build(d)
}
