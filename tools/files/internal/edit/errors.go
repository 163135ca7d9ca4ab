package edit

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

var (
	// ErrBinary means that the data is not text: it contains NUL bytes.
	ErrBinary = errors.New("the file is binary (it has NUL bytes), so it cannot be edited as text; use a program that knows its format")
	// ErrSame means that the old and the new text are equal.
	ErrSame = errors.New("the old and the new text are the same, so there is nothing to change; give the text as it should be as the new text")
	// ErrPresent means that the place that matches the old text already reads like the
	// new text.
	ErrPresent = errors.New("the place that is most like the old text reads like the new text already; read the file before the next edit")
	// ErrEmptyOld means that the old text is empty although the file is not.
	ErrEmptyOld = errors.New("the old text is empty, but the file is not; give the lines at the place that should change as the old text, or write the whole file")
	// ErrOverlap means that two blocks replace the same line.
	ErrOverlap = errors.New("it changes lines that a block before it changes, too; make one block of both")
	// ErrBadText means that the new text cannot be stored in a text file.
	ErrBadText = errors.New("the new text has NUL characters, lone surrogates or bytes that are no UTF-8; give plain text")
)

// An EncodingError means that the file could not be written back without damage.
type EncodingError struct {
	Encoding string // as Text.Encoding names it
	Problem  string // reason, without a full stop
}

func (e *EncodingError) Error() string {
	return fmt.Sprintf("%s (encoding of the file: %s); nothing was changed. "+
		"Convert a copy to UTF-8 with a program such as iconv, edit the copy and convert it back", e.Problem, e.Encoding)
}

// An AmbiguousError means that the old text has more than one match.
type AmbiguousError struct {
	Lines []int      // first lines of the matches, counted from 1
	More  bool       // there are matches that Lines does not list
	Level MatchLevel // level of the matches
}

func (e *AmbiguousError) Error() string {
	how, remedy := "", ", or set replace_all to change every one"
	if e.Level != Exact {
		how = " (" + e.Level.String() + ")"
	}
	if e.Level >= Anchors {
		remedy = ""
	}
	return fmt.Sprintf("the old text is not unique: it is found at lines %s%s; nothing was changed. "+
		"Give more lines around the place that is meant%s", listLines(e.Lines, e.More), how, remedy)
}

// listLines lists numbers of lines.
func listLines(lines []int, more bool) string {
	places := make([]string, len(lines))
	for i, line := range lines {
		places[i] = strconv.Itoa(line)
	}
	list := strings.Join(places, ", ")
	if more {
		list += " and more"
	}
	return list
}

// An OmissionError means that a line of the new text is a placeholder for omitted text.
type OmissionError struct {
	Line string // without white space around it
}

func (e *OmissionError) Error() string {
	return fmt.Sprintf("the new text has the line %q, which stands for text that was left out; nothing was changed. "+
		"Write that text in full, or replace a smaller part of the file", e.Line)
}

// An AbsentError means that the old text is not in the file.
type AbsentError struct {
	Nearest    Range  // lines most similar to the old text; zero if no lines are similar
	Part       bool   // only a part of the line is similar
	Byte       int    // offset of that part in the line
	Similarity int    // of these lines to the old text, in percent
	Diff       string // from the old text to these lines, in the form of Unified but with "..." for line numbers
	Numbered   bool   // the lines of the old text begin with line numbers
	Applied    int    // line of the file where the new text is found; 0 if it is not
	Escapes    bool   // the old text is in the file with other backslashes or entities
}

func (e *AbsentError) Error() string {
	var out strings.Builder
	out.WriteString("the old text is not in the file; nothing was changed.")
	if e.Numbered {
		out.WriteString(" Its lines begin with line numbers, which are no part of the file: leave out the number and the tab after it.")
	}
	if e.Escapes {
		out.WriteString(" The file has it with other backslashes or entities, such as \\\" for \" or &lt; for <: give the old and the new text as the file writes them.")
	}
	if e.Applied > 0 {
		fmt.Fprintf(&out, " The new text is there already, at line %d: the change may have been made.", e.Applied)
	}
	if e.Nearest == (Range{}) {
		out.WriteString(" Nothing in the file is like it; read the file again, or look whether it is another file.")
		return out.String()
	}
	where := fmt.Sprintf("lines %d-%d are", e.Nearest.First, e.Nearest.Last)
	if e.Nearest.First == e.Nearest.Last {
		where = fmt.Sprintf("line %d is", e.Nearest.First)
	}
	if e.Part {
		where = fmt.Sprintf("line %d, from its byte %d on, is", e.Nearest.First, e.Byte)
	}
	fmt.Fprintf(&out, " In the file %s most like it (%d%% the same). Take the old text from there. "+
		"The difference (- what was given, + what the file has):\n%s", where, e.Similarity, e.Diff)
	return out.String()
}
