package code

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/seed49eaa51d/pegboard"
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

// LSP returns the tool that asks language servers about source code. It is read-only. Its
// target is the file, which it reads. A call emits what the server is busy with.
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
				Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: in.FilePath}},
			}
		},
		Lines:    lspInput.lines,
		Validate: func(_ context.Context, in lspInput, _ *pegboard.Call) error { return in.validate() },
		ClassifierInput: func(in lspInput, _ *pegboard.Call) string {
			return fmt.Sprintf("%s %s:%d:%d", in.Operation, in.FilePath, in.Line, in.Character)
		},
		Equivalent: pegboard.SameInput[lspInput],
		Call:       o.ask,
		Result:     lspResult,
	})
}

func (in lspInput) lines(c *pegboard.Call) pegboard.Lines {
	what := fmt.Sprintf("%s in %s", in.Operation, c.ShortPath(in.FilePath))
	return pegboard.Lines{Before: "Ask " + what, While: "Asking " + what}
}

func (in lspInput) validate() error {
	if in.Operation == opWorkspaceSymbol && in.Query == "" {
		return errors.New("workspaceSymbol needs a query: the name to look for, or a part of it")
	}
	return nil
}

// ask asks the server of the file.
func (o Options) ask(ctx context.Context, in lspInput, c *pegboard.Call) (Output, error) {
	t, err := c.PathTarget(ctx, pegboard.AccessRead, in.FilePath)
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
