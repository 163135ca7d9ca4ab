package inspect_test

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/browser"
)

// screenshots are the pictures of docs/inspector.md: a file, and the path of the page.
var screenshots = []struct{ file, path string }{
	{"questions", "/"},
	{"timeline", "/timeline"},
	{"call", "/call?n=4"},
	{"pools", "/pools?name=mcp__forge__broken"},
	{"rules", "/rules"},
}

// TestScreenshots makes the pictures of docs/inspector.md. With PEGBOARD_UPDATE=1 it writes
// them.
func TestScreenshots(t *testing.T) {
	t.Parallel()
	const width, height = 1000, 720
	dir := t.TempDir()
	if os.Getenv("PEGBOARD_UPDATE") != "" { // the path can be read in the pictures
		dir = filepath.Join(os.TempDir(), "shop")
		require.NoError(t, os.Mkdir(dir, 0o700))
		t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	}
	s := newScene(t, dir)
	b := browser.Start(t)
	ended := s.play(t)
	p := s.open(t, b, browser.Options{Width: width, Height: height})
	document, err := os.ReadFile(filepath.Join("..", "docs", "inspector.md"))
	require.NoError(t, err)
	for _, shot := range screenshots {
		p.Go(s.address + shot.path)
		picture, err := png.Decode(bytes.NewReader(p.Screenshot()))
		require.NoError(t, err)
		var small bytes.Buffer
		require.NoError(t, (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, withPalette(picture)))
		require.Less(t, small.Len(), 80_000, shot.file)
		name := filepath.Join("inspector", shot.file+".png")
		if os.Getenv("PEGBOARD_UPDATE") != "" {
			require.NoError(t, os.WriteFile(filepath.Join("..", "docs", name), small.Bytes(), 0o644)) //nolint:gosec // a document
		}
		require.Contains(t, string(document), "("+filepath.ToSlash(name)+")", "the page shows each picture")
		committed, err := os.ReadFile(filepath.Join("..", "docs", name))
		require.NoError(t, err)
		config, err := png.DecodeConfig(bytes.NewReader(committed))
		require.NoError(t, err)
		require.Equal(t, []int{width, height}, []int{config.Width, config.Height}, "made by this test: %s", name)
	}
	answers(t, s.bench)
	<-ended
}

// withPalette returns a picture with the 256 colours that are most frequent, which makes a
// small file. The others, at the edges of letters, become the nearest of them.
func withPalette(picture image.Image) image.Image {
	bounds := picture.Bounds()
	count := map[color.Color]int{}
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			count[picture.At(x, y)]++
		}
	}
	colours := slices.SortedFunc(maps.Keys(count), func(a, b color.Color) int { return cmp.Compare(count[b], count[a]) })
	small := image.NewPaletted(bounds, colours[:min(len(colours), 256)])
	draw.Draw(small, bounds, picture, bounds.Min, draw.Src)
	return small
}
