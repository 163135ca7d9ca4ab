//go:build !lockorder

// Package lock is the mutex of the engine. Built with the tag lockorder, it checks that
// locks are always acquired in the same order, so that no run of the tests may hide a
// deadlock. Without the tag it is [sync.Mutex].
package lock

import "sync"

// A Mutex is a [sync.Mutex].
type Mutex = sync.Mutex
