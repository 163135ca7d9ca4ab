package pegboard_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
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
	require.LessOrEqual(t, len(rest), pegboard.DefaultPreview)
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
	s := session(t, pegboard.SessionConfig{Results: store, Permissions: rules(t, pegboard.ModeBypass, pegboard.RuleSet{})})
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

// shownTool returns a tool whose results tell shown what the model is sent. Its input says
// what becomes of the call.
func shownTool(shown func(*pegboard.Session, pegboard.Outcome)) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct {
		Become string `json:"become,omitempty"`
	}, *pegboard.Result]{
		Info: pegboard.Info{Name: "T"}, Description: "For a test.",
		Call: func(_ ctx, in struct {
			Become string `json:"become,omitempty"`
		}, _ *pegboard.Call) (*pegboard.Result, error) {
			r := pegboard.TextResult("text")
			r.Shown = shown
			if in.Become == "error" {
				return r, errors.New("no")
			}
			r.IsError = in.Become == "failed"
			return r, nil
		},
	})
}

// TestShown: a result is told that it is shown when the model is sent it, and once.
func TestShown(t *testing.T) {
	t.Parallel()
	replace := func(text string) func(context.Context, *pegboard.HookCall) error {
		return func(_ context.Context, h *pegboard.HookCall) error {
			changed := *h.Outcome.Result
			changed.Parts = []pegboard.Part{{Text: text}}
			h.Outcome.Result = &changed
			return nil
		}
	}
	for _, tt := range []struct {
		name  string
		hooks pegboard.Hooks
		calls []pegboard.Call
		want  []string // call and text
	}{
		{name: "sent", calls: []pegboard.Call{call("1", "T", `{}`)}, want: []string{"1 text"}},
		{name: "several", calls: []pegboard.Call{call("1", "T", `{}`), call("2", "T", `{}`)}, want: []string{"1 text", "2 text"}},
		{name: "a failure that the tool reports", calls: []pegboard.Call{call("1", "T", `{"become":"failed"}`)}, want: []string{"1 text"}},
		{name: "beside an error", calls: []pegboard.Call{call("1", "T", `{"become":"error"}`)}},
		{name: "not run", calls: []pegboard.Call{call("1", "T", `{"other":1}`)}},
		{name: "of a script", calls: []pegboard.Call{call("1", "Script", `{}`)}},
		{name: "changed by a hook", hooks: pegboard.Hooks{Post: replace("other")}, calls: []pegboard.Call{call("1", "T", `{}`)}, want: []string{"1 other"}},
		{name: "changed at the end", hooks: pegboard.Hooks{Batch: func(_ context.Context, outs []pegboard.Outcome) error {
			changed := *outs[0].Result
			changed.Parts = []pegboard.Part{{Text: "last"}}
			outs[0].Result = &changed
			return nil
		}}, calls: []pegboard.Call{call("1", "T", `{}`)}, want: []string{"1 last"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cfg := bypass(t)
			cfg.Hooks = tt.hooks
			s := session(t, cfg)
			var got []string
			tool := shownTool(func(told *pegboard.Session, o pegboard.Outcome) {
				require.Same(t, s, told)
				got = append(got, o.Call.ID+" "+o.Result.Text())
			})
			script, _ := script("Script", call("in", "T", `{}`))
			ex := executor(pegboard.Executor{})
			ex.Run(t.Context(), registryOf(t, tool, script).AssemblePool(s, pegboard.PoolConfig{}), tt.calls...)
			require.Equal(t, tt.want, got)
		})
	}
}

// TestShownInAStream: results of a reply that was abandoned are not sent.
func TestShownInAStream(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		end   func(*pegboard.Stream)
		shown bool
	}{
		{name: "finished", end: func(s *pegboard.Stream) { s.Finish(pegboard.FinishToolCalls) }, shown: true},
		{name: "abandoned", end: func(s *pegboard.Stream) { s.Abandon(nil) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			shown := false
			ended := make(chan struct{})
			ex := executor(pegboard.Executor{StartWritesEarly: true, OnEvent: func(e pegboard.Event) {
				if e.Kind == pegboard.EventFinished {
					close(ended)
				}
			}})
			st := ex.Stream(t.Context(), registryOf(t, shownTool(func(*pegboard.Session, pegboard.Outcome) { shown = true })).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}))
			st.Submit(call("1", "T", `{}`))
			<-ended // so that the call itself succeeds
			tt.end(st)
			for o := range st.Outcomes() {
				require.NoError(t, o.Err)
			}
			require.Equal(t, tt.shown, shown)
		})
	}
}

// TestShownThatCrashes loses no outcome, nor the news of another.
func TestShownThatCrashes(t *testing.T) {
	t.Parallel()
	told := 0
	tool := shownTool(func(*pegboard.Session, pegboard.Outcome) { told++; panic("boom") })
	ex := executor(pegboard.Executor{})
	outs := ex.Run(t.Context(), registryOf(t, tool).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}), call("1", "T", `{}`), call("2", "T", `{}`))
	for _, o := range outs {
		require.NoError(t, o.Err)
		require.Equal(t, "text", o.Result.Text())
	}
	require.Equal(t, 2, told)
}

// suppliedTool returns a tool without a Call and with the output type Out.
func suppliedTool[Out any](result func(Out) *pegboard.Result) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, Out]{Info: pegboard.Info{Name: "T", Supplied: true}, Description: "For a test.", Result: result})
}

// suppliedRaw is suppliedTool for schemas that are data.
func suppliedRaw(t *testing.T, output string) pegboard.Tool {
	t.Helper()
	tool, err := pegboard.BuildRaw(json.RawMessage(`{"type":"object"}`), pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info: pegboard.Info{Name: "T", Supplied: true}, Description: "For a test.", OutputSchema: json.RawMessage(output),
	})
	require.NoError(t, err)
	return tool
}

// TestSupply supplies outputs of every kind. What is wrong with one is told to the host and
// not to the model, and the call stays open.
func TestSupply(t *testing.T) {
	t.Parallel()
	boom := errors.New("the tab crashed")
	tests := []struct {
		name  string
		tool  pegboard.Tool
		wrong []string // outputs
		says  string   // of the last wrong one
		out   pegboard.Supply
		text  string
		data  any
		is    error
	}{
		{
			name: "a struct", tool: suppliedTool[page](nil),
			wrong: []string{``, ` `, `{`, `null`, `[]`, `"x"`, `{}`, `{"links":["a"]}`, `{"Title":"a"}`, `{"title":"a"} {}`, `{"title":"a","title":"b"}`, `{"title":"a","size":1}`, `{"title":1}`},
			says:  "title", out: pegboard.Supply{Output: []byte(`{"title":"a"}`)}, text: `{"title":"a"}`, data: page{Title: "a"},
		},
		{
			name: "a pointer", tool: suppliedTool[*page](nil), wrong: []string{`null`, `{}`, `{"title":[]}`},
			says: "title", out: pegboard.Supply{Output: []byte(`{"title":"a","links":["b"]}`)}, text: `{"title":"a","links":["b"]}`, data: &page{Title: "a", Links: []string{"b"}},
		},
		{
			name: "a text", tool: suppliedTool[string](nil), wrong: []string{`a`, `1`, `null`},
			says: "null is no string", out: pegboard.Supply{Output: []byte(`"a\nb"`)}, text: "a\nb", data: "a\nb",
		},
		{
			name: "a list", tool: suppliedTool[[]int](nil), wrong: []string{`[1,"2"]`, `{}`},
			says: "object", out: pegboard.Supply{Output: []byte(`[1,2]`)}, text: "[1,2]", data: []int{1, 2},
		},
		{
			name: "a duration, as encoding/json writes it", tool: suppliedTool[time.Duration](nil), wrong: []string{`"1s"`},
			says: "string", out: pegboard.Supply{Output: []byte(`1000`)}, text: "1000", data: time.Microsecond,
		},
		{
			name: "mapped by Result", tool: suppliedTool(func(p page) *pegboard.Result { return pegboard.TextResult("title " + p.Title) }),
			out: pegboard.Supply{Output: []byte(`{"title":"a"}`)}, text: "title a", data: page{Title: "a"},
		},
		{
			name: "any JSON", tool: suppliedRaw(t, ""), wrong: []string{`{`, `{"a":1,"a":2}`},
			says: "a", out: pegboard.Supply{Output: []byte(`{"a": 1}`)}, text: `{"a": 1}`, data: json.RawMessage(`{"a": 1}`),
		},
		{
			name: "JSON of a schema", tool: suppliedRaw(t, `{"type":"object","properties":{"n":{"type":"integer","maximum":3}},"required":["n"]}`), wrong: []string{`{}`, `[]`, `{"n":4}`},
			says: "n", out: pegboard.Supply{Output: []byte(`{"n":3}`)}, text: `{"n":3}`, data: json.RawMessage(`{"n":3}`),
		},
		{
			name: "a result", tool: suppliedTool[page](nil),
			out: pegboard.Supply{Result: &pegboard.Result{Parts: []pegboard.Part{{Text: "words"}}, Data: 1}}, text: "words", data: 1,
		},
		{
			name: "an empty result", tool: suppliedTool[page](nil), out: pegboard.Supply{Result: &pegboard.Result{}}, text: "(T ran and returned nothing)",
		},
		{name: "an error", tool: suppliedTool[page](nil), out: pegboard.Supply{Err: boom}, is: boom, text: "the tab crashed"},
		{
			name: "an error and a part", tool: suppliedTool[page](nil),
			out: pegboard.Supply{Output: []byte(`{"title":"a"}`), Err: boom}, is: boom, text: "the tab crashed\n" + `{"title":"a"}`, data: page{Title: "a"},
		},
		{name: "later", tool: suppliedTool[page](nil), out: pegboard.Supply{Err: pegboard.ErrDeferred}, is: pegboard.ErrDeferred, text: "T has not been answered yet. The answer comes later."},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s, pool := browsing(t, bypass(t), tc.tool)
			h := &host{execute: func(a *pegboard.AwaitedCall) {
				require.ErrorIs(t, a.Supply(pegboard.Supply{}), pegboard.ErrInvalidOutput)
				require.ErrorIs(t, a.Supply(pegboard.Supply{Output: []byte(`{}`), Result: &pegboard.Result{}}), pegboard.ErrInvalidOutput)
				var last error
				for _, wrong := range tc.wrong {
					last = a.Supply(pegboard.Supply{Output: []byte(wrong)})
					require.ErrorIs(t, last, pegboard.ErrInvalidOutput, wrong)
					require.Len(t, s.Awaited(), 1, "the call stays open after %s", wrong)
				}
				if last != nil {
					require.ErrorContains(t, last, tc.says)
				}
				require.NoError(t, s.Supply(a.ID, tc.out))
				require.ErrorIs(t, s.Supply(a.ID, tc.out), pegboard.ErrNotAwaited, "it was supplied")
			}}
			ex := executor(pegboard.Executor{OnEvent: h.listen})
			o := ex.Run(t.Context(), pool, call("", "T", `{}`))[0]
			require.ErrorIs(t, o.Err, tc.is)
			require.Equal(t, tc.is != nil, o.Result.IsError)
			require.Equal(t, tc.text, o.Result.Text())
			require.Equal(t, tc.data, o.Result.Data)
			require.Empty(t, s.Awaited())
		})
	}
}

// A func of the tool's author that fails on an output fails the call, and harms no host.
func TestSupplyWhoseMappingPanics(t *testing.T) {
	t.Parallel()
	_, pool := browsing(t, bypass(t), suppliedTool(func(page) *pegboard.Result { panic("oh") }))
	h := &host{execute: func(a *pegboard.AwaitedCall) { sayTitle(t, a, "a") }}
	ex := executor(pegboard.Executor{OnEvent: h.listen})
	o := ex.Run(t.Context(), pool, call("1", "T", `{}`))[0]
	require.ErrorIs(t, o.Err, pegboard.ErrPanic)
}

// prickly cannot be decoded.
type prickly struct{}

func (*prickly) UnmarshalJSON([]byte) error { panic("oh") }

func TestSupplyWhoseDecodingPanics(t *testing.T) {
	t.Parallel()
	s, pool := browsing(t, bypass(t), suppliedTool[prickly](nil))
	h := &host{execute: func(a *pegboard.AwaitedCall) {
		require.ErrorIs(t, a.Supply(pegboard.Supply{Output: []byte(`{}`)}), pegboard.ErrInvalidOutput)
		require.NoError(t, s.Supply(a.ID, pegboard.Supply{Result: pegboard.TextResult("otherwise")}))
	}}
	ex := executor(pegboard.Executor{OnEvent: h.listen})
	require.Equal(t, "otherwise", ex.Run(t.Context(), pool, call("1", "T", `{}`))[0].Result.Text())
}

// TestSupplyIsExplicit: a tool without a Call is never one by accident.
func TestSupplyIsExplicit(t *testing.T) {
	t.Parallel()
	does := func(ctx, struct{}, *pegboard.Call) (string, error) { return "", nil }
	tests := []struct {
		name  string
		info  pegboard.Info
		call  func(ctx, struct{}, *pegboard.Call) (string, error)
		field string
	}{
		{name: "no Call", field: "Call"},
		{name: "both", info: pegboard.Info{Supplied: true}, call: does, field: "Call"},
		{name: "cannot be detached", info: pegboard.Info{Supplied: true, Interrupt: pegboard.InterruptDetach}, field: "Info.Interrupt"},
		{name: "is not attempted again", info: pegboard.Info{Supplied: true, Retry: pegboard.RetryPolicy{Attempts: 2}}, field: "Info.Retry"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tc.info.Name = "T"
			_, err := pegboard.TryBuild(pegboard.Definition[struct{}, string]{Info: tc.info, Description: "For a test.", Call: tc.call})
			var wrong *pegboard.BuildError
			require.ErrorAs(t, err, &wrong)
			require.Equal(t, tc.field, wrong.Field)
			require.ErrorContains(t, err, "host executes")
		})
	}
}
