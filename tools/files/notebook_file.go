package files

import "github.com/seed49eaa51d/pegboard"

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
