package code

import (
	"bufio"
	"context"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/internal/untrusted"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/internal/languageserver"
)

// A question is the question of a call to a server.
type question struct {
	in     lspInput
	call   *pegboard.Call
	server *languageserver.Server
	file   string // without links
	max    int
	out    Output

	may   map[string]policy.Behavior // whether the model may read a file, by path
	found []placed
}

// A placed is a location, and the path without links that its line is read from, or "".
type placed struct {
	Location
	real string
}

// answer asks the server and fills out.
func (q *question) answer(ctx context.Context) error {
	at := languageserver.Position{Line: q.in.Line, Column: q.in.Character}
	var err error
	switch q.in.Operation {
	case opDefinition:
		err = q.locations(ctx, at, q.server.Definition)
	case opReferences:
		err = q.locations(ctx, at, q.server.References)
	case opImplementation:
		err = q.locations(ctx, at, q.server.Implementation)
	case opHover:
		err = q.hover(ctx, at)
	case opDocumentSymbol:
		err = q.symbols(q.server.DocumentSymbols(ctx, q.file))
	case opWorkspaceSymbol:
		err = q.symbols(q.server.WorkspaceSymbols(ctx, q.file, q.in.Query))
	case opPrepareHierarchy:
		err = q.items(q.server.PrepareCallHierarchy(ctx, q.file, at))
	case opIncomingCalls:
		err = q.calls(q.server.IncomingCalls(ctx, q.file, at))
	case opOutgoingCalls:
		err = q.calls(q.server.OutgoingCalls(ctx, q.file, at))
	}
	if err != nil {
		return err
	}
	if q.out.Withheld > 0 {
		q.out.Hover = "" // it quotes the declaration
	}
	q.group()
	return q.readLines(ctx)
}

// locations asks for locations.
func (q *question) locations(ctx context.Context, at languageserver.Position, ask func(context.Context, string, languageserver.Position) ([]languageserver.Location, error)) error {
	found, err := ask(ctx, q.file, at)
	for _, l := range found {
		q.add(Location{}, l)
	}
	return err
}

// hover asks for a text about a place. The text may quote the declaration, so it is left out
// if the model may not be shown the file of that. The declaration of a package's name is the
// import, whose own declaration counts, too.
func (q *question) hover(ctx context.Context, at languageserver.Position) error {
	found, err := q.server.Hover(ctx, q.file, at)
	if err != nil || found.Text == "" {
		return err
	}
	declared, err := q.server.Definition(ctx, q.file, at)
	if err != nil {
		return err
	}
	for _, l := range declared {
		q.add(Location{}, l)
		if l.Path != q.file || l.Range.Start == at {
			continue
		}
		further, err := q.server.Definition(ctx, q.file, l.Range.Start)
		if err != nil {
			return err
		}
		for _, l := range further {
			if l.Path != "" && !q.mayShow(l.Path) {
				q.add(Location{}, l)
				break
			}
		}
	}
	if q.out.LeftOut == 0 {
		q.out.Hover = found.Text
	}
	return nil
}

// symbols adds declarations, and the declarations inside them.
func (q *question) symbols(found []languageserver.Symbol, err error) error {
	q.addSymbols(found, 0)
	return err
}

func (q *question) addSymbols(found []languageserver.Symbol, depth int) {
	for _, s := range found {
		q.add(Location{Name: s.Name, Kind: s.Kind, Detail: s.Detail, Container: s.Container, Depth: depth}, s.Location)
		q.addSymbols(s.Children, depth+1)
	}
}

// items adds functions.
func (q *question) items(found []languageserver.Item, err error) error {
	for _, item := range found {
		q.add(Location{Name: item.Name, Kind: item.Kind, Detail: item.Detail}, item.Location)
	}
	return err
}

// calls adds functions with the calls between them and the one asked about. What a function
// calls is in the text of its file, so it is left out if the model may not be shown that.
func (q *question) calls(found []languageserver.Call, err error) error {
	for _, call := range found {
		outgoing := q.in.Operation == opOutgoingCalls
		if outgoing && call.Asked.Location.Path != "" && !q.mayShow(call.Asked.Location.Path) {
			q.out.LeftOut++
			continue
		}
		l := Location{Name: call.Item.Name, Kind: call.Item.Kind, Detail: call.Item.Detail}
		if outgoing && call.Asked.Location.Path != q.file {
			l.CallsPath = q.path(call.Asked.Location)
		}
		for _, place := range call.Places {
			l.Calls = append(l.Calls, Position(place.Range.Start))
		}
		q.add(l, call.Item.Location)
	}
	return err
}

// add adds l with the place at, unless the model may not be shown its file.
func (q *question) add(l Location, at languageserver.Location) {
	if at.Path != "" && !q.mayShow(at.Path) {
		if q.may[at.Path] != policy.Ask {
			q.out.LeftOut++
			return
		}
		q.out.Withheld++
		l.Name, l.Kind, l.Detail, l.Container, l.Withheld = "", "", "", "", true
	}
	l.Line, l.Column = at.Range.Start.Line, at.Range.Start.Column
	l.EndLine, l.EndColumn = at.Range.End.Line, at.Range.End.Column
	for _, text := range []*string{&l.Name, &l.Kind, &l.Detail, &l.Container} {
		*text = word(*text)
	}
	if at.Path == "" {
		l.URI = q.path(at)
	} else {
		l.Path = q.path(at)
	}
	real := ""
	if at.Path != "" {
		if real = realpath.Resolve(at.Path); !q.mayShow(real) {
			real = "" // it leads elsewhere since it was judged
		}
	}
	q.found = append(q.found, placed{Location: l, real: real})
}

// path returns the file of a location for the model, or an address that is not of a file.
func (q *question) path(at languageserver.Location) string {
	if at.Path == "" {
		return word(at.URI)
	}
	return q.call.ShortPath(at.Path)
}

// mayShow reports whether the session may read a file without a question, by the name that
// the server gave it and by that behind its links.
func (q *question) mayShow(path string) bool {
	if path == q.file {
		return true // the call's own target
	}
	may, known := q.may[path]
	if !known {
		read := func(path string) policy.Behavior {
			return q.call.Behavior(policy.Target{Kind: policy.Path, Access: policy.Read, Value: path})
		}
		may = read(path)
		if real := realpath.Resolve(path); real != path {
			may = max(may, read(real)) // Allow, Ask, Deny
		}
		if q.may == nil {
			q.may = map[string]policy.Behavior{}
		}
		q.may[path] = may
	}
	return may == policy.Allow
}

// group puts the locations of each file together, the files in the order of the server, and
// drops those beyond the limit.
func (q *question) group() {
	rank := map[string]int{}
	of := func(p placed) int { return rank[p.Path+"\x00"+p.URI] }
	for _, p := range q.found {
		if key := p.Path + "\x00" + p.URI; of(p) == 0 {
			rank[key] = len(rank) + 1
		}
	}
	slices.SortStableFunc(q.found, func(a, b placed) int { return of(a) - of(b) })
	q.out.Total = len(q.found)
	q.found = q.found[:min(len(q.found), q.max)]
}

// readLines reads the line of each location. A file that cannot be read has no lines.
func (q *question) readLines(ctx context.Context) error {
	for from := 0; from < len(q.found); {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		to := from + 1
		for to < len(q.found) && q.found[to].real == q.found[from].real {
			to++
		}
		same := q.found[from:to]
		if same[0].real != "" && !same[0].Withheld {
			wanted := map[int]string{}
			for _, p := range same {
				wanted[p.Line] = ""
			}
			readLines(same[0].real, wanted)
			for i := range same {
				same[i].Text = wanted[same[i].Line]
			}
		}
		for _, p := range same {
			q.out.Locations = append(q.out.Locations, p.Location)
		}
		from = to
	}
	return nil
}

// word returns a name of a server as one line that imitates no words of the host.
func word(text string) string { return untrusted.Escape(pegboard.OneLine(text)) }

// maxFile limits the bytes of a file in which lines are looked for.
const maxFile = 16 << 20

// readLines fills wanted, by number from 1, with lines of the file at the path real, which
// has no links. Lines that are not there stay empty.
func readLines(real string, wanted map[int]string) {
	file, err := realpath.Open(real)
	if err != nil {
		return
	}
	defer func() { _ = file.Close() }() // nothing was written
	left := len(wanted)
	text := bufio.NewReader(decoded(file))
	for number := 1; left > 0; number++ {
		line, err := text.ReadString('\n')
		if _, ok := wanted[number]; ok {
			wanted[number] = pegboard.OneLine(strings.TrimRight(line, "\r\n"))
			left--
		}
		if err != nil {
			return
		}
	}
}

// decoded returns the text of a file that is UTF-8, or UTF-16 with a byte order mark.
func decoded(file *os.File) io.Reader {
	return transform.NewReader(io.LimitReader(file, maxFile), unicode.BOMOverride(unicode.UTF8.NewDecoder()))
}

// An Output is the Result.Data of an [LSP] call.
type Output struct {
	Operation string `json:"operation"`
	Server    string `json:"server"`
	// Locations are at most [Options].Max. Those of one file stand together.
	Locations []Location `json:"locations"`
	Hover     string     `json:"hover,omitempty"` // from the server
	Total     int        `json:"total"`           // locations found, without those left out
	// LeftOut is the number of locations in files that the session may not read.
	LeftOut int `json:"leftOut,omitempty"`
	// Withheld is the number of locations in files that the session may read after a question
	// only.
	Withheld int `json:"withheld,omitempty"`
}

// A Location is a place that a server has named. Lines and columns are counted from 1, and
// a column is a Unicode code point.
type Location struct {
	// Path is relative to the working directory if it is below it, and absolute otherwise.
	// It is empty if the server names something that is no file; then URI is set.
	Path      string `json:"path,omitempty"`
	URI       string `json:"uri,omitempty"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"endLine"`
	EndColumn int    `json:"endColumn"`
	Text      string `json:"text,omitempty"` // the line, of at most pegboard.MaxLine characters
	// Withheld says that the session may read the file after a question only. Then nothing of
	// its text is here.
	Withheld bool `json:"withheld,omitempty"`

	// Of symbols and calls, from the server, as one line of at most pegboard.MaxLine characters:
	Name      string `json:"name,omitempty"`
	Kind      string `json:"kind,omitempty"`
	Detail    string `json:"detail,omitempty"`
	Container string `json:"container,omitempty"`
	Depth     int    `json:"depth,omitempty"` // 0 for a symbol of the file, 1 for one within it
	// Calls are the calls: in the file of Path for incomingCalls, in the file of CallsPath for
	// outgoingCalls.
	Calls []Position `json:"calls,omitempty"`
	// CallsPath is the file of the function whose outgoing calls these are, as Path is, or
	// empty if it is the file that was asked about.
	CallsPath string `json:"callsPath,omitempty"`
}

// A Position is a place in a file. Lines and columns are those of a [Location].
type Position struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}
