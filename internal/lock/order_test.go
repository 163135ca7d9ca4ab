//go:build lockorder

package lock_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/lock"
)

func both(first, second *lock.Mutex) {
	first.Lock()
	defer first.Unlock()
	second.Lock()
	defer second.Unlock()
}

func TestTheSameOrderIsAccepted(t *testing.T) {
	t.Parallel()
	var a, b, c lock.Mutex
	for range 2 {
		both(&a, &b)
		both(&b, &c)
		both(&a, &c)
	}
}

func TestAnotherOrderPanics(t *testing.T) {
	t.Parallel()
	var a, b, c lock.Mutex
	both(&a, &b)
	both(&b, &c)
	require.Panics(t, func() { both(&b, &a) }, "directly")
	var d, e, f lock.Mutex
	both(&d, &e)
	both(&e, &f)
	require.Panics(t, func() { both(&f, &d) }, "through a further lock")
}

func TestALockThatIsHeldPanics(t *testing.T) {
	t.Parallel()
	var a lock.Mutex
	require.Panics(t, func() { both(&a, &a) })
}
