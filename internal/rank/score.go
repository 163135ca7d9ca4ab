package rank

import "math"

// This file says what makes up a score. The weights were set by experiments on
// four public sets of tools and queries (seal-tools, stabletoolbench, bfcl and
// metatool), always for all queries of a set together. A coordinate search on one
// half of the queries set most of them, and a few were settled on all. "Costs" is
// what leaving a feature out takes from the mean over the sets of nDCG@10 and
// recall@5, which is .812 (.810 and .814 for the halves). The tables of words
// (stopwords.go, synonyms.go, kinds.go) were written first and measured after.

// A field is a part of a document.
type field int

const (
	nameField field = iota
	descriptionField
	parameterNames
	parameterTexts
	sourceField
	fieldCount
)

// A fieldRule is how much the words of a field count, and how far its length
// beyond the usual number of words makes each of them count less. The usual
// length is a constant, so a document's part of the score does not depend on
// the documents beside it, and joining segments need not weigh them again.
type fieldRule struct{ weight, damping, usual float64 }

// fieldRules are the fields of BM25F. Constant usual lengths cost nothing against
// the averages of each set.
var fieldRules = [fieldCount]fieldRule{
	nameField:        {weight: 1, damping: .6, usual: 3},
	descriptionField: {weight: .75, damping: .9, usual: 10},
	parameterNames:   {weight: .5, damping: .75, usual: 4},
	parameterTexts:   {weight: .6, damping: .75, usual: 20},
	sourceField:      {weight: .7, damping: .5, usual: 4},
}

// gramRule weighs the four-character pieces of the words of name and description.
var gramRule = fieldRule{weight: 1, damping: 1, usual: 100}

const (
	saturation     = .5 // BM25's k1 for words; below 1, so that impacts fit; .9 is as good
	gramSaturation = .8 // and for pieces of words

	presence     = .3  // of an impact is for being there at all; 0 costs bfcl .008
	vagueShare   = .45 // of the weight of words such as "find" or "best" in a query; 1 costs .006
	relatedShare = .4  // of the weight of a word, for its synonyms and its kind; 0 costs .014
	gramShare    = .1  // of the weight of a word, for its pieces; 0 costs .002, and beginnings of words

	pairShare        = .4 // for each pair of neighbours in query and document; 0 costs .003
	nameBonus        = .5 // for a name that is covered whole; 0 costs .013
	descriptionBonus = .5 // for a description that is covered whole; 0 costs .004
	siblingShare     = .4 // of the way up to the best document of the same named source; 0 costs .004

	clauseBonus  = .1 // of the best score, for the best documents of a clause; 0 costs .005
	clauseOffset = .5 // the document of rank r, from 0, gets 1/(r+offset) of the bonus
	clausePower  = .5 // a clause counts by this power of its share of the query's weight
	clauseDepth  = 10 // documents that a clause favours, and that are chosen one by one
	repeatShare  = .5 // of what a clause brings is lost once a better document answers it; 0 costs .005
)

// impact is the part of a word's score that its document decides: its
// frequencies, weighted by field, bent so that repetition brings less and less.
func impact(frequency, k float64) uint32 {
	return uint32(math.Round(impactUnit * (presence + (1-presence)*frequency*(k+1)/(k+frequency))))
}

// norm is what a frequency in a field of length words counts.
func (r fieldRule) norm(length int) float64 {
	return r.weight / (1 - r.damping + r.damping*float64(length)/r.usual)
}

// information is how much a word says that stands in some of count documents.
func information(documents, count int) float64 {
	n, all := float64(documents), float64(count)
	return math.Log(1 + (all-n+.5)/(n+.5))
}

// coverage says which share of the information of words the query covers. The
// words' own information is info, and mass is their sum.
func (b *searchState) coverage(words []uint32, info []float32, mass float32) float64 {
	if mass <= 0 {
		return 0
	}
	var covered float32
	for _, word := range words {
		if mark := b.marks[word]; mark > 0 {
			covered += float32(mark * info[word]) // rounded here: see score
		}
	}
	return float64(covered / mass)
}

// score is what a candidate comes to, before sources and clauses are compared. Each
// product is rounded by a conversion before it is added to: some machines would not
// round it, and order tools otherwise that are nearly as good.
func (x *Index) score(b *searchState, document uint32) (score, factor float64) {
	e := &x.entries[document]
	name, description := x.words[e.name:e.description], x.words[e.description:e.end]
	factor = 1 + float64(nameBonus*b.coverage(name, x.info, e.nameMass)) +
		float64(descriptionBonus*b.coverage(description, x.info, e.descriptionMass))
	b.pairRound++
	pairs := b.sharedPairs(name) + b.sharedPairs(description)
	return (float64(float64(b.total[document])/scoreUnit) + float64(pairShare*pairs)) * factor, factor
}
