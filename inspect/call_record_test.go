package inspect_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/inspect"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

func TestCallIsDecidedAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t, pegboard.SessionConfig{Permissions: permissions(t, policy.RuleSet{Source: policy.SourceProject, Allow: []string{"Edit(/out/**)"}})}, nil,
		files.Write(files.WriteOptions{}), writer("Put"))
	path := b.session.Dir() + "/out/a.txt"
	input, err := json.Marshal(map[string]string{"file_path": path, "content": "one\ntwo\n"})
	require.NoError(t, err)
	b.run(t, call("1", "Write", string(input)), call("2", "Put", `{"path":"out/a.txt"}`), call("3", "Put", `{"path":"out/b"}`))
	page := b.see(t, "/call?n=1")
	require.Contains(t, page, "This is how the rules and the mode of this moment decide the call")
	require.Contains(t, page, "= allow: allow rule &#34;Edit(/out/**)&#34; from projectSettings covers it")
	require.Contains(t, page, "&#34;content&#34;: &#34;one\\ntwo\\n&#34;")
	require.Contains(t, page, "Targets")
	require.Contains(t, page, "<h2>Changes</h2>")
	require.Contains(t, page, "&#43;two")
	require.Contains(t, page, `<a href="call?n=2">call 2</a>: both write out/a.txt`)
	require.NotContains(t, page, `call 3</a>: both`)

	denied, err := b.session.Permissions().WithRules(policy.RuleSet{Source: policy.SourceUser, Deny: []string{"Edit(/out/a.txt)"}})
	require.NoError(t, err)
	require.NoError(t, b.session.SetPermissions(denied))
	page = b.see(t, "/call?n=1")
	require.Contains(t, page, "= deny: deny rule &#34;Edit(/out/a.txt)&#34; from userSettings covers it")
	require.Contains(t, page, "allow by rule Edit(/out/**)", "as it was decided")
}

func TestCallsThatAreNotThere(t *testing.T) {
	t.Parallel()
	b := newBench(t, pegboard.SessionConfig{}, func(o *inspect.Options) { o.Keep = 2 }, writer("Write"))
	b.run(t, call("1", "Write", `{"path":"a"}`), call("2", "Write", `{"path":"a"}`), call("3", "Write", ``))
	for _, path := range []string{"/call", "/call?n=", "/call?n=x", "/call?n=0", "/call?n=-1", "/call?n=1", "/call?n=4", "/call?n=99999999999999999999"} {
		w := b.get(t, path)
		require.Equal(t, http.StatusNotFound, w.Code, path)
		require.Contains(t, w.Body.String(), "There is no such call")
	}
	require.Contains(t, b.see(t, "/call?n=3"), "= ask: ", "an empty input is {}")
}

// TestCallWhoseToolDoesNotAnswer: the page says so, and comes.
func TestCallWhoseToolDoesNotAnswer(t *testing.T) {
	t.Parallel()
	block := make(chan struct{})
	slow := false
	tool := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Slow"}, Description: "For a test.",
		Validate: func(context.Context, struct{}, *pegboard.Call) error {
			if slow {
				<-block
			}
			return nil
		},
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "", nil },
	})
	b := newBench(t, pegboard.SessionConfig{}, nil, tool)
	b.run(t, call("1", "Slow", `{}`))
	slow = true
	require.Contains(t, b.see(t, "/call?n=1"), "the tool has not answered in time")
	close(block)
}

// TestInputsAreKeptWithinABound: the newest calls have theirs, a very long one is not kept.
func TestInputsAreKeptWithinABound(t *testing.T) {
	t.Parallel()
	b := newBench(t, pegboard.SessionConfig{}, nil, writer("Write"))
	long := func(n int) pegboard.Call {
		return call("", "Write", `{"path":"a","text":"`+strings.Repeat("x", n)+`"}`)
	}
	b.run(t, long(2<<20))
	for range 10 {
		b.run(t, long(1_000_000))
	}
	b.run(t, long(10))
	require.Contains(t, b.see(t, "/call?n=1"), "is not kept any more")
	require.Contains(t, b.see(t, "/call?n=2"), "is not kept any more")
	page := b.see(t, "/call?n=11")
	require.NotContains(t, page, "is not kept any more")
	require.Contains(t, page, "more bytes)")
	require.Less(t, len(page), 60_000)
	require.Contains(t, b.see(t, "/call?n=12"), "xxxxxxxxxx")
}

// TestCallWithoutContents has neither input nor trace.
func TestCallWithoutContents(t *testing.T) {
	t.Parallel()
	b := newBench(t, pegboard.SessionConfig{}, func(o *inspect.Options) { o.Contents, o.Answers, o.Token = false, false, "" }, writer("Write", tooltest.Reply{Text: "k4nary"}))
	b.run(t, call("1", "Write", `{"path":"k4nary"}`))
	page := b.see(t, "/call?n=1")
	require.Contains(t, page, "path:write")
	require.Contains(t, page, "Inputs are not kept")
	require.NotContains(t, page, "k4nary")
}
