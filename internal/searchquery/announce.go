package searchquery

import (
	"fmt"
	"slices"
	"strings"
)

// maxListed is how many names one announcement lists. Where there are more, it counts
// the tools of each source.
const maxListed = 500

// maxAbout is how many bytes of what a source says of itself one announcement shows.
const maxAbout = 300

// A Source is where tools come from.
type Source struct {
	Prefix string // of the names of its tools; empty for the built-in ones
	About  string // what it is for; may be empty
}

// Announce says which tools a model can ask for, given what it was told before, or ""
// if nothing has changed. Both lists are sorted, and so is the text. of returns where a
// tool comes from, also one that is gone.
func Announce(now, told []string, of func(name string) Source) string {
	var lines []string
	if came := without(now, told); len(came) > 0 {
		lines = append(lines, "These tools can be loaded with ToolSearch. Only their names are known so far; do not call one before it is loaded:")
		lines = append(lines, listing(came, of)...)
	}
	if gone := without(told, now); len(gone) > 0 {
		lines = append(lines, "These tools are not available any more:")
		lines = append(lines, listing(gone, of)...)
	}
	return strings.Join(lines, "\n")
}

// listing lists names, or where they come from if they are many.
func listing(names []string, of func(string) Source) []string {
	if len(names) <= maxListed {
		return names
	}
	var lines []string
	var sources []Source
	tools := map[string][]string{} // by source
	for _, name := range names {
		s := of(name)
		if s.Prefix == "" {
			lines = append(lines, name)
			continue
		}
		if tools[s.Prefix] == nil {
			sources = append(sources, s)
		}
		tools[s.Prefix] = append(tools[s.Prefix], name)
	}
	for i, s := range sources {
		if i == maxListed {
			lines = append(lines, fmt.Sprintf("and those of %d other sources", len(sources)-i))
			break
		}
		lines = append(lines, line(s, tools[s.Prefix]))
	}
	return lines
}

// line tells of the tools of a source.
func line(s Source, tools []string) string {
	line := tools[0]
	if len(tools) > 1 {
		line = fmt.Sprintf("%s__*: %d tools", s.Prefix, len(tools))
	}
	if about := oneLine(s.About); about != "" {
		line += " (" + about + ")"
	}
	return line
}

func without(names, others []string) []string {
	known := make(map[string]bool, len(others))
	for _, name := range others {
		known[name] = true
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return known[name] })
}

// oneLine returns the beginning of a text as one line.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(text[:min(len(text), 4*maxAbout)]), " ")
	if len(text) <= maxAbout {
		return strings.ToValidUTF8(text, "")
	}
	return strings.ToValidUTF8(text[:maxAbout], "") + "…"
}
