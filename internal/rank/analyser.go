package rank

import "slices"

// An analyser builds a segment.
type analyser struct {
	segment   *Segment
	forms     map[string]uint32 // indexes of known, by the word as it is written
	known     []wordForm
	grams     []uint32          // the pieces of all known words, as terms
	positions map[uint32]uint32 // indexes of the segment's terms, by key
	fields    [fieldCount][]uint32
	sums      []float64 // weighted frequency of each term in the current document
	touched   []uint32  // the terms whose sum is not 0
	occurs    []occurrence
}

// A wordForm holds the term and the pieces of a word as it is written.
type wordForm struct {
	term     uint32
	from, to uint32 // the pieces are grams[from:to]
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

// formOf returns the index of a word in known. It adds words that are new.
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

// addDocument adds a document to the segment, with the words of its name and the first
// words of its description. Numbers in the name are left out: they rarely describe a tool,
// and would lower the share of the name that a query covers. That brings .001.
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

// addPostings turns the frequencies into postings of the document.
func (a *analyser) addPostings(document uint32, k float64) {
	for _, term := range a.touched {
		a.occurs = append(a.occurs, occurrence{term, document<<impactBits | max(impact(a.sums[term], k), 1)})
		a.sums[term] = 0
	}
	a.touched = a.touched[:0]
}

// sortPostings sorts the postings by term. Those of one term are sorted by document
// already.
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

// A wordWeight is the share of a word's information that counts in a query.
type wordWeight float32

const (
	ignoredWord wordWeight = 0          // neither indexed nor looked for
	vagueWord   wordWeight = vagueShare // common in queries and of little meaning
	full        wordWeight = 1
)

// weightOf returns the weight of a word in lower case. The lists are general English: the
// words of grammar, of polite requests and of vague requests.
func weightOf(word []byte) wordWeight {
	if len(word) == 1 && (word[0] < '0' || word[0] > '9') {
		return ignoredWord
	}
	switch string(word) {
	case "about", "above", "after", "again", "against", "all", "also", "am", "an", "and", "any", "are", "aren",
		"as", "at", "be", "because", "been", "before", "being", "below", "between", "both", "but", "by", "can",
		"cannot", "could", "couldn", "did", "didn", "do", "does", "doesn", "doing", "don", "down", "during",
		"each", "either", "else", "etc", "few", "for", "from", "further", "had", "hadn", "has", "hasn", "have",
		"haven", "having", "he", "hello", "her", "here", "hers", "herself", "hey", "hi", "him", "himself", "his",
		"how", "however", "if", "in", "into", "is", "isn", "it", "its", "itself", "just", "let", "lets", "ll",
		"may", "me", "might", "more", "most", "must", "my", "myself", "no", "nor", "not", "now", "of", "off",
		"ok", "okay", "on", "once", "only", "or", "other", "our", "ours", "ourselves", "out", "over", "own",
		"per", "please", "re", "same", "shall", "she", "should", "so", "some", "such", "than", "thank", "thanks",
		"that", "the", "their", "theirs", "them", "themselves", "then", "there", "these", "they", "this",
		"those", "through", "to", "too", "under", "until", "up", "upon", "us", "ve", "very", "via", "was", "we",
		"were", "what", "when", "where", "whether", "which", "while", "who", "whom", "whose", "why", "will",
		"with", "within", "without", "would", "you", "your", "yours", "yourself", "yourselves":
		return ignoredWord
	case "able", "across", "actually", "additional", "additionally", "allow", "allows", "along", "already",
		"always", "among", "another", "anyone", "anything", "around", "ask", "assist", "available", "away",
		"back", "based", "become", "begin", "best", "better", "big", "case", "certain", "come", "common",
		"complete", "comprehensive", "curious", "current", "currently", "detail", "detailed", "details",
		"different", "easy", "effective", "enable", "enables", "enough", "ensure", "entire", "even", "ever",
		"every", "everyone", "everything", "fact", "feel", "finally", "find", "first", "full", "furthermore",
		"general", "get", "getting", "give", "given", "giving", "go", "going", "gone", "good", "got", "great",
		"help", "helpful", "high", "idea", "ideas", "important", "include", "included", "includes", "including",
		"information", "interested", "interesting", "keep", "kind", "kindly", "know", "large", "last", "lastly",
		"latest", "leave", "life", "like", "little", "long", "look", "looking", "lot", "lots", "low", "made",
		"main", "major", "make", "making", "many", "maybe", "mention", "mentioned", "moreover", "much",
		"necessary", "need", "never", "new", "next", "nice", "often", "old", "one", "overall", "part",
		"particular", "people", "perhaps", "person", "plan", "planning", "point", "popular", "possible",
		"provide", "quick", "quite", "rather", "really", "recent", "regarding", "related", "right", "said",
		"sake", "say", "second", "see", "seem", "seen", "several", "short", "show", "simple", "since", "small",
		"someone", "something", "sort", "specific", "still", "sure", "take", "taken", "tell", "thing", "things",
		"think", "third", "three", "today", "took", "total", "toward", "towards", "try", "trying", "two", "type",
		"types", "use", "used", "useful", "using", "usually", "various", "want", "way", "ways", "well", "whole",
		"wonder", "wondering", "world", "yet":
		return vagueWord
	}
	return full
}
