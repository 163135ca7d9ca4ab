package main

import (
	"context"
	"go/importer"
	"go/token"
	"go/types"
	"net/url"
	"os"
	"path/filepath"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
	"github.com/creachadair/jrpc2/handler"
)

// A server is a language server for Go that knows one package at a time. It takes the place of
// gopls where that is not installed.
type server struct {
	fset    *token.FileSet
	imports types.Importer
	open    map[string]string // texts of open documents by path
}

// serve answers the program that has started this one.
func serve() error {
	fset := token.NewFileSet()
	s := &server{fset: fset, imports: importer.ForCompiler(fset, "source", nil), open: map[string]string{}}
	nothing := handler.New(func(context.Context) error { return nil })
	return jrpc2.NewServer(handler.Map{
		"initialize": handler.New(s.initialize), "initialized": nothing, "shutdown": nothing,
		"exit":                        handler.New(func(context.Context) error { os.Exit(0); return nil }),
		"textDocument/didOpen":        handler.New(s.change),
		"textDocument/didChange":      handler.New(s.change),
		"textDocument/didClose":       handler.New(s.close),
		"textDocument/documentSymbol": handler.New(s.symbols),
		"textDocument/definition":     handler.New(s.definition),
		"textDocument/references":     handler.New(s.references),
		"textDocument/hover":          handler.New(s.hover),
	}, &jrpc2.ServerOptions{AllowPush: true, Concurrency: 1}).Start(channel.LSP(os.Stdin, os.Stdout)).Wait()
}

// The parts of the protocol's messages that are used here. Lines and characters count from 0.
type (
	position struct {
		Line      int `json:"line"`
		Character int `json:"character"`
	}
	span struct {
		Start position `json:"start"`
		End   position `json:"end"`
	}
	location struct {
		URI   string `json:"uri"`
		Range span   `json:"range"`
	}
	symbol struct {
		Name     string   `json:"name"`
		Kind     int      `json:"kind"`
		Location location `json:"location"`
	}
	diagnostic struct {
		Range    span   `json:"range"`
		Severity int    `json:"severity"`
		Message  string `json:"message"`
	}
	document struct {
		URI     string `json:"uri"`
		Version int    `json:"version"`
		Text    string `json:"text"`
	}
	request struct {
		Document document   `json:"textDocument"`
		Position position   `json:"position"`
		Changes  []document `json:"contentChanges"`
	}
)

func (s *server) initialize(context.Context, map[string]any) (any, error) {
	return map[string]any{"capabilities": map[string]any{
		"positionEncoding": "utf-8", "textDocumentSync": 1, // the whole text with each change
		"documentSymbolProvider": true, "definitionProvider": true, "referencesProvider": true, "hoverProvider": true,
	}}, nil
}

// change takes the text of a document and publishes its errors.
func (s *server) change(ctx context.Context, r request) error {
	file := pathOf(r.Document.URI)
	s.open[file] = r.Document.Text
	for _, c := range r.Changes {
		s.open[file] = c.Text
	}
	found := []diagnostic{}
	for _, e := range check(s, file).errors {
		if at := s.fset.Position(e.Pos); at.Filename == file {
			found = append(found, diagnostic{Range: rangeOf(at, 1), Severity: 1, Message: e.Msg})
		}
	}
	return jrpc2.ServerFromContext(ctx).Notify(ctx, "textDocument/publishDiagnostics", map[string]any{
		"uri": r.Document.URI, "version": r.Document.Version, "diagnostics": found,
	})
}

func (s *server) close(_ context.Context, r request) error {
	delete(s.open, pathOf(r.Document.URI))
	return nil
}

func (s *server) symbols(_ context.Context, r request) ([]symbol, error) {
	found := []symbol{}
	p := check(s, pathOf(r.Document.URI))
	for _, use := range p.uses {
		function, ok := use.object.(*types.Func)
		if ok && use.ident.Pos() == function.Pos() && s.fset.Position(use.ident.Pos()).Filename == p.file {
			found = append(found, symbol{Name: function.Name(), Kind: 12, Location: s.place(use.ident.Pos(), function)})
		}
	}
	return found, nil
}

func (s *server) definition(_ context.Context, r request) ([]location, error) {
	if object := check(s, pathOf(r.Document.URI)).at(r.Position); object != nil && object.Pos().IsValid() {
		return []location{s.place(object.Pos(), object)}, nil
	}
	return []location{}, nil
}

func (s *server) references(_ context.Context, r request) ([]location, error) {
	found := []location{}
	p := check(s, pathOf(r.Document.URI))
	object := p.at(r.Position)
	for _, use := range p.uses {
		if object != nil && use.object == object {
			found = append(found, s.place(use.ident.Pos(), object))
		}
	}
	return found, nil
}

func (s *server) hover(_ context.Context, r request) (any, error) {
	object := check(s, pathOf(r.Document.URI)).at(r.Position)
	if object == nil {
		return nil, nil
	}
	return map[string]any{"contents": types.ObjectString(object, types.RelativeTo(object.Pkg()))}, nil
}

func (s *server) place(at token.Pos, object types.Object) location {
	p := s.fset.Position(at)
	return location{URI: (&url.URL{Scheme: "file", Path: filepath.ToSlash(p.Filename)}).String(), Range: rangeOf(p, len(object.Name()))}
}

func rangeOf(p token.Position, length int) span {
	start := position{p.Line - 1, p.Column - 1}
	return span{start, position{start.Line, start.Character + length}}
}

func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil {
		return ""
	}
	return filepath.FromSlash(u.Path)
}
