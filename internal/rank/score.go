package rank

import "math"

// This file defines the score. Experiments on four public sets of tools and queries
// (seal-tools, stabletoolbench, bfcl and metatool) set its weights, always for all queries
// of a set together. A coordinate search on one half of the queries set most weights; a few
// were chosen on all queries. In comments, "0 costs .014" means that without the feature
// the mean over the sets of nDCG@10 and recall@5 falls by .014. The mean is .812 (.810 and
// .814 for the halves). The tables of words (analyser.go, synonyms.go, kinds.go) were
// written first and measured afterwards.

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

// A fieldRule is the weight of the words of a field, and the degree to which words count
// less in a field that is longer than usual. The usual length is a constant, so that the
// impacts of a document do not depend on other documents, and joining segments does not
// change them.
type fieldRule struct{ weight, damping, usual float64 }

// fieldRules are the rules of BM25F for each field. The constant usual lengths are as good
// as the average lengths of each set.
var fieldRules = [fieldCount]fieldRule{
	nameField:        {weight: 1, damping: .6, usual: 3},
	descriptionField: {weight: .75, damping: .9, usual: 10},
	parameterNames:   {weight: .5, damping: .75, usual: 4},
	parameterTexts:   {weight: .6, damping: .75, usual: 20},
	sourceField:      {weight: .7, damping: .5, usual: 4},
}

// gramRule is the rule for the four-character pieces of the words in name and description.
var gramRule = fieldRule{weight: 1, damping: 1, usual: 100}

const (
	saturation     = .5 // k1 of BM25 for words; below 1, so that impacts stay below 2; .9 is as good
	gramSaturation = .8 // k1 for pieces of words

	presence     = .3  // share of an impact that does not depend on the frequency; 0 costs bfcl .008
	vagueShare   = .45 // weight of words such as "find" or "best" in a query; 1 costs .006
	relatedShare = .4  // weight of synonyms and general words, relative to the word; 0 costs .014
	gramShare    = .1  // weight of pieces, relative to the word; 0 costs .002, and matches of beginnings of words

	pairShare        = .4 // bonus for each pair of neighbouring words that query and document share; 0 costs .003
	nameBonus        = .5 // for a name that the query covers completely; 0 costs .013
	descriptionBonus = .5 // for a description that the query covers completely; 0 costs .004
	siblingShare     = .4 // share of the distance to the best document of the same named source; 0 costs .004

	clauseBonus  = .1 // bonus for the best documents of a clause, relative to the best score; 0 costs .005
	clauseOffset = .5 // the document of rank r, counted from 0, gets 1/(r+offset) of the bonus
	clausePower  = .5 // exponent of the clause's share of the query's weight
	clauseDepth  = 10 // number of documents that get a bonus, and that are ordered one by one
	repeatShare  = .5 // share of a clause's score that is lost once a better document answers it; 0 costs .005
)

// impact returns the factor of a word's score that depends on the document: it grows with
// the word's weighted frequency, ever more slowly.
func impact(frequency, k float64) uint32 {
	return uint32(math.Round(impactUnit * (presence + (1-presence)*frequency*(k+1)/(k+frequency))))
}

// norm returns the weight of one occurrence in a field of length words.
func (r fieldRule) norm(length int) float64 {
	return r.weight / (1 - r.damping + r.damping*float64(length)/r.usual)
}

// information returns the information of a word that some of count documents have.
func information(documents, count int) float64 {
	n, all := float64(documents), float64(count)
	return math.Log(1 + (all-n+.5)/(n+.5))
}
