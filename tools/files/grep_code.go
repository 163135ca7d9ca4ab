package files

import (
	"math"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/grep"
)

// forCode returns o for a call that code makes: no row and no part of a line is left out
// unless the call says so.
func (o GrepOptions) forCode() GrepOptions {
	o.MaxResults, o.MaxLineLength = 0, math.MaxInt
	return o
}

// forCode returns what code gets of a search: rows as data.
func (out *GrepOutput) forCode(r grep.Report) any {
	switch {
	case out.TimedOut:
		return &pegboard.CodeError{Kind: pegboard.KindTimeout, Text: "The search took too long and was stopped. Use a narrower pattern, path or glob."}
	case out.truncated:
		return &pegboard.CodeError{Kind: pegboard.KindFailed, Text: "The matches take too much memory. Use a narrower pattern, path or glob, or head_limit and offset."}
	}
	v := map[string]any{"mode": out.Mode, "filenames": out.Filenames, "numFiles": out.NumFiles, "totalFiles": out.TotalFiles}
	switch out.Mode {
	case modeContent:
		matches := []any{}
		for i, f := range r.Files {
			for _, row := range f.Rows {
				m := map[string]any{"file": out.Filenames[i], "line": row.Number, "text": strings.TrimSuffix(row.Text, "\r")}
				if row.Context {
					m["context"] = true
				}
				if lost := row.Omitted + row.Skipped; lost > 0 { // a line of megabytes
					m["omittedBytes"] = lost
				}
				matches = append(matches, m)
			}
		}
		v["matches"], v["totalLines"] = matches, out.TotalLines
	case modeCount:
		counts := map[string]any{}
		for i, f := range r.Files {
			counts[out.Filenames[i]] = f.Matches
		}
		v["counts"], v["numMatches"] = counts, out.NumMatches
	}
	if out.unsearched != "" {
		v["unsearched"] = out.unsearched
	}
	var failed []string
	for _, err := range out.failed {
		failed = append(failed, err.Error())
	}
	if len(failed) > 0 {
		v["errors"] = failed
	}
	if out.Unreadable > 0 {
		v["unreadable"] = out.Unreadable
	}
	if out.Binary > 0 {
		v["binary"] = out.Binary
	}
	return v
}
