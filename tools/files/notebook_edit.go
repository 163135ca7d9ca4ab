package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
	"github.com/seed49eaa51d/pegboard/internal/terminal"
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
		Lines:   notebookInput.lines,
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

func (in notebookInput) lines(c *pegboard.Call) pegboard.Lines {
	name := c.ShortPath(in.NotebookPath)
	switch in.mode() {
	case "insert":
		return pegboard.Lines{Before: "Insert a cell into " + name, While: "Inserting a cell into " + name}
	case "delete":
		return pegboard.Lines{Before: "Delete the cell " + in.CellID + " of " + name, While: "Deleting the cell " + in.CellID + " of " + name}
	}
	return pegboard.Lines{Before: "Edit the cell " + in.CellID + " of " + name, While: "Editing the cell " + in.CellID + " of " + name}
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

// A notebookPage is the part of a notebook that one call of Read shows.
type notebookPage struct {
	options ReadOptions
	file    NotebookFile
	tokens  int
	bytes   int
	images  int
	cell    int // index in the notebook of the cell that is rendered
}

// renderOutput returns one output of a cell for the host and for the model. It shows
// the end of a long stream or traceback, and the start of any other long text.
func (n *notebookPage) renderOutput(o notebook.Output) (CellOutput, []pegboard.Part) {
	text, atTail := o.Text, o.Kind == "stream"
	if o.Kind == "error" {
		text, atTail = errorOutputText(o), true
	}
	shown, _ := printable([]byte(terminal.Clean(text)))
	if text = string(shown); n.options.code.real == "" {
		text = n.excerptOutput(text, atTail)
	}
	out := CellOutput{Type: o.Kind, Text: text}
	head := fmt.Sprintf("<output type=%q", o.Kind)
	if o.Name != "" {
		head += fmt.Sprintf(" name=%q", o.Name)
	}
	head += ">\n"
	var pictures []pegboard.Part
	for _, img := range o.Images {
		out.Images = append(out.Images, img.MIME)
		pictures = append(pictures, n.renderImage(img))
	}
	if text == "" && len(o.Images) == 0 && len(o.Types) > 0 {
		head += fmt.Sprintf("[%s, not shown]\n", strings.Join(o.Types, ", "))
	}
	parts := append([]pegboard.Part{{Text: head + withNewline(text)}}, pictures...)
	return out, append(parts, pegboard.Part{Text: "</output>\n"})
}

// renderImage returns an image of an output, or a text that says why it is not shown.
func (n *notebookPage) renderImage(img notebook.Image) pegboard.Part {
	if n.images >= maxNotebookImages {
		return pegboard.Part{Text: fmt.Sprintf("[%s of %d bytes, not shown: %d images are enough for one call. Ask for this cell alone.]\n", img.MIME, len(img.Data), maxNotebookImages)}
	}
	if int64(len(img.Data)) > n.options.MaxImageBytes {
		return pegboard.Part{Text: fmt.Sprintf("[%s of %d bytes, too large to be shown]\n", img.MIME, len(img.Data))}
	}
	p, err := n.options.fitImage(img.Data, img.MIME)
	if err != nil {
		return pegboard.Part{Text: fmt.Sprintf("[%s of %d bytes, not shown: %v]\n", img.MIME, len(img.Data), err)}
	}
	n.images++
	return pegboard.Part{MIME: p.mime, Data: p.data}
}

// notice says which cells are shown and how to read on.
func (n *notebookPage) notice() string {
	f, first, last := &n.file, n.file.StartCell, n.file.StartCell+len(n.file.Cells)-1
	switch {
	case f.TotalCells == 0:
		return "[The notebook has no cells.]"
	case len(f.Cells) == 0:
		return fmt.Sprintf("[Nothing to show: offset %d is past the end, the notebook has %s. Use a smaller offset.]", first, plural(f.TotalCells, "cell"))
	case f.TruncatedByTokenCap:
		return fmt.Sprintf("[PARTIAL view: cells %d to %d of %d. One call shows about %d tokens and %d bytes at most. Go on with offset %d and limit %d.]",
			first, last, f.TotalCells, n.options.MaxTokens, n.options.MaxBytes, last+1, len(f.Cells))
	case last < f.TotalCells:
		return fmt.Sprintf("[PARTIAL view: cells %d to %d of %d. Go on with offset %d.]", first, last, f.TotalCells, last+1)
	}
	return fmt.Sprintf("[Notebook, cells %d to %d of %d]", first, last, f.TotalCells)
}

// tooManyTokens returns the error for requested cells with too many tokens. The first
// fit of them are within the limits.
func (n *notebookPage) tooManyTokens(asked []notebook.Cell, fit int) error {
	tokens, bytes := n.tokens, n.bytes
	for i, c := range asked[fit:] {
		n.cell = n.file.StartCell - 1 + fit + i
		_, parts := n.renderCell(c)
		t, b := n.textSize(parts)
		tokens, bytes = tokens+t, bytes+b
	}
	first := n.file.StartCell
	return &adviceError{text: fmt.Sprintf("Cells %d to %d are about %d tokens in %d bytes, more than the %d in %d that one call shows. Ask for offset %d and limit %d, which fits.",
		first, first+len(asked)-1, tokens, bytes, n.options.MaxTokens, n.options.MaxBytes, first, fit)}
}

// textSize returns the tokens and the bytes of the text in parts.
func (n *notebookPage) textSize(parts []pegboard.Part) (tokens, bytes int) {
	for _, p := range parts {
		tokens += n.options.countTokens([]byte(p.Text))
		bytes += len(p.Text)
	}
	return tokens, bytes
}

// fits reports whether the call can show that much more.
func (n *notebookPage) fits(tokens, bytes int) bool {
	return tokens <= n.options.MaxTokens-n.tokens && bytes <= n.options.MaxBytes-n.bytes
}

// shorten cuts the text of a single cell to the limits of a call.
func (n *notebookPage) shorten(parts []pegboard.Part) []pegboard.Part {
	text := joinText(parts)[0].Text
	keep := min(len(text), n.options.MaxBytes)
	for keep > 1 && n.options.countTokens([]byte(text[:keep])) > n.options.MaxTokens {
		keep /= 2
	}
	kept := strings.ToValidUTF8(text[:keep], "")
	return []pegboard.Part{{Text: kept + fmt.Sprintf("\n[%d more bytes of this cell are not shown; a shell shows them, as with jq '.cells[%d]']", len(text)-len(kept), n.cell)}}
}

// renderCell returns a cell for the host and for the model.
func (n *notebookPage) renderCell(c notebook.Cell) (NotebookCell, []pegboard.Part) {
	cell := NotebookCell{ID: c.ID, Type: c.Type, Source: c.Source, Language: c.Language, ExecutionCount: c.ExecutionCount}
	var b strings.Builder
	fmt.Fprintf(&b, "<cell id=%q type=%q", c.ID, c.Type)
	if c.Language != "" && c.Language != c.Type {
		fmt.Fprintf(&b, " language=%q", c.Language)
	}
	if c.ExecutionCount != nil {
		b.WriteString(" run=" + strconv.Quote(strconv.Itoa(*c.ExecutionCount)))
	}
	source, _ := printable([]byte(c.Source))
	b.WriteString(">\n" + withNewline(string(source)))
	parts := []pegboard.Part{{Text: b.String()}}
	for _, o := range c.Outputs {
		output, shown := n.renderOutput(o)
		cell.Outputs = append(cell.Outputs, output)
		parts = append(parts, shown...)
	}
	return cell, append(parts, pegboard.Part{Text: "</cell>\n"})
}

// withNewline returns text with a line end after its last line.
func withNewline(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// joinText joins adjacent text parts into one part.
func joinText(parts []pegboard.Part) []pegboard.Part {
	var all []pegboard.Part
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			all = append(all, pegboard.Part{Text: strings.TrimSuffix(text.String(), "\n")})
			text.Reset()
		}
	}
	for _, p := range parts {
		if p.MIME == "" {
			text.WriteString(withNewline(p.Text))
			continue
		}
		flush()
		all = append(all, p)
	}
	flush()
	return all
}

// errorOutputText returns the traceback, or the error if there is no traceback.
func errorOutputText(o notebook.Output) string {
	if len(o.Traceback) > 0 {
		return strings.Join(o.Traceback, "\n")
	}
	return o.Ename + ": " + o.Evalue
}

// excerptOutput returns text, or only its end or start if it is long.
func (n *notebookPage) excerptOutput(text string, atTail bool) string {
	rest := len(text) - maxOutputBytes
	if rest <= 0 {
		return text
	}
	if atTail {
		kept := strings.ToValidUTF8(text[rest:], "")
		return fmt.Sprintf("[%d bytes before this are not shown; a shell shows them, as with jq '.cells[%d].outputs']\n%s", len(text)-len(kept), n.cell, kept)
	}
	kept := strings.ToValidUTF8(text[:maxOutputBytes], "")
	return fmt.Sprintf("%s\n[%d bytes after this are not shown; a shell shows them, as with jq '.cells[%d].outputs']", kept, len(text)-len(kept), n.cell)
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

// knownProblems are the problems that a session knows of files since it has changed them.
// The zero value is empty. Its methods may be called concurrently.
type knownProblems struct {
	mu     sync.Mutex
	byPath map[string][]string // by resolved path
}

// problemsOf returns the problems that s knows. A fork starts with a copy of them.
func problemsOf(s *pegboard.Session) *knownProblems {
	return knownProblemsKey.GetOrInit(s, func() *knownProblems { return &knownProblems{} })
}

var knownProblemsKey = pegboard.NewClonedKey("problems in files", (*knownProblems).clone)

func (all *knownProblems) of(real string) (problems []string, known bool) {
	all.mu.Lock()
	defer all.mu.Unlock()
	problems, known = all.byPath[real]
	return problems, known
}

// set records the problems of a file, or that nobody knows them.
func (all *knownProblems) set(real string, problems []string, known bool) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.byPath == nil {
		all.byPath = map[string][]string{}
	}
	if all.byPath[real] = slices.Clone(problems[:min(len(problems), maxProblems)]); !known {
		delete(all.byPath, real)
	}
}

// clone returns the problems with which a fork starts.
func (all *knownProblems) clone() *knownProblems {
	all.mu.Lock()
	defer all.mu.Unlock()
	return &knownProblems{byPath: maps.Clone(all.byPath)}
}
