package code

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/untrusted"
	"github.com/seed49eaa51d/pegboard/policy"
)

// The operations of the tool.
const (
	opDefinition       = "goToDefinition"
	opReferences       = "findReferences"
	opHover            = "hover"
	opDocumentSymbol   = "documentSymbol"
	opWorkspaceSymbol  = "workspaceSymbol"
	opImplementation   = "goToImplementation"
	opPrepareHierarchy = "prepareCallHierarchy"
	opIncomingCalls    = "incomingCalls"
	opOutgoingCalls    = "outgoingCalls"
)

type lspInput struct {
	Operation string `json:"operation" jsonschema:"enum=goToDefinition,enum=findReferences,enum=hover,enum=documentSymbol,enum=workspaceSymbol,enum=goToImplementation,enum=prepareCallHierarchy,enum=incomingCalls,enum=outgoingCalls" jsonschema_description:"What to ask the language server."`
	FilePath  string `json:"filePath" jsonschema:"minLength=1" jsonschema_description:"The file to ask about. For workspaceSymbol any file of the project."`
	Line      int    `json:"line" jsonschema:"minimum=1" jsonschema_description:"The line, counted from 1, as Read shows it. documentSymbol and workspaceSymbol ignore it: send 1."`
	Character int    `json:"character" jsonschema:"minimum=1" jsonschema_description:"The column, counted from 1: that of the first character of the name in its line. A tab is one column. documentSymbol and workspaceSymbol ignore it: send 1."`
	Query     string `json:"query,omitempty" jsonschema_description:"For workspaceSymbol: the name to look for, or a part of it."`
}

// LSP returns the tool that asks language servers about source code. It is read-only. Its target
// is the file, which it reads. A call emits the work that keeps the server busy.
//
// A late answer is cancelled; the model is then told that the server may still be indexing.
// A server that crashes is started again, three times in five minutes.
func LSP(o Options) pegboard.Tool {
	if o.Max <= 0 {
		o.Max = DefaultMax
	}
	return pegboard.Build(pegboard.Definition[lspInput, Output]{
		Info: pegboard.Info{Name: "LSP", Title: "Ask language server", Hint: "definition references hover symbols implementations callers of code"},
		Description: "Asks a language server about source code: where the name at a position is defined (goToDefinition), used (findReferences) or implemented (goToImplementation), " +
			"what it is (hover), what a file declares (documentSymbol), where the project declares a name (workspaceSymbol, with query), which function is there (prepareCallHierarchy), what calls it (incomingCalls) and what it calls (outgoingCalls). " +
			fmt.Sprintf("The position is that of the name in the file as it is on the disk. It returns %d locations at most. Servers: %s, as far as they are installed.", o.Max, o.serverNames()),
		Inspect: func(in lspInput, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{
				Concurrency: pegboard.PerTarget, ReadOnly: true, Kind: pegboard.KindSearch,
				Targets: []policy.Target{{Kind: policy.Path, Access: policy.Read, Value: in.FilePath}},
			}
		},
		Summary:  lspInput.lines,
		Validate: func(_ context.Context, in lspInput, _ *pegboard.Call) error { return in.validate() },
		ClassifierInput: func(in lspInput, _ *pegboard.Call) string {
			return fmt.Sprintf("%s %s:%d:%d", in.Operation, in.FilePath, in.Line, in.Character)
		},
		Equivalent: pegboard.SameInput[lspInput],
		Call:       o.ask,
		Result:     lspResult,
	})
}

func (in lspInput) lines(c *pegboard.Call) pegboard.Summary {
	what := fmt.Sprintf("%s in %s", in.Operation, c.ShortPath(in.FilePath))
	return pegboard.Summary{Before: "Ask " + what, While: "Asking " + what}
}

func (in lspInput) validate() error {
	if in.Operation == opWorkspaceSymbol && in.Query == "" {
		return errors.New("workspaceSymbol needs a query: the name to look for, or a part of it")
	}
	return nil
}

// ask asks the server of the file.
func (o Options) ask(ctx context.Context, in lspInput, c *pegboard.Call) (Output, error) {
	t, err := c.PathTarget(ctx, policy.Read, in.FilePath)
	if err != nil {
		return Output{}, err
	}
	if err := checkFile(t); err != nil {
		return Output{}, err
	}
	server, err := o.serverFor(c.Session(), t.Real())
	if err != nil {
		return Output{}, err
	}
	stop := server.Watch(func(title string) { c.Emit(server.Name() + ": " + pegboard.OneLine(title)) })
	defer stop()
	q := question{in: in, call: c, server: server, file: t.Real(), max: o.Max, out: Output{Operation: in.Operation, Server: server.Name(), Locations: []Location{}}}
	if err := q.answer(ctx); err != nil {
		return Output{}, explain(filepath.Base(t.Real()), err)
	}
	return q.out, nil
}

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
