package session

import (
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/untrusted"
)

// A table is a table in Markdown.
type table struct {
	head []string
	rows [][]string
}

func newTable(head ...string) *table { return &table{head: head} }

// row adds a row. A text may be that of a model or a server, so each is one line without marks
// of the host or of the table.
func (t *table) row(cells ...string) {
	for i, cell := range cells {
		cells[i] = strings.ReplaceAll(untrusted.Escape(clipped(pegboard.OneLine(cell))), "|", `\|`)
	}
	t.rows = append(t.rows, cells)
}

// text returns the table. Hidden is how many further rows were left out, if it is positive.
func (t *table) text(hidden int) string {
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line(t.head)
	b.WriteString("|" + strings.Repeat(" --- |", len(t.head)) + "\n")
	for _, cells := range t.rows {
		line(cells)
	}
	if hidden > 0 {
		fmt.Fprintf(&b, "and %d more\n", hidden)
	}
	return strings.TrimRight(b.String(), "\n")
}
