package workflow

import (
	_ "embed" // for prelude.js
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"time"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/parser"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// MaxScript is the number of bytes that a script may have.
const MaxScript = 256 << 10

//go:embed prelude.js
var prelude string

// A script is a workflow's script, read and ready to run any number of times.
type script struct {
	source  string
	meta    meta
	program *goja.Program // a function of the verbs, which returns the script's function
}

const (
	scriptFile = "script.js" // in the positions of errors
	bodyStart  = "async function () {"
	bodyEnd    = "\n}"
	wrapStart  = "(function (agent, pipeline, parallel, phase, log, args, workflow, console, AgentError) { 'use strict'; return "
	wrapEnd    = "})"
)

// exportsMeta finds the word export before the first statement.
var exportsMeta = regexp.MustCompile(`^(?:\s|//[^\n]*\n|/\*(?s:.*?)\*/)*(export)\s+const\s+meta\b`)

// parseScript reads a script. The error wraps ErrScript.
func parseScript(source string) (_ *script, err error) {
	if strings.TrimSpace(source) == "" {
		return nil, fmt.Errorf("%w is empty", ErrScript)
	}
	if len(source) > MaxScript {
		return nil, fmt.Errorf("%w has %d bytes, at most %d; pass data in args, or let the agents read it", ErrScript, len(source), MaxScript)
	}
	type result struct {
		script *script
		err    error
	}
	read := make(chan result, 1)
	crashed := goroutine.Go(func() {
		s, err := compile(source)
		read <- result{s, err}
	})
	limit := time.NewTimer(maxParse)
	defer limit.Stop()
	select {
	case err = <-crashed:
	case <-limit.C:
		return nil, fmt.Errorf("%w takes longer than %v to read; write it more simply", ErrScript, maxParse)
	}
	if err != nil {
		return nil, fmt.Errorf("%w has something that the engine of JavaScript fails to read; write it in a simpler way, the part that was changed last first (%w)", ErrScript, err)
	}
	r := <-read
	return r.script, r.err
}

// maxParse is how long a script may take to be read. The time of the parser and the
// compiler grows with the square of some nested expressions, and they cannot be
// interrupted: the goroutine goes on until they have ended.
const maxParse = 5 * time.Second

func compile(source string) (*script, error) {
	body := source
	if at := exportsMeta.FindStringSubmatchIndex(body); at != nil {
		body = body[:at[2]] + strings.Repeat(" ", at[3]-at[2]) + body[at[3]:]
	}
	if err := checkNesting(body); err != nil {
		return nil, err
	}
	function := bodyStart + body + bodyEnd
	// Without the option the parser would open files that a comment names.
	program, err := goja.Parse(scriptFile, wrapStart+function+wrapEnd, parser.WithDisableSourceMaps)
	if err != nil {
		return nil, syntaxError(err)
	}
	statements, ok := statementsOf(program, function)
	if !ok {
		return nil, fmt.Errorf("%w closes a brace that it has not opened", ErrScript)
	}
	if yieldsFrom(program) {
		return nil, fmt.Errorf("%w has a yield*, which does not run here: write for (const value of inner) yield value", ErrScript)
	}
	m, err := metaOf(statements)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrScript, err)
	}
	compiled, err := goja.CompileAST(program, true)
	if err != nil {
		return nil, syntaxError(err)
	}
	return &script{source: source, meta: m, program: compiled}, nil
}

// statementsOf returns the statements of the script. It is false if the script is more than
// the body of the function that it was put into.
func statementsOf(program *ast.Program, function string) ([]ast.Statement, bool) {
	if len(program.Body) != 1 {
		return nil, false
	}
	statement, ok := program.Body[0].(*ast.ExpressionStatement)
	if !ok {
		return nil, false
	}
	outer, ok := statement.Expression.(*ast.FunctionLiteral)
	if !ok || len(outer.Body.List) != 2 {
		return nil, false
	}
	result, ok := outer.Body.List[1].(*ast.ReturnStatement)
	if !ok {
		return nil, false
	}
	inner, ok := result.Argument.(*ast.FunctionLiteral)
	if !ok || inner.Source != function {
		return nil, false
	}
	return inner.Body.List, true
}

// positioned is the text of an error of the parser, which tells the first of several.
var positioned = regexp.MustCompile(`Line (\d+):\d+ (.*?)(?: \(and \d+ more errors\))?$`)

// syntaxError words an error of the parser. The column is left out: in the first line it
// counts the text that stands before the script.
func syntaxError(err error) error {
	text := strings.TrimPrefix(err.Error(), "SyntaxError: ")
	if m := positioned.FindStringSubmatch(text); m != nil {
		text = "line " + m[1] + ": " + m[2]
	}
	if strings.Contains(text, "reserved word") || strings.Contains(text, "import") || strings.Contains(text, "export") {
		text += "; a workflow has no import and no export, but for export const meta in the first statement"
	}
	if strings.Contains(text, "Unexpected token await") || strings.Contains(text, "Async generators") {
		text += "; there is no for await and no async generator: await each value in an ordinary loop"
	}
	return fmt.Errorf("%w is no JavaScript that runs here: %s", ErrScript, text)
}

const (
	// maxNesting is how deep brackets may be nested in a script. The parser and the compiler
	// recur for each, and a stack that is exhausted would end the process.
	maxNesting = 1_000
	// maxArrows is the number of arrow functions of a script. The time of the parser grows
	// with the square of those that are nested.
	maxArrows = 2_000
)

// checkNesting counts the brackets wherever they stand, also in texts: a script that
// exceeds the limit by its texts is not written by hand.
func checkNesting(body string) error {
	if n := strings.Count(body, "=>"); n > maxArrows {
		return fmt.Errorf("%w has %d arrow functions, at most %d", ErrScript, n, maxArrows)
	}
	depth := 0
	for i := range len(body) {
		switch body[i] {
		case '(', '[', '{':
			if depth++; depth > maxNesting {
				return fmt.Errorf("%w nests more than %d brackets", ErrScript, maxNesting)
			}
		case ')', ']', '}':
			depth = max(0, depth-1)
		}
	}
	return nil
}

// yieldsFrom reports whether a syntax tree has a yield*. The engine recurs for each generator
// that yields from another, beyond the limit of calls, and a stack that is exhausted would end
// the process.
func yieldsFrom(program *ast.Program) bool {
	return searchYield(reflect.ValueOf(program), map[any]bool{})
}

// searchYield looks into everything that v refers to. A declaration is referred to by its
// function, too: seen has the pointers that were followed.
func searchYield(v reflect.Value, seen map[any]bool) bool {
	switch v.Kind() { //nolint:exhaustive // no other kind refers to an expression
	case reflect.Interface:
		return !v.IsNil() && searchYield(v.Elem(), seen)
	case reflect.Pointer:
		if v.IsNil() || seen[v.Interface()] {
			return false
		}
		seen[v.Interface()] = true
		if y, ok := v.Interface().(*ast.YieldExpression); ok && y.Delegate {
			return true
		}
		return searchYield(v.Elem(), seen)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && searchYield(v.Field(i), seen) {
				return true
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if searchYield(v.Index(i), seen) {
				return true
			}
		}
	}
	return false
}
