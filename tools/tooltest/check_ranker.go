package tooltest

import (
	"time"

	"github.com/seed49eaa51d/pegboard"
)

// CheckRanker reports every way in which a ranker breaks the contract of
// [pegboard.Ranker]. It searches a pool of its own, of two dozen deferred tools of three
// servers. The error joins one *[ContractError] for each violation; nil means that
// CheckRanker has found none. Use a [RankerChecker] to choose the grace period.
//
// CheckRanker checks these rules:
//
//  1. The named is found: words that are in the name and the description of one tool find
//     it, as one of the first three.
//  2. The limit holds: there are at most limit matches, none for 0, and one for 1.
//  3. The best come first: the scores never rise, and are numbers.
//  4. Matches are deferred tools: each name is that of a deferred tool of the pool, and there
//     only once.
//  5. Accept decides: no match is a name that accept refuses, and a refused name takes no
//     place of the limit. A nil accept accepts all.
//  6. The irrelevant is not found: words that mean nothing find nothing.
//  7. The same words find the same: the same tools in the same order, also from several
//     goroutines at once.
//  8. Odd words are words: none, a megabyte of them, and bytes that are not UTF-8 make no
//     panic; neither does a pool without tools.
//  9. It ends with its context: when that has ended, Rank returns within the grace period,
//     with matches or an error.
func CheckRanker(r pegboard.Ranker) error { return RankerChecker{}.Check(r) }

// A RankerChecker is a [CheckRanker] with settings. The zero value is equivalent to
// CheckRanker.
type RankerChecker struct {
	// Grace is how long one search may take; 0 means a minute.
	Grace time.Duration
}

// Check is like the function [CheckRanker].
func (k RankerChecker) Check(r pegboard.Ranker) error {
	x := &rankerExam{verdict: verdict{purposes: rankerPurposes, returns: ruleRankerOdd, grace: k.Grace}, ranker: r}
	if x.grace <= 0 {
		x.grace = time.Minute
	}
	s, err := NewSession("")
	if err != nil {
		return err
	}
	defer func() { _ = closeSession(s) }() // nothing in it runs
	if err := x.prepare(s); err != nil {
		return err
	}
	x.check()
	return x.err()
}
