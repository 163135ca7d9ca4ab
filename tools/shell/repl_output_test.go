package shell_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// TestREPLCallsTools: scripts use the tools that REPL mode hides, by name, and get
// text or an exception.
func TestREPLCallsTools(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("ü\n", 100_000)
	for _, tt := range []struct {
		name               string
		python, javascript string
		text               string // exact, if set
		says               []string
		failed             bool
	}{
		{name: "text", python: "tools.Read({'text': 'hi'})", javascript: "await tools.Read({text: 'hi'})", text: "'hi'"},
		{name: "by properties", python: "tools.Read(text='hi')", text: "'hi'"},
		{name: "by another name", python: "tools['mcp-x y']({'text': 'hi'})", javascript: "await tools['mcp-x y']({text: 'hi'})", text: "'hi'"},
		{name: "unicode", python: "print(tools.Read({'text': 'ü🦄\\n漢'}))", javascript: "console.log(await tools.Read({text: 'ü🦄\\n漢'}))", text: "ü🦄\n漢"},
		{
			name: "large", python: "s = 'ü\\n' * 100000\ntools.Read(text=s) == s", javascript: "const s = 'ü\\n'.repeat(100000); await tools.Read({text: s}) === s",
			says: []string{"rue"},
		},
		{name: "too large", python: "tools.Read(text='a' * (17 << 20))", javascript: "await tools.Read({text: 'a'.repeat(17 << 20)})", failed: true, says: []string{"larger than 16777216 bytes"}},
		{name: "no JSON", python: "tools.Read(text=object())", failed: true, says: []string{"TypeError"}},
		{name: "no input", python: "tools.Read()", javascript: "await tools.Read()", failed: true, says: []string{"ToolError", "text"}},
		{name: "no object", python: "tools.Read({'text': float('nan')})", javascript: "await tools.Read('text')", failed: true, says: []string{"Error"}},
		{name: "a failure", python: "tools.Fail()", javascript: "await tools.Fail({})", failed: true, says: []string{"ToolError", "it broke"}},
		{name: "a failure, caught", python: "try: tools.Fail()\nexcept ToolError as e: print('caught', e)", javascript: "try { await tools.Fail({}) } catch (e) { console.log('caught', e instanceof ToolError, e.message) }", says: []string{"caught", "it broke"}},
		{name: "refused", python: "tools.Refused(text='a')", javascript: "await tools.Refused({text: 'a'})", failed: true, says: []string{"ToolError", "Refused was denied"}},
		{name: "unknown", python: "tools.Nothing()", javascript: "await tools.Nothing({})", failed: true, says: []string{"ToolError", "Nothing"}},
		{name: "itself", python: "tools.REPL(code='1')", javascript: "await tools.REPL({code: '1'})", failed: true, says: []string{"ToolError", "REPL"}},
		{name: "many", python: "sum(int(tools.Read(text=str(i))) for i in range(300))", javascript: "let n = 0; for (let i = 0; i < 300; i++) n += Number(await tools.Read({text: String(i)})); n", text: "44850"},
		{
			name:       "many at once",
			python:     "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(20) as p: print(sum(p.map(lambda i: int(tools.Read(text=str(i))), range(300))))",
			javascript: "(await Promise.all(Array.from({length: 300}, (_, i) => tools.Read({text: String(i)})))).map(Number).reduce((a, b) => a + b)", text: "44850",
		},
		{name: "a promise nobody waits for", javascript: "tools.Read({text: 'a'}); 1", text: "1"},
		{name: "no thenable", javascript: "await tools; typeof tools.then + JSON.stringify(tools)", text: "'undefined{}'"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			eachLanguage(t, func(b *replBench) {
				code := b.code(tt.python, tt.javascript)
				if code == "" {
					b.t.Skip("the table has no code for it")
				}
				b.open(shell.REPLOptions{}, replEcho("Read"), replEcho("mcp-x y"), replEcho("Refused"), failing())
				_, listed := b.pool.Lookup("Read")
				require.False(b.t, listed, "REPL mode hides what scripts call")
				out := b.run(b.t.Context(), map[string]any{"code": code})
				require.NoError(b.t, out.Err)
				require.Equal(b.t, tt.failed, out.Result.IsError, out.Result.Text())
				if tt.text != "" {
					require.Equal(b.t, tt.text, out.Result.Text())
				}
				for _, says := range tt.says {
					require.Contains(b.t, out.Result.Text(), says)
				}
				require.Less(b.t, len(out.Result.Text()), len(large))
			})
		})
	}
}

func failing() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Fail"}, Description: "Fails.",
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "", errors.New("it broke") },
	})
}

// TestREPLIsTheParent of what its code calls, and its clock stands still meanwhile.
func TestREPLIsTheParent(t *testing.T) {
	t.Parallel()
	eachLanguage(t, func(b *replBench) {
		parents := make(chan string, 1)
		slow := pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: "Slow"}, Description: "Takes longer than code may.",
			Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
				parents <- c.Parent().Name + " " + c.ID
				select {
				case <-time.After(2500 * time.Millisecond): // longer than the time-out below
					return "slept", nil
				case <-ctx.Done():
					return "", context.Cause(ctx)
				}
			},
		})
		b.open(shell.REPLOptions{}, slow)
		b.must("1") // the start of the interpreter would count
		code := b.code("tools.Slow()", "await tools.Slow()")
		out := b.run(b.t.Context(), map[string]any{"code": code, "timeout": 2000})
		require.Equal(b.t, "'slept'", out.Result.Text())
		require.Equal(b.t, "REPL 1/1", <-parents)
	})
}

// TestREPLIsCancelled: the process ends, and the next call says what is lost.
func TestREPLIsCancelled(t *testing.T) {
	t.Parallel()
	eachLanguage(t, func(b *replBench) {
		begun := make(chan struct{})
		tell := pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: "Tell"}, Description: "Tells that code runs.",
			Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { close(begun); return "", nil },
		})
		b.open(shell.REPLOptions{}, tell)
		ctx, cancel := context.WithCancel(b.t.Context())
		ended := make(chan pegboard.Outcome)
		code := b.code("tools.Tell()\nwhile True: pass", "await tools.Tell(); for (;;);")
		go func() { ended <- b.run(ctx, map[string]any{"code": code}) }()
		<-begun
		cancel()
		require.True(b.t, (<-ended).Result.IsError)
		require.Equal(b.t, "A new interpreter runs this, as the last call was cancelled: variables and imports of earlier calls are gone.\n7", b.must("7"))
		require.Equal(b.t, "8", b.must("8"), "it is said once")
	})
}
