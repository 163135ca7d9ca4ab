package applypatch

import (
	"fmt"
	"regexp"
	"strings"
)

// The lines that structure a patch.
const (
	beginMark  = "*** Begin Patch"
	endMark    = "*** End Patch"
	moveMark   = "*** Move to:"
	atEndMark  = "*** End of File"
	headerMark = "@@"
)

// Parse reads a patch. The error is a *[SyntaxError].
//
// It accepts what models write around a patch: white space, a code fence, and the shell's
// form of a text as input. It accepts an empty line as an unchanged empty line, a first
// hunk without a line @@, and line numbers after @@, which it ignores.
func Parse(text string) ([]Section, error) {
	p := &parser{}
	if err := p.unwrap(text); err != nil {
		return nil, err
	}
	var all []Section
	for !p.ended() {
		if strings.TrimSpace(p.line()) == "" {
			p.at++
			continue
		}
		s, err := p.section()
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	if len(all) == 0 {
		return nil, &SyntaxError{Reason: `it has no file sections; write one such as "*** Update File: path" for each file`}
	}
	return all, nil
}

// A parser reads the lines of a patch.
type parser struct {
	lines []string
	at    int // index of the next line
	end   int // index of the line that ends the patch
}

func (p *parser) ended() bool { return p.at >= p.end }

func (p *parser) line() string { return p.lines[p.at] }

// syntaxError returns an error about the next line.
func (p *parser) syntaxError(reason string) error {
	return &SyntaxError{Line: p.at + 1, Reason: reason}
}

// unexpected returns an error about the next line, with reason naming the expected line.
func (p *parser) unexpected(reason string) error {
	switch line := strings.TrimSpace(p.line()); {
	case line == endMark || line == beginMark:
		reason = `the patch goes on after its end; put the sections of all files between one "` + beginMark + `" and one "` + endMark + `"`
	case strings.HasPrefix(line, moveMark):
		reason = `"` + moveMark + `" comes right below the line "*** Update File:" of the file that is moved`
	}
	return p.syntaxError(reason)
}

// unwrap finds the lines between the marks.
func (p *parser) unwrap(text string) error {
	p.lines = strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	first, last := 0, len(p.lines)-1
	first = p.skipBlank(first)
	for word := ""; first < last && isWrapping(p.lines[first], &word); first = p.skipBlank(first + 1) {
		last = p.dropLast(last, word)
	}
	last = p.dropLast(last, "EOF")
	switch {
	case strings.TrimSpace(p.lines[first]) != beginMark:
		return &SyntaxError{Line: first + 1, Reason: `it does not begin with a line "` + beginMark + `"`}
	case first >= last || strings.TrimSpace(p.lines[last]) != endMark:
		return &SyntaxError{Line: last + 1, Reason: `it does not end with a line "` + endMark + `", so it may have been cut off; send it whole, or in several calls`}
	}
	p.at, p.end = first+1, last
	return nil
}

// heredoc matches the first line of a text that a shell would read. The group word ends it.
var heredoc = regexp.MustCompile(`^(apply_patch|applypatch)?\s*<<-?\s*['"]?([A-Za-z_]+)['"]?$`)

// isWrapping reports whether a line can come before a patch. It sets word to the line that
// then comes after it.
func isWrapping(line string, word *string) bool {
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "```") {
		*word = "```"
		return true
	}
	m := heredoc.FindStringSubmatch(line)
	if m != nil {
		*word = m[2]
	}
	return m != nil
}

// skipBlank returns the index of the first line from i on that is not blank, or the last.
func (p *parser) skipBlank(i int) int {
	for i < len(p.lines)-1 && strings.TrimSpace(p.lines[i]) == "" {
		i++
	}
	return i
}

// dropLast returns the index of the last line up to i that is not blank, without one that
// is word.
func (p *parser) dropLast(i int, word string) int {
	for range 2 {
		for i > 0 && strings.TrimSpace(p.lines[i]) == "" {
			i--
		}
		if i > 0 && word != "" && strings.TrimSpace(p.lines[i]) == word {
			i, word = i-1, ""
		}
	}
	return i
}

// section reads the section of one file.
func (p *parser) section() (Section, error) {
	s := Section{Line: p.at + 1}
	header := strings.TrimSpace(p.line())
	found := false
	for _, s.Action = range []Action{Add, Update, Delete} {
		if s.Path, found = strings.CutPrefix(header, "*** "+s.Action.String()+" File:"); found {
			break
		}
	}
	if !found {
		return s, p.unexpected(`expected the header of a file: "*** Add File: ", "*** Update File: " or "*** Delete File: " and the path`)
	}
	if s.Path = strings.TrimSpace(s.Path); s.Path == "" {
		return s, p.syntaxError("the path is missing")
	}
	p.at++
	switch s.Action {
	case Add:
		return p.added(s)
	case Update:
		return p.updated(s)
	}
	if !p.ended() && strings.TrimSpace(p.line()) != "" && !p.atSection() {
		return s, p.unexpected("nothing can follow the header of a file that is deleted, but for another header")
	}
	return s, nil
}

// atSection reports whether the next line is the header of a section.
func (p *parser) atSection() bool { return isSection(p.line()) }

// isSection reports whether a line is the header of a section. Lines with white space
// before them are lines of a file.
func isSection(line string) bool {
	for _, a := range []Action{Add, Update, Delete} {
		if strings.HasPrefix(line, "*** "+a.String()+" File:") {
			return true
		}
	}
	return false
}

// added reads the lines of a new file.
func (p *parser) added(s Section) (Section, error) {
	var content strings.Builder
	for ; !p.ended() && !p.atSection(); p.at++ {
		line, found := strings.CutPrefix(p.line(), "+")
		switch {
		case found:
			content.WriteString(line + "\n")
		case strings.TrimSpace(line) == "" && p.onlyBlankBeforeHeader():
		default:
			return s, p.unexpected("each line of a new file begins with a +, also an empty one")
		}
	}
	s.Content = content.String()
	return s, nil
}

// onlyBlankBeforeHeader reports whether all lines up to the next header, of a file or of a
// hunk, are blank.
func (p *parser) onlyBlankBeforeHeader() bool {
	for i := p.at; i < p.end && !isSection(p.lines[i]) && !strings.HasPrefix(p.lines[i], headerMark); i++ {
		if strings.TrimSpace(p.lines[i]) != "" {
			return false
		}
	}
	return true
}

// updated reads the hunks of a file.
func (p *parser) updated(s Section) (Section, error) {
	if !p.ended() {
		if to, found := strings.CutPrefix(p.line(), moveMark); found {
			if s.MoveTo = strings.TrimSpace(to); s.MoveTo == "" {
				return s, p.syntaxError("the path to move to is missing")
			}
			p.at++
		}
	}
	if p.at+1 < p.end && strings.HasPrefix(p.line(), "--- ") && strings.HasPrefix(p.lines[p.at+1], "+++ ") {
		p.at += 2 // the names of the files in a unified diff
	}
	for !p.ended() && !p.atSection() {
		if strings.TrimSpace(p.line()) == "" && p.onlyBlankBeforeHeader() {
			p.at++
			continue
		}
		h, err := p.hunk()
		if err != nil {
			return s, err
		}
		s.Hunks = append(s.Hunks, h)
	}
	if len(s.Hunks) == 0 && s.MoveTo == "" {
		return s, &SyntaxError{Line: s.Line, Reason: "the file is updated by no lines; write a line @@, and below it the lines around the change, those to remove with a - and those to add with a + before them"}
	}
	return s, nil
}

// hunk reads one hunk: its headers and its lines.
func (p *parser) hunk() (Hunk, error) {
	h := Hunk{Line: p.at + 1}
	for ; !p.ended() && strings.HasPrefix(p.line(), headerMark); p.at++ {
		if header := headerText(p.line()); header != "" {
			h.Headers = append(h.Headers, header)
		}
	}
	from := p.at
	for ; !p.ended() && !p.atSection() && !strings.HasPrefix(p.line(), headerMark); p.at++ {
		line := p.line()
		switch {
		case strings.TrimSpace(line) == atEndMark && !strings.HasPrefix(line, " "):
			h.AtEnd = true
			p.at++
			return h, p.checkHunk(h, from)
		case strings.HasPrefix(line, `\ No newline`):
		case line == "" && p.onlyBlankBeforeHeader():
		case line == "":
			h.Old, h.New, h.AddsEnd = append(h.Old, ""), append(h.New, ""), false
		case line[0] == ' ':
			h.Old, h.New, h.AddsEnd = append(h.Old, line[1:]), append(h.New, line[1:]), false
		case line[0] == '-':
			h.Old = append(h.Old, line[1:])
		case line[0] == '+':
			h.New, h.AddsEnd = append(h.New, line[1:]), true
		case strings.HasPrefix(line, "*** "):
			return h, p.unexpected(`expected a line of the hunk, or a header such as "*** Update File: path"`)
		default:
			return h, p.unexpected("a line of a hunk begins with a blank if it stays, with a - if it is removed, or with a + if it is added")
		}
	}
	return h, p.checkHunk(h, from)
}

// checkHunk returns an error for a hunk without lines. Its lines begin at the index from.
func (p *parser) checkHunk(h Hunk, from int) error {
	if len(h.Old) == 0 && len(h.New) == 0 {
		return &SyntaxError{Line: from, Reason: "no lines follow the line @@; write the lines around the change, those to remove with a - and those to add with a + before them"}
	}
	return nil
}

// lineNumbers matches the line numbers of a unified diff after @@.
var lineNumbers = regexp.MustCompile(`^-[0-9]+(,[0-9]+)? \+[0-9]+(,[0-9]+)?( @@|$)`)

// headerText returns the text after @@, without line numbers.
func headerText(line string) string {
	text := strings.TrimSpace(strings.TrimPrefix(line, headerMark))
	text = strings.TrimSpace(lineNumbers.ReplaceAllString(text, ""))
	return strings.TrimSpace(strings.TrimSuffix(text, headerMark))
}

// A SyntaxError is a part of a patch that cannot be read.
type SyntaxError struct {
	Line   int // in the patch, counted from 1; 0 for the whole patch
	Reason string
}

// Error returns the text for the model.
func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return "the patch cannot be read: " + e.Reason
	}
	return fmt.Sprintf("the patch cannot be read at its line %d: %s", e.Line, e.Reason)
}

// A Section is the change of a patch to one file.
type Section struct {
	Action Action
	Path   string // as written
	MoveTo string // of Update: the new path, or ""
	// Content is the content of a file that is added.
	Content string
	// Hunks are the changes of a file that is updated. A file that is only moved has no hunks.
	Hunks []Hunk
	Line  int // of its header in the patch, counted from 1
}

// An Action is the kind of change that a Section makes.
type Action int

// The actions.
const (
	Add Action = iota
	Update
	Delete
)

// String returns the verb in the header of a section.
func (a Action) String() string { return [...]string{"Add", "Update", "Delete"}[a] }

// A Hunk replaces the lines Old of a file by the lines New. Both have the unchanged lines
// around the change.
type Hunk struct {
	// Headers name lines of the file that come before the hunk, one below the other.
	Headers  []string
	Old, New []string
	// AddsEnd reports that the last line of New is not in Old.
	AddsEnd bool
	AtEnd   bool // the hunk ends where the file ends
	Line    int  // of its first line in the patch, counted from 1
}
