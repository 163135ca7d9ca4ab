package rank

import "slices"

const (
	maxFieldWords = 2000 // that are read of one field of a document
	keptWords     = 40   // of a description that candidates are compared with word by word

	// A posting is a document and its impact in one number.
	impactBits   = 10
	impactUnit   = 512                    // of an impact that is 1; impacts stay below 2
	maxDocuments = 1 << (32 - impactBits) // of a segment, and of an index
)

// A Segment is the analysed documents of one source. It is immutable, so any
// number of indexes may share it.
type Segment struct {
	source    string
	documents []indexedDocument
	terms     []uint32 // the keys of its words and pieces of words, without repeats
	starts    []uint32 // where the postings of each term begin, and the end of the last
	postings  []uint32 // of all terms in turn, each by ascending document
	words     []uint32 // the words of all names and descriptions, as positions in terms
}

// indexedDocument is what a segment keeps of a document: its name, and where its words begin.
type indexedDocument struct {
	name                   string
	words, description, to uint32
}

// NewSegment analyses documents. The name of their source and what is said about
// it, both of which may be empty, are read as a part of each of them; documents
// of a source with a name support one another. Of a very long field only the
// beginning is read; documents beyond 4,194,304 are left out.
func NewSegment(source, about string, docs []Document) *Segment {
	docs = docs[:min(len(docs), maxDocuments)]
	a := &analyser{
		forms: make(map[string]uint32), positions: make(map[uint32]uint32),
		segment: &Segment{source: source, documents: make([]indexedDocument, 0, len(docs))},
	}
	a.read(sourceField, source)
	a.read(sourceField, about)
	for i := range docs {
		a.add(uint32(i), &docs[i])
	}
	a.sortPostings()
	return a.segment
}

// An analyser makes a segment.
type analyser struct {
	segment   *Segment
	forms     map[string]uint32 // positions in known, by the word as it is written
	known     []wordForm
	grams     []uint32          // the terms of the pieces of all known words
	positions map[uint32]uint32 // of the terms in the segment, by key
	fields    [fieldCount][]uint32
	sums      []float64 // of each term for one document
	touched   []uint32  // the terms with a sum
	occurs    []occurrence
}

// A wordForm is a word as it is written: its term, and its pieces.
type wordForm struct {
	term     uint32
	from, to uint32 // in grams
	stopWord bool
	number   bool
}

type occurrence struct{ term, posting uint32 }

func (a *analyser) add(document uint32, d *Document) {
	for f := range sourceField {
		a.fields[f] = a.fields[f][:0]
	}
	a.read(nameField, d.Name)
	a.read(descriptionField, d.Hint)
	a.read(descriptionField, d.Description)
	for _, p := range d.Parameters {
		a.read(parameterNames, p.Name)
		a.read(parameterTexts, p.Description)
	}
	a.addDocument(d.Name)
	for f, words := range a.fields {
		norm := fieldRules[f].norm(len(words))
		for _, word := range words {
			a.addFrequency(a.known[word].term, norm)
		}
	}
	a.addPostings(document, saturation)
	a.countGrams()
	a.addPostings(document, gramSaturation)
}

// read appends the words of text to a field.
func (a *analyser) read(f field, text string) {
	for s := (wordScanner{text: text}); len(a.fields[f]) < maxFieldWords && s.next(); {
		if word := a.formOf(s.word); !a.known[word].stopWord {
			a.fields[f] = append(a.fields[f], word)
		}
	}
}

// formOf returns the position of a word in known.
func (a *analyser) formOf(word []byte) uint32 {
	if at, ok := a.forms[string(word)]; ok {
		return at
	}
	at := uint32(len(a.known))
	a.forms[string(word)] = at
	f := wordForm{stopWord: weightOf(word) == ignoredWord, number: isNumber(word), from: uint32(len(a.grams))}
	if !f.stopWord {
		for gram := range grams(word) {
			a.grams = append(a.grams, a.termOf(gram))
		}
		f.term = a.termOf(wordKey(stem(word)))
	}
	f.to = uint32(len(a.grams))
	a.known = append(a.known, f)
	return at
}

func (a *analyser) termOf(key uint32) uint32 {
	at, ok := a.positions[key]
	if !ok {
		at = uint32(len(a.segment.terms))
		a.positions[key] = at
		a.segment.terms = append(a.segment.terms, key)
		a.sums = append(a.sums, 0)
	}
	return at
}

// addDocument notes the words of the document's name and the first of its description. A
// number in a name seldom says what a tool does, so no name is covered less for
// it; that brings .001.
func (a *analyser) addDocument(name string) {
	s := a.segment
	k := indexedDocument{name: name, words: uint32(len(s.words))}
	for _, word := range a.fields[nameField] {
		if f := &a.known[word]; !f.number {
			s.words = append(s.words, f.term)
		}
	}
	k.description = uint32(len(s.words))
	description := a.fields[descriptionField]
	for _, word := range description[:min(len(description), keptWords)] {
		s.words = append(s.words, a.known[word].term)
	}
	k.to = uint32(len(s.words))
	s.documents = append(s.documents, k)
}

func (a *analyser) addFrequency(term uint32, amount float64) {
	if a.sums[term] == 0 {
		a.touched = append(a.touched, term)
	}
	a.sums[term] += amount
}

func (a *analyser) countGrams() {
	length := 0
	for _, f := range [...]field{nameField, descriptionField} {
		for _, word := range a.fields[f] {
			length += int(a.known[word].to - a.known[word].from)
		}
	}
	norm := gramRule.norm(length)
	for _, f := range [...]field{nameField, descriptionField} {
		for _, word := range a.fields[f] {
			for _, gram := range a.grams[a.known[word].from:a.known[word].to] {
				a.addFrequency(gram, norm)
			}
		}
	}
}

// addPostings turns what was counted into postings of the document.
func (a *analyser) addPostings(document uint32, k float64) {
	for _, term := range a.touched {
		a.occurs = append(a.occurs, occurrence{term, document<<impactBits | max(impact(a.sums[term], k), 1)})
		a.sums[term] = 0
	}
	a.touched = a.touched[:0]
}

// sortPostings puts the postings in the order of their terms. Those of one term
// are in the order of their documents already.
func (a *analyser) sortPostings() {
	s := a.segment
	s.starts = make([]uint32, len(s.terms)+1)
	for _, o := range a.occurs {
		s.starts[o.term+1]++
	}
	for i := range s.terms {
		s.starts[i+1] += s.starts[i]
	}
	s.postings = make([]uint32, len(a.occurs))
	next := slices.Clone(s.starts)
	for _, o := range a.occurs {
		s.postings[next[o.term]] = o.posting
		next[o.term]++
	}
	s.terms, s.words = slices.Clip(s.terms), slices.Clip(s.words)
}
