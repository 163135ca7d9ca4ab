package tooltest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/seed49eaa51d/pegboard/policy"
)

// A RuleRow says how a call should be decided, for [CheckRules].
type RuleRow struct {
	Tool  string // its name or an alias
	Input json.RawMessage
	Want  policy.Behavior // Allow, Ask or Deny
	Mode  policy.Mode     // the row is about this mode only; empty means any
	Row   int             // of the file that it was read from, counted from 1; 0 if there is no file
}

// at names the row in a violation.
func (r RuleRow) at() string {
	if r.Row == 0 {
		return ""
	}
	return fmt.Sprintf("row %d: ", r.Row)
}

// fileRow is a row as JSON. The fields are those of a line of package audit.
type fileRow struct {
	Trace    string          `json:"trace"`
	Agent    string          `json:"agent"`
	Call     string          `json:"call"`
	Parent   string          `json:"parent"`
	Tool     string          `json:"tool"`
	Behavior string          `json:"behavior"`
	By       string          `json:"by"`
	Mode     policy.Mode     `json:"mode"`
	Input    json.RawMessage `json:"input"`
}

// ParseRuleRows reads rows of JSON objects, usually one a line:
//
//	{"tool": "Bash", "input": {"command": "make"}, "behavior": "ask"}
//
// Mode may be there, too. The lines of an audit log that was written with inputs are such
// rows: see the documentation of package audit. Of these the rows are the decisions of the main
// agent that rules, the mode and tools have made. A call that a person, an approver or the
// classifier has decided, or no one, becomes a row that wants Ask. Left out are calls that
// did not run for another reason than a decision, decisions of hooks, of the guard and of the
// caller, decisions about a call that runs already, and lines without an input. The rules may have
// changed while the log was written, for example by an answer that was remembered: its rows then
// differ from the rules of today.
//
// The error names the row that cannot be read; the rows before it are returned beside it.
func ParseRuleRows(r io.Reader) ([]RuleRow, error) {
	var rows []RuleRow
	decided := map[[2]string]bool{} // calls of the log, by trace and id
	for d, n := json.NewDecoder(r), 1; ; n++ {
		var f fileRow
		if err := d.Decode(&f); errors.Is(err, io.EOF) {
			return rows, nil
		} else if err != nil {
			return rows, fmt.Errorf("row %d: %w", n, err)
		}
		again := decided[[2]string{f.Trace, f.Call}]
		if f.Call != "" {
			decided[[2]string{f.Trace, f.Call}] = true
		}
		row, ok, err := f.row()
		if err != nil {
			return rows, fmt.Errorf("row %d: %w", n, err)
		}
		if ok && !again {
			row.Row = n
			rows = append(rows, row)
		}
	}
}

// row returns the row, or false if it is left out.
func (f fileRow) row() (row RuleRow, ok bool, err error) {
	row = RuleRow{Tool: f.Tool, Input: f.Input, Mode: f.Mode}
	if f.Tool == "" {
		return row, false, errors.New(`the field "tool" is missing`)
	}
	if f.Behavior == "notRun" {
		return row, false, nil
	}
	if err := row.Want.UnmarshalText([]byte(f.Behavior)); err != nil {
		return row, false, err
	}
	if f.By == "" { // written by hand
		if len(f.Input) == 0 {
			row.Input = json.RawMessage(`{}`)
		}
		return row, true, nil
	}
	switch f.By {
	case policy.ByPerson.String(), policy.ByApprover.String(), policy.ByClassifier.String(), policy.ByNobody.String():
		row.Want = policy.Ask
	case policy.ByHook.String(), policy.ByGuard.String(), policy.ByCaller.String():
		return row, false, nil
	}
	return row, f.Agent == "" && f.Parent == "" && len(f.Input) > 0 && f.Input[0] != '"', nil
}
