package rank

import (
	"cmp"
	"slices"
)

// A Text is a document of running words, such as a page. It is longer than a [Document], and
// has no parameters.
type Text struct {
	Title string // its words count more than those of the body
	Body  string
}

// Texts is an index of texts. It is immutable; any number of goroutines may search it at once.
type Texts struct {
	texts    []Text
	postings map[uint32][]textPosting // by the key of a word's stem
}

// A textPosting is the weighted frequency of a word in a text.
type textPosting struct {
	text      uint32
	frequency float32
}

// A TextHit is a text that a search found, with the best passage of its first MiB: the bytes of
// the body from From to To. Scores are comparable only within one search.
type TextHit struct {
	Text     int // its place in the list given to NewTexts
	Score    float64
	From, To int
}

// The score of texts is that of BM25F. The weights are the usual ones of running text.
const (
	titleWeight    = 3.0
	titleDamping   = .5
	bodyDamping    = .75
	textSaturation = 1.2
	passageShare   = .5      // bonus for a passage that has all words of the query, relative to the score
	passageWords   = 40      // words of a passage
	passageDepth   = 64      // number of texts whose passages are compared, unless more hits are requested
	passageReach   = 1 << 20 // bytes of a body in which a passage is looked for, so that a search stays fast
)

// NewTexts indexes texts. It keeps the list and its strings.
func NewTexts(texts []Text) *Texts {
	x := &Texts{texts: texts, postings: map[uint32][]textPosting{}}
	counts := make([]textCounts, len(texts))
	var title, body float64
	for i, t := range texts {
		counts[i] = countWords(t)
		title, body = title+float64(counts[i].title), body+float64(counts[i].body)
	}
	n := float64(max(len(texts), 1))
	usualTitle, usualBody := max(title/n, 1), max(body/n, 1)
	for i, c := range counts {
		titleNorm := titleWeight / (1 - titleDamping + titleDamping*float64(c.title)/usualTitle)
		bodyNorm := 1 / (1 - bodyDamping + bodyDamping*float64(c.body)/usualBody)
		for key, f := range c.words {
			frequency := float32(float64(f.title)*titleNorm + float64(f.body)*bodyNorm)
			x.postings[key] = append(x.postings[key], textPosting{uint32(i), frequency})
		}
	}
	return x
}

// textCounts are the numbers of words of a text, in all and of each word.
type textCounts struct {
	title, body int
	words       map[uint32]fieldCounts
}

type fieldCounts struct{ title, body int }

func countWords(t Text) textCounts {
	c := textCounts{words: map[uint32]fieldCounts{}}
	for s := (wordScanner{text: t.Title}); s.next(); {
		if key, _, ok := textKey(s.word); ok {
			f := c.words[key]
			f.title++
			c.words[key], c.title = f, c.title+1
		}
	}
	for s := (wordScanner{text: t.Body}); s.next(); {
		if key, _, ok := textKey(s.word); ok {
			f := c.words[key]
			f.body++
			c.words[key], c.body = f, c.body+1
		}
	}
	return c
}

// textKey returns the key of a word and the share of its information that counts. A word of
// grammar has no key.
func textKey(word []byte) (key uint32, share float64, ok bool) {
	w := weightOf(word)
	if w == ignoredWord {
		return 0, 0, false
	}
	return wordKey(stem(word)), float64(w), true
}

// Search returns the best texts for a query in plain words, at most limit, the best first. A
// text that shares no word with the query is not found. Equal scores are ordered by the place
// of the text.
func (x *Texts) Search(query string, limit int) []TextHit {
	q := x.parse(query)
	if limit <= 0 || len(q.keys) == 0 {
		return nil
	}
	scores := map[uint32]float64{}
	for _, key := range q.keys {
		for _, p := range x.postings[key] {
			f := float64(p.frequency)
			scores[p.text] += q.weights[key] * f * (textSaturation + 1) / (textSaturation + f)
		}
	}
	hits := make([]TextHit, 0, len(scores))
	for text, score := range scores {
		hits = append(hits, TextHit{Text: int(text), Score: score})
	}
	slices.SortFunc(hits, compareTextHits)
	hits = hits[:min(len(hits), max(limit, passageDepth))]
	for i := range hits {
		hits[i] = x.withPassage(hits[i], &q)
	}
	slices.SortFunc(hits, compareTextHits)
	return slices.Clip(hits[:min(len(hits), limit)])
}

func compareTextHits(a, b TextHit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Text, b.Text))
}

// A textQuery holds the words of a query that some text has.
type textQuery struct {
	keys    []uint32 // in the order of the query, so that sums are the same each time
	weights map[uint32]float64
	all     float64 // the sum of the weights

	seen map[string]uint32 // keys of words in bodies; 0 for those that are not looked for
}

// keyOf returns the key of a word if it is looked for. It remembers words, since stems cost
// most of the time of a search.
func (q *textQuery) keyOf(word []byte) (key uint32, wanted bool) {
	key, known := q.seen[string(word)]
	if !known {
		if k, _, ok := textKey(word); ok && q.weights[k] > 0 {
			key = k
		}
		q.seen[string(word)] = key
	}
	return key, key != 0
}

func (x *Texts) parse(query string) textQuery {
	q := textQuery{weights: map[uint32]float64{}, seen: map[string]uint32{}}
	s := wordScanner{text: query}
	for count := 0; count < maxQueryWords && s.next(); count++ {
		key, share, ok := textKey(s.word)
		postings := x.postings[key]
		if _, again := q.weights[key]; again || !ok || len(postings) == 0 {
			continue
		}
		q.keys = append(q.keys, key)
		q.weights[key] = share * information(len(postings), len(x.texts))
		q.all += q.weights[key]
	}
	return q
}

// withPassage returns a hit with its best passage, and a bonus for the words that stand
// there together.
func (x *Texts) withPassage(h TextHit, q *textQuery) TextHit {
	body := x.texts[h.Text].Body
	w := passageWindow{counts: map[uint32]int{}, weights: q.weights}
	best := 0.0
	s := wordScanner{text: body[:runeStart(body, min(len(body), passageReach))]}
	for at := 0; s.next(); at++ {
		key, wanted := q.keyOf(s.word)
		if !wanted {
			continue
		}
		w.add(key, at, max(s.at-len(s.word), 0))
		if w.sum > best*(1+1e-9) { // more than a rounding error
			best, h.From = w.sum, w.words[0].from
		}
	}
	h.From = passageStart(body, h.From)
	h.To = passageEnd(body, h.From)
	share := best / q.all
	h.Score += h.Score * passageShare * share * share
	return h
}
