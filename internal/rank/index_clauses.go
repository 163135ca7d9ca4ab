package rank

import (
	"cmp"
	"math"
	"slices"
)

// A long query may ask for several tools, each of which matches only a part of it.
// Therefore documents are also compared for each clause.

// addClauseBonuses raises the scores of the best candidates of each clause. The candidates
// must be sorted.
func (x *Index) addClauseBonuses(state *searchState) {
	top, all := state.candidates[0].score, 0.0
	for _, weight := range state.weights {
		all += weight
	}
	state.bonuses = zeroed(state.bonuses, len(state.candidates))
	for clause, weight := range state.weights {
		state.order = state.order[:0]
		for i, c := range state.candidates {
			if state.parts[clause][c.document] > 0 {
				state.order = append(state.order, i)
			}
		}
		slices.SortFunc(state.order, func(i, j int) int {
			return cmp.Or(cmp.Compare(state.clauseScore(clause, state.candidates[j]), state.clauseScore(clause, state.candidates[i])), cmp.Compare(i, j))
		})
		share := math.Pow(weight/all, clausePower)
		for rank, i := range state.order[:min(len(state.order), clauseDepth)] {
			state.bonuses[i] += clauseBonus * top * share / (float64(rank) + clauseOffset)
		}
	}
	for i := range state.candidates {
		state.candidates[i].score += state.bonuses[i]
	}
}

// diversify sorts the candidates into their final order. Once a candidate has answered a
// clause, the others lose a share of their score for that clause.
func (x *Index) diversify(state *searchState) {
	state.bonuses = zeroed(state.bonuses, state.clauses) // the highest score of a candidate for each clause
	for clause := range state.bonuses {
		for _, c := range state.candidates {
			state.bonuses[clause] = max(state.bonuses[clause], state.clauseScore(clause, c))
		}
	}
	state.answeredShares = zeroed(state.answeredShares, state.clauses)
	for rest := state.candidates; len(rest) > 1 && len(state.candidates)-len(rest) < clauseDepth; rest = rest[1:] {
		best := 0
		for i := range rest {
			if x.compare(rest[i], rest[best]) < 0 {
				best = i
			}
		}
		rest[0], rest[best] = rest[best], rest[0]
		for clause, highest := range state.bonuses {
			if highest == 0 {
				continue
			}
			gain := state.clauseScore(clause, rest[0])/highest - state.answeredShares[clause]
			if gain <= 0 {
				continue
			}
			state.answeredShares[clause] += gain
			for i := range rest[1:] {
				rest[i+1].score -= float64(repeatShare * gain * state.clauseScore(clause, rest[i+1]))
			}
		}
	}
	slices.SortFunc(state.candidates[min(clauseDepth, len(state.candidates)):], x.compare)
}
