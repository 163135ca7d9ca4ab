package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/code"
)

// definitionsAtOnce is how many definitions are asked for at once.
const definitionsAtOnce = 100

// BenchmarkCode measures the definition of a name of this repository by gopls, which has
// loaded it: by the bare exchange of one request and one answer, and by the tool, through a
// pool and an executor. It needs PEGBOARD_MCP_PROGRAMS.
func BenchmarkCode(b *testing.B) {
	folder := os.Getenv("PEGBOARD_MCP_PROGRAMS")
	if folder == "" {
		b.Skip("PEGBOARD_MCP_PROGRAMS is unset; .ci/run programs_all installs gopls")
	}
	program, q := filepath.Join(folder, "bin", "gopls"), codeQuestion(b)
	bare := bareServer(b, program, q)
	pool := codePool(b, program, q)
	warm(func() { bareDefinitions(b, bare, q, 1) })
	warm(func() { codeDefinitions(b, pool, q, 1) })
	b.Run("Code/floor-exchange", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			bareDefinitions(b, bare, q, 1)
		}
	})
	b.Run("Code/pegboard", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			codeDefinitions(b, pool, q, 1)
		}
	})
	b.Run("Code100/floor-exchange", func(b *testing.B) {
		for b.Loop() {
			bareDefinitions(b, bare, q, definitionsAtOnce)
		}
	})
	b.Run("Code100/pegboard", func(b *testing.B) {
		for b.Loop() {
			codeDefinitions(b, pool, q, definitionsAtOnce)
		}
	})
}

// warm asks until the server has loaded the packages and is not busy with them any more: until
// answers come quickly for a while.
func warm(ask func()) {
	const quick, while = 20 * time.Millisecond, 3 * time.Second
	began := time.Now()
	for since := began; time.Since(since) < while && time.Since(began) < 2*time.Minute; time.Sleep(quick) {
		asked := time.Now()
		if ask(); time.Since(asked) > quick {
			since = time.Now()
		}
	}
}

// A question is a position in a file of this repository, from 0, and where its definition is.
type question struct {
	root, file      string
	text            []byte
	line, character int
	definition      string
}

// codeQuestion asks for a func of the root package that a file of another one calls.
func codeQuestion(b *testing.B) question {
	root, err := os.Getwd()
	require.NoError(b, err)
	for !exists(filepath.Join(root, "tools", "code", "lsp.go")) { // the benchmark may run in any folder below
		require.NotEqual(b, filepath.Dir(root), root, "not below the repository")
		root = filepath.Dir(root)
	}
	root, err = filepath.EvalSymlinks(root)
	require.NoError(b, err)
	q := question{root: root, file: filepath.Join(root, "tools", "code", "lsp.go"), definition: filepath.Join(root, "definition.go")}
	q.text, err = os.ReadFile(q.file)
	require.NoError(b, err)
	const call = "pegboard.Build("
	at := bytes.Index(q.text, []byte(call))
	require.NotEqual(b, -1, at)
	before := q.text[:at]
	q.line = bytes.Count(before, []byte("\n"))
	q.character = at - 1 - bytes.LastIndexByte(before, '\n') + len("pegboard.") // the line is ASCII before it
	return q
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// bareServer returns a client of a server that knows the file.
func bareServer(b *testing.B, program string, q question) *jrpc2.Client {
	command := exec.CommandContext(context.Background(), program)
	command.Dir = q.root
	input, err := command.StdinPipe()
	require.NoError(b, err)
	output, err := command.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, command.Start())
	client := jrpc2.NewClient(channel.LSP(output, input), &jrpc2.ClientOptions{
		OnCallback: func(context.Context, *jrpc2.Request) (any, error) { return nil, nil },
	})
	b.Cleanup(func() {
		_ = command.Process.Kill()
		_ = client.Close()
		_ = command.Wait()
	})
	_, err = client.Call(b.Context(), "initialize", map[string]any{
		"processId": os.Getpid(), "rootUri": "file://" + q.root,
		"capabilities": map[string]any{"window": map[string]any{"workDoneProgress": true}},
	})
	require.NoError(b, err)
	require.NoError(b, client.Notify(b.Context(), "initialized", struct{}{}))
	require.NoError(b, client.Notify(b.Context(), "textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": "file://" + q.file, "languageId": "go", "version": 1, "text": string(q.text),
	}}))
	return client
}

// bareDefinitions asks n times at once.
func bareDefinitions(b *testing.B, client *jrpc2.Client, q question, n int) {
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			var found []struct{ URI string }
			err := client.CallResult(b.Context(), "textDocument/definition", map[string]any{
				"textDocument": map[string]string{"uri": "file://" + q.file},
				"position":     map[string]int{"line": q.line, "character": q.character},
			}, &found)
			if err != nil || len(found) != 1 || found[0].URI != "file://"+q.definition {
				b.Errorf("%v %v", err, found)
			}
		})
	}
	all.Wait()
}

// codePool returns a pool with the tool, in a session that works in the repository.
func codePool(b *testing.B, program string, q question) *pegboard.Pool {
	s := pegSession(b, pegboard.SessionConfig{Dir: q.root, Breaker: pegboard.BreakerLimits{Repeats: -1, Denials: -1}})
	var reg pegboard.Registry
	require.NoError(b, reg.Add(code.LSP(code.Options{Servers: []code.Server{{
		Name: "gopls", Command: []string{program}, Languages: map[string]string{".go": "go"}, Roots: []string{"go.mod"},
	}}})))
	return reg.AssemblePool(s, pegboard.PoolConfig{Gates: pegboard.Gates{Features: []pegboard.Feature{pegboard.FeatureLSP}}})
}

// codeDefinitions is bareDefinitions with the tool.
func codeDefinitions(b *testing.B, pool *pegboard.Pool, q question, n int) {
	calls := make([]pegboard.Call, n)
	for i := range calls {
		input, err := json.Marshal(map[string]any{
			"operation": "goToDefinition", "filePath": q.file, "line": q.line + 1, "character": q.character + 1,
			"query": strconv.Itoa(i), // is not used; calls that are the same may share an answer
		})
		require.NoError(b, err)
		calls[i] = pegboard.Call{ID: strconv.Itoa(i), Name: "LSP", Input: input}
	}
	ex := pegboard.Executor{MaxParallel: n}
	outcomes := ex.Run(b.Context(), pool, calls...)
	if len(outcomes) != n {
		b.Errorf("%d of %d calls have an outcome", len(outcomes), n)
	}
	for _, out := range outcomes {
		if out.Err != nil || out.Result.IsError {
			b.Errorf("%v %s", out.Err, out.Result.Text())
			continue
		}
		if found, ok := out.Result.Data.(code.Output); !ok || len(found.Locations) != 1 || filepath.Base(found.Locations[0].Path) != filepath.Base(q.definition) {
			b.Errorf("%+v", out.Result.Data)
		}
	}
}
