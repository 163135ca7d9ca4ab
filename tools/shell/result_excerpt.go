package shell

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/proc"
)

// An excerpt is the beginning and the end of an output that is too long. Nothing
// stands between the two, since whatever did could be taken for a part of the
// output: the note, which stands before both, says where the one ends.
type excerpt struct {
	text       string
	shown      int64 // bytes of the output
	head, tail int
	total      int64
	lines      int64
	headLines  int64 // whole lines at the beginning; 0 if it is cut inside its first
	tailLines  int64 // and at the end
}

// excerptOf returns at most most bytes of an output of which so many lines ended.
func excerptOf(o proc.Output, most int, lineEnds int64) excerpt {
	o = o.Shrink(most)
	head, tail := o.Ends()
	x := excerpt{head: len(head), tail: len(tail), shown: int64(len(head) + len(tail)), total: o.Total, lines: lineEnds}
	if len(tail) > 0 && tail[len(tail)-1] != '\n' {
		x.lines++
	}
	if bytes.HasSuffix(head, []byte{'\n'}) {
		x.headLines = int64(bytes.Count(head, []byte{'\n'}))
	}
	if cut := len(o.Tail) - len(tail); cut > 0 && o.Tail[cut-1] == '\n' {
		x.tailLines = int64(bytes.Count(bytes.TrimSuffix(tail, []byte{'\n'}), []byte{'\n'})) + 1
	}
	joined := slices.Clip(head)
	if x.headLines == 0 {
		joined = append(joined, '\n')
	}
	x.text = shown(append(joined, tail...))
	return x
}

// note says what is shown.
func (x excerpt) note() string {
	head, tail := fmt.Sprintf("the first %d bytes", x.head), fmt.Sprintf("the last %d bytes", x.tail)
	if x.headLines > 0 {
		head += fmt.Sprintf(" (lines 1 to %d)", x.headLines)
	}
	if x.tailLines > 0 {
		tail += fmt.Sprintf(" (from line %d)", x.lines-x.tailLines+1)
	}
	return fmt.Sprintf("[Output cut: %d bytes, %s. Below are %s and, right after them, %s. The rest was not kept; to see it, run the command with its output going to a file, or through head, tail or grep.]",
		x.total, linesOf(x.lines), head, tail)
}

// storedNote says where the output is and how to read on.
func (k *command) storedNote(exit proc.Exit, beginning int) string {
	stored := "All of it is"
	if exit.Stored < exit.Output.Total {
		stored = fmt.Sprintf("Its first %d bytes are", exit.Stored)
	}
	lines := k.printed.count()
	if tail := slices.Concat(exit.Output.Head, exit.Output.Tail); len(tail) > 0 && tail[len(tail)-1] != '\n' {
		lines++
	}
	return fmt.Sprintf("[Output too long to show: %d bytes, %s. %s in %s; read on there with Read (offset and limit in lines) or Grep. Below are its first %d bytes.]",
		exit.Output.Total, linesOf(lines), stored, k.file, beginning)
}

func linesOf(n int64) string {
	if n == 1 {
		return "1 line"
	}
	return fmt.Sprintf("%d lines", n)
}

// binaryNote says that the output is no text, and where it is.
func (k *command) binaryNote(exit proc.Exit, fileErr error) string {
	switch {
	case fileErr != nil:
		return fmt.Sprintf("[Output is binary: %d bytes, not shown, and it could not be stored: %v.]", exit.Output.Total, fileErr)
	case exit.Stored < exit.Output.Total:
		return fmt.Sprintf("[Output is binary: %d bytes, not shown. Its first %d bytes are in %s.]", exit.Output.Total, exit.Stored, k.file)
	}
	return fmt.Sprintf("[Output is binary: %d bytes, not shown. It is in %s.]", exit.Output.Total, k.file)
}

// shown returns output as valid UTF-8, without line ends at its end.
func shown(b []byte) string {
	return strings.TrimRight(strings.ToValidUTF8(string(b), string(utf8.RuneError)), "\n")
}
