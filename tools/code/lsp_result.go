package code

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/untrusted"
)

// maxHover limits the characters of a text of a server.
const maxHover = 10_000

// lspResult returns the result for the model: the locations by file, each with its line, then
// notices.
func lspResult(out Output) *pegboard.Result {
	var b strings.Builder
	switch {
	case out.Operation == opHover && out.Withheld > 0:
		b.WriteString("The text quotes the declaration, which is not shown:\n")
		writeLocations(&b, out)
	case out.Hover != "":
		writeHover(&b, out)
	case out.Operation == opHover && out.LeftOut == 0:
		b.WriteString("The server knows nothing to show about this position.\n")
	case out.Operation == opHover: // the notice below says why there is nothing
	case len(out.Locations) == 0 && out.LeftOut == 0:
		b.WriteString(nothing(out.Operation) + "\n")
	default:
		writeLocations(&b, out)
	}
	if out.Total > len(out.Locations) {
		fmt.Fprintf(&b, "[Cut: the first %d of %s. Ask about a narrower name, or use Grep.]\n", len(out.Locations), plural(out.Total, "location"))
	}
	if out.LeftOut > 0 {
		fmt.Fprintf(&b, "[%s left out, in files that may not be read: tell the user if they are needed.]\n", plural(out.LeftOut, "location"))
	}
	if out.Withheld > 0 {
		fmt.Fprintf(&b, "[%s not shown, in files outside the working directories or with a rule that asks. To see one, call Read with its path and the line as offset: the user is asked then.]\n", plural(out.Withheld, "line"))
	}
	r := &pegboard.Result{Parts: []pegboard.Part{{Text: strings.TrimSuffix(b.String(), "\n")}}, Data: out}
	r.Line = "Found " + plural(out.Total, "location")
	if out.Operation == opHover {
		r.Line = "Asked " + out.Server
	}
	return r
}

// writeHover writes the text of a server. It is indented, so that none of its lines looks
// like one of this program.
func writeHover(b *strings.Builder, out Output) {
	text, rest := out.Hover, 0
	if runes := []rune(text); len(runes) > maxHover {
		text, rest = string(runes[:maxHover]), len(runes)-maxHover
	}
	fmt.Fprintf(b, "The words of %s, indented:\n    %s\n", out.Server, untrusted.Indent(strings.TrimSpace(text), "    "))
	if rest > 0 {
		fmt.Fprintf(b, "[Cut: %s more. Go to the definition and read it there.]\n", plural(rest, "character"))
	}
}

// writeLocations writes the locations, each file once.
func writeLocations(b *strings.Builder, out Output) {
	last := ""
	for i, l := range out.Locations {
		place := quotePath(l.Path)
		if l.Path == "" {
			place = l.URI + " (no file, so it cannot be read)"
		}
		if i == 0 || place != last {
			b.WriteString(place + "\n")
		}
		last = place
		b.WriteString("  " + l.row(out.Operation) + "\n")
	}
}

// row returns the line for one location.
func (l Location) row(operation string) string {
	row := fmt.Sprintf("%s%d:%d: ", strings.Repeat("  ", min(l.Depth, 20)), l.Line, l.Column)
	switch {
	case l.Withheld:
		row += "(not shown)"
	case l.Name == "":
		return row + l.Text
	}
	row += strings.TrimSpace(l.Kind + " " + l.Name)
	if l.Detail != "" && operation == opDocumentSymbol {
		row += " " + l.Detail
	}
	if l.Container != "" {
		row += " in " + l.Container
	}
	if l.Text != "" && operation != opDocumentSymbol {
		row += " | " + l.Text
	}
	if len(l.Calls) > 0 {
		where := "calls it at"
		if operation == opOutgoingCalls {
			where = "called at"
		}
		if l.CallsPath != "" {
			where = strings.TrimSuffix(where, " at") + " in " + quotePath(l.CallsPath) + " at"
		}
		row += " (" + where + " " + l.places() + ")"
	}
	return row
}

// maxCalls limits the calls that are shown of one function.
const maxCalls = 20

// places returns where the calls are.
func (l Location) places() string {
	var places []string
	for _, p := range l.Calls[:min(len(l.Calls), maxCalls)] {
		places = append(places, fmt.Sprintf("%d:%d", p.Line, p.Column))
	}
	if more := len(l.Calls) - maxCalls; more > 0 {
		places = append(places, fmt.Sprintf("%d more", more))
	}
	return strings.Join(places, ", ")
}

// nothing says that a server has found nothing.
func nothing(operation string) string {
	switch operation {
	case opDocumentSymbol:
		return "The file declares nothing that the server knows."
	case opWorkspaceSymbol:
		return "No symbol matches the query. Try a part of the name, or Grep."
	}
	return "The server found nothing at this position. Check that the line and the column are those of a name, or use Grep."
}

// plural returns a number with a noun.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

// quotePath returns a path as one line.
func quotePath(path string) string {
	if quoted := strconv.Quote(path); strings.ContainsAny(path, "\n\r\t\x00\x1b\u0085\u2028\u2029") {
		return quoted
	}
	return untrusted.Escape(path)
}
