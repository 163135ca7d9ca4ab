package inspect

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// Limits of a table of the host's.
const (
	maxColumns      = 50
	maxTableRows    = 1000
	sectionPatience = 5 * time.Second
)

// A sectionView is a table of the host's.
type sectionView struct {
	Title  string
	Header []string
	Rows   [][]string
	More   int
	Failed string // why there is no table
}

// hostSection returns the body of a section of the host's.
func hostSection(s Section) func(r *http.Request) (any, error) {
	return func(r *http.Request) (any, error) {
		v := sectionView{Title: line(s.Title)}
		var header []string
		var rows [][]string
		ctx, cancel := context.WithTimeout(r.Context(), sectionPatience)
		defer cancel()
		select {
		case crash := <-goroutine.Go(func() { header, rows = s.Rows() }):
			if crash != nil {
				v.Failed = "This section failed: " + line(crash.Error())
				return v, nil
			}
		case <-ctx.Done():
			v.Failed = fmt.Sprintf("This section has not answered within %v.", sectionPatience)
			return v, nil
		}
		v.Header = cells(header)
		if v.More = max(len(rows)-maxTableRows, 0); v.More > 0 {
			rows = rows[:maxTableRows]
		}
		for _, row := range rows {
			v.Rows = append(v.Rows, cells(row))
		}
		return v, nil
	}
}

func cells(texts []string) []string {
	var shown []string
	for _, t := range texts[:min(len(texts), maxColumns)] {
		shown = append(shown, line(t))
	}
	return shown
}
