package edit

import "strings"

// findFolded returns the parts of text that fold to want, which is folded already.
// Matches may overlap. Invisible characters around a match do not belong to it.
func findFolded(text, want string) []interval {
	if want == "" {
		return nil
	}
	folded := fold(text)
	var starts []int
	for from := 0; ; {
		at := strings.Index(folded[from:], want)
		if at < 0 {
			break
		}
		starts = append(starts, from+at)
		from += at + 1
	}
	return unfoldOffsets(text, starts, len(want))
}

// unfoldOffsets converts matches of size bytes in the folded text to intervals of text.
// It drops a match that starts or ends within a piece.
func unfoldOffsets(text string, starts []int, size int) []interval {
	var matches []interval
	type open struct{ at, end int } // in the text, in the folded text
	var opened []open
	at, folded := 0, 0
	for at < len(text) && (len(starts) > 0 || len(opened) > 0) {
		p := nextPiece(text[at:])
		if p.folded != "" {
			for len(starts) > 0 && starts[0] <= folded {
				if starts[0] == folded {
					opened = append(opened, open{at, folded + size})
				}
				starts = starts[1:]
			}
		}
		at += p.size
		folded += len(p.folded)
		for len(opened) > 0 && opened[0].end <= folded {
			if opened[0].end == folded && p.folded != "" {
				matches = append(matches, interval{opened[0].at, at})
			}
			opened = opened[1:]
		}
	}
	return matches
}
