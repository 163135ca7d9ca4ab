package languageserver

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
)

// A Location is a range of a document.
type Location struct {
	URI   string // of the server, at most 2,000 bytes
	Path  string // absolute; empty if URI is not that of a file, such as one of untitled: or jdt:
	Range Range
}

type wirePosition struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

type wireRange struct {
	Start wirePosition `json:"start"`
	End   wirePosition `json:"end"`
}

// in converts a range of a text. A position that the text does not have keeps the numbers of
// the server.
func (r wireRange) in(lines *textLines, e encoding) Range {
	return Range{Start: r.Start.in(lines, e), End: r.End.in(lines, e)}
}

func (p wirePosition) in(lines *textLines, e encoding) Position {
	p.Line, p.Character = min(max(p.Line, 0), math.MaxInt32), min(max(p.Character, 0), math.MaxInt32)
	if lines != nil {
		if line, ok := lines.find(p.Line); ok {
			return Position{Line: p.Line + 1, Column: e.column(line, p.Character)}
		}
	}
	return Position{Line: p.Line + 1, Column: p.Character + 1}
}

// A wireLocation is a Location or a LocationLink of the protocol.
type wireLocation struct {
	URI                  string    `json:"uri"`
	Range                wireRange `json:"range"`
	TargetURI            string    `json:"targetUri"`
	TargetSelectionRange wireRange `json:"targetSelectionRange"`
}

// A wireLocations is null, one location, or a list.
type wireLocations []wireLocation

// UnmarshalJSON implements json.Unmarshaler.
func (l *wireLocations) UnmarshalJSON(data []byte) error {
	*l = nil
	if string(data) == "null" {
		return nil
	}
	if data[0] == '[' {
		var list []wireLocation
		if err := json.Unmarshal(data, &list); err != nil {
			return err
		}
		*l = list
		return nil
	}
	var one wireLocation
	if err := json.Unmarshal(data, &one); err != nil {
		return fmt.Errorf("location: %w", err)
	}
	*l = wireLocations{one}
	return nil
}

// maxKept limits the bytes of the texts that a converter keeps.
const maxKept = 4 * maxDocument

// A converter turns positions of a server into those of the files on the disk. Once late returns
// an error, the converter reads no further file, and its results are of no use.
type converter struct {
	encoding encoding
	late     func() error
	texts    map[string]*textLines // by path; nil if the file cannot be read
	kept     int                   // bytes of texts
}

func (n *connection) converter(ctx context.Context) *converter {
	return &converter{encoding: n.abilities.Encoding, late: ctx.Err, texts: map[string]*textLines{}}
}

// location converts a range of a document.
func (c *converter) location(uri string, r wireRange) Location {
	l := Location{URI: shorten(uri, maxStderr), Path: pathOf(uri)}
	l.Range = r.in(c.of(l.Path), c.encoding)
	return l
}

// of returns the lines of a file.
func (c *converter) of(path string) *textLines {
	if path == "" || c.late() != nil {
		return nil
	}
	lines, known := c.texts[path]
	if known {
		return lines
	}
	if text, err := readText(path); err == nil {
		if c.kept += len(text); c.kept > maxKept {
			clear(c.texts)
			c.kept = len(text)
		}
		lines = &textLines{text: text}
	}
	c.texts[path] = lines
	return lines
}

// all converts locations.
func (c *converter) all(found wireLocations) []Location {
	locations := make([]Location, len(found))
	for i, l := range found {
		if l.TargetURI != "" {
			l.URI, l.Range = l.TargetURI, l.TargetSelectionRange
		}
		locations[i] = c.location(l.URI, l.Range)
	}
	return locations
}
