package files_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color/palette"
	"image/draw"
	"image/gif"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

// animation returns a GIF of n pictures, each with colors of its own.
func animation(t *testing.T, n int) string {
	t.Helper()
	all := &gif.GIF{}
	for range n {
		frame := image.NewPaletted(image.Rect(0, 0, 60, 30), palette.Plan9)
		draw.Draw(frame, frame.Bounds(), quarters(60, 30), image.Point{}, draw.Src)
		all.Image, all.Delay = append(all.Image, frame), append(all.Delay, 10)
	}
	var out bytes.Buffer
	require.NoError(t, gif.EncodeAll(&out, all))
	return out.String()
}

// withDirectory returns a TIFF with one more directory, of a picture or of a part of one.
func withDirectory(data string, order binary.AppendByteOrder, kind uint32) string {
	read, ok := order.(binary.ByteOrder)
	if !ok {
		panic("no order")
	}
	b := []byte(data)
	at := read.Uint32(b[4:])
	for {
		end := at + 2 + 12*uint32(read.Uint16(b[at:]))
		if next := read.Uint32(b[end:]); next != 0 {
			at = next
			continue
		}
		read.PutUint32(b[end:], uint32(len(b)))
		break
	}
	b = order.AppendUint16(b, 1)
	b = order.AppendUint32(order.AppendUint32(order.AppendUint16(order.AppendUint16(b, 254), 4), 1), kind)
	return string(order.AppendUint32(b, 0))
}

// TestReadSaysWhereThereAreSeveralPictures, and only there.
func TestReadSaysWhereThereAreSeveralPictures(t *testing.T) {
	t.Parallel()
	const picture, smaller, page, mask = 0, 1, 2, 4
	tiff := encoded(t, "image/tiff", quarters(60, 30))
	little := binary.AppendByteOrder(binary.LittleEndian)
	loop := withDirectory(tiff, little, smaller)
	loop = loop[:len(loop)-4] + string(little.AppendUint32(nil, uint32(len(tiff)))) // leads to itself
	single := encoded(t, "image/gif", quarters(60, 30))
	for _, tt := range []struct {
		name    string
		data    string
		several bool
	}{
		{name: "GIF of one picture", data: single},
		{name: "GIF of one picture, with a comment", data: strings.TrimSuffix(single, ";") + "!\xfe\x05hello\x00;"},
		{name: "GIF of one picture, as an animation", data: animation(t, 1)},
		{name: "GIF of two", data: animation(t, 2), several: true},
		{name: "GIF of many", data: animation(t, 9), several: true},
		{name: "GIF with more behind its end", data: single + animation(t, 2)},
		{name: "TIFF of one picture", data: tiff},
		{name: "TIFF of two", data: withDirectory(tiff, little, picture), several: true},
		{name: "TIFF of two pages", data: withDirectory(tiff, little, page), several: true},
		{name: "TIFF with a preview", data: withDirectory(tiff, little, smaller)},
		{name: "TIFF with a mask", data: withDirectory(tiff, little, mask)},
		{name: "TIFF with a preview and a picture", data: withDirectory(withDirectory(tiff, little, smaller), little, picture), several: true},
		{name: "TIFF that goes round in circles", data: loop},
		{name: "TIFF whose next directory is not there", data: withDirectory(tiff, little, picture)[:len(tiff)+3]},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{}.With(files.ReadLimits{ImageEdge: 50})))
			result, _ := g.show(t, "i", tt.data)
			require.Equal(t, tt.several, strings.Contains(result.Text(), "; of several pictures only the first is shown"), result.Text())
		})
	}
}

// FuzzSeveralPictures looks for pictures in files that are damaged behind their first one.
func FuzzSeveralPictures(f *testing.F) {
	f.Add([]byte("!\xf9\x04\x00\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x87"), true)
	f.Add([]byte("\xff\xff\xff\xff"), false)
	f.Fuzz(func(t *testing.T, tail []byte, isGIF bool) {
		kind := map[bool]string{true: "image/gif", false: "image/tiff"}[isGIF]
		data := encoded(t, kind, quarters(8, 4))
		if isGIF {
			data = strings.TrimSuffix(data, ";")
		} else {
			data = withDirectory(data, binary.LittleEndian, 1)
			data = data[:len(data)-4]
		}
		g := newGround(t, pegboard.SessionConfig{}, files.Read(files.ReadOptions{}.With(files.ReadLimits{ImageEdge: 7})))
		out := g.call(t.Context(), t, "Read", map[string]any{"file_path": g.put(t, "i", data+string(tail))})
		require.NotErrorIs(t, out.Err, pegboard.ErrPanic)
	})
}
