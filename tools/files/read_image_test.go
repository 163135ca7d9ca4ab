package files_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

// The corners of the images in these tests, clockwise from the top left.
var corners = [4]color.NRGBA{{R: 255, A: 255}, {G: 255, A: 255}, {B: 255, A: 255}, {R: 255, G: 255, A: 255}}

// quarters returns an image of four quarters in the colours of corners.
func quarters(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			at := 0
			switch right, low := x >= w/2, y >= h/2; {
			case right && low:
				at = 2
			case right:
				at = 1
			case low:
				at = 3
			}
			img.SetNRGBA(x, y, corners[at])
		}
	}
	return img
}

// noise returns an image that no encoder makes small.
func noise(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range img.Pix {
		img.Pix[i] = byte(rnd.Uint32())
		if i%4 == 3 {
			img.Pix[i] = 255
		}
	}
	return img
}

// encoded returns img in the format of a media type.
func encoded(t testing.TB, kind string, img image.Image) string {
	t.Helper()
	var b bytes.Buffer
	var err error
	switch kind {
	case "image/png":
		err = png.Encode(&b, img)
	case "image/jpeg":
		err = jpeg.Encode(&b, img, &jpeg.Options{Quality: 95})
	case "image/gif":
		err = gif.Encode(&b, img, nil)
	case "image/bmp":
		err = bmp.Encode(&b, img)
	case "image/tiff":
		err = tiff.Encode(&b, img, nil)
	}
	require.NoError(t, err)
	return b.String()
}

// webpPixel is a lossless WebP of one red pixel: a signature, the size, no
// transform, no colour cache, one group of prefix codes of one symbol each.
func webpPixel(t testing.TB) string {
	t.Helper()
	// 0x2F; 14 bits 0, 14 bits 0, alpha 0, version 000; then, low bits first:
	// 0 transform, 0 cache, 0 meta, and five simple codes: green 0, red 255,
	// blue 0, alpha 255, distance 0.
	bits := "0" + "0" + "0"
	for _, symbol := range []int{0, 255, 0, 255, 0} {
		if symbol == 0 {
			bits += "1" + "0" + "0" + "0"
			continue
		}
		bits += "1" + "0" + "1" // simple, one symbol, of eight bits
		for i := range 8 {
			bits += fmt.Sprint(symbol >> i & 1)
		}
	}
	body := []byte{0x2F, 0, 0, 0, 0}
	for i := 0; i < len(bits); i += 8 {
		var b byte
		for j, c := range bits[i:min(i+8, len(bits))] {
			b |= byte(c-'0') << j
		}
		body = append(body, b)
	}
	for len(body)%2 != 0 {
		body = append(body, 0)
	}
	out := append([]byte("RIFF"), binary.LittleEndian.AppendUint32(nil, uint32(12+len(body)))...)
	out = append(out, "WEBPVP8L"...)
	return string(append(binary.LittleEndian.AppendUint32(out, uint32(len(body))), body...))
}

// withOrientation puts an EXIF segment into a JPEG.
func withOrientation(data string, order binary.AppendByteOrder, o uint16) string {
	mark := "II*\x00"
	if order.String() == binary.BigEndian.String() {
		mark = "MM\x00*"
	}
	exif := append([]byte("Exif\x00\x00"), mark...)
	exif = order.AppendUint32(exif, 8)
	exif = order.AppendUint16(exif, 2)
	exif = append(order.AppendUint32(order.AppendUint16(order.AppendUint16(exif, 0x0100), 3), 1), 0, 0, 0, 0) // the width
	exif = order.AppendUint32(order.AppendUint16(order.AppendUint16(exif, 0x0112), 3), 1)
	exif = append(order.AppendUint16(exif, o), 0, 0)
	exif = order.AppendUint32(exif, 0)
	segment := binary.BigEndian.AppendUint16([]byte{0xFF, 0xE1}, uint16(len(exif)+2))
	return data[:2] + string(segment) + string(exif) + data[2:]
}

// TestReadShowsSmallImagesAsTheyAre compares bytes.
func TestReadShowsSmallImagesAsTheyAre(t *testing.T) {
	t.Parallel()
	images := map[string]string{"image/webp": webpPixel(t)}
	for _, kind := range []string{"image/png", "image/jpeg", "image/gif"} {
		images[kind] = encoded(t, kind, quarters(40, 30))
	}
	images["image/jpeg"] = withOrientation(images["image/jpeg"], binary.BigEndian, 1)
	for kind, data := range images {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{MaxImageBytes: int64(len(data)), MaxImageEdge: 40}))
			result, img := g.show(t, "i", data)
			require.Len(t, result.Parts, 1)
			require.Equal(t, data, string(img.Data))
			require.Equal(t, kind, img.MIME)
			require.Equal(t, img.Dimensions.OriginalWidth, img.Dimensions.DisplayWidth)

			out := g.call(t.Context(), t, "Read", map[string]any{"file_path": g.put(t, "i", data+"x")})
			require.True(t, out.Result.IsError)
			require.Contains(t, out.Result.Text(), fmt.Sprintf("%d bytes, more than the %d that are decoded", len(data)+1, len(data)))
		})
	}
}

// TestReadMakesImagesSmaller checks the size, the corners and what is said.
func TestReadMakesImagesSmaller(t *testing.T) {
	t.Parallel()
	tests := []struct {
		kind, becomes string
		w, h          int
		wantW, wantH  int
		says          string
	}{
		{kind: "image/png", becomes: "image/png", w: 200, h: 100, wantW: 50, wantH: 25, says: "[The image has 200 x 100 pixels and is shown as image/png with 50 x 25; multiply coordinates by 4 to get those in the file.]"},
		{kind: "image/png", becomes: "image/png", w: 60, h: 90, wantW: 33, wantH: 50, says: "60 x 90 pixels and is shown as image/png with 33 x 50"},
		{kind: "image/png", becomes: "image/png", w: 51, h: 51, wantW: 50, wantH: 50, says: "51 x 51 pixels"},
		{kind: "image/png", becomes: "image/png", w: 1001, h: 4, wantW: 50, wantH: 1, says: "1001 x 4 pixels"},
		{kind: "image/jpeg", becomes: "image/jpeg", w: 200, h: 200, wantW: 50, wantH: 50, says: "is shown as image/jpeg with 50 x 50"},
		{kind: "image/gif", becomes: "image/png", w: 200, h: 100, wantW: 50, wantH: 25, says: "with 50 x 25; multiply coordinates by 4 to get those in the file.]"},
		{kind: "image/bmp", becomes: "image/png", w: 40, h: 20, wantW: 40, wantH: 20, says: "[The image has 40 x 20 pixels and is shown as image/png.]"},
		{kind: "image/tiff", becomes: "image/png", w: 100, h: 50, wantW: 50, wantH: 25, says: "is shown as image/png with 50 x 25"},
	}
	for _, tc := range tests {
		t.Run(fmt.Sprint(tc.kind, tc.w, tc.h), func(t *testing.T) {
			t.Parallel()
			g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{MaxImageEdge: 50}))
			result, img := g.show(t, "i", encoded(t, tc.kind, quarters(tc.w, tc.h)))
			require.Contains(t, result.Text(), tc.says)
			require.Equal(t, tc.becomes, img.MIME)
			require.Equal(t, files.Dimensions{OriginalWidth: tc.w, OriginalHeight: tc.h, DisplayWidth: tc.wantW, DisplayHeight: tc.wantH}, img.Dimensions)
			shown, kind, err := image.Decode(bytes.NewReader(img.Data))
			require.NoError(t, err)
			require.Equal(t, tc.becomes, "image/"+kind)
			require.Equal(t, image.Pt(tc.wantW, tc.wantH), shown.Bounds().Size())
			if tc.wantH > 1 {
				requireCorners(t, shown, corners)
			}
		})
	}
}

// requireCorners compares points well inside the quarters of img.
func requireCorners(t testing.TB, img image.Image, want [4]color.NRGBA) {
	t.Helper()
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	for i, p := range []image.Point{{w / 5, h / 5}, {w * 4 / 5, h / 5}, {w * 4 / 5, h * 4 / 5}, {w / 5, h * 4 / 5}} {
		r, g, b, _ := img.At(p.X, p.Y).RGBA()
		require.InDelta(t, want[i].R, r>>8, 24, "corner %d", i)
		require.InDelta(t, want[i].G, g>>8, 24, "corner %d", i)
		require.InDelta(t, want[i].B, b>>8, 24, "corner %d", i)
	}
}

// TestReadTurnsPhotographs shows each of the eight orientations upright. The
// table names the corners that are seen, as EXIF defines the orientations: which
// side of what is seen the first row and the first column of the file are.
func TestReadTurnsPhotographs(t *testing.T) {
	t.Parallel()
	seen := map[uint16][4]int{
		1: {0, 1, 2, 3}, 2: {1, 0, 3, 2}, 3: {2, 3, 0, 1}, 4: {3, 2, 1, 0},
		5: {0, 3, 2, 1}, 6: {3, 0, 1, 2}, 7: {2, 1, 0, 3}, 8: {1, 2, 3, 0},
	}
	for o, at := range seen {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			for _, edge := range []int{1000, 50} {
				t.Run(fmt.Sprint(o, order, edge), func(t *testing.T) {
					t.Parallel()
					g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{MaxImageEdge: edge}))
					_, img := g.show(t, "i", withOrientation(encoded(t, "image/jpeg", quarters(160, 80)), order, o))
					shown, err := jpeg.Decode(bytes.NewReader(img.Data))
					require.NoError(t, err)
					want := image.Pt(min(160, edge), min(80, edge/2+edge%2))
					if edge == 50 {
						want.Y = 25
					}
					if o > 4 {
						want.X, want.Y = want.Y, want.X
					}
					require.Equal(t, want, shown.Bounds().Size())
					require.Equal(t, want, image.Pt(img.Dimensions.DisplayWidth, img.Dimensions.DisplayHeight))
					var corner [4]color.NRGBA
					for i, from := range at {
						corner[i] = corners[from]
					}
					requireCorners(t, shown, corner)
				})
			}
		}
	}
}

// TestReadMakesHeavyImagesLighter encodes what has too many bytes for its size.
func TestReadMakesHeavyImagesLighter(t *testing.T) {
	t.Parallel()
	g := newGround(t, pegboard.SessionConfig{})
	heavy := encoded(t, "image/png", noise(700, 500))
	require.Greater(t, len(heavy), 1_000_000)
	_, img := g.show(t, "png", heavy)
	require.Equal(t, "image/jpeg", img.MIME)
	require.LessOrEqual(t, len(img.Data), 500_000)

	_, img = g.show(t, "jpeg", encoded(t, "image/jpeg", noise(1500, 800)))
	require.Equal(t, "image/jpeg", img.MIME)
	require.Less(t, int64(len(img.Data)), img.OriginalSize)

	// What cannot be made lighter stays as it is.
	var worst bytes.Buffer
	require.NoError(t, jpeg.Encode(&worst, noise(1560, 1500), &jpeg.Options{Quality: 40}))
	require.Greater(t, worst.Len(), 500_000)
	_, img = g.show(t, "least", worst.String())
	require.Equal(t, worst.Bytes(), img.Data)
}

// TestReadPutsTransparencyOnWhite shows what is transparent as white in a JPEG,
// and as it is in a PNG.
func TestReadPutsTransparencyOnWhite(t *testing.T) {
	t.Parallel()
	g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{MaxImageEdge: 1200}))
	half := noise(1600, 1600)
	for y := range 800 {
		for i := range 1600 * 4 {
			half.Pix[y*half.Stride+i] = 0
		}
	}
	_, img := g.show(t, "heavy", encoded(t, "image/png", half))
	require.Equal(t, "image/jpeg", img.MIME)
	shown, err := jpeg.Decode(bytes.NewReader(img.Data))
	require.NoError(t, err)
	r, _, _, _ := shown.At(600, 100).RGBA()
	require.InDelta(t, 255, r>>8, 8)

	_, img = g.show(t, "light", encoded(t, "image/png", image.NewNRGBA(image.Rect(0, 0, 2000, 10))))
	shown, err = png.Decode(bytes.NewReader(img.Data))
	require.NoError(t, err)
	_, _, _, a := shown.At(5, 0).RGBA()
	require.Zero(t, a)
}

// TestReadShowsTheFirstPictureOfAnAnimation has a first picture that covers only
// a part of the canvas.
func TestReadShowsTheFirstPictureOfAnAnimation(t *testing.T) {
	t.Parallel()
	red := color.Palette{color.NRGBA{}, color.NRGBA{R: 255, A: 255}}
	first := image.NewPaletted(image.Rect(100, 0, 200, 100), red)
	second := image.NewPaletted(image.Rect(0, 0, 200, 100), red)
	for i := range first.Pix {
		first.Pix[i] = 1
	}
	var b bytes.Buffer
	require.NoError(t, gif.EncodeAll(&b, &gif.GIF{
		Image: []*image.Paletted{first, second}, Delay: []int{1, 1}, Config: image.Config{ColorModel: red, Width: 200, Height: 100},
	}))
	g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{MaxImageEdge: 100}))
	_, img := g.show(t, "i", b.String())
	shown, err := png.Decode(bytes.NewReader(img.Data))
	require.NoError(t, err)
	_, _, _, left := shown.At(20, 25).RGBA()
	r, _, _, right := shown.At(80, 25).RGBA()
	require.Equal(t, [3]uint32{0, 0xFFFF, 0xFFFF}, [3]uint32{left, r, right})
}

// pngClaiming returns a PNG that says it has that size, with one pixel of data.
func pngClaiming(t testing.TB, w, h uint32) string {
	t.Helper()
	data := []byte(encoded(t, "image/png", quarters(1, 1)))
	binary.BigEndian.PutUint32(data[16:], w)
	binary.BigEndian.PutUint32(data[20:], h)
	binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(data[12:29]))
	return string(data)
}

func TestReadRefusesImages(t *testing.T) {
	t.Parallel()
	whole := encoded(t, "image/png", quarters(40, 30))
	animated, err := hex.DecodeString("524946461600000057454250565038580a0000000200000031000031000000")
	require.NoError(t, err)
	tests := []struct {
		name, data, says string
	}{
		{name: "a bomb", data: pngClaiming(t, 100_000, 100_000), says: "100000 x 100000 pixels are more than the 50000000 that are decoded; make a smaller copy"},
		{name: "sides that do not fit 32 bits together", data: pngClaiming(t, 1<<31-1, 1<<31-1), says: "damaged"},
		{name: "a false size", data: pngClaiming(t, 1000, 1000), says: "it cannot be decoded; the file may be damaged"},
		{name: "cut off", data: whole[:len(whole)/2], says: "it cannot be decoded; the file may be damaged"},
		{name: "only a header", data: whole[:20], says: "its header cannot be decoded; the file may be damaged"},
		{name: "JPEG without content", data: "\xff\xd8\xff\xe0\x00\x02", says: "damaged"},
		{name: "a large animated WebP", data: string(animated), says: "it cannot be decoded"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{MaxImageEdge: 49}))
			out := g.call(t.Context(), t, "Read", map[string]any{"file_path": g.put(t, "i", tc.data)})
			require.True(t, out.Result.IsError)
			require.NotErrorIs(t, out.Err, pegboard.ErrPanic)
			require.Contains(t, out.Result.Text(), tc.says)
		})
	}
	g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{MaxImageEdge: 50}))
	_, img := g.show(t, "small", string(animated))
	require.Equal(t, animated, img.Data, "nobody says that what this package cannot decode is damaged")
}

func TestReadTakesTextForText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"BM is how a bitmap begins", "II*"} {
		g := newGround(t, pegboard.SessionConfig{})
		_, file := g.read(t, map[string]any{"file_path": g.put(t, "f", text)})
		require.Equal(t, text, file.Content)
	}
}

// FuzzReadImage feeds arbitrary EXIF data to the reader of orientations: the
// image is shown whatever they are.
func FuzzReadImage(f *testing.F) {
	f.Add([]byte("II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00"))
	f.Add([]byte("MM\x00*\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, exif []byte) {
		exif = exif[:min(len(exif), 60_000)]
		plain := encoded(t, "image/jpeg", quarters(8, 4))
		segment := binary.BigEndian.AppendUint16([]byte{0xFF, 0xE1}, uint16(len(exif)+8))
		g := newGround(t, pegboard.SessionConfig{})
		_, img := g.show(t, "i", plain[:2]+string(segment)+"Exif\x00\x00"+string(exif)+plain[2:])
		size := image.Pt(img.Dimensions.DisplayWidth, img.Dimensions.DisplayHeight)
		require.True(t, size == image.Pt(8, 4) || size == image.Pt(4, 8), "%v", size)
	})
}
