package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/notebook"
	"github.com/seed49eaa51d/pegboard/tools/internal/reads"
)

type notebookInput struct {
	NotebookPath string `json:"notebook_path" jsonschema:"minLength=1" jsonschema_description:"The absolute path of the .ipynb file. A relative one is taken from the working directory."`
	CellID       string `json:"cell_id,omitempty" jsonschema_description:"The id of the cell, as it was shown. A new cell goes after it, or to the start without it."`
	NewSource    string `json:"new_source" jsonschema_description:"The new source of the cell; empty to delete it"`
	CellType     string `json:"cell_type,omitempty" jsonschema:"enum=code,enum=markdown" jsonschema_description:"The type of the cell; required for insert, default: as it is"`
	EditMode     string `json:"edit_mode,omitempty" jsonschema:"enum=replace,enum=insert,enum=delete" jsonschema_description:"What to do (default replace)"`
}

// A NotebookOutput is the Result.Data of a [NotebookEdit] call.
type NotebookOutput struct {
	NotebookPath string `json:"notebook_path"` // absolute
	CellID       string `json:"cell_id"`
	CellType     string `json:"cell_type"`
	Language     string `json:"language"` // of the notebook's code
	EditMode     string `json:"edit_mode"`
	NewSource    string `json:"new_source"`
	OldSource    string `json:"old_source,omitempty"`
	OriginalFile string `json:"original_file"`
	UpdatedFile  string `json:"updated_file"`

	text  string // for the model
	diffs []pegboard.Diff
}

// NotebookEdit returns the tool that replaces, inserts or deletes one cell of a Jupyter
// notebook. The session must have read the notebook, and its content must not have
// changed since. Every byte outside the cell stays unchanged. A code cell that changes
// loses its outputs and its execution count, which belong to the old code.
//
// A cell goes by its id in the file. A cell without an id, or with that of another cell,
// gets a name such as cell-3, which it keeps in the session: inserting and deleting other
// cells does not change it, and no other cell ever gets it. Only [Write] of a whole
// notebook names the cells anew, by their places.
func NotebookEdit(o WriteOptions) pegboard.Tool {
	return buildWriter(o, pegboard.Definition[notebookInput, NotebookOutput]{
		Info:        pegboard.Info{Name: "NotebookEdit", Title: "Edit notebook", Hint: "change or insert cells of Jupyter ipynb files"},
		Description: "Replaces, inserts or deletes one cell of a Jupyter notebook.",
		Prompt: func(s pegboard.Scope) string {
			ids := "their ids"
			if s.Has("Read") {
				ids = "the ids that Read shows"
			}
			return "Replaces, inserts or deletes one cell of a Jupyter notebook (.ipynb) that was read before. " +
				"Cells go by " + ids + ", and keep them when others are inserted or deleted. Outputs of a changed code cell are dropped."
		},
		Inspect: func(in notebookInput, _ *pegboard.Call) pegboard.Traits { return o.traits(in.NotebookPath) },
		Summary: notebookInput.lines,
		Observe: func(in notebookInput, c *pegboard.Call) map[string]any {
			return observedPath(c, "notebook_path", in.NotebookPath)
		},
		Validate: validateNotebook,
		ClassifierInput: func(in notebookInput, _ *pegboard.Call) string {
			return fmt.Sprintf("%s\n%s cell %s:\n%s", in.NotebookPath, cmp.Or(in.EditMode, "replace"), in.CellID, in.NewSource)
		},
		Result: func(out NotebookOutput) *pegboard.Result {
			r := writeResult(out.text, out.diffs, out)
			r.Line, _, _ = strings.Cut(out.text, ".")
			return r
		},
	}, planNotebookEdit)
}

func (in notebookInput) lines(c *pegboard.Call) pegboard.Summary {
	name := c.ShortPath(in.NotebookPath)
	switch in.mode() {
	case "insert":
		return pegboard.Summary{Before: "Insert a cell into " + name, While: "Inserting a cell into " + name}
	case "delete":
		return pegboard.Summary{Before: "Delete the cell " + in.CellID + " of " + name, While: "Deleting the cell " + in.CellID + " of " + name}
	}
	return pegboard.Summary{Before: "Edit the cell " + in.CellID + " of " + name, While: "Editing the cell " + in.CellID + " of " + name}
}

func validateNotebook(_ context.Context, in notebookInput, _ *pegboard.Call) error {
	switch {
	case !isNotebook(in.NotebookPath):
		return errors.New(in.NotebookPath + " does not end in .ipynb; use Edit for other files")
	case in.EditMode == "insert" && in.CellType == "":
		return errors.New("a new cell needs a cell_type: code or markdown")
	case in.EditMode != "insert" && in.CellID == "":
		return errors.New("cell_id is missing; Read shows the ids of the cells")
	}
	return checkNoNUL("notebook_path", in.NotebookPath)
}

// planNotebookEdit plans the edit of a cell.
func planNotebookEdit(f targetFile, in notebookInput, snapshot *atomicfile.Snapshot) (plan[NotebookOutput], error) {
	if snapshot == nil {
		return plan[NotebookOutput]{}, &adviceError{text: missingFile(f.call, f.target)}
	}
	n, err := notebook.ParseAs(snapshot.Data, f.cellNames().of(f.target.Real()))
	if err != nil {
		return plan[NotebookOutput]{}, &adviceError{text: f.target.Value + ": " + err.Error(), err: err}
	}
	if err := checkNotebookEdit(f, snapshot); err != nil {
		return plan[NotebookOutput]{}, err
	}
	edited, err := in.apply(n)
	if err != nil {
		return plan[NotebookOutput]{}, &adviceError{text: f.target.Value + ": " + err.Error(), err: err}
	}
	return plan[NotebookOutput]{data: edited.Data, partial: true, names: edited.Names, output: func(done written) NotebookOutput {
		return NotebookOutput{
			NotebookPath: f.target.Value, CellID: edited.Cell.ID, CellType: edited.Cell.Type, Language: n.Language(),
			EditMode: in.mode(), NewSource: in.NewSource, OldSource: edited.Old,
			OriginalFile: string(snapshot.Data), UpdatedFile: string(edited.Data),
			text: in.report(edited) + done.caveat + done.diagnosis, diffs: done.diffs,
		}
	}}, nil
}

// checkNotebookEdit returns an error if the model has not seen the current notebook.
func checkNotebookEdit(f targetFile, snapshot *atomicfile.Snapshot) error {
	how := " was not read. Read it first; it shows the ids of the cells."
	switch standing := f.knowledge(snapshot.Data); {
	case standing == reads.Current || f.options.AllowUnread:
		return nil
	case standing == reads.Stale:
		how = " changed since it was read, and nothing was written. Read it again, then repeat the edit if it is still right."
	case standing == reads.Truncated:
		how = " was shown only as far as a limit let it. Read the cells around the place, with offset and limit, and repeat the edit."
	}
	return &adviceError{text: f.target.Value + how, err: errUnseen}
}

func (in notebookInput) mode() string {
	if in.EditMode == "" {
		return "replace"
	}
	return in.EditMode
}

func (in notebookInput) apply(n *notebook.Notebook) (*notebook.Edit, error) {
	switch in.mode() {
	case "insert":
		return n.Insert(in.CellID, in.CellType, in.NewSource)
	case "delete":
		return n.Delete(in.CellID)
	default:
		return n.Replace(in.CellID, in.NewSource, in.CellType)
	}
}

// report describes the change and its side effects for the model.
func (in notebookInput) report(done *notebook.Edit) string {
	verb := map[string]string{"insert": "Inserted", "delete": "Deleted", "replace": "Replaced the source of"}[in.mode()]
	text := fmt.Sprintf("%s the %s cell %s.", verb, done.Cell.Type, done.Cell.ID)
	if done.Cleared {
		text += " Its outputs were dropped, since they were the old code's."
	}
	return text
}

// A NotebookFile is a Jupyter notebook, or some of its cells.
type NotebookFile struct {
	FilePath   string         `json:"filePath"` // absolute
	Cells      []NotebookCell `json:"cells"`
	StartCell  int            `json:"startCell"` // number of the first cell shown, counted from 1
	TotalCells int            `json:"totalCells"`
	// TruncatedByTokenCap reports that MaxTokens or MaxBytes cut off cells.
	TruncatedByTokenCap bool `json:"truncatedByTokenCap,omitempty"`

	parts   []pegboard.Part // for the model
	cellCut bool            // a cell was cut
}

// A NotebookCell is a cell with its whole source.
type NotebookCell struct {
	ID             string       `json:"id"`       // in the file, or a name such as cell-3 that the cell keeps in this session
	Type           string       `json:"cellType"` // code, markdown or raw
	Language       string       `json:"language,omitempty"`
	Source         string       `json:"source"`
	ExecutionCount *int         `json:"executionCount,omitempty"` // nil if the cell was not run
	Outputs        []CellOutput `json:"outputs,omitempty"`
}

// A CellOutput is one output of a cell, with its text as shown.
type CellOutput struct {
	Type   string   `json:"type"` // stream, execute_result, display_data or error
	Text   string   `json:"text,omitempty"`
	Images []string `json:"images,omitempty"` // their media types
}

// cellNames are the names by which a session knows the cells of notebooks. The zero value
// is empty. Its methods may be called concurrently.
type cellNames struct {
	mu     sync.Mutex
	byPath map[string]*notebook.Names // by resolved path
}

// cellNamesOf returns the names that s knows. A fork starts with a copy of them.
func cellNamesOf(s *pegboard.Session) *cellNames {
	return cellNamesKey.GetOrInit(s, func() *cellNames { return &cellNames{} })
}

var cellNamesKey = pegboard.NewClonedKey("names of notebook cells", (*cellNames).clone)

// of returns the names of the cells of the notebook at the path real, or nil.
func (all *cellNames) of(real string) *notebook.Names {
	all.mu.Lock()
	defer all.mu.Unlock()
	return all.byPath[real]
}

// set records the names of the cells of the notebook at the path real. Nil means that
// they go by their places.
func (all *cellNames) set(real string, names *notebook.Names) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.byPath == nil {
		all.byPath = map[string]*notebook.Names{}
	}
	all.byPath[real] = names
}

// clone returns the names with which a fork starts.
func (all *cellNames) clone() *cellNames {
	all.mu.Lock()
	defer all.mu.Unlock()
	return &cellNames{byPath: maps.Clone(all.byPath)}
}
