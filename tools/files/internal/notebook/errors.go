package notebook

import (
	"errors"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/jsonedit"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// A SyntaxError means that a file is not valid JSON.
type SyntaxError struct {
	Offset int    // in bytes from the start of the file
	Line   int    // counted from 1
	Msg    string // reason and advice
}

// Error returns the text for the model.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("the notebook is not valid JSON in line %d (byte %d): %s", e.Line, e.Offset, e.Msg)
}

// syntaxError adds advice for the model to an error of jsonedit.
func syntaxError(err *jsonedit.SyntaxError) error {
	advice := "mend the file as plain text first"
	switch {
	case errors.Is(err, jsonedit.ErrEmpty):
		advice = "write a whole notebook to it first"
	case errors.Is(err, jsonedit.ErrNotUTF8):
		advice = "convert it to UTF-8 first"
	case errors.Is(err, jsonedit.ErrConflict):
		advice = "resolve it as plain text first"
	}
	return &SyntaxError{Offset: err.Offset, Line: err.Line, Msg: fmt.Sprintf("%v; %s", err.Err, advice)}
}

// A VersionError means that a notebook does not have format 4.
type VersionError struct {
	Version string // as written in the file; "" if the file has no version
}

// Error returns the text for the model.
func (e *VersionError) Error() string {
	const convert = "convert it first: jupyter nbconvert --to notebook --nbformat 4 --inplace FILE"
	if e.Version == "" {
		return `the file has no "nbformat", so it is no Jupyter notebook; read and edit it as plain text`
	}
	return fmt.Sprintf("the notebook has nbformat %s, and only 4 can be read by cell; %s", e.Version, convert)
}

// A ShapeError means that a file is JSON but not a notebook.
type ShapeError struct {
	Path string // of the value, such as cells[2].source; "" for the whole file
	Want string // expected value
}

// Error returns the text for the model.
func (e *ShapeError) Error() string {
	what := e.Path
	if what == "" {
		what = "the file"
	}
	return fmt.Sprintf("%s is not %s, as a notebook has it; mend the file as plain text first", what, e.Want)
}

// An UnknownCellError means that a notebook has no cell with the id.
type UnknownCellError struct {
	ID    string
	Near  []string // a few similar ids
	Cells int      // number of cells in the notebook
	Gone  bool     // a cell had the id, but is not there any more
}

// Error returns the text for the model.
func (e *UnknownCellError) Error() string {
	if e.Cells == 0 {
		return "the notebook has no cells; insert one at the start, naming no cell"
	}
	if e.Gone {
		return fmt.Sprintf("the cell %s is not there any more (the notebook has %d); read the notebook again", strictjson.Quote(e.ID), e.Cells)
	}
	advice := "read the notebook again to see their ids"
	if len(e.Near) > 0 {
		advice = "did you mean " + orList(e.Near) + "?"
	}
	if e.ID == "" {
		return fmt.Sprintf("no cell was named (the notebook has %d); %s", e.Cells, advice)
	}
	return fmt.Sprintf("no cell has the id %s (the notebook has %d); %s", strictjson.Quote(e.ID), e.Cells, advice)
}

// An AmbiguousCellError means that several cells have the id in the file.
type AmbiguousCellError struct {
	ID    string
	Names []string // of these cells
}

// Error returns the text for the model.
func (e *AmbiguousCellError) Error() string {
	const shown = 8
	return fmt.Sprintf("%d cells have the id %s; name the one you mean as Read shows it, such as %s",
		len(e.Names), strictjson.Quote(e.ID), orList(e.Names[:min(shown, len(e.Names))]))
}

// A CellTypeError means that a cell cannot have the type.
type CellTypeError struct {
	Type string // "" if an insert did not name a type
}

// Error returns the text for the model.
func (e *CellTypeError) Error() string {
	if e.Type == "" {
		return "a new cell needs a type; say code or markdown"
	}
	return fmt.Sprintf("there is no cell type %s; say code or markdown", strictjson.Quote(e.Type))
}

// An EditError means that a cell cannot be edited without damage.
type EditError struct {
	ID  string // of the cell; "" for a new cell
	Msg string // reason and advice
}

// Error returns the text for the model.
func (e *EditError) Error() string {
	if e.ID == "" {
		return "the new cell: " + e.Msg
	}
	return fmt.Sprintf("cell %s: %s", strictjson.Quote(e.ID), e.Msg)
}

// orList quotes names and joins them with commas and a final "or".
func orList(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = strictjson.Quote(name)
	}
	last := len(quoted) - 1
	if last == 0 {
		return quoted[0]
	}
	return strings.Join(quoted[:last], ", ") + " or " + quoted[last]
}
