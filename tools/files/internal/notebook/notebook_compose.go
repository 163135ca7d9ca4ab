package notebook

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
)

// composeCell returns the text of a new cell in the style of the cells near its place.
func (n *Notebook) composeCell(place int, kind, source string) (string, error) {
	like := n.exampleCell(place, kind)
	l := n.doc.Inside(n.cellsLayout())
	if len(like.members) > 0 {
		l = n.doc.ObjectLayout(like.Span, like.members)
	}
	w := n.newSourceWriter(like.source, l)
	w.hadLoneSurrogate, w.oldLiterals = false, nil
	text, err := w.write("", source)
	if err != nil {
		return "", err
	}
	values := map[string]string{
		"cell_type": `"` + kind + `"`,
		"metadata":  "{}",
		"source":    text,
	}
	if kind == Code {
		values["execution_count"], values["outputs"] = "null", "[]"
	}
	if n.minor >= firstWithIDs {
		values["id"] = `"` + n.newID(place, kind, source) + `"`
	}
	var parts []string
	for _, key := range orderKeys(like.members, values) {
		parts = append(parts, `"`+key+`"`+n.doc.Colon()+values[key])
	}
	return l.Object(parts), nil
}

// exampleCell returns the nearest cell of a type, or the nearest cell if there is no
// cell of that type. It prefers cells before the place. The result is empty if the
// notebook has no cells.
func (n *Notebook) exampleCell(place int, kind string) cell {
	near := slices.Concat(n.cells[:place], n.cells[place:])
	slices.Reverse(near[:place])
	for _, c := range near {
		if c.kind == kind {
			return c
		}
	}
	if len(near) > 0 {
		return near[0]
	}
	return cell{}
}

// newID returns an id that no cell has.
func (n *Notebook) newID(place int, kind, source string) string {
	const length = 8
	taken := map[string]bool{}
	var content []byte
	for _, c := range n.cells {
		taken[c.ownID] = true
		content = fmt.Appendf(content, "%q ", c.ownID)
	}
	content = fmt.Appendf(content, "%d %q %q", place, kind, source)
	for {
		sum := sha256.Sum256(content)
		id := hex.EncodeToString(sum[:])[:length]
		if !taken[id] {
			return id
		}
		content = append(content, id...)
	}
}
