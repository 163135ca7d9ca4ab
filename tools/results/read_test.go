package results_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/results"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

func TestContract(t *testing.T) {
	t.Parallel()
	s, stored := kept(t, "one\ntwo\n")
	require.NoError(t, tooltest.Checker{Session: s}.Check(results.Read(results.Options{}),
		fmt.Sprintf(`{"ref":%q}`, stored.Ref), fmt.Sprintf(`{"ref":%q,"offset":4,"limit":10,"pattern":"t.o"}`, stored.Path)))
}

func TestAPathWillDo(t *testing.T) {
	t.Parallel()
	s, stored := kept(t, "one\n")
	for _, ref := range []string{stored.Ref, stored.Path, `C:\results\` + stored.Ref} {
		_, text, out := read(t, s, results.Options{}, fields{"ref": ref})
		require.Equal(t, "one\n", text)
		require.Equal(t, stored.Ref, out.Ref)
	}
}

// TestFarAway does not count what it passes over.
func TestFarAway(t *testing.T) {
	t.Parallel()
	store, err := pegboard.NewDirStore(t.TempDir(), "s", pegboard.DirOptions{MaxFile: -1})
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	const size = 64<<20 + 8
	stored, err := store.Put(t.Context(), "1", "text/plain", io.LimitReader(endless{}, size))
	require.NoError(t, err)
	s := sessionWith(t, store)
	notice, text, _ := read(t, s, results.Options{}, fields{"ref": stored.Ref, "offset": size - 4})
	require.Equal(t, fmt.Sprintf("[Result %s: bytes %d to %d of %d, lines: 2. This is its end.]", stored.Ref, size-4, size, size), notice)
	require.Equal(t, "x\nx\n", text)
	notice, _, _ = read(t, s, results.Options{}, fields{"ref": stored.Ref, "offset": 64 << 20})
	require.Contains(t, notice, fmt.Sprintf("lines %d to %d.", 32<<20+1, 32<<20+4))
}

// endless is lines of one x.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	n := len(p) &^ 1
	for i := 0; i < n; i += 2 {
		p[i], p[i+1] = 'x', '\n'
	}
	return n, nil
}

func TestErrors(t *testing.T) {
	t.Parallel()
	texts := map[string]string{"mem:/1": "one\ntwo\nthree\n"}
	tests := []struct {
		name  string
		store pegboard.ResultStore
		in    fields
		want  []string
	}{
		{name: "unknown", store: memory{texts: texts}, in: fields{"ref": "mem:/2"}, want: []string{`no result is kept under "mem:/2"`, "exactly as its notice gives it", "made room", "run again the tool"}},
		{name: "the store cannot open", store: memory{texts: texts, opens: errLine}, in: fields{"ref": "mem:/1"}, want: []string{"cannot open", "try once more", errLine.Error()}},
		{name: "the store cannot read", store: memory{texts: texts, breaks: 6}, in: fields{"ref": "mem:/1"}, want: []string{"behind byte 6", "ask for less", errLine.Error()}},
		{name: "nor search", store: memory{texts: texts, breaks: 6}, in: fields{"ref": "mem:/1", "pattern": "e"}, want: []string{"behind byte 6", errLine.Error()}},
		{name: "nor get there", store: memory{texts: texts, breaks: 6}, in: fields{"ref": "mem:/1", "offset": 8}, want: []string{"behind byte 6", errLine.Error()}},
		{name: "no regular expression", store: memory{texts: texts}, in: fields{"ref": "mem:/1", "pattern": "(?=x)"}, want: []string{"RE2", "escape"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out := call(t.Context(), t, sessionWith(t, tt.store), results.Options{}, tt.in)
			require.Error(t, out.Err)
			require.True(t, out.Result.IsError)
			for _, want := range tt.want {
				require.Contains(t, out.Result.Text(), want)
			}
		})
	}
	_, _, out := read(t, sessionWith(t, memory{texts: texts, breaks: 6}), results.Options{}, fields{"ref": "mem:/1", "limit": 4})
	require.Equal(t, "one\n", out.Content, "what is before the error can be read")
}

func TestOthersCannotBeRead(t *testing.T) {
	t.Parallel()
	s, stored := kept(t, "one\n")
	other, err := pegboard.NewDirStore(filepath.Dir(filepath.Dir(stored.Path)), "other", pegboard.DirOptions{})
	require.NoError(t, err)
	defer func() { require.NoError(t, other.Close()) }()
	theirs, err := other.Put(t.Context(), "call_2", "text/plain", strings.NewReader("secret"))
	require.NoError(t, err)
	for _, ref := range []string{theirs.Ref, theirs.Path, "../other/" + theirs.Ref, ".spool-size", "/etc/passwd"} {
		out := call(t.Context(), t, s, results.Options{}, fields{"ref": ref})
		require.Error(t, out.Err)
		require.Contains(t, out.Result.Text(), "no result is kept")
	}
}

// TestItIsNotStoredAgain although it is longer than any result may be.
func TestItIsNotStoredAgain(t *testing.T) {
	t.Parallel()
	s, stored := kept(t, strings.Repeat("0123456789\n", 10_000))
	_, text, _ := read(t, s, results.Options{MaxBytes: 100_000}, fields{"ref": stored.Ref})
	require.Greater(t, len(text), 99_000)
	found, err := filepath.Glob(filepath.Join(filepath.Dir(stored.Path), "*"))
	require.NoError(t, err)
	require.Equal(t, []string{stored.Path}, withoutHidden(found))
}

func withoutHidden(paths []string) (shown []string) {
	for _, p := range paths {
		if !strings.HasPrefix(filepath.Base(p), ".") {
			shown = append(shown, p)
		}
	}
	return shown
}

func TestNoPromptInAnyModeButAsk(t *testing.T) {
	t.Parallel()
	store := memory{texts: map[string]string{"r": "one\n"}}
	for _, mode := range []policy.Mode{policy.ModeDefault, policy.ModePlan, policy.ModeDeny, policy.ModeAcceptEdits} {
		perms, err := policy.New(mode)
		require.NoError(t, err)
		s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: t.TempDir(), Results: store, Permissions: perms})
		require.NoError(t, err)
		out := call(t.Context(), t, s, results.Options{}, fields{"ref": "r"})
		require.NoError(t, out.Err, mode)
		require.NoError(t, s.Close(context.Background()))
	}
}

// stalling is a result that has no end. It ends a call after some of it.
type stalling struct {
	memory
	cancel context.CancelCauseFunc
}

var errEnough = errors.New("enough")

func (s stalling) Open(context.Context, string) (io.ReadCloser, error) {
	return io.NopCloser(&fuse{left: 1 << 20, burn: func() { s.cancel(errEnough) }}), nil
}

type fuse struct {
	left int
	burn func()
}

func (f *fuse) Read(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		f.burn()
	}
	return endless{}.Read(p)
}

func TestItCanBeStopped(t *testing.T) {
	t.Parallel()
	for _, in := range []fields{{"ref": "r", "offset": 1 << 30}, {"ref": "r", "pattern": "y"}} {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		out := call(ctx, t, sessionWith(t, stalling{cancel: cancel}), results.Options{}, in)
		require.ErrorIs(t, out.Err, pegboard.ErrCancelled)
	}
}

func TestTheNoticeNamesTheTool(t *testing.T) {
	t.Parallel()
	store, err := pegboard.NewDirStore(t.TempDir(), "s", pegboard.DirOptions{})
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	s, err := pegboard.NewSession(pegboard.SessionConfig{Results: store, Limits: pegboard.ResultLimits{ReadMoreHint: results.ReadMoreHint}})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close(context.Background())) }()
	long := strings.Repeat("0123456789\n", 5_000)
	first := tooltest.Run(t.Context(), telling(long), s, `{}`)
	notice, shown, _ := strings.Cut(first.Result.Text(), "\n")
	require.Contains(t, notice, results.ReadMoreHint)
	_, text, _ := read(t, s, results.Options{}, fields{"ref": first.Result.Parts[0].Ref, "offset": len(shown) + 1})
	require.True(t, strings.HasPrefix(long, shown+"\n"+text), "it goes on where the preview ends")
}

// A unit test that calls the tool directly gets an error, not a panic.
func TestCallWithoutASessionIsAnError(t *testing.T) {
	t.Parallel()
	tool := results.Read(results.Options{})
	require.NotPanics(t, func() {
		_, err := tool.Call(t.Context(), &pegboard.Call{ID: "1", Name: "ReadResult", Input: []byte(`{"ref":"x"}`)})
		require.Error(t, err)
	})
}

// order is a row of a typed tool's output.
type order struct {
	ID    int    `json:"id"`
	Name  string `json:"name"`
	Notes string `json:"notes,omitempty"`
}

func orders(n int, notes string) []order {
	list := make([]order, n)
	for i := range list {
		list[i] = order{ID: i, Name: fmt.Sprint("order ", i)}
	}
	list[n/2].Notes = notes
	return list
}

// A reader follows the notice of a stored result as a model would.
type reader struct {
	session *pegboard.Session
	pool    *pegboard.Pool
	fails   bool // the tool Orders fails
}

func readerWith(t *testing.T, hint string, tool pegboard.Tool) reader {
	t.Helper()
	store, err := pegboard.NewDirStore(t.TempDir(), "s", pegboard.DirOptions{})
	require.NoError(t, err)
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: t.TempDir(), Results: store, Limits: pegboard.ResultLimits{ReadMoreHint: hint}})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, s.Close(context.Background()))
		require.NoError(t, store.Close())
	})
	var reg pegboard.Registry
	require.NoError(t, reg.Add(tool, files.Read(files.ReadOptions{}), files.Grep(files.GrepOptions{}), results.Read(results.Options{})))
	return reader{session: s, pool: reg.AssemblePool(s, pegboard.PoolConfig{})}
}

func (r reader) call(t *testing.T, name string, in map[string]any) string {
	t.Helper()
	raw, err := json.Marshal(in)
	require.NoError(t, err)
	r.session.NewTurn()
	var ex pegboard.Executor
	out := ex.Run(t.Context(), r.pool, pegboard.Call{ID: "call_" + name, Name: name, Input: raw})[0]
	require.Equal(t, name == "Orders" && r.fails, out.Result.IsError, out.Result.Text())
	return out.Result.Text()
}

var (
	whereItIs  = regexp.MustCompile(`All of it is in (\S+); `)
	nextLine   = regexp.MustCompile(`Go on with offset (\d+)(?: and limit (\d+))?\.\]`)
	nextInLine = regexp.MustCompile(` … \[\d+ more bytes in this line; go on with offset (\d+) and byte_offset (\d+)\]$`)
	numbered   = regexp.MustCompile(`(?m)^ *(\d+)\t(.*)$`)
	nextPage   = regexp.MustCompile(`Go on with offset (\d+)`)
	foundAt    = regexp.MustCompile(`:(\d+):(?:\[from byte (\d+)\] )?`)
)

// withRead returns the whole text as Read shows it, with every page and every long line
// read to its end.
func (r reader) withRead(t *testing.T, path string) string {
	t.Helper()
	var whole []string
	for in := map[string]any{"file_path": path}; ; {
		text := r.call(t, "Read", in)
		for _, line := range numbered.FindAllStringSubmatch(text, -1) {
			whole = append(whole, r.wholeLine(t, path, line[2]))
		}
		next := nextLine.FindStringSubmatch(text)
		if next == nil {
			return strings.Join(whole, "\n")
		}
		in = map[string]any{"file_path": path, "offset": atoi(t, next[1])}
		if next[2] != "" {
			in["limit"] = atoi(t, next[2])
		}
	}
}

func (r reader) wholeLine(t *testing.T, path, line string) string {
	t.Helper()
	var whole strings.Builder
	for {
		next := nextInLine.FindStringSubmatch(line)
		whole.WriteString(nextInLine.ReplaceAllLiteralString(line, ""))
		if next == nil {
			return whole.String()
		}
		text := r.call(t, "Read", map[string]any{"file_path": path, "offset": atoi(t, next[1]), "byte_offset": atoi(t, next[2])})
		shown := numbered.FindStringSubmatch(text)
		require.NotNil(t, shown, text)
		line = shown[2]
	}
}

// withReadResult returns the whole text as ReadResult shows it.
func (r reader) withReadResult(t *testing.T, ref string) string {
	t.Helper()
	var whole strings.Builder
	for in := map[string]any{"ref": ref}; ; {
		notice, text, _ := strings.Cut(r.call(t, "ReadResult", in), "\n")
		whole.WriteString(text)
		next := nextPage.FindStringSubmatch(notice)
		if next == nil {
			return whole.String()
		}
		in["offset"] = atoi(t, next[1])
	}
}

func atoi(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return n
}

// typed returns a tool whose output is out: its result has the default form.
func typed[Out any](out Out) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, Out]{
		Info: pegboard.Info{Name: "Orders"}, Description: "Lists orders.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(context.Context, struct{}, *pegboard.Call) (Out, error) { return out, nil },
	})
}

// failing returns a tool whose error has a long text.
func failing(text string) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Orders"}, Description: "Lists orders.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "", errors.New(text) },
	})
}

// streaming returns a tool that stores its result while it reads it.
func streaming(text string) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, *pegboard.Result]{
		Info: pegboard.Info{Name: "Orders"}, Description: "Lists orders.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (*pegboard.Result, error) {
			part, err := c.Store(ctx, strings.NewReader(text))
			return &pegboard.Result{Parts: []pegboard.Part{part}}, err
		},
	})
}

// TestAdviceInANoticeCanBeFollowed does what the notice of a stored result says, with the
// tools that it names: all of the text is shown in the end, and a search shows what it
// found. Before, a typed tool's JSON was stored as one line, of which Read showed the
// first 2,000 characters and Grep the beginning, without the match.
func TestAdviceInANoticeCanBeFollowed(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("äbc ", 20_000) + "order 1999 is here" + strings.Repeat(" öbc", 20_000)
	asText, err := json.Marshal(map[string]any{"orders": orders(2200, "")})
	require.NoError(t, err)
	for _, tt := range []struct {
		name  string
		tool  pegboard.Tool
		want  string // the text or an equal document
		fails bool
		lines int // at least; 0 means 1
	}{
		{name: "the JSON of a typed output", tool: typed(orders(2200, "")), want: document(t, orders(2200, "")), lines: 2200},
		{name: "a string in it that is too long for a line", tool: typed(orders(2200, line)), want: document(t, orders(2200, line)), lines: 2200},
		{name: "JSON as text", tool: typed(string(asText)), want: string(asText), lines: 2200},
		{name: "JSON of a failure", tool: failing(string(asText)), want: string(asText), fails: true, lines: 2200},
		{name: "JSON that is streamed keeps its one line", tool: streaming(string(asText)), want: string(asText)},
		{name: "a text of one line", tool: typed(line), want: line},
		{name: "a text of lines", tool: typed(strings.Repeat("word\n", 20_000) + "order 1999"), want: strings.Repeat("word\n", 20_000) + "order 1999"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := readerWith(t, "", tt.tool)
			r.fails = tt.fails
			notice, _, _ := strings.Cut(r.call(t, "Orders", map[string]any{}), "\n")
			require.Contains(t, notice, "read on there with Read (offset and limit in lines) or Grep")
			path := whereItIs.FindStringSubmatch(notice)
			require.NotNil(t, path, notice)
			shown := r.withRead(t, path[1])
			requireSameText(t, tt.want, shown)
			require.GreaterOrEqual(t, strings.Count(shown, "\n")+1, tt.lines, "JSON is stored with line breaks")
			require.Contains(t, notice, fmt.Sprintf(" %d bytes, ", len(shown)), "the notice counts what is stored")

			row := r.call(t, "Grep", map[string]any{"path": path[1], "pattern": "order 1999", "output_mode": "content"})
			require.Contains(t, row, "order 1999")
			require.Less(t, len(row), 6_000)
			at := foundAt.FindStringSubmatch(row)
			require.NotNil(t, at, row)
			there := map[string]any{"file_path": path[1], "offset": atoi(t, at[1]), "limit": 1}
			if at[2] != "" {
				there["byte_offset"] = atoi(t, at[2])
			}
			require.Contains(t, r.call(t, "Read", there), "order 1999")

			r = readerWith(t, results.ReadMoreHint, tt.tool)
			r.fails = tt.fails
			notice, _, _ = strings.Cut(r.call(t, "Orders", map[string]any{}), "\n")
			require.Contains(t, notice, results.ReadMoreHint)
			ref := map[string]any{"ref": whereItIs.FindStringSubmatch(notice)[1]}
			requireSameText(t, tt.want, r.withReadResult(t, ref["ref"].(string))) //nolint:forcetypeassert,errcheck // set above
			found := maps.Clone(ref)
			found["pattern"] = "order 1999"
			require.Contains(t, r.call(t, "ReadResult", found), "order 1999")
		})
	}
}

func document(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	require.NoError(t, err)
	return string(raw)
}

func requireSameText(t *testing.T, want, got string) {
	t.Helper()
	if json.Valid([]byte(want)) {
		require.JSONEq(t, want, got)
		return
	}
	if want != got { // require.Equal would print megabytes
		t.Errorf("%d bytes, want %d", len(got), len(want))
	}
}

// randomText has about n characters of all lengths, in long and short lines.
func randomText(random *rand.Rand, n int) string {
	parts := []string{"a", "word ", "\n", "é", "漢", "😀", "\r\n"}
	var b strings.Builder
	for range random.IntN(n) {
		if random.IntN(60) == 0 {
			b.WriteString(strings.Repeat(parts[random.IntN(len(parts))], random.IntN(150)))
		}
		b.WriteString(parts[random.IntN(len(parts))])
	}
	return b.String()
}

// TestPagesAreTheWholeText follows the notices as a model would.
func TestPagesAreTheWholeText(t *testing.T) {
	t.Parallel()
	goOn := regexp.MustCompile(`Go on with offset (\d+)`)
	for seed := range effort.Of(t, uint64(60)) {
		random := rand.New(rand.NewPCG(11, seed))
		limit := 1 + random.IntN(300)
		text := randomText(random, 4*limit)
		put := kept
		if seed%2 == 0 {
			put = inMemory
		}
		s, stored := put(t, text)
		var all strings.Builder
		offset, pages := 0, 0
		for {
			notice, page, out := read(t, s, results.Options{MaxBytes: limit}, fields{"ref": stored.Ref, "offset": offset})
			all.WriteString(page)
			pages++
			require.LessOrEqual(t, len(page), max(limit, utf8.UTFMax))
			if page != "" {
				first := strings.Count(text[:offset], "\n") + 1
				last := strings.Count(strings.TrimSuffix(text[:offset+len(page)], "\n"), "\n") + 1
				require.Contains(t, notice, fmt.Sprintf("bytes %d to %d", offset, offset+len(page)))
				require.Contains(t, notice, fmt.Sprintf("lines %d to %d.", first, last))
			}
			next := goOn.FindStringSubmatch(notice)
			require.Equal(t, next != nil, out.More)
			if next == nil {
				break
			}
			var err error
			offset, err = strconv.Atoi(next[1])
			require.NoError(t, err)
			require.Equal(t, all.Len(), offset)
		}
		require.Equal(t, text, all.String())
		require.GreaterOrEqual(t, pages, len(text)/max(limit, utf8.UTFMax))
	}
}

// TestHitsAreAllMatchingLines goes through short lines, page by page.
func TestHitsAreAllMatchingLines(t *testing.T) {
	t.Parallel()
	found := 0
	for seed := range effort.Of(t, uint64(60)) {
		random := rand.New(rand.NewPCG(12, seed))
		text := randomText(random, 400)
		pattern := []string{"a", "^word", "é$", "漢.*word", "^$"}[random.IntN(5)]
		s, stored := kept(t, text)
		var want, got []string
		at := 0
		for line := range strings.Lines(text) {
			bare := strings.TrimRight(line, "\r\n")
			if len(bare) <= 1_000 && regexp.MustCompile(pattern).MatchString(bare) {
				want = append(want, fmt.Sprintf("%d:%s", at, bare))
			}
			at += len(line)
		}
		for offset := int64(0); ; {
			_, page, out := read(t, s, results.Options{MaxBytes: 100 + random.IntN(500)}, fields{"ref": stored.Ref, "offset": offset, "pattern": pattern})
			for line := range strings.Lines(page) {
				got = append(got, strings.TrimSuffix(line, "\n"))
			}
			if offset = out.End; !out.More {
				break
			}
		}
		require.Equal(t, want, got, "seed %d", seed)
		found += len(got)
	}
	if effort.Full(t) {
		require.Greater(t, found, 500)
	}
}

// FuzzRead makes sure of what holds for any bytes at any offset.
func FuzzRead(f *testing.F) {
	f.Add([]byte("one\ntwo\n"), int64(3), 2, "t")
	f.Add([]byte("a\xff\xe6\xbc\n\x00"), int64(1), 1, "")
	f.Add([]byte(strings.Repeat("漢", 700)), int64(1), 5, "漢+")
	f.Fuzz(func(t *testing.T, data []byte, offset int64, limit int, pattern string) {
		if _, err := regexp.Compile(pattern); err != nil || offset < 0 || limit < 1 || utf8.RuneCountInString(pattern) > 1_000 || !utf8.ValidString(pattern) {
			t.Skip()
		}
		store := memory{texts: map[string]string{"r": string(data)}}
		s := sessionWith(t, store)
		for range 100 {
			out := call(t.Context(), t, s, results.Options{}, fields{"ref": "r", "offset": offset, "limit": limit, "pattern": pattern})
			require.NoError(t, out.Err, out.Result.Text())
			require.True(t, utf8.ValidString(out.Result.Text()))
			data, ok := out.Result.Data.(results.Output)
			require.True(t, ok)
			if !data.More {
				return
			}
			require.Greater(t, data.End, offset)
			offset = data.End
		}
	})
}

var _ pegboard.ResultStore = memory{}
