package edit

import "strings"

// mergeBodies merges lines without their indentation: it returns the wanted lines with
// the characters of the file where the model changes nothing. It reports false if it
// cannot.
func mergeBodies(old, file, wanted []string) ([]string, bool) {
	before, own := strings.Join(old, "\n"), strings.Join(file, "\n")
	alike := before == own || fold(before) == fold(own)
	if before == own || len(wanted) == 0 {
		return wanted, alike
	}
	after := strings.Join(wanted, "\n")
	if alike {
		return strings.Split(keepFileCharacters(before, own, after), "\n"), true
	}
	text, ok := mergeWords(before, own, after)
	lines := strings.Split(text, "\n")
	return lines, ok && len(lines) == len(wanted)
}

// keepFileCharacters returns wanted with the characters of the file wherever wanted
// equals old. The texts old and file must fold to the same text.
func keepFileCharacters(old, file, wanted string) string {
	before, own := pairPieces(splitPieces(old), splitPieces(file))
	after := splitPieces(wanted)
	var out strings.Builder
	for _, r := range regions(before, after) {
		from := after[r.b:r.bEnd]
		if r.same {
			from = own[r.a:r.aEnd]
		}
		for _, text := range from {
			out.WriteString(text)
		}
	}
	return out.String()
}

// splitPieces splits text into units for a comparison. An invisible character joins the
// unit before it. Three dots are one unit, since the other text may have "…" there.
func splitPieces(text string) []string {
	var all []string
	from := 0 // start of the last piece
	for at := 0; at < len(text); {
		size, seen := 3, true
		if !strings.HasPrefix(text[at:], "...") {
			p := nextPiece(text[at:])
			size, seen = p.size, p.folded != ""
		}
		if !seen && len(all) > 0 {
			all[len(all)-1] = text[from : at+size]
		} else {
			from = at
			all = append(all, text[at:at+size])
		}
		at += size
	}
	return all
}

// pairPieces joins pieces of two texts that fold to the same text, until the pieces
// correspond one to one.
func pairPieces(a, b []string) (as, bs []string) {
	for len(a) > 0 && len(b) > 0 {
		left, right := a[0], b[0]
		a, b = a[1:], b[1:]
		for {
			difference := len(fold(left)) - len(fold(right))
			if difference < 0 && len(a) > 0 {
				left, a = left+a[0], a[1:]
			} else if difference > 0 && len(b) > 0 {
				right, b = right+b[0], b[1:]
			} else {
				break
			}
		}
		as, bs = append(as, left), append(bs, right)
	}
	if rest := strings.Join(b, ""); rest != "" && len(bs) > 0 {
		bs[len(bs)-1] += rest
	}
	return as, bs
}
