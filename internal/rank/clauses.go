package rank

import (
	"cmp"
	"math"
	"slices"
)

// A longer query may ask for several tools, each of which matches a part of it
// only. So documents are also compared clause by clause.

// clauseScore is what the words of a clause bring a candidate.
func (b *searchState) clauseScore(clause int, c candidate) float64 {
	return float64(b.parts[clause][c.document]) / scoreUnit * c.factor
}

// addClauseBonuses adds what the best candidates of each clause deserve. The
// candidates are in order.
func (x *Index) addClauseBonuses(b *searchState) {
	top, all := b.candidates[0].score, 0.0
	for _, weight := range b.weights {
		all += weight
	}
	b.bonuses = zeroed(b.bonuses, len(b.candidates))
	for clause, weight := range b.weights {
		b.order = b.order[:0]
		for i, c := range b.candidates {
			if b.parts[clause][c.document] > 0 {
				b.order = append(b.order, i)
			}
		}
		slices.SortFunc(b.order, func(i, j int) int {
			return cmp.Or(cmp.Compare(b.clauseScore(clause, b.candidates[j]), b.clauseScore(clause, b.candidates[i])), cmp.Compare(i, j))
		})
		share := math.Pow(weight/all, clausePower)
		for rank, i := range b.order[:min(len(b.order), clauseDepth)] {
			b.bonuses[i] += clauseBonus * top * share / (float64(rank) + clauseOffset)
		}
	}
	for i := range b.candidates {
		b.candidates[i].score += b.bonuses[i]
	}
}

// diversify puts the candidates in their final order. Once one of them has answered a
// clause, the others lose a share of what they would bring for it.
func (x *Index) diversify(b *searchState) {
	b.bonuses = zeroed(b.bonuses, b.clauses) // the most a candidate brings for each clause
	for clause := range b.bonuses {
		for _, c := range b.candidates {
			b.bonuses[clause] = max(b.bonuses[clause], b.clauseScore(clause, c))
		}
	}
	b.answeredShares = zeroed(b.answeredShares, b.clauses)
	for rest := b.candidates; len(rest) > 1 && len(b.candidates)-len(rest) < clauseDepth; rest = rest[1:] {
		best := 0
		for i := range rest {
			if x.compare(rest[i], rest[best]) < 0 {
				best = i
			}
		}
		rest[0], rest[best] = rest[best], rest[0]
		for clause, most := range b.bonuses {
			if most == 0 {
				continue
			}
			gain := b.clauseScore(clause, rest[0])/most - b.answeredShares[clause]
			if gain <= 0 {
				continue
			}
			b.answeredShares[clause] += gain
			for i := range rest[1:] {
				rest[i+1].score -= float64(repeatShare * gain * b.clauseScore(clause, rest[i+1]))
			}
		}
	}
	slices.SortFunc(b.candidates[min(clauseDepth, len(b.candidates)):], x.compare)
}
