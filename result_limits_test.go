package pegboard_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

func TestLongResultsAreStored(t *testing.T) {
	t.Parallel()
	text := lines(5_000) // of 11 bytes
	out, store := tell(t, pegboard.SessionConfig{}, pegboard.Info{}, pegboard.TextResult(text), nil)
	require.NoError(t, out.Err)
	require.Len(t, out.Result.Parts, 1)
	p := out.Result.Parts[0]
	require.Equal(t, text, held(t, store, p.Ref))
	require.Equal(t, []string{p.Ref}, files(t, store))
	require.True(t, strings.HasPrefix(p.Ref, "call_1"), p.Ref)
	first, rest, _ := strings.Cut(p.Text, "\n")
	for _, want := range []string{"55000 bytes", "5000 lines", filepath.Join(store.Dir(), p.Ref), "Read (offset and limit in lines)"} {
		require.Contains(t, first, want)
	}
	require.True(t, strings.HasPrefix(text, rest+"\n"), "whole lines from the beginning")
	require.LessOrEqual(t, len(rest), 2_000)
}

func TestWhichResultsAreStored(t *testing.T) {
	t.Parallel()
	long := lines(5_000)
	png := pegboard.Part{MIME: "image/png", Data: onePixel}
	tests := []struct {
		name     string
		cfg      pegboard.SessionConfig
		info     pegboard.Info
		result   *pegboard.Result
		err      error
		stored   bool
		most     int // characters of all text
		contains []string
		parts    int
	}{
		{name: "just short enough", result: pegboard.TextResult(strings.Repeat("ä", 30_000)), most: 30_000, parts: 1},
		{name: "one character more", result: pegboard.TextResult(strings.Repeat("ä", 30_001)), stored: true, most: 2_300, contains: []string{"60002 bytes, 1 line."}, parts: 1},
		{name: "the tool's own limit", info: pegboard.Info{MaxResult: 100}, result: pegboard.TextResult(strings.Repeat("x\n", 60)), stored: true, most: 500, parts: 1},
		{name: "the session's limit", cfg: pegboard.SessionConfig{Limits: pegboard.ResultLimits{PerResult: 100, Preview: 50}}, result: pegboard.TextResult(strings.Repeat("x\n", 60)), stored: true, most: 400, parts: 1},
		{name: "never stored", info: pegboard.Info{MaxResult: -1}, result: pegboard.TextResult(long), most: len(long), parts: 1},
		{name: "several texts", result: &pegboard.Result{Parts: []pegboard.Part{{Text: long}, png, {Text: long}}}, stored: true, most: 2_300, contains: []string{"110001 bytes"}, parts: 2},
		{name: "a reference to a tool stays", result: &pegboard.Result{Parts: []pegboard.Part{{Tool: "X"}, {Text: long}}}, stored: true, most: 2_300, parts: 2},
		{name: "a failure", result: nil, err: errors.New("bad\n" + long + "the end"), stored: true, most: 10_400, contains: []string{"bad\n", "line 00001\n", "line 05000\nthe end"}, parts: 1},
		{name: "a short failure", result: nil, err: errors.New(lines(800)), most: 9_000, parts: 1},
		{name: "a failure that the tool reports", result: &pegboard.Result{IsError: true, Parts: []pegboard.Part{{Text: lines(1_000)}}}, stored: true, most: 10_400, contains: []string{"line 01000"}, parts: 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out, store := tell(t, tt.cfg, tt.info, tt.result, tt.err)
			require.Equal(t, tt.err != nil || tt.result.IsError, out.Result.IsError, "a cut does not change what the result means")
			require.Len(t, out.Result.Parts, tt.parts)
			text := out.Result.Text()
			require.LessOrEqual(t, len([]rune(text)), tt.most)
			for _, want := range tt.contains {
				require.Contains(t, text, want)
			}
			require.Equal(t, tt.stored, len(files(t, store)) == 1)
			if tt.stored {
				require.True(t, strings.HasPrefix(text, "["), text[:20])
			}
		})
	}
}

func TestJSONIsCutByItsStructure(t *testing.T) {
	t.Parallel()
	var doc struct {
		Total int
		Items []map[string]any
	}
	for i := range 2_000 {
		doc.Items = append(doc.Items, map[string]any{"id": i, "name": strings.Repeat("n", i%50)})
	}
	raw, err := json.Marshal(doc)
	require.NoError(t, err)
	out, store := tell(t, pegboard.SessionConfig{}, pegboard.Info{}, pegboard.TextResult(string(raw)), nil)
	note, rest, _ := strings.Cut(out.Result.Text(), "\n")
	require.Contains(t, note, filepath.Join(store.Dir(), out.Result.Parts[0].Ref))
	require.True(t, json.Valid([]byte(rest)), rest)
	require.Contains(t, rest, `more items"`)
	stored := held(t, store, out.Result.Parts[0].Ref)
	require.JSONEq(t, string(raw), stored)
	require.Contains(t, note, fmt.Sprintf("%d bytes, %d lines", len(stored), strings.Count(stored, "\n")+1), "the notice counts what is stored")
}

func TestExternalToolsCannotOptOutOfLimits(t *testing.T) {
	t.Parallel()
	store := dirStore(t, pegboard.DirOptions{})
	s := session(t, pegboard.SessionConfig{Results: store, Permissions: rules(t, policy.ModeBypass, policy.RuleSet{})})
	var reg pegboard.Registry
	for name, limit := range map[string]int{"none": -1, "vast": 1 << 30, "some": 40_000} {
		_, err := reg.Attach(name, teller(pegboard.Info{Name: "t", MaxResult: limit}, func(c *pegboard.Call) (*pegboard.Result, error) {
			if strings.Contains(c.Name, "some") {
				return pegboard.TextResult(strings.Repeat("x", 40_000)), nil
			}
			return pegboard.TextResult(strings.Repeat("x", pegboard.MaxExternalResult+1)), nil
		}))
		require.NoError(t, err)
	}
	require.Len(t, run(t, &reg, s, call("1", "mcp__some__t", `{}`)).Result.Text(), 40_000)
	require.Less(t, len(run(t, &reg, s, call("2", "mcp__none__t", `{}`)).Result.Text()), 3_000)
	require.Less(t, len(run(t, &reg, s, call("3", "mcp__vast__t", `{}`)).Result.Text()), 3_000)
}

func TestTextOnDiskIsNotInMemory(t *testing.T) {
	t.Parallel()
	for _, n := range []int{10, 5_000} {
		reg := registryOf(t, pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: "T"}, Description: "For a test.", Traits: pegboard.Traits{ReadOnly: true},
			Call: func(ctx, struct{}, *pegboard.Call) (string, error) { return lines(n), nil },
		}))
		ex := executor(pegboard.Executor{})
		out := ex.Run(t.Context(), reg.AssemblePool(session(t, pegboard.SessionConfig{Results: dirStore(t, pegboard.DirOptions{})}), pegboard.PoolConfig{}), call("1", "T", `{}`))[0]
		require.Equal(t, n == 10, out.Result.Data != nil)
	}
}

func TestHooksSeeAndGiveLongResults(t *testing.T) {
	t.Parallel()
	store := dirStore(t, pegboard.DirOptions{})
	var seen string
	s := session(t, pegboard.SessionConfig{Results: store, Hooks: pegboard.Hooks{Post: func(_ ctx, h *pegboard.HookCall) error {
		seen = h.Outcome.Result.Text()
		h.Outcome.Result = pegboard.TextResult(lines(6_000))
		return nil
	}}})
	out := run(t, registryOf(t, teller(pegboard.Info{Name: "Tell"}, func(*pegboard.Call) (*pegboard.Result, error) { return pegboard.TextResult(lines(5_000)), nil })), s, call("1", "Tell", `{}`))
	require.Equal(t, lines(5_000), seen, "nothing was stored before")
	require.Contains(t, out.Result.Text(), "6000 lines")
	require.Len(t, files(t, store), 1, "what the hook took away is nowhere")
	require.Equal(t, lines(6_000), held(t, store, out.Result.Parts[0].Ref))
}

func idleHooks() pegboard.Hooks {
	idle := func(ctx, *pegboard.HookCall) error { return nil }
	return pegboard.Hooks{Post: idle, PostFailure: idle}
}

// A hook that changes nothing does not make the preview be stored as if it were the
// result.
func TestHookThatChangesNothingStoresNoPreview(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		info   pegboard.Info
		limits pegboard.ResultLimits
		text   string
		err    error
	}{
		{name: "a failure, default limits", text: strings.Repeat("0123456789\n", 3000), err: errors.New(strings.Repeat("0123456789\n", 3000))},
		{name: "a small limit of the tool", info: pegboard.Info{MaxResult: 1000}, text: strings.Repeat("0123456789\n", 3000)},
		{name: "a small limit of the session", limits: pegboard.ResultLimits{PerResult: 2000}, text: strings.Repeat("0123456789\n", 3000)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var r *pegboard.Result
			if tt.err == nil {
				r = pegboard.TextResult(tt.text)
			}
			out, store := tell(t, pegboard.SessionConfig{Hooks: idleHooks(), Limits: tt.limits}, tt.info, r, tt.err)
			require.Len(t, files(t, store), 1)
			require.Equal(t, tt.text, held(t, store, out.Result.Parts[0].Ref))
		})
	}
}

// The preview that Call.Store returned is not stored once more.
func TestPreviewOfCallStoreIsNotStoredAgain(t *testing.T) {
	t.Parallel()
	store := dirStore(t, pegboard.DirOptions{})
	s := session(t, pegboard.SessionConfig{Results: store})
	reg := registryOf(t, teller(pegboard.Info{Name: "Tell", MaxResult: 1000}, func(c *pegboard.Call) (*pegboard.Result, error) {
		p, err := c.Store(t.Context(), strings.NewReader(lines(5_000)))
		return &pegboard.Result{Parts: []pegboard.Part{p}}, err
	}))
	out := run(t, reg, s, call("1", "Tell", `{}`))
	require.Len(t, files(t, store), 1)
	require.Equal(t, lines(5_000), held(t, store, out.Result.Parts[0].Ref))
}

// Result.Data is dropped only when the result is in the store.
func TestDataStaysWhenTheStoreFails(t *testing.T) {
	t.Parallel()
	r := pegboard.TextResult(lines(5_000))
	r.Data = lines(5_000)
	out, _ := tell(t, pegboard.SessionConfig{Results: brokenStore{}}, pegboard.Info{}, r, nil)
	require.NotNil(t, out.Result.Data)
}

// Result.Messages enters the history as well, so the limits hold for it.
func TestMessagesOfAResultAreLimited(t *testing.T) {
	t.Parallel()
	bad := pegboard.Part{MIME: "image/png", Data: []byte("x")}
	out, _ := tell(t, pegboard.SessionConfig{}, pegboard.Info{}, &pegboard.Result{Parts: []pegboard.Part{{Text: "a"}}, Messages: []pegboard.Part{bad, {Text: lines(100_000)}}}, nil)
	require.Empty(t, out.Result.Messages[0].Data)
	require.Less(t, len(out.Result.Messages[1].Text), 100_000)
}

// A part that is shortened keeps its source, as search results need it.
func TestShortenedPartsKeepTheirSource(t *testing.T) {
	t.Parallel()
	out, _ := tell(t, pegboard.SessionConfig{}, pegboard.Info{}, &pegboard.Result{Parts: []pegboard.Part{
		{Text: lines(2_000), Title: "A", Source: "https://a.example"}, {Text: lines(2_000), Title: "B", Source: "https://b.example"}}}, nil)
	b, err := json.Marshal(out.Result.Parts)
	require.NoError(t, err)
	require.Contains(t, string(b), "https://b.example")
}

// The error of a call that did not run is shown to the model, so the limits hold for it.
func TestLongValidationErrorIsShortened(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{Results: dirStore(t, pegboard.DirOptions{})})
	reg := registryOf(t, pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "T"}, Description: "For a test.", Traits: pegboard.Traits{ReadOnly: true},
		Validate: func(ctx, struct{}, *pegboard.Call) error { return errors.New(lines(50_000)) },
		Call:     func(ctx, struct{}, *pegboard.Call) (string, error) { return "", nil },
	}))
	require.Less(t, len(run(t, reg, s, call("1", "T", `{}`)).Result.Text()), 30_000)
}

// A tool without a limit for results still has one for errors.
func TestErrorOfAToolWithoutLimitIsShortened(t *testing.T) {
	t.Parallel()
	out, _ := tell(t, pegboard.SessionConfig{}, pegboard.Info{MaxResult: -1}, nil, errors.New(lines(100_000)))
	require.Less(t, len(out.Result.Text()), 100_000)
}

// When the store fails, the head of a result is shown, also if PerError is negative.
func TestResultIsShownWhenTheStoreFailsAndErrorsHaveNoLimit(t *testing.T) {
	t.Parallel()
	out, _ := tell(t, pegboard.SessionConfig{Results: brokenStore{}, Limits: pegboard.ResultLimits{PerError: -1}}, pegboard.Info{}, pegboard.TextResult(lines(5_000)), nil)
	require.Contains(t, out.Result.Text(), "line 00001")
}

// A result that a Post hook withholds is not in the store either.
func TestWithheldResultIsNotStored(t *testing.T) {
	t.Parallel()
	out, store := tell(t, pegboard.SessionConfig{Hooks: pegboard.Hooks{OnFailure: pegboard.FailBlock, Post: func(_ ctx, h *pegboard.HookCall) error {
		if strings.Contains(h.Outcome.Result.Text(), "SECRET") {
			return errors.New("no")
		}
		return nil
	}}}, pegboard.Info{}, pegboard.TextResult(lines(5_000)+"SECRET"), nil)
	require.True(t, out.Result.IsError, "the hook was not shown the secret")
	require.Empty(t, files(t, store))
}

func TestResultOfABatchHookIsLimited(t *testing.T) {
	t.Parallel()
	store := dirStore(t, pegboard.DirOptions{})
	bad := pegboard.Part{MIME: "image/png", Data: []byte("x")}
	s := session(t, pegboard.SessionConfig{Results: store, Hooks: pegboard.Hooks{Batch: func(_ ctx, outs []pegboard.Outcome) error {
		outs[0].Result = &pegboard.Result{Parts: []pegboard.Part{{Text: lines(100_000)}, bad}}
		return nil
	}}})
	out := run(t, registryOf(t, teller(pegboard.Info{Name: "Tell"}, func(*pegboard.Call) (*pegboard.Result, error) { return pegboard.TextResult("a"), nil })), s, call("1", "Tell", `{}`))
	require.Less(t, len(out.Result.Text()), 30_000)
	require.Empty(t, out.Result.Parts[1].Data)
}

func picture(t testing.TB, w, h int) pegboard.Part {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))))
	return pegboard.Part{MIME: "image/png", Data: b.Bytes()}
}

func TestImagesMustFit(t *testing.T) {
	t.Parallel()
	small := picture(t, 10, 10)
	wrong := small
	wrong.MIME = "image/jpeg"
	huge := pegboard.Part{MIME: "image/png", Data: append(bytes.Clone(small.Data), make([]byte, 4<<20)...)}
	smaller := func(_ ctx, p pegboard.Part) (pegboard.Part, error) { return small, nil }
	broken := func(ctx, pegboard.Part) (pegboard.Part, error) { return pegboard.Part{}, errors.New("no") }
	panics := func(ctx, pegboard.Part) (pegboard.Part, error) { panic("no") }
	tests := []struct {
		name   string
		limits pegboard.ResultLimits
		parts  []pegboard.Part
		want   []pegboard.Part // Text is what the part must say
		stored int
	}{
		{name: "small", parts: []pegboard.Part{small}, want: []pegboard.Part{small}},
		{name: "of another type than it says", parts: []pegboard.Part{wrong}, want: []pegboard.Part{small}},
		{name: "too many bytes in base64", parts: []pegboard.Part{{Text: "a"}, huge}, want: []pegboard.Part{{Text: "a"}, {Text: "in base64"}}, stored: 1},
		{name: "too wide", parts: []pegboard.Part{picture(t, 8_001, 1)}, want: []pegboard.Part{{Text: "8001 by 1 pixels"}}, stored: 1},
		{name: "too many pixels", limits: pegboard.ResultLimits{Images: pegboard.ImageLimits{Pixels: 99}}, parts: []pegboard.Part{small}, want: []pegboard.Part{{Text: "at most 99"}}, stored: 1},
		{name: "no limits", limits: pegboard.ResultLimits{Images: pegboard.ImageLimits{Bytes: -1, Edge: -1, Pixels: -1, Count: -1}}, parts: []pegboard.Part{huge}, want: []pegboard.Part{huge}},
		{name: "too many", limits: pegboard.ResultLimits{Images: pegboard.ImageLimits{Count: 1}}, parts: []pegboard.Part{small, small}, want: []pegboard.Part{small, {Text: "1 at most"}}, stored: 1},
		{name: "no image at all", parts: []pegboard.Part{{MIME: "image/png", Data: []byte("x")}}, want: []pegboard.Part{{Text: "cannot be shown"}}, stored: 1},
		{name: "made smaller", limits: pegboard.ResultLimits{Downscale: smaller}, parts: []pegboard.Part{huge}, want: []pegboard.Part{small}},
		{name: "not made smaller", limits: pegboard.ResultLimits{Downscale: broken}, parts: []pegboard.Part{huge}, want: []pegboard.Part{{Text: "in base64"}}, stored: 1},
		{name: "a crash", limits: pegboard.ResultLimits{Downscale: panics}, parts: []pegboard.Part{huge}, want: []pegboard.Part{{Text: "in base64"}}, stored: 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out, store := tell(t, pegboard.SessionConfig{Limits: tt.limits}, pegboard.Info{}, &pegboard.Result{Parts: tt.parts}, nil)
			require.Len(t, out.Result.Parts, len(tt.want))
			for i, want := range tt.want {
				got := out.Result.Parts[i]
				if want.Text != "" {
					require.Contains(t, got.Text, want.Text)
					require.Empty(t, got.Data)
					continue
				}
				require.Equal(t, want, got)
			}
			require.Len(t, files(t, store), tt.stored)
		})
	}
}

// The media type of an image counts in any case, with space before it and with
// parameters.
func TestImageTypeMayBeSpelledInManyWays(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"IMAGE/PNG", "Image/png", " image/png", "image/png; x=y"} {
		out, _ := tell(t, pegboard.SessionConfig{}, pegboard.Info{}, &pegboard.Result{Parts: []pegboard.Part{{MIME: kind, Data: []byte("nonsense")}}}, nil)
		require.Empty(t, out.Result.Parts[0].Data, kind)
	}
}

// An image that is refused does not count towards the number that is shown.
func TestRefusedImageDoesNotCount(t *testing.T) {
	t.Parallel()
	good := picture(t, 10, 10)
	out, _ := tell(t, pegboard.SessionConfig{Limits: pegboard.ResultLimits{Images: pegboard.ImageLimits{Count: 1}}}, pegboard.Info{},
		&pegboard.Result{Parts: []pegboard.Part{{MIME: "image/svg+xml", Data: []byte("<svg/>")}, good}}, nil)
	require.Equal(t, good.Data, out.Result.Parts[1].Data)
}

// When Downscale returns an empty part, the model reads a note.
func TestEmptyDownscaledImageLeavesANote(t *testing.T) {
	t.Parallel()
	limits := pegboard.ResultLimits{Downscale: func(ctx, pegboard.Part) (pegboard.Part, error) { return pegboard.Part{}, nil }}
	out, _ := tell(t, pegboard.SessionConfig{Limits: limits}, pegboard.Info{}, &pegboard.Result{Parts: []pegboard.Part{picture(t, 9_000, 1)}}, nil)
	require.NotEmpty(t, out.Result.Text(), "the model sees nothing at all")
}

func TestCallStore(t *testing.T) {
	t.Parallel()
	store := dirStore(t, pegboard.DirOptions{})
	s := session(t, pegboard.SessionConfig{Results: store})
	broken := errors.New("the line broke")
	reg := registryOf(t, teller(pegboard.Info{Name: "Tell"}, func(c *pegboard.Call) (*pegboard.Result, error) {
		p, err := c.Store(t.Context(), strings.NewReader(lines(100_000)))
		require.NoError(t, err)
		cut, err := c.Store(t.Context(), io.MultiReader(strings.NewReader(lines(10)), iotestErr{broken}))
		require.ErrorIs(t, err, broken)
		require.Contains(t, cut.Text, "line 00010")
		return &pegboard.Result{Parts: []pegboard.Part{p}}, nil
	}))
	out := run(t, reg, s, call("1", "Tell", `{}`))
	require.Contains(t, out.Result.Text(), "1100001 bytes, 100000 lines")
	require.Equal(t, lines(100_000), held(t, store, out.Result.Parts[0].Ref))
	_, err := new(pegboard.Call).Store(t.Context(), strings.NewReader(""))
	require.ErrorIs(t, err, pegboard.ErrDenied)
}

type iotestErr struct{ err error }

func (r iotestErr) Read([]byte) (int, error) { return 0, r.err }

// The error of Call.Store is that of its reader or of its context.
func TestCallStoreReturnsTheErrorOfItsContext(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{Results: dirStore(t, pegboard.DirOptions{})})
	got := make(chan error, 1)
	reg := registryOf(t, teller(pegboard.Info{Name: "Tell"}, func(c *pegboard.Call) (*pegboard.Result, error) {
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		p, err := c.Store(cancelled, strings.NewReader(lines(20_000)))
		got <- err
		return &pegboard.Result{Parts: []pegboard.Part{p}}, nil
	}))
	run(t, reg, s, call("1", "Tell", `{}`))
	require.ErrorIs(t, <-got, context.Canceled)
}

func TestCallStoreOfAnEndlessReaderEndsWithItsContext(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{Results: dirStore(t, pegboard.DirOptions{})})
	got := make(chan error, 1)
	reg := registryOf(t, teller(pegboard.Info{Name: "Tell"}, func(c *pegboard.Call) (*pegboard.Result, error) {
		soon, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		stop := make(chan struct{})
		time.AfterFunc(time.Minute, func() { close(stop) })
		_, err := c.Store(soon, readerFunc(func(p []byte) (int, error) {
			select {
			case <-stop:
				return 0, io.EOF
			default:
				return len(p), nil
			}
		}))
		got <- err
		return pegboard.TextResult("ok"), nil
	}))
	run(t, reg, s, call("1", "Tell", `{}`))
	require.ErrorIs(t, <-got, context.DeadlineExceeded)
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// TestStoredResultsAreReadUnasked and not stored again.
func TestStoredResultsAreReadUnasked(t *testing.T) {
	t.Parallel()
	store := dirStore(t, pegboard.DirOptions{})
	s := session(t, pegboard.SessionConfig{Results: store})
	long := pegboard.TextResult(lines(5_000))
	first := run(t, registryOf(t, teller(pegboard.Info{Name: "Tell"}, func(*pegboard.Call) (*pegboard.Result, error) { return long, nil })), s, call("1", "Tell", `{}`))
	path := filepath.Join(store.Dir(), first.Result.Parts[0].Ref)
	reg := registryOf(t, teller(pegboard.Info{Name: "Show"}, func(*pegboard.Call) (*pegboard.Result, error) { return long, nil },
		policy.Target{Kind: policy.Path, Access: policy.Read, Value: path}))
	again := run(t, reg, s, call("2", "Show", `{}`))
	require.NoError(t, again.Err, "nobody was there to ask")
	require.Len(t, files(t, store), 1)
	require.Empty(t, again.Result.Parts[0].Ref)
	require.Contains(t, again.Result.Text(), "ask for less at once")
	require.Greater(t, len(again.Result.Text()), 25_000, "who reads on wants to read")

	fork, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, AgentID: "a1"})
	require.NoError(t, err)
	require.NoError(t, run(t, reg, fork, call("3", "Show", `{}`)).Err)
	_, err = s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, Results: store})
	require.ErrorContains(t, err, "Results")
}
