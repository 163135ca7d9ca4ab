// Package state keeps values under typed keys, in scopes that fork.
//
// # Concurrency
//
//  1. All functions may be called concurrently.
//  2. What a caller passes, to make a value or to clone one, runs without a lock
//     that reading or writing values takes.
package state

import (
	"maps"
	"sync"
)

// A Scope holds values. One that was forked sees its parent's as well. Make one
// with New or Fork.
type Scope struct {
	parent *Scope // nil at the root
	writer *Scope // where the values go that scopes share

	mu     sync.Mutex // guards all below
	held   map[cloner]any
	making map[cloner]*sync.Mutex
}

// New returns an empty scope, the root of those that are forked from it.
func New() *Scope {
	s := &Scope{}
	s.writer = s
	return s
}

// Fork returns a scope below s. It begins with what the keys that clone make of
// the values of s at that moment. What is written in it under a key that scopes
// share goes where s writes, or stays its own if apart is set.
func (s *Scope) Fork(apart bool) *Scope {
	fork := &Scope{parent: s, writer: s.writer, held: s.clones()}
	if apart {
		fork.writer = fork
	}
	return fork
}

// Root returns the scope that s was forked from in the end, or s.
func (s *Scope) Root() *Scope {
	for s.parent != nil {
		s = s.parent
	}
	return s
}

// clones returns what a fork begins with.
func (s *Scope) clones() map[cloner]any {
	s.mu.Lock()
	held := maps.Clone(s.held)
	s.mu.Unlock()
	clones := map[cloner]any{}
	for key, v := range held { // without the lock: clone is somebody else's code
		if v, ok := key.cloned(v); ok {
			clones[key] = v
		}
	}
	return clones
}

func (s *Scope) value(key cloner) (any, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.held[key]
	return v, ok
}

func (s *Scope) setValue(key cloner, v any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held == nil {
		s.held = map[cloner]any{}
	}
	s.held[key] = v
}

// onceLock returns the lock under which the value of key is made.
func (s *Scope) onceLock(key cloner) *sync.Mutex {
	s.mu.Lock()
	defer s.mu.Unlock()
	lock, ok := s.making[key]
	if !ok {
		lock = &sync.Mutex{}
		if s.making == nil {
			s.making = map[cloner]*sync.Mutex{}
		}
		s.making[key] = lock
	}
	return lock
}
