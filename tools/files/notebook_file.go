package files

import "github.com/seed49eaa51d/pegboard"

// NotebookFile is a Jupyter notebook, or some cells of one.
type NotebookFile struct {
	FilePath   string         `json:"filePath"` // absolute
	Cells      []NotebookCell `json:"cells"`
	StartCell  int            `json:"startCell"` // the number of the first one, counted from 1
	TotalCells int            `json:"totalCells"`
	// TruncatedByTokenCap says that more would have been shown if it had fewer
	// tokens, or bytes.
	TruncatedByTokenCap bool `json:"truncatedByTokenCap,omitempty"`

	parts   []pegboard.Part // for the model
	cellCut bool            // a cell was cut
}

// NotebookCell is a cell with all of its source.
type NotebookCell struct {
	ID             string       `json:"id"`       // cell-N, counted from 0, if the file gives none
	Type           string       `json:"cellType"` // code, markdown or raw
	Language       string       `json:"language,omitempty"`
	Source         string       `json:"source"`
	ExecutionCount *int         `json:"executionCount,omitempty"` // nil if the cell was not run
	Outputs        []CellOutput `json:"outputs,omitempty"`
}

// CellOutput is one output of a cell, with text as it is shown.
type CellOutput struct {
	Type   string   `json:"type"` // stream, execute_result, display_data or error
	Text   string   `json:"text,omitempty"`
	Images []string `json:"images,omitempty"` // their media types
}
