package pegboard

import (
	"math"

	"github.com/seed49eaa51d/pegboard/internal/lock"
)

// A Budget counts what a conversation costs, in US dollars, see [KeyBudget]. It refuses
// nothing: who wants to spend looks at Left before. A nil Budget has no limit and counts
// nothing. Its methods may be called concurrently.
type Budget struct {
	limit float64

	mu    lock.Mutex // guards spent
	spent float64
}

// NewBudget returns a budget of which nothing is spent. Of a limit that is negative or no
// number nothing is left.
func NewBudget(limit float64) *Budget { return &Budget{limit: limit} }

// Spend records that dollars were spent, also if they are more than is left. It ignores what
// is negative or no number.
func (b *Budget) Spend(dollars float64) {
	if b == nil || !(dollars > 0) {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spent += dollars
}

// Spent returns how many dollars were spent.
func (b *Budget) Spent() float64 {
	if b == nil {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.spent
}

// Left returns how many dollars may still be spent, never less than 0, and positive infinity
// if there is no limit.
func (b *Budget) Left() float64 {
	if b == nil {
		return math.Inf(1)
	}
	if left := b.limit - b.Spent(); left > 0 {
		return left
	}
	return 0
}
