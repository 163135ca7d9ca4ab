package files_test

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

// TestSmaller lets an image through that no provider would take.
func TestSmaller(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, 4000, 1000))))
	screen := pegboard.Build(pegboard.Definition[struct{}, *pegboard.Result]{
		Info: pegboard.Info{Name: "Screen"}, Description: "Shows the screen.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(ctx, struct{}, *pegboard.Call) (*pegboard.Result, error) {
			return &pegboard.Result{Parts: []pegboard.Part{{MIME: "image/png", Data: b.Bytes()}}}, nil
		},
	})
	show := func(limits pegboard.ResultLimits) pegboard.Part {
		s, err := pegboard.NewSession(pegboard.SessionConfig{Limits: limits})
		require.NoError(t, err)
		defer func() { require.NoError(t, s.Close(t.Context())) }()
		var reg pegboard.Registry
		require.NoError(t, reg.Add(screen))
		var ex pegboard.Executor
		return ex.Run(t.Context(), reg.AssemblePool(s, pegboard.PoolConfig{}), pegboard.Call{ID: "1", Name: "Screen", Input: json.RawMessage(`{}`)})[0].Result.Parts[0]
	}
	require.Contains(t, show(pegboard.ResultLimits{}).Text, "4000 by 1000 pixels")
	p := show(pegboard.ResultLimits{Downscale: files.Smaller})
	require.Equal(t, "image/png", p.MIME)
	size, err := png.DecodeConfig(bytes.NewReader(p.Data))
	require.NoError(t, err)
	require.Equal(t, files.MaxImageEdge, size.Width)

	_, err = files.Smaller(t.Context(), pegboard.Part{MIME: "image/png", Data: []byte("no image")})
	require.Error(t, err)
}
