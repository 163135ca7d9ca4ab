package acp

import (
	"fmt"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/seed49eaa51d/pegboard"
)

// contentOfDiffs returns the changes of files in the form of the protocol: a diff for each
// hunk, with the lines around the change. A text says that a file is moved or removed, and how
// many lines are left out.
func contentOfDiffs(diffs []pegboard.Diff) (all []sdk.ToolCallContent) {
	for i := range diffs {
		d := &diffs[i]
		if note := noteOf(d); note != "" {
			all = append(all, sdk.ToolContent(sdk.TextBlock(note)))
		}
		for _, h := range d.Hunks {
			before, after := sidesOf(&h)
			if d.New {
				all = append(all, sdk.ToolDiffContent(d.Path, after))
				continue
			}
			all = append(all, sdk.ToolDiffContent(d.Path, after, before))
		}
		if len(d.Hunks) == 0 && d.New {
			all = append(all, sdk.ToolDiffContent(d.Path, ""))
		}
	}
	return all
}

// noteOf returns the text about a move, a removal and lines that are left out.
func noteOf(d *pegboard.Diff) string {
	var notes []string
	switch {
	case d.MovedFrom != "":
		notes = append(notes, fmt.Sprintf("%s is moved to %s.", d.MovedFrom, d.Path))
	case d.Removed:
		notes = append(notes, d.Path+" is removed.")
	}
	if d.Omitted > 0 {
		notes = append(notes, fmt.Sprintf("The last %d lines of the change to %s are not shown.", d.Omitted, d.Path))
	}
	return strings.Join(notes, " ")
}

// sidesOf returns the text of a hunk before and after the change.
func sidesOf(h *pegboard.Hunk) (before, after string) {
	var sides [2]strings.Builder
	for i, line := range h.Lines {
		if line == "" {
			continue
		}
		end := "\n"
		if i+1 < len(h.Lines) && strings.HasPrefix(h.Lines[i+1], `\`) {
			end = ""
		}
		if line[0] == ' ' || line[0] == '-' {
			sides[0].WriteString(line[1:] + end)
		}
		if line[0] == ' ' || line[0] == '+' {
			sides[1].WriteString(line[1:] + end)
		}
	}
	return sides[0].String(), sides[1].String()
}

// locationsOfDiffs returns where the files were changed first.
func locationsOfDiffs(diffs []pegboard.Diff) []sdk.ToolCallLocation {
	all := make([]sdk.ToolCallLocation, 0, len(diffs))
	for i := range diffs {
		l := sdk.ToolCallLocation{Path: diffs[i].Path}
		if len(diffs[i].Hunks) > 0 && diffs[i].Hunks[0].NewStart > 0 {
			l.Line = &diffs[i].Hunks[0].NewStart
		}
		all = append(all, l)
	}
	return all
}
