package rank

import "slices"

// stem cuts the endings of an English word by the Porter2 rules, in place where it
// can: the result shares the word's memory. The word is in lower case; a word
// with anything but the letters a to z comes back as it is.
func stem(word []byte) []byte {
	if len(word) < 3 || !plain(word) {
		return word
	}
	if whole, ok := irregular[string(word)]; ok {
		return append(word[:0], whole...)
	}
	w := &stemmed{text: word}
	w.markConsonantY()
	w.findRegions()
	w.cutPlural()
	if !slices.Contains(finished, string(w.text)) {
		w.cutPast()
		w.softenY()
		w.replace(w.r1, derived)
		w.replace(w.r1, adjectival)
		w.replace(w.r2, dropped)
		w.cutFinal()
	}
	for i, c := range w.text {
		if c == 'Y' {
			w.text[i] = 'y'
		}
	}
	return w.text
}

// plain says whether word has the letters a to z only.
func plain(word []byte) bool {
	for _, c := range word {
		if c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}

// irregular are the words that the rules would spoil, with their stems.
var irregular = map[string]string{
	"skis": "ski", "skies": "sky", "dying": "die", "lying": "lie", "tying": "tie",
	"idly": "idl", "gently": "gentl", "ugly": "ugli", "early": "earli", "only": "onli", "singly": "singl",
	"sky": "sky", "news": "news", "howe": "howe", "atlas": "atlas", "cosmos": "cosmos", "bias": "bias", "andes": "andes",
}

// finished are the words that keep their form once a plural is cut.
var finished = []string{"inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed"}

// An ending is replaced by with where it stands in the rule's region. The byte
// before it must be one of after, if there are any.
type ending struct{ suffix, with, after string }

// Within a table the longest ending that fits a word decides, so longer ones
// come before the ends of theirs.
var (
	derived = []ending{
		{suffix: "ization", with: "ize"}, {suffix: "ational", with: "ate"}, {suffix: "fulness", with: "ful"},
		{suffix: "ousness", with: "ous"}, {suffix: "iveness", with: "ive"}, {suffix: "tional", with: "tion"},
		{suffix: "biliti", with: "ble"}, {suffix: "lessli", with: "less"}, {suffix: "entli", with: "ent"},
		{suffix: "ation", with: "ate"}, {suffix: "alism", with: "al"}, {suffix: "aliti", with: "al"},
		{suffix: "ousli", with: "ous"}, {suffix: "iviti", with: "ive"}, {suffix: "fulli", with: "ful"},
		{suffix: "enci", with: "ence"}, {suffix: "anci", with: "ance"}, {suffix: "abli", with: "able"},
		{suffix: "izer", with: "ize"}, {suffix: "ator", with: "ate"}, {suffix: "alli", with: "al"},
		{suffix: "bli", with: "ble"}, {suffix: "ogi", with: "og", after: "l"}, {suffix: "li", after: "cdeghkmnrt"},
	}
	adjectival = []ending{
		{suffix: "ational", with: "ate"}, {suffix: "tional", with: "tion"}, {suffix: "alize", with: "al"},
		{suffix: "icate", with: "ic"}, {suffix: "iciti", with: "ic"}, {suffix: "ative"}, {suffix: "ical", with: "ic"},
		{suffix: "ness"}, {suffix: "ful"},
	}
	dropped = []ending{
		{suffix: "ement"}, {suffix: "ance"}, {suffix: "ence"}, {suffix: "able"}, {suffix: "ible"}, {suffix: "ment"},
		{suffix: "ant"}, {suffix: "ent"}, {suffix: "ism"}, {suffix: "ate"}, {suffix: "iti"}, {suffix: "ous"},
		{suffix: "ive"}, {suffix: "ize"}, {suffix: "ion", after: "st"}, {suffix: "al"}, {suffix: "er"}, {suffix: "ic"},
	}
)

// regionStarts are beginnings after which the first region starts, whatever follows.
var regionStarts = []string{"gener", "commun", "arsen"}

// stemmed is a word on its way to its stem. A y that is no vowel is written Y.
type stemmed struct {
	text   []byte
	r1, r2 int // where the regions begin that endings may be cut from
}

func isVowel(c byte) bool {
	switch c {
	case 'a', 'e', 'i', 'o', 'u', 'y':
		return true
	}
	return false
}

func (w *stemmed) markConsonantY() {
	for i, c := range w.text {
		if c == 'y' && (i == 0 || isVowel(w.text[i-1])) {
			w.text[i] = 'Y'
		}
	}
}

// findRegions sets the regions: the first begins after the first consonant that
// follows a vowel, the second likewise within the first.
func (w *stemmed) findRegions() {
	w.r1 = regionAfter(w.text, 0)
	for _, start := range regionStarts {
		if len(w.text) >= len(start) && string(w.text[:len(start)]) == start {
			w.r1 = len(start)
		}
	}
	w.r2 = regionAfter(w.text, w.r1)
}

func regionAfter(text []byte, from int) int {
	for i := from + 1; i < len(text); i++ {
		if !isVowel(text[i]) && isVowel(text[i-1]) {
			return i + 1
		}
	}
	return len(text)
}

func (w *stemmed) ends(suffix string) bool {
	n := len(w.text) - len(suffix)
	return n >= 0 && string(w.text[n:]) == suffix
}

// cut takes n bytes off the end.
func (w *stemmed) cut(n int) { w.text = w.text[:len(w.text)-n] }

func (w *stemmed) hasVowel(end int) bool { return slices.ContainsFunc(w.text[:max(end, 0)], isVowel) }

// endsShort says whether the part before end closes with a short syllable.
func (w *stemmed) endsShort(end int) bool {
	switch {
	case end == 2:
		return isVowel(w.text[0]) && !isVowel(w.text[1])
	case end < 3:
		return false
	}
	last := w.text[end-1]
	return !isVowel(last) && last != 'w' && last != 'x' && last != 'Y' &&
		isVowel(w.text[end-2]) && !isVowel(w.text[end-3])
}

func (w *stemmed) cutPlural() {
	switch n := len(w.text); {
	case w.ends("sses"):
		w.cut(2)
	case w.ends("ied"), w.ends("ies"):
		w.cut(1)
		if n > 4 {
			w.cut(1)
		}
	case w.ends("us"), w.ends("ss"):
	case w.ends("s") && w.hasVowel(n-2):
		w.cut(1)
	}
}

func (w *stemmed) cutPast() {
	for _, suffix := range [...]string{"eedly", "eed"} {
		if w.ends(suffix) {
			if n := len(w.text) - len(suffix); n >= w.r1 {
				w.text = w.text[:n+2]
			}
			return
		}
	}
	for _, suffix := range [...]string{"ingly", "edly", "ing", "ed"} {
		if !w.ends(suffix) {
			continue
		}
		if w.hasVowel(len(w.text) - len(suffix)) {
			w.cut(len(suffix))
			w.mendPast()
		}
		return
	}
}

// mendPast gives a word the last letter it had before the ending of its past.
func (w *stemmed) mendPast() {
	n := len(w.text)
	switch {
	case w.ends("at"), w.ends("bl"), w.ends("iz"):
		w.text = append(w.text, 'e')
	case n > 1 && w.text[n-1] == w.text[n-2] && slices.Contains([]byte("bdfgmnprt"), w.text[n-1]):
		w.cut(1)
	case w.r1 >= n && w.endsShort(n):
		w.text = append(w.text, 'e')
	}
}

func (w *stemmed) softenY() {
	n := len(w.text)
	if n > 2 && (w.text[n-1] == 'y' || w.text[n-1] == 'Y') && !isVowel(w.text[n-2]) {
		w.text[n-1] = 'i'
	}
}

// replace applies the longest ending of table that the word has, if it lies in
// the region and follows what it must.
func (w *stemmed) replace(region int, table []ending) {
	for _, e := range table {
		if !w.ends(e.suffix) {
			continue
		}
		n := len(w.text) - len(e.suffix)
		switch {
		case n < region, e.suffix == "ative" && n < w.r2:
		case e.after != "" && (n == 0 || !slices.Contains([]byte(e.after), w.text[n-1])):
		default:
			w.text = append(w.text[:n], e.with...)
		}
		return
	}
}

func (w *stemmed) cutFinal() {
	n := len(w.text)
	switch {
	case w.ends("e") && (n-1 >= w.r2 || n-1 >= w.r1 && !w.endsShort(n-1)):
		w.cut(1)
	case w.ends("l") && n-1 >= w.r2 && n > 1 && w.text[n-2] == 'l':
		w.cut(1)
	}
}
