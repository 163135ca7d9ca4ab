package searchquery

import (
	"fmt"
	"slices"
	"strings"
)

// maxListed is the maximum number of names that an announcement lists. If there are more,
// it counts the tools of each source instead.
const maxListed = 500

// maxAbout is the maximum number of bytes of a source's description in an announcement.
const maxAbout = 300

// A Source provides tools.
type Source struct {
	Prefix string // of the names of its tools; "" for the built-in ones
	About  string // its description; may be empty
}

// Announce words the changes in the tools that a search can find, for a model to which
// the tools in before were announced. It returns "" if there is no change. Both lists are
// sorted, and so is the text. sourceOf returns the source of any tool in the lists.
func Announce(now, before []string, sourceOf func(name string) Source) string {
	var lines []string
	if came := without(now, before); len(came) > 0 {
		lines = append(lines, "These tools can be loaded with ToolSearch. Only their names are known so far; do not call one before it is loaded:")
		lines = append(lines, listing(came, sourceOf)...)
	}
	if removed := without(before, now); len(removed) > 0 {
		lines = append(lines, "These tools are not available any more:")
		lines = append(lines, listing(removed, sourceOf)...)
	}
	return strings.Join(lines, "\n")
}

// listing returns the names as lines, or a line for each source if there are too many.
func listing(names []string, sourceOf func(string) Source) []string {
	if len(names) <= maxListed {
		return names
	}
	var lines []string
	var sources []Source
	tools := map[string][]string{} // by source
	for _, name := range names {
		s := sourceOf(name)
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
		lines = append(lines, sourceLine(s, tools[s.Prefix]))
	}
	return lines
}

// sourceLine returns the line for the tools of a source.
func sourceLine(s Source, tools []string) string {
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

// oneLine returns the beginning of a text with its line breaks replaced by spaces.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(text[:min(len(text), 4*maxAbout)]), " ")
	if len(text) <= maxAbout {
		return strings.ToValidUTF8(text, "")
	}
	return strings.ToValidUTF8(text[:maxAbout], "") + "…"
}
